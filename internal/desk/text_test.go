package desk

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSmall_IsLower holds that a text is folded as a database folds it.
func TestSmall_IsLower(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\x00]*`), rapid.SampledFrom([]string{"ÄRA K", "a\x00B", "\xffX", "İ", "A\x00é"})).Draw(t, "text")
		if got, want := string(small([]byte("left over")[:0], text)), strings.ToLower(strings.ReplaceAll(text, "\x00", "")); got != want {
			t.Fatalf("small(%q) = %q, want %q", text, got, want)
		}
	})
}
