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
	*shown
	computed string // of a person
	weight   int    // how well it fits the question
}

// A known is everything an answer may rest on.
type known struct {
	*snapshot
	now     time.Time
	summary string // the computed tables
	lines   []line // shown, best first within their section
	left    int    // what did not fit
}

// maxRanked is how many records are ranked by the question; the others come after them, by their kind.
const maxRanked = 2000

// assemble ranks a project's records, those of the computed answer first, and keeps what fits into budget
// bytes.
func assemble(s *snapshot, question string, computed []string, now time.Time, budget int) *known {
	k := &known{snapshot: s, now: now, lines: make([]line, 0, len(s.records))}
	rank := make(map[string]int)
	for i, r := range s.Ranked(question, maxRanked) {
		rank[r.ID] = maxRanked - i
	}
	for i, id := range computed {
		rank[id] = 2*maxRanked - i
	}
	summary, lines := s.computed(now)
	k.summary = summary
	for _, r := range s.records {
		if r.section != "" && !r.Expired(now) {
			k.lines = append(k.lines, line{shown: r, computed: lines[r.ID], weight: 10*rank[r.ID] + r.Kind.Weight()})
		}
	}
	slices.SortStableFunc(k.lines, func(a, b line) int { return cmp.Compare(b.weight, a.weight) })
	k.cut(budget)
	return k
}

// cut keeps the best lines that fit.
func (k *known) cut(budget int) {
	left := budget - len(k.summary)
	kept := k.lines[:0]
	for _, l := range k.lines {
		if size := len(l.text) + len(l.computed) + len(l.ID) + 4; size <= left {
			left -= size
			kept = append(kept, l)
		} else {
			k.left++
		}
	}
	k.lines = kept
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
			b.WriteString("[" + l.ID + "] " + l.text + l.computed + "\n")
		}
	}
	return b.String()
}
