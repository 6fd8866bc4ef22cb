package intake

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestDiffering_WhatDiffersIsShown: however long two values are and wherever they differ, what is shown
// of them differs, and is short.
func TestDiffering_WhatDiffersIsShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		alike := strings.Repeat(rapid.StringN(0, 12, 40).Draw(t, "alike"), rapid.IntRange(0, 60).Draw(t, "times"))
		before, after := alike+rapid.StringN(0, 900, 900).Draw(t, "before"), alike+rapid.StringN(0, 900, 900).Draw(t, "after")
		was, is := differing(before, after)
		if (was == is) != (before == after) {
			t.Fatalf("%q and %q are shown as %q and %q", before, after, was, is)
		}
		for _, s := range []string{was, is} {
			if len(s) > shown+2*len("…") || !utf8.ValidString(s) {
				t.Fatalf("%d bytes are shown: %q", len(s), s)
			}
		}
	})
}

func TestDiffering_ALongBeginningIsLeftOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the same ", 100)
	was, is := differing(long+"until here: one", long+"until here: two")
	if !strings.HasPrefix(was, "…") || !strings.HasSuffix(was, "here: one") || !strings.HasSuffix(is, "here: two") {
		t.Errorf("%q, %q", was, is)
	}
	if was, is = differing("short", "other"); was != "short" || is != "other" {
		t.Errorf("%q, %q", was, is)
	}
}
