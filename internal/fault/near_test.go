package fault_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
)

func TestNear_NamesThatWereMeant(t *testing.T) {
	t.Parallel()
	names := []string{"priority", "points", "owner", "due", "dueDate", "sources.quote", "id"}
	for word, want := range map[string][]string{
		"prioritty": {"priority"}, "Pri": {"priority"}, "ownr": {"owner"}, "du": {"due", "dueDate"}, "po": {"points"},
		"": nil, "zebra": nil, "x": nil, strings.Repeat("a", 1_000_000): nil,
	} {
		if got := fault.Near(word, names); !slices.Equal(got, want) {
			t.Errorf("Near(%.20q) is %v, want %v", word, got, want)
		}
	}
}
