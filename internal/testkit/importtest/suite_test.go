package importtest_test

import (
	"os"
	"testing"

	"chela/internal/testkit/importtest"
)

// least is the share of a shape's facts that is found again.
const least = 0.95

func TestScore_EachShapeKeepsItsFacts(t *testing.T) {
	t.Parallel()
	shapes, err := importtest.Load(os.DirFS("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	if len(shapes) < 14 {
		t.Errorf("got %d shapes, want at least 14", len(shapes))
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
			t.Errorf("%s: %v", sh.Name, err)
			continue
		}
		t.Logf("%-22s %4d of %4d  %.3f", sh.Name, s.Found, s.Facts, s.Share())
		if s.Share() < least {
			t.Errorf("%s: got %.3f of its facts, want %.2f", sh.Name, s.Share(), least)
		}
		if testing.Verbose() {
			for _, m := range s.Missed {
				t.Logf("%s: %s", sh.Name, m)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
