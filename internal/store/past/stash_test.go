package past_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/stash"
	"chela/internal/store/past"
)

// TestPast_BeginsWithAFile keeps what charts are computed from in a file, with which the next start begins; a file that is broken or of
// another program goes, and the log is read.
func TestPast_BeginsWithAFile(t *testing.T) { //nolint:paralleltest // its world sets the environment
	w, root := newWorld(t), t.TempDir()
	files := stash.At(root, nil)
	files.Least, files.After = 1, 1
	add := func() {
		w.change(func(c *clerk.Work) (desk.Record, error) {
			return c.Create(desk.Ticket, []byte(`{"title":"One","sprint":"S1"}`))
		})
	}
	start := func(program string) { w.past = past.New(w.db).With(files, program) }
	holds := func(what string, tickets float64, fileStays bool) {
		t.Helper()
		if got, want := w.done(past.Now()), []float64{tickets, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
		l, _, err := w.past.Sprints(t.Context(), w.project, past.Now())
		if err != nil || len(l.Sprints(w.db.Mint().Now())) != 1 || l.Sprints(w.db.Mint().Now())[0].Scope.Tickets != int(tickets) {
			t.Errorf("%s: the sprints are %+v, %v", what, l, err)
		}
		if there := len(kept(t, root)) == 1; there != fileStays {
			t.Errorf("%s: a file is there: %v", what, there)
		}
	}
	add()
	start("one")
	holds("without a file", 1, false)
	if err := w.past.Stash(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	start("one")
	holds("with a file", 1, true)
	add()
	holds("with what came since", 2, true)
	start("one")
	holds("with what came before the start", 2, true)
	if err := os.Truncate(kept(t, root)[0], 100); err != nil {
		t.Fatal(err)
	}
	start("one")
	holds("with a broken file", 2, false)
	if err := w.past.Stash(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	start("two")
	holds("with a file of another program", 2, false)
}

func kept(t *testing.T, root string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
