package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"chela/internal/wire"
)

func TestSSE(t *testing.T) {
	t.Parallel()
	in := ": hello\r\n\nevent: a\ndata: one\ndata:two\n\nid: 5\ndata:\n\nevent: lost\n\ndata: last"
	want := [][2]string{{"a", "one\ntwo"}, {"", ""}, {"", "last"}}
	s := wire.NewSSE(strings.NewReader(in))
	for i, w := range want {
		name, data, err := s.Next()
		if err != nil || name != w[0] || string(data) != w[1] {
			t.Errorf("event %d: %q %q %v, want %q", i, name, data, err, w)
		}
	}
	if _, _, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	long := wire.NewSSE(strings.NewReader("data: " + strings.Repeat("x", 5<<20) + "\n\n"))
	if _, _, err := long.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a line without end: %v", err)
	}
}

func FuzzSSE(f *testing.F) {
	f.Add("event: a\ndata: one\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		s := wire.NewSSE(strings.NewReader(in))
		for range len(in) + 2 {
			if _, _, err := s.Next(); err != nil {
				return
			}
		}
		t.Fatal("it has more events than bytes")
	})
}
