package intake

import (
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
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
