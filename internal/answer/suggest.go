package answer

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/capacity"
	"chela/internal/desk"
)

// suggested is how many people are proposed for a ticket.
const suggested = 3

// suggest answers who could take a ticket: who has room, knows what its title names, and has the fewest open tickets.
func (c *computation) suggest() {
	for _, id := range c.plan.Records {
		r, ok := c.Find(id)
		if !ok {
			continue
		}
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok {
			continue
		}
		c.cite(r)
		if !b.Status.Open() {
			c.out.Nothing, c.out.Sentence = true, fmt.Sprintf("%s is closed: %s.", label(r), strings.ToLower(Word(r.Status)))
			return
		}
		c.suggestFor(r, capacity.Ticket{ID: r.ID, TicketBody: b})
		return
	}
	c.out.Nothing, c.out.Sentence = true, "No such ticket is here."
}

func (c *computation) suggestFor(r *Record, ticket capacity.Ticket) {
	report := c.Report(c.now)
	report.Unassigned = []string{r.ID}
	report.Lines = slices.DeleteFunc(slices.Clone(report.Lines), func(l capacity.Line) bool { return slices.Contains(r.OwnerIDs, l.ID) })
	t := &Table{Columns: []string{"Name", "Role", "Why", "Load"}}
	for len(t.Rows) < suggested {
		next := capacity.Suggest(report, slices.Values([]capacity.Ticket{ticket}), 1)
		if len(next) == 0 {
			break
		}
		at := slices.IndexFunc(report.Lines, func(l capacity.Line) bool { return l.ID == next[0].ResourceID })
		l := report.Lines[at]
		t.Rows = append(t.Rows, Row{ID: l.ID, Filter: fmt.Sprintf("owner:%q -status:DONE,CLOSED", l.Name), Cells: []string{l.Name, Word(l.Role), strings.Join(next[0].Reasons, ", "), taken(l)}})
		if p, ok := c.Find(l.ID); ok {
			c.cite(p)
		}
		report.Lines = slices.Delete(report.Lines, at, at+1)
	}
	has := ""
	if len(r.Owners) > 0 {
		has = fmt.Sprintf(" %s has it now.", strings.Join(r.Owners, ", "))
	}
	if t.Total = len(t.Rows); t.Total == 0 {
		c.out.Nothing, c.out.Sentence = true, fmt.Sprintf("Nobody else has room for %s.%s", label(r), has)
		return
	}
	c.out.Table = t
	first := t.Rows[0].Cells
	c.out.Sentence = fmt.Sprintf("%s could take %s: %s.%s", first[0], label(r), first[2], has)
	if t.Total > 1 {
		var others []string
		for _, row := range t.Rows[1:] {
			others = append(others, fmt.Sprintf("%s (%s)", row.Cells[0], row.Cells[2]))
		}
		c.out.Sentence += " Then " + strings.Join(others, ", ") + "."
	}
	c.note("It goes by hours that are free, open tickets, and skills that the title or the labels name.")
}
