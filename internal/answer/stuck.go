package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// stuck answers which open tickets are blocked, or wait for others that are open, and why.
func (c *computation) stuck() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	isBlocked := func(r *Record) int {
		if r.Status == string(desk.Blocked) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b *Record) int { return isBlocked(a) - isBlocked(b) })
	t := &Table{Columns: []string{"Ticket", "Status", "Owner", "Why"}}
	blocked := 0
	var said []string
	for _, r := range all {
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok || !b.Status.Open() {
			continue
		}
		waits := c.blockers(r)
		if b.Status != desk.Blocked && !c.waitsForOpen(b) {
			continue
		}
		if b.Status == desk.Blocked {
			blocked++
		}
		why := waits
		if why != "" {
			why = "waits for " + why
		}
		why = cmp.Or(why, clip(c.prose(r), 200), "not recorded")
		c.cite(r)
		if t.Total++; len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{label(r), Word(r.Status), c.show(r, "owner"), why}})
		}
		if len(said) < 5 {
			said = append(said, fmt.Sprintf("%s: %s", label(r), strings.TrimSuffix(why, ".")))
		}
	}
	if t.Total == 0 {
		c.out.Nothing, c.out.Sentence = true, "No open ticket is blocked or waits for another."
		return nil
	}
	c.out.Table = t
	waiting := ""
	if n := t.Total - blocked; n > 0 {
		waiting = fmt.Sprintf(", and %s for others without that status", counted(n, "waits", "wait"))
	}
	c.out.Sentence = fmt.Sprintf("%s blocked%s. %s.", counted(blocked, "open ticket is", "open tickets are"), waiting, andMore(said, t.Total))
	return nil
}

// waitsForOpen reports whether a ticket waits for one that is open.
func (c *computation) waitsForOpen(b *desk.TicketBody) bool {
	for _, id := range b.BlockedBy {
		if r, ok := c.Find(id); ok && desk.TicketStatus(r.Status).Open() {
			return true
		}
	}
	return false
}
