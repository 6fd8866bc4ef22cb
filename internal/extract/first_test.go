package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/extract"
)

// TestReadMinutes_TheFirstItemIsOneOfTheList reads texts that are nothing but a list: each item is an action, or none is. Rules read
// the first form, and the others are weighed.
func TestReadMinutes_TheFirstItemIsOneOfTheList(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"- Ann to do thing number %d", "- Ann to haggle with vendor number %d", "* Ann to vacuum room number %d", "1. Ann to juggle the numbers of case %d"} {
		var text strings.Builder
		for i := range 5 {
			fmt.Fprintf(&text, form+"\n", i)
		}
		m := extract.ReadMinutes(text.String())
		if len(m.Actions) != 5 {
			t.Errorf("%q: %d actions, want 5: %v", form, len(m.Actions), m.Actions)
		}
		for i, a := range m.Actions {
			if a.Owner != "Ann" || a.Span.Line != i+1 {
				t.Errorf("%q: action %d is %s's in line %d", form, i, a.Owner, a.Span.Line)
			}
		}
	}
	if m := extract.ReadMinutes("Things to do before the launch\n\nNothing to do with the budget here.\n"); len(m.Actions) > 0 {
		t.Errorf("sentences about what there is to do: %v", m.Actions)
	}
}
