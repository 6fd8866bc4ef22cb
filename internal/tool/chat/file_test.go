package chat

import (
	"strings"
	"testing"

	"chela/internal/disk"
	"chela/internal/fault"
)

// TestFile_WhereAFileGoes: a person sees where to, and guard whether it leaves the conversation.
func TestFile_WhereAFileGoes(t *testing.T) {
	t.Parallel()
	folders := disk.Folders{Work: "/folder"}
	for name, c := range map[string]struct {
		in    FileIn
		bad   bool
		here  bool
		shows []string
	}{
		"here":              {in: FileIn{Path: "a.csv"}, here: true, shows: []string{"/folder/a.csv", "this conversation"}},
		"elsewhere":         {in: FileIn{Path: "a.csv", Channel: "team", Chat: "c1", Text: "Look"}, shows: []string{"/folder/a.csv", "c1", "team", "Look"}},
		"no channel":        {in: FileIn{Path: "a.csv", Chat: "c1"}, bad: true},
		"no chat":           {in: FileIn{Path: "a.csv", Channel: "team"}, bad: true},
		"a thread of none":  {in: FileIn{Path: "a.csv", Branch: "b1"}, bad: true},
		"too long a text":   {in: FileIn{Path: "a.csv", Text: strings.Repeat("a", maxText+1)}, bad: true},
		"as long as it may": {in: FileIn{Path: "a.csv", Text: strings.Repeat("a", maxText)}, here: true, shows: []string{"/folder/a.csv"}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.in.Check(); (err != nil) != c.bad || c.bad && fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			act := c.in.Act(folders)
			if len(act.Paths) != 1 || act.Paths[0] != (disk.Use{Path: "/folder/a.csv"}) {
				t.Errorf("it reads %+v", act.Paths)
			}
			if !c.bad && act.Here != c.here {
				t.Errorf("it stays here: %v, want %v", act.Here, c.here)
			}
			for _, word := range c.shows {
				if !strings.Contains(act.Shown, word) {
					t.Errorf("%q is not shown: %s", word, act.Shown)
				}
			}
		})
	}
}
