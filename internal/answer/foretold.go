package answer

import (
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/forecast"
	"chela/internal/query"
)

// foretold answers when the open tickets of a plan are done, and how likely by a day: the plan's, or that on which its sprint ends.
func (c *computation) foretold() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	sprint := c.oneSprint()
	until := desk.Date(c.plan.To)
	if until == "" && sprint != "" {
		until = desk.Date(c.sprintDay(sprint, "endDate"))
	}
	f, open := c.forecast(all, until)
	if len(open) == 0 && c.sprintless(sprint) {
		return nil
	}
	c.citeAll(open)
	lines := f.Lines()
	if c.out.Nothing = len(lines) == 0; c.out.Nothing {
		lines = f.Notes
	} else {
		c.out.Notes = append(c.out.Notes, f.Notes...)
	}
	c.out.Sentence = strings.Join(lines, " ")
	if sprint != "" {
		c.out.Sentence = sprint + ": " + c.out.Sentence
	}
	if c.out.Nothing {
		return nil
	}
	if sprint != "" && until == "" {
		c.note("No record says when %s ends.", sprint)
	}
	if len(open) < c.open() {
		c.note("It is as if no other ticket were done before these; %s.", counted(c.open(), "ticket is open in all", "tickets are open in all"))
	}
	c.out.Table = c.foretoldTable(f)
	return nil
}

// forecast is when the open ones among some tickets are done, and which those are.
func (c *computation) forecast(of []*Record, until desk.Date) (forecast.Forecast, []*Record) {
	asked := make(map[*Record]bool, len(of))
	var open []*Record
	for _, r := range of {
		if b, ok := r.Thing.(*desk.TicketBody); ok && b.Status.Open() {
			asked[r], open = true, append(open, r)
		}
	}
	return forecast.Of(func(yield func(forecast.Ticket) bool) {
		for _, r := range c.byKind[desk.Ticket] {
			b, ok := r.Thing.(*desk.TicketBody)
			if !ok {
				continue
			}
			if !yield(forecast.Ticket{Open: asked[r], Done: b.Status == desk.Done, Created: desk.DateOf(begun(b, r)), Closed: b.ClosedOn}) {
				return
			}
		}
	}, forecast.Query{Now: c.now, Until: until}), open
}

// foretoldTable has the days of a forecast with how likely each is kept.
func (c *computation) foretoldTable(f forecast.Forecast) *Table {
	t := &Table{Columns: []string{"Likely", "All are done by"}}
	if f.Percent != nil {
		t.Rows = append(t.Rows, Row{Filter: c.plan.Filter, Cells: []string{fmt.Sprintf("%d %%", *f.Percent), string(f.Until)}})
	}
	first := len(t.Rows)
	for _, d := range f.Dates {
		t.Rows = append(t.Rows, Row{Filter: c.plan.Filter, Cells: []string{fmt.Sprintf("%d %%", d.Percent), string(d.Day)}})
	}
	if len(f.ByThen) > 0 {
		t.Columns = append(t.Columns, "Tickets done by "+string(f.Until))
		for i := range t.Rows {
			cell := "all"
			if n := i - first; n >= 0 && n < len(f.ByThen) {
				cell = thousands(f.ByThen[n].Tickets) + " or more"
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
	}
	t.Total = len(t.Rows)
	return t
}

// oneSprint is the sprint whose tickets the plan is of, "" where it is of none or several.
func (c *computation) oneSprint() string {
	for _, x := range c.conditions() {
		if t, ok := x.(query.Term); ok && t.Field.Name == "sprint" && t.Op == query.Is && len(t.Values) == 1 && !t.Values[0].None {
			return t.Values[0].Text
		}
	}
	return ""
}

// sprintless says of a sprint in which no ticket is open how many are done; false where none was asked for.
func (c *computation) sprintless(sprint string) bool {
	if sprint == "" {
		return false
	}
	all, err := c.found(fmt.Sprintf("sprint:%q", sprint))
	if err != nil {
		return false
	}
	c.citeAll(all)
	c.out.Nothing = len(all) == 0
	c.out.Sentence = fmt.Sprintf("%s has no open ticket; %s closed. There is nothing to forecast.", sprint, counted(len(all), "ticket of it is", "tickets of it are"))
	if len(all) > 0 {
		c.out.Table = c.tabled(all)
	}
	return true
}

// open is how many tickets are.
func (c *computation) open() int {
	_, open := c.Total(desk.Ticket)
	return open
}
