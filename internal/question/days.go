package question

import (
	"strings"
	"time"
)

// A Mention is a day or a period that a text names.
type Mention struct {
	Start, End int       // its bytes in the text
	From, To   time.Time // until before To; a zero end is open
	Yearless   bool      // no year is named: the same days of any year may be meant
	Weekday    bool      // a day of the week is named: the one before or the one after may be meant
	Relative   bool      // "yesterday", "last week": counted from today
}

// Mentions returns the days and periods that a text names, in any wording that questions may have.
func Mentions(text string, now time.Time) (out []Mention) {
	r := &reader{now: now}
	r.tokens, _ = tokenize(text)
	r.in = languageOf(r.tokens)
	r.cal = &calendar{now: now, words: r.tokens, in: r.in, sense: func(at int) (sense, int) { return r.sense(at) }}
	for i := 0; i < len(r.tokens); {
		p, n := r.cal.inner(i)
		if n > 0 && r.tokens[i].text == "in" || n == 0 {
			i++
			continue
		}
		if r.modal(i, n) || n == 1 && strings.Contains(" may march mar second ", " "+r.tokens[i].raw+" ") {
			i += n
			continue
		}
		s, _ := r.sense(i)
		if k := r.articles(i); k > 0 && k < n { // "the last week": from "last"
			i, n = i+k, n-k
			s, _ = r.sense(i)
		}
		m := Mention{Start: r.tokens[i].start, End: r.tokens[i+n-1].end, From: p.from, To: p.to, Yearless: p.yearless}
		m.Weekday = s.sort == "weekday"
		m.Relative = s.sort == "day" || s.sort == "rel"
		switch {
		case p.length && !m.Relative: // "3 days": a number with its unit, unless "ago" or "in" says a day
			if day, k, ok := r.away(i, n, p); ok {
				m.From, m.To, m.Relative, n = day, day.AddDate(0, 0, 1), true, n+k
				m.End = r.tokens[min(len(r.tokens), i+n)-1].end
				out = append(out, m)
			}
		default:
			out = append(out, m)
		}
		i += max(n, 1)
	}
	return out
}

// articles is how many words at a place mean nothing.
func (r *reader) articles(at int) (n int) {
	for at+n < len(r.tokens) {
		s, k := r.sense(at + n)
		if s.sort != "stop" || k != 1 || r.tokens[at+n].text == "a" || r.tokens[at+n].text == "einer" {
			return n
		}
		n++
	}
	return n
}

// away reads "3 days ago" and "in 3 days".
func (r *reader) away(i, n int, p period) (day time.Time, k int, ok bool) {
	if s, k := r.sense(i + n); s.sort == "prep" && s.value == "ago" {
		return p.from, k, true
	}
	if i > 0 && r.tokens[i-1].text == "in" {
		today := r.cal.today()
		return today.Add(today.Sub(p.from)), 0, true
	}
	return day, 0, false
}

// A Token is a word of a text in small letters.
type Token struct {
	Text       string
	Start, End int
}

// Tokens splits a text as questions are split. more says that only the first words are there.
func Tokens(text string) (out []Token, more bool) {
	tokens, more := tokenize(text)
	for _, t := range tokens {
		out = append(out, Token{t.text, t.start, t.end})
	}
	return out, more
}

// NumberWord returns the number that an English or German word is: "seven", "sieben".
func NumberWord(word string) (string, bool) {
	for _, l := range lexicons() {
		if s, ok := l.phrases[word]; ok && s.sort == "number" {
			return s.value, true
		}
	}
	return "", false
}

// Common reports whether a word is one of the tables' words: no name.
func Common(word string) bool {
	for _, l := range lexicons() {
		if l.words[word] {
			return true
		}
	}
	return false
}
