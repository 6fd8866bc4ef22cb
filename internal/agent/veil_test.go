package agent

import (
	"strings"
	"testing"
)

// TestVeil masks a secret before its first letter is passed on, however an answer is cut, and says where each piece belongs.
func TestVeil(t *testing.T) {
	t.Parallel()
	const secret, hidden = "hunter2hunter2", "[redacted]"
	for name, text := range map[string]string{
		"in a sentence": "I used hunter2hunter2 for it, twice.",
		"at the end":    "It is hunter2hunter2",
		"alone":         secret,
		"quoted":        "`hunter2hunter2`\nand no more",
		"beside others": "密码是hunter2hunter2。没有别的",
		"a long word":   strings.Repeat("x", 2*mostHeld) + " hunter2hunter2 ",
	} {
		for width := 1; width <= len(text); width++ {
			var b strings.Builder
			v := veil{mask: func(s string) string { return strings.ReplaceAll(s, secret, hidden) }}
			v.pass = func(piece string, at int) {
				if n := len([]rune(b.String())); at != n {
					t.Fatalf("%s: a piece is said to come after %d characters, it comes after %d", name, at, n)
				}
				b.WriteString(piece)
				if strings.Contains(b.String(), "hunter2") {
					t.Fatalf("%s, in pieces of %d: %q is passed on", name, width, b.String())
				}
			}
			for rest := text; rest != ""; {
				n := min(width, len(rest))
				for n < len(rest) && rest[n]&0xC0 == 0x80 {
					n++
				}
				v.add(rest[:n])
				rest = rest[n:]
			}
			v.flush()
			if want := strings.ReplaceAll(text, secret, hidden); b.String() != want {
				t.Errorf("%s, in pieces of %d: %q, want %q", name, width, b.String(), want)
			}
		}
	}
}

// TestVeil_Anew: an answer that is begun again is counted from its beginning.
func TestVeil_Anew(t *testing.T) {
	t.Parallel()
	var got []string
	v := veil{mask: strings.ToUpper, pass: func(text string, at int) {
		got = append(got, text)
		if text == "OTHER" && at != 0 {
			t.Errorf("the new beginning comes after %d characters", at)
		}
	}}
	v.add("one two th")
	v.anew()
	v.add("other")
	v.flush()
	if s := strings.Join(got, "|"); s != "ONE TWO |OTHER" {
		t.Errorf("got %q", s)
	}
}
