package bench

import (
	"fmt"
	"os"
	"testing"

	"chela/internal/testkit/importtest"
)

// BenchmarkImportsReport reports how much of what exports of trackers say is found again after they
// were imported and the project exported, in each shape.
func BenchmarkImportsReport(b *testing.B) {
	if b.N > 1 {
		b.Skip("the report is made once") // the framework asks again with larger N
	}
	fmt.Println()
	for _, half := range []string{"seen", "heldout"} {
		shapes, err := importtest.Load(os.DirFS("../../internal/testkit/importtest/testdata/" + half))
		if err != nil {
			b.Fatal(err)
		}
		w, err := importtest.Open(b.Context(), b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		facts, found := 0, 0
		for _, sh := range shapes {
			s, err := w.Score(b.Context(), sh)
			if err != nil {
				b.Fatal(err)
			}
			facts, found = facts+s.Facts, found+s.Found
			line(fmt.Sprintf("imports, %s, %s: %d facts", half, sh.Name, s.Facts), 100*s.Share(), "%", 0)
		}
		line(fmt.Sprintf("imports, %s, %d shapes: %d facts", half, len(shapes), facts), 100*float64(found)/float64(facts), "%", 0)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
