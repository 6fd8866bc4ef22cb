package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// among is how many of the records that fit best are looked at for one that was meant: a memory that holds goes before others.
const among = 3

// origin answers from where something is known: the exact words on which the record rests that says it.
func (c *computation) origin() {
	hits := c.meant()
	if len(hits) == 0 {
		c.unknown()
		return
	}
	first := hits[0]
	c.cite(first)
	day := string(desk.DateOf(first.CreatedAt))
	t := &Table{Columns: []string{"Record", "Words", "From", "Read by", "Date"}}
	for _, s := range desk.SourcesOf(first.Thing) {
		t.Rows = append(t.Rows, Row{ID: first.ID, Cells: []string{shortly(first), clip(s.Quote, 240), placeOf(s), readerOf(s), day}})
	}
	says := label(first)
	if m, ok := first.Thing.(*desk.MemoryBody); ok {
		says = clip(m.Content, 240)
		c.doubt(m)
	}
	if len(t.Rows) == 0 {
		c.out.Sentence = fmt.Sprintf("“%s” (%s) was written on %s and names no source.", says, what(first), day)
	} else {
		t.Rows, t.Total = t.Rows[:min(len(t.Rows), maxRows)], len(t.Rows)
		c.out.Table = t
		row := t.Rows[0].Cells
		c.out.Sentence = fmt.Sprintf("“%s” (%s, %s) rests on %s", says, what(first), day, row[2])
		if row[1] != "" {
			c.out.Sentence += fmt.Sprintf(": “%s”", row[1])
		}
		if t.Total > 1 {
			c.out.Sentence += fmt.Sprintf(", and on %s", counted(t.Total-1, "further source", "further sources"))
		}
		if !strings.HasSuffix(c.out.Sentence, ".”") {
			c.out.Sentence += "."
		}
	}
	if len(hits) > 1 {
		c.note("The next best record is %s (%s).", shortly(hits[1]), what(hits[1]))
		c.cite(hits[1])
	}
}

// unknown says that nothing says it, and what comes next to it.
func (c *computation) unknown() {
	c.out.Nothing = true
	if strings.TrimSpace(c.plan.Words) == "" {
		c.out.Sentence = "Say of what: “How do you know that …?”, or the key of a ticket."
		return
	}
	c.out.Sentence = fmt.Sprintf("No record says %q, so it is not known here.", c.plan.Words)
	if near := c.Ranked(c.plan.Words, 1); len(near) > 0 {
		c.note("The next best record is %s (%s).", shortly(near[0]), what(near[0]))
	}
}

// meant are the records that the question may mean, the best first.
func (c *computation) meant() []*Record {
	var out []*Record
	for _, id := range c.plan.Records {
		if r, ok := c.Find(id); ok {
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		return out
	}
	words := c.sought(c.plan.Words)
	out = slices.DeleteFunc(c.Ranked(c.plan.Words, 10), func(r *Record) bool {
		has := 0
		for _, w := range words {
			if r.has(w.same) {
				has++
			}
		}
		return 2*has <= len(query.Words(c.plan.Words)) || c.expired(r)
	})
	head := out[:min(len(out), among)]
	holds := func(r *Record) bool {
		m, ok := r.Thing.(*desk.MemoryBody)
		return ok && (m.ValidTo == "" || !m.ValidTo.Time().Before(c.now))
	}
	if i := slices.IndexFunc(head, holds); i > 0 {
		m := head[i]
		copy(head[1:i+1], head[:i])
		head[0] = m
	}
	return out
}

// doubt notes what else is remembered against a memory, and how sure it is.
func (c *computation) doubt(m *desk.MemoryBody) {
	if m.Confidence > 0 && m.Confidence < 1 {
		c.note("Its confidence is %.0f %%.", m.Confidence*100)
	}
	if m.ValidTo != "" && m.ValidTo.Time().Before(c.now) {
		c.note("It held until %s.", m.ValidTo)
	}
	for _, id := range m.Contradicts {
		if r, ok := c.Find(id); ok {
			c.note("It contradicts “%s”.", shortly(r))
			c.cite(r)
		}
	}
}

// shortly is a record's title; of a memory how it begins, because its key may be made.
func shortly(r *Record) string {
	if m, ok := r.Thing.(*desk.MemoryBody); ok {
		return clip(m.Content, 60)
	}
	return label(r)
}

// what says what kind of thing a record is.
func what(r *Record) string {
	if m, ok := r.Thing.(*desk.MemoryBody); ok {
		return "memory, " + cmp.Or(m.Type, "fact")
	}
	return r.Kind.Word()
}

// placeOf says where a source's words stand.
func placeOf(s desk.Source) string {
	switch {
	case strings.HasPrefix(s.Document, "msg_"):
		return "a message in a conversation"
	case s.Document == "":
		return "a document without a name"
	case s.Line > 0:
		return fmt.Sprintf("%s, line %d", s.Document, s.Line)
	}
	return s.Document
}

// readerOf says who read a source.
func readerOf(s desk.Source) string {
	by, of, _ := strings.Cut(s.By, ":")
	switch by {
	case "rule", "model", "person":
		return "a " + by
	case "agent":
		return of
	}
	return by
}
