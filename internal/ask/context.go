package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
)

// A line is one record as the model is shown it.
type line struct {
	*answer.Record
	section  string
	text     string
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
	k := &known{snapshot: s, now: now, lines: make([]line, 0, s.Len())}
	rank := make(map[string]int)
	for i, r := range s.Ranked(question, maxRanked) {
		rank[r.ID] = maxRanked - i
	}
	for i, id := range computed {
		rank[id] = 2*maxRanked - i
	}
	summary, lines := s.computed(now)
	k.summary = summary
	for r := range s.All() {
		if section := desk.Section(r.Thing); section != "" && !r.Expired(now) {
			k.lines = append(k.lines, line{Record: r, section: section, computed: lines[r.ID], weight: 10*rank[r.ID] + r.Kind.Weight()})
		}
	}
	slices.SortStableFunc(k.lines, func(a, b line) int { return cmp.Compare(b.weight, a.weight) })
	k.cut(budget)
	return k
}

// maxLine is how much of a record is shown, in bytes.
const maxLine = 1500

// maxUnfit is after how many lines that do not fit the others are not tried.
const maxUnfit = 100

// cut writes the best lines that fit.
func (k *known) cut(budget int) {
	left, unfit := budget-len(k.summary), 0
	kept := k.lines[:0]
	for _, l := range k.lines {
		size := len(l.computed) + len(l.ID) + 4
		if size <= left && unfit < maxUnfit {
			_, l.text = desk.Line(l.Thing, strings.Join(l.Owners, ", "))
			if len(l.text) > maxLine {
				l.text = strings.ToValidUTF8(l.text[:maxLine], "") + "…"
			}
			size += len(l.text)
		}
		if size <= left && unfit < maxUnfit {
			left -= size
			kept = append(kept, l)
		} else {
			unfit++
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
