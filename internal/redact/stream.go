package redact

import (
	"strings"
	"unicode/utf8"
)

// A Stream hides stored values in a text that comes in pieces. It holds back an end that may be the
// beginning of a value, until the next piece tells. Put together, what it gives is the text without the
// values. It is for one text; the zero value hides nothing.
type Stream struct {
	live *Live
	held string
}

// Stream begins a text that comes in pieces. A nil Live hides nothing.
func (l *Live) Stream() *Stream { return &Stream{live: l} }

// Next takes the next piece, and returns what may be shown now.
func (s *Stream) Next(piece string) string {
	r := s.redactor()
	if r == nil || len(r.needles) == 0 {
		return s.Rest() + piece
	}
	text := s.held + piece
	spans := r.stored(text)
	at := r.open(text)
	for moved := true; moved; { // a value that is whole may end in the beginning of another
		moved = false
		for 0 < at && at < len(text) && !utf8.RuneStart(text[at]) {
			at, moved = at-1, true
		}
		for _, v := range spans {
			if v.from < at && at < v.to {
				at, moved = v.from, true
			}
		}
	}
	s.held = text[at:]
	done := spans[:0]
	for _, v := range spans {
		if v.to <= at {
			done = append(done, v)
		}
	}
	return hide(text[:at], done)
}

// Rest returns what was held back, when the text has ended.
func (s *Stream) Rest() string {
	text := s.held
	s.held = ""
	if r := s.redactor(); r != nil {
		return hide(text, r.stored(text))
	}
	return text
}

func (s *Stream) redactor() *Redactor {
	if s.live == nil {
		return nil
	}
	return s.live.now.Load()
}

// stored finds the stored values as [Redactor.JSON] does.
func (r *Redactor) stored(s string) []span {
	v := view{text: s}
	out := r.find(v, nil)
	for range 2 {
		if !strings.Contains(v.text, `\`) {
			break
		}
		v = unescaped(v)
		out = r.find(v, out)
	}
	return out
}

// longestEscape is how long an escape may be: a pair of surrogates, in JSON in JSON.
const longestEscape = 16

// open returns where a value may begin of which s has not all.
func (r *Redactor) open(s string) int {
	at := len(s)
	if i := strings.IndexByte(s[max(0, at-longestEscape):], '\\'); i >= 0 { // an escape that may not be whole
		at = max(0, at-longestEscape) + i
		for at > 0 && s[at-1] == '\\' {
			at--
		}
	}
	v := view{text: s[:at]}
	for range 3 {
		if i := r.opens(v.text); i < len(v.text) {
			from, _ := v.source(i, i+1)
			at = min(at, from)
		}
		if !strings.Contains(v.text, `\`) {
			break
		}
		v = unescaped(v)
	}
	return at
}

// opens returns the first place from which on s is the beginning of a needle.
func (r *Redactor) opens(s string) int {
	for i := range len(s) {
		rest := s[i:]
		if len(rest) < Shortest {
			if _, ok := r.starts[rest]; ok {
				return i
			}
			continue
		}
		for _, n := range r.byHead[headOf(rest)] {
			if strings.HasPrefix(r.needles[n].text, rest) {
				return i
			}
		}
	}
	return len(s)
}
