package importtest_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"chela/internal/testkit/importtest"
)

// least is the share of a shape's facts that is found again.
const least = 0.95

func TestScore_EachShapeKeepsItsFacts(t *testing.T) {
	t.Parallel()
	for _, half := range []string{"seen", "heldout"} {
		shapes, err := importtest.Load(os.DirFS("testdata/" + half))
		if err != nil {
			t.Fatal(err)
		}
		if len(shapes) < 14 {
			t.Errorf("%s: got %d shapes, want at least 14", half, len(shapes))
		}
		w, err := importtest.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, sh := range shapes {
			if len(sh.Tickets) < 10 {
				t.Errorf("%s: got %d tickets, want at least 10", sh.Name, len(sh.Tickets))
			}
			s, err := w.Score(t.Context(), sh)
			if err != nil {
				t.Errorf("%s, %s: %v", half, sh.Name, err)
				continue
			}
			if s.Share() < least {
				t.Errorf("%s, %s: got %.3f of its facts, want %.2f:\n%s", half, sh.Name, s.Share(), least, strings.Join(s.Missed, "\n"))
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestScore_AFactThatIsNotThereIsMissed holds that the score can fail.
func TestScore_AFactThatIsNotThereIsMissed(t *testing.T) {
	t.Parallel()
	shapes, err := importtest.Load(os.DirFS("testdata/seen"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := importtest.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh := shapes[0]
	sh.Tickets = append([]importtest.Ticket{{Key: "NONE-1", Title: "None", Labels: []string{"none"}}}, sh.Tickets[1:]...)
	s, err := w.Score(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if want := sh.Tickets[0].Key + " is missing"; s.Found >= s.Facts || !slices.ContainsFunc(s.Missed, func(m string) bool { return strings.Contains(m, want) }) {
		t.Errorf("got %d of %d facts and %q, want %q among what is missed", s.Found, s.Facts, s.Missed, want)
	}
	if !slices.ContainsFunc(s.Missed, func(m string) bool { return strings.Contains(m, "is no ticket of the file") }) {
		t.Errorf("got %q, want the ticket that no fact names", s.Missed)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
