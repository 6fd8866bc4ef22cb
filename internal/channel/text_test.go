package channel_test

import (
	"testing"

	"chela/internal/channel"
)

func TestText_OneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"", 5, ""},
		{"  a\tb\r\n c ", 9, "a b c"},
		{"héllo", 5, "héllo"},
		{"héllos", 5, "héll…"},
		{"a\x00b\xffc", 9, "ab\uFFFDc"},
	} {
		if got := channel.OneLine(c.in, c.most); got != c.want {
			t.Errorf("OneLine(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
}
