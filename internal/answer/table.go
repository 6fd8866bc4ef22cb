package answer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// tabled is a table of records: what the kind shows, and what the question is about.
func (c *computation) tabled(all []*Record) *Table {
	names := slices.Clone(c.plan.Kind.Asked().Columns)
	if len(names) == 0 {
		names = []string{"title"}
	}
	for _, f := range c.fields() {
		if !slices.ContainsFunc(names, func(n string) bool { return question.FieldWord(n) == question.FieldWord(f) }) && len(names) < 9 {
			names = append(names, f)
		}
	}
	for _, n := range []string{c.plan.Of, strings.TrimPrefix(c.plan.Sort, "-")} {
		if question.Reckoned(n) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	t := &Table{Total: len(all)}
	shown := all[:min(len(all), maxRows)]
	names = slices.DeleteFunc(names, func(n string) bool { // columns without any value say nothing
		return n != "title" && !slices.ContainsFunc(shown, func(r *Record) bool { return c.show(r, n) != "" })
	})
	for _, n := range names {
		t.Columns = append(t.Columns, question.FieldWord(n))
	}
	for _, r := range shown {
		cells := make([]string, len(names))
		for i, n := range names {
			cells[i] = c.show(r, n)
		}
		t.Rows = append(t.Rows, Row{ID: r.ID, Cells: cells})
	}
	return t
}

// show is a field of a record as people read it, also one that is reckoned by the time.
func (c *computation) show(r *Record, name string) string {
	switch name {
	case question.Age:
		if n, ok := c.aged(r); ok {
			return num(n)
		}
		return ""
	case "externalCreated":
		if read, f, ok := c.readsDay(name); ok && r.Kind == c.plan.Kind {
			return c.text(f, first(read(r)))
		}
	}
	return c.Snapshot.show(r, name)
}

// show is a field of a record as people read it.
func (s *Snapshot) show(r *Record, name string) string {
	if name == question.Duration {
		if n, ok := lasted(r); ok {
			return num(n)
		}
		return ""
	}
	read, f, ok := reads(r.Kind, name)
	if !ok {
		return ""
	}
	var out []string
	for _, v := range read(r) {
		if text := s.text(f, v); text != "" && len(out) < 20 {
			out = append(out, text)
		}
	}
	if f.Name == "owner" && len(out) == 0 && r.Kind == desk.Ticket {
		return "Unassigned"
	}
	return clip(strings.Join(out, ", "), 400)
}

// text is one value as people read it.
func (s *Snapshot) text(f query.Field, v value) string {
	switch {
	case !v.set:
		return ""
	case f.Type == query.Number:
		return strconv.FormatFloat(v.number, 'f', -1, 64)
	case f.Type == query.Instant:
		return string(desk.DateOf(v.at))
	case f.Type == query.Day:
		return v.text[:min(len(v.text), len(time.DateOnly))]
	case f.Type == query.Flag:
		return map[bool]string{true: "yes", false: "no"}[v.flag]
	case f.Type == query.Set:
		return Word(v.text)
	}
	if other, ok := s.Find(v.text); ok {
		return label(other)
	}
	return v.text
}
