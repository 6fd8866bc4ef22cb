package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"chela/internal/tool"
)

// An output keeps the beginning and the end of what a program writes, and lets it write
// on: a program that waits for its reader never ends.
type output struct {
	hear func(stderr bool, text []byte)
	mu   sync.Mutex // around hear, which hears one text at a time
	out  stream
	err  stream
}

func newOutput(limit int, hear func(bool, []byte)) *output {
	o := &output{hear: hear}
	o.out = stream{all: o, limit: limit}
	o.err = stream{all: o, limit: limit, stderr: true}
	return o
}

// into writes what was kept into an exit.
func (o *output) into(e *tool.Exit) {
	var cut bool
	e.Stdout, cut = o.out.text()
	e.Cut = e.Cut || cut
	e.Stderr, cut = o.err.text()
	e.Cut = e.Cut || cut
}

// A stream is one of the two.
type stream struct {
	all    *output
	stderr bool
	limit  int

	mu   sync.Mutex // guards what follows
	head []byte
	tail []byte // up to twice half of limit, then the older half goes
	left int    // bytes that went
}

func (s *stream) Write(p []byte) (int, error) {
	if s.all.hear != nil {
		s.all.mu.Lock()
		s.all.hear(s.stderr, p)
		s.all.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	half := s.limit / 2
	if room := s.limit - half - len(s.head); room > 0 {
		k := min(room, len(p))
		s.head, p = append(s.head, p[:k]...), p[k:]
	}
	if over := len(p) - half; over > 0 {
		s.left += len(s.tail) + over
		s.tail, p = s.tail[:0], p[over:]
	}
	s.tail = append(s.tail, p...)
	if over := len(s.tail) - half; over > half {
		s.left += over
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
	return n, nil
}

// take returns what was kept, and forgets it.
func (s *stream) take() string {
	text, _ := s.text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head, s.tail, s.left = nil, nil, 0
	return text
}

// text returns what was kept as valid UTF-8, and whether it is not all.
func (s *stream) text() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tail, left := s.tail, s.left
	if over := len(tail) - s.limit/2; over > 0 {
		tail, left = tail[over:], left+over
	}
	if left == 0 {
		return strings.ToValidUTF8(string(s.head)+string(tail), "\uFFFD"), false
	}
	head := s.head
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ { // a character that the cut goes through
		if b := head[len(head)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(head[len(head)-i:]) {
				head = head[:len(head)-i]
			}
			break
		}
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s",
		strings.ToValidUTF8(string(head), "\uFFFD"), left, strings.ToValidUTF8(string(tail), "\uFFFD")), true
}
