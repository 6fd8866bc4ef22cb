package browser_test

import (
	"testing"
	"time"

	"chela/internal/tool/browser"
)

// TestBounds_Stat: the name of a process, which it chooses, says nothing about its numbers.
func TestBounds_Stat(t *testing.T) {
	t.Parallel()
	const rest = " S 41 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0 1 1 1"
	for _, name := range []string{"(chrome)", "(a) S 1 (b)", "())", "(a b\n)"} {
		if parent, spent, ok := browser.StatOf([]byte("12 " + name + rest)); parent != 41 || spent != 2*time.Second || !ok {
			t.Errorf("%s: %d %s %v", name, parent, spent, ok)
		}
	}
}

// FuzzStat: whatever the kernel says becomes numbers or nothing.
func FuzzStat(f *testing.F) {
	f.Add([]byte("12 (chrome) S 41 7 7 0 -1 4194560 1 2 3 4 150 50 0 0"))
	f.Add([]byte("12 chrome) S"))
	f.Add([]byte(""))
	f.Add([]byte("\nRssAnon:\t  12 kB\nRssShmem:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, _, ok := browser.StatOf(text); ok && len(text) < 25 {
			t.Errorf("%q is taken for a stat", text)
		}
		if n := browser.StatusField(text, "RssAnon:"); n < 0 {
			t.Errorf("%q has %d", text, n)
		}
	})
}
