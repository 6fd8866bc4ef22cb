package talk

import (
	"strings"
	"testing"

	"chela/internal/stream"
)

// TestWritten: what was shown and the rest are the whole answer once, whatever white space the model put around it.
func TestWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"hello world", "hello world\n", " hello world", "\n\nhello\n\nworld \n", "hello", " "} {
		for shown := 0; shown <= len(text); shown++ {
			var w Written
			var b strings.Builder
			for at := range shown {
				b.WriteString(w.Take(stream.Tick{Kind: "delta", Text: text[at : at+1], At: at}))
			}
			b.WriteString(w.Rest(strings.TrimSpace(text)))
			if got := strings.TrimSpace(b.String()); got != strings.TrimSpace(text) {
				t.Errorf("%q, of which %d characters were shown: %q", text, shown, got)
			}
		}
	}
}
