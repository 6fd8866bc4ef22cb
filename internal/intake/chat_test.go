package intake

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
)

// threads are "title: content" of the threads, in the order of their making.
func (b *notebook) threads() (out []string) {
	b.t.Helper()
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Thread})
		for _, r := range all {
			t, err := desk.Open[desk.ThreadBody](r)
			if err != nil {
				return err
			}
			out = append(out, t.Title+" | "+t.Content)
		}
		return err
	})
	slices.Sort(out)
	return out
}

func TestChats_TheSameOrALongerOneIsOneThread(t *testing.T) {
	t.Parallel()
	const (
		first  = "Priya Raman\n  9:02 AM\nmorning all\n\nTom Becker\n  9:05 AM\nI'll update the runbook\n"
		longer = first + "\nPriya Raman\n  9:09 AM\nI'll tell support\n"
		other  = "Priya Raman\n  3:02 PM\nanother thing\n\nTom Becker\n  3:05 PM\nI'll order the cake\n"
	)
	b := newNotebook(t)
	for _, text := range []string{first, first, longer, first, other} {
		b.take(text, false)
	}
	if got, want := b.threads(), []string{"Priya Raman: another thing | " + other, "Priya Raman: morning all | " + longer}; !slices.Equal(got, want) {
		t.Errorf("the threads are %q, want %q", got, want)
	}
	b.wants("taken in", []string{"order the cake of Tom Becker: TODO", "tell support of Priya Raman: TODO", "update the runbook of Tom Becker: TODO"}, []string{"Priya Raman: tell support", "Tom Becker: order the cake", "Tom Becker: update the runbook"})
}

// TestChats_AnExportedOneHasTheNameOfItsGroup: a later export of the chat is the same thread, also when the group was named anew.
func TestChats_AnExportedOneHasTheNameOfItsGroup(t *testing.T) {
	t.Parallel()
	const (
		secret = "24/11/2026, 18:01 - Messages and calls are end-to-end encrypted. Learn more.\n"
		alone  = secret + "24/11/2026, 18:03 - Rob Hill: I'll book the venue tomorrow\n24/11/2026, 18:04 - Nina Berg: good\n"
		later  = alone + "25/11/2026, 18:04 - Rob Hill: thanks\n"
		named  = later + "26/11/2026, 18:04 - Rob Hill changed the subject to \"Launch party\"\n26/11/2026, 18:05 - Nina Berg: nice\n"
	)
	b := newNotebook(t)
	for _, text := range []string{alone, later, named, later} {
		b.take(text, false)
	}
	if got, want := b.threads(), []string{"Launch party | " + named}; !slices.Equal(got, want) {
		t.Errorf("the threads are %q, want %q", got, want)
	}
}

// TestChats_WithoutADayAreOfTheDayOfTheIntake: "tomorrow" in a text that says no day is counted from the day of the intake, and the
// intake says so; its thread has no day all the same.
func TestChats_WithoutADayAreOfTheDayOfTheIntake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"a chat":        {"chat.txt", "Rob: can somebody book the venue?\nNina: I'll book the venue tomorrow\nRob: I'll order the cake by Friday\n", `chat.txt, line 2: the text says no day, so "book the venue tomorrow" is due on 2026-11-30, and 1 more, counted from 2026-11-29, the day of the intake.`},
		"minutes":       {"sync.md", "# Sync\n\n## Action items\n- Ann to send the report by Friday\n", `sync.md, line 4: the text says no day, so "send the report by Friday" is due on 2026-12-04, counted from 2026-11-29, the day of the intake.`},
		"a named day":   {"sync_2026-03-05.md", "# Sync\n\n## Action items\n- Ann to send the report by Friday\n", ""},
		"nothing to do": {"chat.txt", "Rob: hello\nNina: hello\n", ""},
	} {
		p := &player{begun: time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC)}
		var told []string
		m := p.read(source{doc: doc{Name: c.file}, Doc: document.Doc{Text: c.text}}, func(s string) { told = append(told, s) })
		if got := strings.Join(told, " "); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: it is told %q, want %q", name, got, c.want)
		}
		if !m.Date.IsZero() && c.want != "" {
			t.Errorf("%s: it has the day %s", name, m.Date)
		}
	}
}
