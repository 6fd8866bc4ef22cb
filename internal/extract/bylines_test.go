package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestByLines_FindsWhatSharesALine compares with looking through all.
func TestByLines_FindsWhatSharesALine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Custom(func(t *rapid.T) Span {
			from := rapid.IntRange(1, 200).Draw(t, "line")
			return Span{Line: from, EndLine: from + rapid.SampledFrom([]int{0, 0, 1, 5, longSpan, 150}).Draw(t, "more lines")}
		})
		all, of := rapid.SliceOf(span).Draw(t, "all"), span.Draw(t, "of")
		var x byLines
		var want []int
		for i, s := range all {
			x.put(s, "")
			if s.Line <= of.EndLine && s.EndLine >= of.Line {
				want = append(want, i)
			}
		}
		if got := x.within(of); !slices.Equal(got, want) {
			t.Fatalf("in lines %d to %d: %v, want %v", of.Line, of.EndLine, got, want)
		}
	})
}

// TestByLines_ASentenceIsComparedWithWhatIsBesideIt counts what the sentences of a long list are compared with: it does not grow with the list.
func TestByLines_ASentenceIsComparedWithWhatIsBesideIt(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	const lines = 300
	for i := range lines {
		fmt.Fprintf(&text, "- Ann to send invoice %d\n- We agreed to pay invoice %d\n", i, i)
	}
	s := scanTwice(text.String())
	compared := 0
	for _, h := range s.heard {
		found := s.byRule()
		compared += len(found.actions.within(h.span)) + len(found.decisions.within(h.span))
	}
	for _, a := range s.out.Actions {
		compared += len(s.heardIn(a.Span))
	}
	if len(s.out.Actions) < lines || compared > 8*lines {
		t.Errorf("%d actions, and %d comparisons of %d lines", len(s.out.Actions), compared, 2*lines)
	}
}
