package gateway

import (
	"strings"
	"testing"

	"chela/internal/fault"
)

func TestTooLarge_TellsALengthAboveTheLimit(t *testing.T) {
	t.Parallel()
	for length, want := range map[int64]string{
		2<<20 + 1: "has 2.1 MB, and /a takes up to 2.",
		5 << 19:   "has 2.5 MB, and /a takes up to 2.",
		30 << 20:  "has 30.0 MB, and /a takes up to 2.",
	} {
		if got := fault.TextOf(tooLarge("/a", length, 2<<20)); !strings.Contains(got, want) {
			t.Errorf("%d bytes: %q, want %q in it", length, got, want)
		}
	}
}
