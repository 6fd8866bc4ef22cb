package blueprint_test

import (
	"strings"
	"testing"

	"chela/internal/blueprint"
	"chela/internal/canvas"
)

// TestFromChange_RenamesAndSets changes steps by rules alone, and leaves the rest of the text as it was.
func TestFromChange_RenamesAndSets(t *testing.T) {
	t.Parallel()
	const source = "slug: late\nname: Late\nsteps:\n  # who looks\n  - id: look\n    title: Look\n    agent: {name: pm, task: List what is late.}\n  - {id: ask, wait: {person: {ask: Is it?}}, timeout: 1d}\n"
	for text, want := range map[string]string{
		"rename the step look to Look for late work":                                 "title: Look for late work",
		"set timeout of ask to 5 minutes":                                            "timeout: 5m",
		"set the timeout of the step “ask” to 2w":                                    "timeout: 14d",
		"set retries of look to 3":                                                   "times: 3",
		"change the task of look to Say what is open, then set role of ask to admin": "role: admin",
		"set title of ask to Ask Ann":                                                "title: Ask Ann",
	} {
		d := canvas.Draft{Source: source}
		g, err := canvas.Draw(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := blueprint.FromChange(text, "late", g, team)
		if err != nil || len(p.Unread) > 0 {
			t.Errorf("%q: %v, not understood %q", text, err, p.Unread)
			continue
		}
		out, err := blueprint.Rehearse(d, p)
		if err != nil || !strings.Contains(out.Source, want) || !strings.Contains(out.Source, "# who looks") {
			t.Errorf("%q: %v, want %q in\n%s", text, err, want, out.Source)
		}
	}
	g, err := canvas.Draw(canvas.Draft{Source: source}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blueprint.FromChange("set timeout of nowhere to 5m", "late", g, team); err == nil {
		t.Error("a step that is not there was changed")
	}
}
