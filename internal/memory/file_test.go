package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a moment

func row(n int, kind, text string) memory.Row {
	return memory.Row{ID: fmt.Sprintf("mem_%d", n), Version: 3, Type: kind, Text: text}
}

// written is up to where the log had been read when a file of the tests was written.
const written = 100

// asOf places memories in the log: those that are named after what was written, with where they were made and changed last; all others before.
func asOf(places map[string][2]event.Seq) memory.Placed {
	return func(_ context.Context, id string) (made, last event.Seq, err error) {
		at, ok := places[id]
		if !ok {
			at = [2]event.Seq{written - 1, written}
		}
		return at[0], at[1], nil
	}
}

// edits are what a file changes, as lines.
func edits(t *testing.T, file string, now []memory.Row, places map[string][2]event.Seq) string {
	t.Helper()
	read, err := memory.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := memory.Compare(t.Context(), read, now, asOf(places))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		out = append(out, strings.TrimSpace(e.What+" "+e.ID+" "+e.Type+" "+e.After))
	}
	return strings.Join(out, "\n")
}

func TestFile_IsReadBack(t *testing.T) {
	t.Parallel()
	rows := []memory.Row{row(1, "decision", "We use PostgreSQL."), row(2, "fact", "Two\n\n  lines, and [brackets]."), row(3, "question", "Who pays?"), row(5, "fact", "Lines of\r\nanother system.\r\n")}
	file := memory.File("Payments", rows, written, noon)
	if got := edits(t, file, rows, nil); got != "" {
		t.Errorf("a file that nobody touched: %s", got)
	}
	if got := edits(t, "\ufeff"+file[strings.Index(file, "As of"):], rows, nil); got != "" {
		t.Errorf("behind the mark of an editor: %s", got)
	}
	edited := strings.Replace(file, "We use PostgreSQL.", "We use PostgreSQL 18.", 1)
	edited = strings.Replace(edited, "- Who pays? [mem_3@3]\n", "- Who audits?\n", 1)
	if got, want := edits(t, edited, rows, nil), "changed mem_1 decision We use PostgreSQL 18.\nadded  question Who audits?\nforgotten mem_3 question"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	moved := slices.Clone(rows)
	moved[0].Version, moved[0].Text = 4, "We use SQLite."
	moved[2].Version = 4
	moved = append(moved, memory.Row{ID: "mem_4", Version: 1, Type: "fact", Text: "New."})
	since := map[string][2]event.Seq{"mem_1": {1, written + 1}, "mem_3": {2, written + 2}, "mem_4": {written + 3, written + 3}}
	if got, want := edits(t, edited, moved, since), "conflict mem_1 decision We use PostgreSQL 18.\nadded  question Who audits?\nconflict mem_3 question"; got != want {
		t.Errorf("what somebody else changed: got\n%s\nwant\n%s", got, want)
	}
}

func TestReadFile_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	head := "# Memory\n\nAs of 2026-03-09T12:00:00Z, event 12. Edit.\n"
	for text, want := range map[string]string{
		"# Memory\n\n## Facts\n\n- a\n":                     "does not say as of when",
		head + "\n- a\n":                                    "line 5: it stands under no heading",
		head + "\n## Gossip\n":                              "line 5: the heading \"Gossip\" is not known",
		head + "\n## Facts\n\na\n":                          "line 7: it begins with no",
		head + "\n## Facts\n\n- [mem_1@1]\n":                "line 7 is empty",
		head + "\n## Facts\n\n- a [mem_1@1]\n- b [mem_1@1]": "lines 7 and 8 are both mem_1",
		"As of 2026-03-09T12:00:00Z. Edit.\n":               "up to which event",
		head + strings.Repeat("a", memory.MaxFile):          "the limit is",
	} {
		if _, err := memory.ReadFile(text); err == nil || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// TestFile_RoundTrip holds that any memories are read back as they are.
func TestFile_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var rows []memory.Row
		for i := range rapid.IntRange(0, 8).Draw(t, "n") {
			text := strings.TrimSpace(strings.ReplaceAll(rapid.StringMatching(`[a-zA-Z0-9 .,:\-#\[\]@_\n]{1,60}`).Draw(t, "text"), "\r", ""))
			if text == "" {
				continue
			}
			rows = append(rows, row(i+1, rapid.SampledFrom([]string{"decision", "fact", "preference", "procedure", "question"}).Draw(t, "type"), text))
		}
		read, err := memory.ReadFile(memory.File("P", rows, written, noon))
		if err != nil {
			t.Fatal(err)
		}
		if e, err := memory.Compare(t.Context(), read, rows, asOf(nil)); err != nil || len(e) > 0 {
			t.Errorf("%+v of %+v: %v", e, rows, err)
		}
	})
}

func FuzzReadFile(f *testing.F) {
	f.Add(memory.File("P", []memory.Row{row(1, "fact", "a\nb")}, written, noon))
	f.Add("As of 2026-03-09T12:00:00Z, event 12. \n## Facts\n- a [mem_1@99999999999999999999]\n")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := memory.ReadFile(text)
		if err != nil {
			return
		}
		all, err := memory.Compare(t.Context(), read, nil, asOf(nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if e.What == "forgotten" || e.After == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}
