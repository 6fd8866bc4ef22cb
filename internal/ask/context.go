package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// A line is one record as the model is shown it.
type line struct {
	*page
	room   string // of a person, computed
	weight int    // how well it fits the question
}

// A known is everything an answer may rest on.
type known struct {
	*book
	now   time.Time
	lines []line // shown, best first within their section
	left  int    // what did not fit
}

// assemble ranks a project's records by the question and keeps what fits into budget
// bytes.
func assemble(b *book, question string, now time.Time, budget int) *known {
	k := &known{book: b, now: now, lines: make([]line, 0, len(b.pages))}
	words := terms(question)
	for _, p := range b.pages {
		if p.section != "" && !p.expired(now) {
			l := line{page: p, room: b.room[p.ID]}
			l.weight = l.fits(words)
			k.lines = append(k.lines, l)
		}
	}
	slices.SortStableFunc(k.lines, func(a, b line) int { return cmp.Compare(b.weight, a.weight) })
	k.cut(budget)
	return k
}

// fits weighs a line by the words that it shares with the question, and by its kind.
func (l line) fits(words []string) (weight int) {
	for _, w := range words {
		if strings.Contains(l.lower, w) {
			weight += 3
		}
	}
	return weight + l.Kind.Weight()
}

// terms are the words of a question that tell records apart.
func terms(question string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !(r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127) }) {
		if len(w) > 3 && !slices.Contains([]string{"which", "what", "when", "does", "have", "most", "with", "this", "that", "from", "many", "there"}, w) {
			out = append(out, strings.TrimSuffix(w, "s"))
		}
	}
	return out
}

// cut keeps the best lines that fit.
func (k *known) cut(budget int) {
	left := budget - len(k.summary)
	kept := k.lines[:0]
	for _, l := range k.lines {
		if size := len(l.text) + len(l.room) + len(l.ID) + 4; size <= left {
			left -= size
			kept = append(kept, l)
		} else {
			k.left++
		}
	}
	k.lines = kept
}

// has returns the record that an answer may name.
func (k *known) has(id string) (*page, bool) {
	p, ok := k.at[id]
	return p, ok && p.section != "" && !p.expired(k.now)
}

// text is the context as the model is shown it.
func (k *known) text() string {
	var b strings.Builder
	b.WriteString(k.summary)
	for _, s := range desk.Sections() {
		n := 0
		for _, l := range k.lines {
			if l.section != s {
				continue
			}
			if n++; n == 1 {
				fmt.Fprintf(&b, "\n%s\n", s)
			}
			b.WriteString("[" + l.ID + "] " + l.text + l.room + "\n")
		}
	}
	return b.String()
}
