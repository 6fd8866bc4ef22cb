package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"chela/internal/tool"
)

func FuzzOutput(f *testing.F) {
	f.Add([]byte("héllo wörld"), uint8(4), uint8(3))
	f.Add([]byte("\xff\xfe\x80"), uint8(0), uint8(1))
	f.Add([]byte(strings.Repeat("ä", 500)), uint8(101), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, limit, step uint8) {
		o := newOutput(int(limit), nil)
		for rest := text; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			if w, err := o.out.Write(rest[:n]); w != n || err != nil {
				t.Fatal(w, err)
			}
			rest = rest[n:]
		}
		var e tool.Exit
		o.into(&e)
		if !utf8.ValidString(e.Stdout) {
			t.Errorf("%q is not UTF-8", e.Stdout)
		}
		if e.Cut != (len(text) > int(limit)) {
			t.Errorf("cut is %v of %d for %d", e.Cut, len(text), limit)
		}
		if !e.Cut && e.Stdout != strings.ToValidUTF8(string(text), "\uFFFD") {
			t.Errorf("%q; want %q", e.Stdout, text)
		}
		if len(e.Stdout) > 3*int(limit)+60 {
			t.Errorf("%d bytes are kept of %d", len(e.Stdout), limit)
		}
	})
}
