package answer

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/flow"
)

// depend computes what waits for what among the open tickets.
func (c *computation) depend() flow.Dependencies {
	tickets := make([]flow.Ticket, 0, len(c.byKind[desk.Ticket]))
	for _, r := range c.byKind[desk.Ticket] {
		if b, ok := r.Thing.(*desk.TicketBody); ok {
			tickets = append(tickets, flow.Ticket{ID: r.ID, TicketBody: b})
		}
	}
	return flow.Depend(tickets)
}

// dependencies answers a plan over the net of open tickets that wait for each other; false when it is none. What waits for a ticket by way of others
// becomes what waits for any of these.
func (c *computation) dependencies() bool {
	switch c.plan.State {
	case "chain":
		c.chain()
	case "circles":
		c.circles()
	case "holders":
		c.holders()
	case "through":
		c.plan.Records = c.closure()
		return false
	default:
		return false
	}
	return true
}

// chain answers which open tickets wait for each other in the longest row.
func (c *computation) chain() {
	t := &Table{Columns: []string{"Step", "Ticket", "Status", "Owner"}}
	var said []string
	for _, id := range c.depend().Longest {
		r, ok := c.Find(id)
		if !ok {
			continue
		}
		c.cite(r)
		said = append(said, label(r))
		t.Total++
		t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{thousands(t.Total), label(r), Word(r.Status), c.show(r, "owner")}})
	}
	if len(said) == 0 {
		c.out.Nothing, c.out.Sentence = true, "No open ticket waits for another."
		return
	}
	t.Rows = t.Rows[:min(len(t.Rows), maxRows)]
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("The longest chain has %s, each of which waits for the one before: %s.", counted(len(said), "open ticket", "open tickets"), andMore(said[:min(len(said), 8)], len(said)))
}

// circles answers which open tickets wait for themselves by way of others.
func (c *computation) circles() {
	t := &Table{Columns: []string{"Circle", "Tickets"}}
	var said []string
	for _, ids := range c.depend().Circles {
		var names []string
		for _, id := range ids {
			if r, ok := c.Find(id); ok {
				c.cite(r)
				names = append(names, label(r))
			}
		}
		t.Total++
		if len(t.Rows) < maxRows && len(ids) > 0 {
			t.Rows = append(t.Rows, Row{ID: ids[0], Cells: []string{thousands(t.Total), strings.Join(names, ", ")}})
		}
		said = append(said, strings.Join(names[:min(len(names), 4)], ", "))
	}
	if len(said) == 0 {
		c.out.Nothing, c.out.Sentence = true, "No open ticket waits for itself by way of others."
		return
	}
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("%s of open tickets that wait for each other: %s.", counted(len(said), "circle", "circles"), strings.Join(said[:min(len(said), 5)], "; "))
}

// holders answers which open tickets the most others wait for.
func (c *computation) holders() {
	all := c.depend().Tickets
	all = slices.DeleteFunc(all, func(d flow.Dependent) bool { return len(d.HoldsUp) == 0 })
	slices.SortStableFunc(all, func(a, b flow.Dependent) int { return len(b.HoldsUp) - len(a.HoldsUp) })
	t := &Table{Columns: []string{"Ticket", "Status", "Owner", "Holds up", "Whose"}, Total: len(all)}
	for _, d := range all {
		r, ok := c.Find(d.TicketID)
		if !ok {
			continue
		}
		c.cite(r)
		var whose []string
		for _, id := range d.HoldsUp {
			if other, ok := c.Find(id); ok {
				for _, name := range other.Owners {
					if !slices.Contains(whose, name) {
						whose = append(whose, name)
					}
				}
			}
		}
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{label(r), Word(r.Status), c.show(r, "owner"), thousands(len(d.HoldsUp)), strings.Join(whose, ", ")}})
		}
	}
	if len(t.Rows) == 0 {
		c.out.Nothing, c.out.Sentence = true, "No open ticket waits for another."
		return
	}
	most := len(all[0].HoldsUp)
	var first []string
	for i, d := range all {
		if len(d.HoldsUp) == most && i < len(t.Rows) {
			first = append(first, t.Rows[i].Cells[0])
		}
	}
	c.out.Table = t
	each := ""
	if len(first) > 1 {
		each = ", each"
	}
	c.out.Sentence = fmt.Sprintf("Most open tickets wait for %s%s: %s.", andMore(first[:min(len(first), 5)], len(first)), each, counted(most, "ticket", "tickets"))
}

// closure are the tickets of the plan, and those that wait for them, by way of others, too.
func (c *computation) closure() []string {
	holds := make(map[string][]string)
	for _, d := range c.depend().Tickets {
		holds[d.TicketID] = d.HoldsUp
	}
	out := slices.Clone(c.plan.Records)
	seen := make(map[string]bool)
	for _, id := range out {
		seen[id] = true
	}
	for i := 0; i < len(out); i++ {
		for _, next := range holds[out[i]] {
			if !seen[next] {
				seen[next], out = true, append(out, next)
			}
		}
	}
	return out
}
