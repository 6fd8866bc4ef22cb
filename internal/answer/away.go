package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// away answers who is away in a time, as the people's records say.
func (c *computation) away(people []*Record) {
	from, _ := time.Parse(time.DateOnly, c.plan.From) // zero where the plan leaves that side open
	to, _ := time.Parse(time.DateOnly, c.plan.To)
	t := &Table{Columns: []string{"Name", "Away"}}
	var said []string
	for _, r := range people {
		b, ok := r.Thing.(*desk.ResourceBody)
		if !ok || c.plan.Person != "" && b.Name != c.plan.Person {
			continue
		}
		if absences := b.AwayIn(from, to); len(absences) > 0 {
			c.cite(r)
			t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{b.Name, strings.Join(absences, ", ")}})
			said = append(said, b.Name+" ("+strings.Join(absences, ", ")+")")
		}
	}
	when := c.spanned()
	if len(said) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("No days away%s are recorded of %s.", when, c.awayOf(len(people)))
		if !slices.ContainsFunc(c.byKind[desk.Resource], func(r *Record) bool { b, ok := r.Thing.(*desk.ResourceBody); return ok && len(b.Away) > 0 }) {
			c.note("Nobody has days away on the record. The field away of a person holds them; what minutes say of leave is proposed on Reconcile, and what a memory says does not count.")
		}
		return
	}
	t.Total = len(t.Rows)
	t.Rows = t.Rows[:min(len(t.Rows), maxRows)]
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("%s away%s: %s.", counted(len(said), "person is", "people are"), when, strings.Join(said[:min(len(said), 10)], ", "))
}

// awayOf is of whom days away are looked for, in words.
func (c *computation) awayOf(people int) string {
	if c.plan.Person != "" {
		return c.plan.Person
	}
	return counted(people, "person", "people")
}

// spanned is the span of the plan, in words.
func (c *computation) spanned() string {
	switch {
	case c.plan.From != "" && c.plan.From == c.plan.To:
		return " on " + c.plan.From
	case c.plan.From != "" && c.plan.To != "":
		return " from " + c.plan.From + " to " + c.plan.To
	case c.plan.From != "":
		return " from " + c.plan.From + " on"
	case c.plan.To != "":
		return " until " + c.plan.To
	}
	return ""
}
