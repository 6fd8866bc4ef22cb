package intake

import (
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
)

// TestMinutes_TheNameOfTheFileSaysTheDay takes notes in that say no day: their thread has that of the file's name.
func TestMinutes_TheNameOfTheFileSaysTheDay(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.name = "minutes_2020-03-05.md"
	b.take("# Sync\n\n## Action items\n- Ann to send the report\n", false)
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Thread})
		if err != nil {
			return err
		}
		for _, r := range all {
			th, err := desk.Open[desk.ThreadBody](r)
			if err != nil {
				return err
			}
			if th.Date != "2020-03-05" {
				t.Errorf("the thread %q has the day %q, want 2020-03-05", th.Title, th.Date)
			}
		}
		if len(all) == 0 {
			t.Error("no thread was made")
		}
		return nil
	})
}
