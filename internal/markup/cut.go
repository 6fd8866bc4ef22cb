package markup

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// seam is a place where a line may be cut, and how good it is.
type seam struct {
	span, at int // before this byte of this span
	rank     rank
}

type rank int

const (
	inRune rank = iota // inside a character of many runes; only if it fits nowhere
	inWord
	afterWord
	afterSentence
)

// divide cuts a line so that its beginning fits on a page. It returns nil if no good place
// is on a page that has something on it already, or none at all on a fresh one: then the line
// begins with a link that does not fit.
func (p *packer) divide(at page, l *line) (head, rest *line) {
	started := p.last != nil
	seams := p.seams(l)
	fit := sort.Search(len(seams), func(i int) bool { return p.over(at, l, seams[i]) })
	if fit == 0 {
		if started || l.spans[0].link != "" {
			return nil, nil
		}
		seams, fit = runes(l)
	}
	seams = seams[:fit]
	for len(seams) > 0 {
		best := choose(seams)
		if started && seams[best].rank < afterWord {
			return nil, nil
		}
		if best == 0 && !started || !p.over(at, l, seams[best]) {
			return l.before(seams[best]), l.after(seams[best])
		}
		seams = seams[:best]
	}
	return nil, nil
}

// over reports whether the line up to a seam is too much for a page.
func (p *packer) over(at page, l *line, s seam) bool {
	return p.full(p.with(at, l.before(s)))
}

// choose returns the last of the best seams: a sentence if it fills half of the room, else a
// word if it fills a quarter, else the last place of all.
func choose(seams []seam) int {
	last := len(seams) - 1
	word := -1
	for i := last; i >= last/4; i-- {
		if seams[i].rank == afterSentence && i >= last/2 {
			return i
		}
		if seams[i].rank >= afterWord && word < 0 {
			word = i
		}
	}
	if word >= 0 {
		return word
	}
	return last
}

// seams returns the places between the characters of a line, as far as a message can reach.
// None is inside a link.
func (p *packer) seams(l *line) []seam {
	var out []seam
	room := p.limits.Max
	var prev, before rune // the rune before the place, and the last one before white space
	for i, s := range l.spans {
		if i > 0 {
			out = append(out, seam{i, 0, quality(prev, before, s.text)})
		}
		if s.link != "" {
			room -= p.limits.Unit.count(s.text)
			prev, _ = utf8.DecodeLastRuneInString(s.text)
			before = prev
		}
		for at := 0; s.link == "" && at < len(s.text) && room >= 0; {
			n := cluster(s.text[at:])
			if at > 0 {
				out = append(out, seam{i, at, quality(prev, before, s.text[at:])})
			}
			room -= p.limits.Unit.count(s.text[at : at+n])
			prev, _ = utf8.DecodeLastRuneInString(s.text[at : at+n])
			if !unicode.IsSpace(prev) {
				before = prev
			}
			at += n
		}
		if room < 0 {
			break
		}
	}
	return out
}

// runes returns the first place inside the first character, which is more than a message
// holds, if it has one; a character of one rune always fits.
func runes(l *line) ([]seam, int) {
	s := l.spans[0].text
	_, n := utf8.DecodeRuneInString(s)
	var out []seam
	for limit := cluster(s); n <= limit && n < len(s) && n < Minimum/2; {
		out = append(out, seam{0, n, inRune})
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return out, len(out)
}

// quality judges the place before text, with the rune before it and the last visible one.
func quality(prev, before rune, text string) rank {
	next, _ := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsSpace(next):
		return inWord
	case strings.ContainsRune("。！？", prev):
		return afterSentence
	case unicode.IsSpace(prev) && strings.ContainsRune(".!?…。！？", before):
		return afterSentence
	case unicode.IsSpace(prev), prev == '-', ideograph(prev) && ideograph(next), strings.ContainsRune("，、；：", prev):
		return afterWord
	}
	return inWord
}

func ideograph(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// before returns the line up to a seam. White space at the seam goes, except in code.
func (l *line) before(s seam) *line {
	spans := append([]span(nil), l.spans[:s.span]...)
	if s.at > 0 {
		last := l.spans[s.span]
		last.text = last.text[:s.at]
		spans = append(spans, last)
	}
	if last := &spans[len(spans)-1]; l.trims(*last) {
		last.text = strings.TrimRightFunc(last.text, unicode.IsSpace)
	}
	return l.upTo(spans)
}

// after returns the line from a seam on, and takes its spans from l.
func (l *line) after(s seam) *line {
	spans := l.spans[s.span:]
	spans[0].text = spans[0].text[s.at:]
	if l.trims(spans[0]) {
		spans[0].text = strings.TrimLeftFunc(spans[0].text, unicode.IsSpace)
	}
	return l.rest(spans)
}

func (l *line) trims(s span) bool { return l.fence == nil && s.style != code && s.link == "" }
