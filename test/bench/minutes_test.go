package bench

import (
	"fmt"
	"os"
	"testing"

	"chela/internal/testkit/extracttest"
)

// BenchmarkMinutesReport reports how much of the labelled minutes rules read, and how
// much of what they read is right.
func BenchmarkMinutesReport(b *testing.B) {
	if b.N > 1 {
		b.Skip("the report is made once") // the framework asks again with larger N
	}
	suite, err := extracttest.Load(os.DirFS("../../internal/extract/testdata/minutes"))
	if err != nil {
		b.Fatal(err)
	}
	fmt.Println()
	for _, half := range []bool{false, true} {
		of := extracttest.Of(suite, func(p extracttest.Passage) bool { return p.Family != "" && p.HeldOut == half })
		name := map[bool]string{false: "seen", true: "held-out"}[half]
		for _, family := range extracttest.Families(of) {
			scores, _ := extracttest.Run(extracttest.Of(of, func(p extracttest.Passage) bool { return p.Family == family }))
			fmt.Printf("minutes %-8s %-13s %s\n", name, family, extracttest.Line(scores))
		}
		scores, _ := extracttest.Run(of)
		fmt.Printf("minutes %-8s %-13s %s\n", name, "all", extracttest.Line(scores))
	}
	scores, _ := extracttest.Run(extracttest.Of(suite, func(p extracttest.Passage) bool { return p.Family == "" }))
	for _, kind := range extracttest.Kinds() {
		s := scores[kind]
		name := "minutes " + kind + "s"
		if kind == "absent" {
			name = "minutes absentees"
		}
		line(name+" precision", 100*s.Precision(), "%", 0)
		line(name+" recall", 100*s.Recall(), "%", 0)
	}
	a := scores["action"]
	line("minutes actions' owners right", 100*a.OwnersRight(), "%", 0)
	line("minutes actions' due dates right", 100*a.DuesRight(), "%", 0)
}
