package answer

import (
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/question"
)

// lately is how many days a summary looks back, today among them.
const lately = 7

// counting is a figure of a summary: how many tickets a filter has.
type counting struct{ name, filter string }

// summary answers how a project stands: how many tickets are open, done, in work, blocked, late and nobody's, what was done lately, the sprint that
// is on, the milestone that is next, and when what is open may be done.
func (c *computation) summary() error {
	open, since := desk.Ticket.Asked().Open, string(desk.DateOf(c.now.AddDate(0, 0, 1-lately)))
	t := &Table{Columns: []string{"Figure", "Number"}}
	n := make(map[string]int)
	for _, f := range []counting{
		{"Tickets", ""},
		{"Open", open},
		{"Done", desk.Ticket.Asked().Done},
		{"Closed, not done", "status:CLOSED"},
		{"In work", "status:IN_PROGRESS,REVIEW"},
		{"Blocked", "status:BLOCKED"},
		{"Overdue", desk.Ticket.Asked().Overdue},
		{"Unassigned, open", open + " owner:none"},
		{"Done in the last 7 days", "status:DONE closedOn:>=" + since},
	} {
		all, err := c.found(f.filter)
		if err != nil {
			return err
		}
		n[f.name] = len(all)
		if f.name == "Open" {
			c.citeAll(all)
		}
		t.Rows = append(t.Rows, Row{Filter: f.filter, Cells: []string{f.name, thousands(len(all))}})
	}
	if n["Tickets"] == 0 {
		c.none()
		return nil
	}
	said := []string{
		fmt.Sprintf("%s: %s open, %s done, %s closed otherwise.", counted(n["Tickets"], "ticket", "tickets"), thousands(n["Open"]), thousands(n["Done"]), thousands(n["Closed, not done"])),
		fmt.Sprintf("Of those that are open, %s in work or in review, %s blocked, %s overdue and %s unassigned.", isOrAre(n["In work"]), isOrAre(n["Blocked"]), isOrAre(n["Overdue"]), isOrAre(n["Unassigned, open"])),
		fmt.Sprintf("%s done in the last 7 days.", counted(n["Done in the last 7 days"], "ticket was", "tickets were")),
	}
	for _, more := range []func(*Table) (string, error){c.sprintFigures, c.planFigures, c.outlook} {
		text, err := more(t)
		if err != nil {
			return err
		}
		if text != "" {
			said = append(said, text)
		}
	}
	t.Total, c.out.Table, c.out.Sentence = len(t.Rows), t, strings.Join(said, " ")
	c.undatedDone(n["Done"])
	return nil
}

func isOrAre(n int) string { return counted(n, "is", "are") }

// sprintFigures are those of the sprint that is on.
func (c *computation) sprintFigures(t *Table) (string, error) {
	name := c.Sprint(question.ThisSprint, c.now)
	if name == "" {
		return "", nil
	}
	in := fmt.Sprintf("sprint:%q", name)
	all, err := c.found(in)
	if err != nil {
		return "", err
	}
	done, points, of := 0, 0.0, 0.0
	for _, r := range all {
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok {
			continue
		}
		p := b.Points()
		of += p
		if b.Status == desk.Done {
			done++
			points += p
		}
	}
	end := c.sprintDay(name, "endDate")
	until := ""
	if end != "" {
		until = ", which ends on " + end
	}
	t.Rows = append(t.Rows, Row{Filter: in + " " + desk.Ticket.Asked().Done, Cells: []string{"Done in " + name, fmt.Sprintf("%d of %s, %s of %s points", done, counted(len(all), "ticket", "tickets"), num(points), num(of))}})
	return fmt.Sprintf("In %s%s, %d of %s and %s of %s points are done.", name, until, done, counted(len(all), "ticket", "tickets"), num(points), num(of)), nil
}

// planFigures are the milestone that is next, the milestones that are late, the objectives and the blindspots that are open.
func (c *computation) planFigures(t *Table) (string, error) {
	var next *Record
	day, late, today := "", 0, string(desk.DateOf(c.now))
	for _, r := range c.byKind[desk.Milestone] {
		b, ok := r.Thing.(*desk.MilestoneBody)
		switch due := ""; {
		case !ok || b.Status == desk.MilestoneCompleted || b.TargetDate == "":
		default:
			if due = string(b.TargetDate); due < today {
				late++
			} else if next == nil || due < day {
				next, day = r, due
			}
		}
	}
	said := ""
	if next != nil {
		c.cite(next)
		t.Rows = append(t.Rows, Row{ID: next.ID, Cells: []string{"Next milestone", next.Title + ", " + day}})
		said = fmt.Sprintf("The next milestone is %s on %s.", next.Title, day)
	}
	if late > 0 {
		t.Rows = append(t.Rows, Row{Cells: []string{"Milestones past their day", thousands(late)}})
		said = strings.TrimSpace(said + fmt.Sprintf(" %s past its day.", counted(late, "milestone is", "milestones are")))
		if late > 1 {
			said = strings.Replace(said, "past its day", "past their days", 1)
		}
	}
	for _, k := range []desk.Kind{desk.Objective, desk.Blindspot} {
		if all, open := c.Total(k); all > 0 {
			plural := question.Plural(k)
			t.Rows = append(t.Rows, Row{Cells: []string{strings.ToUpper(plural[:1]) + plural[1:] + ", open", thousands(open)}})
			if k.Asked().Who != "" && open > 0 {
				said = strings.TrimSpace(said + " " + counted(open, k.Word()+" is open.", plural+" are open."))
			}
		}
	}
	return said, nil
}

// outlook is when all that is open may be done, where enough is known.
func (c *computation) outlook(t *Table) (string, error) {
	all, err := c.found(desk.Ticket.Asked().Open)
	if err != nil {
		return "", err
	}
	found, many := c.slipped(all)
	if len(found) > 0 {
		t.Rows = append(t.Rows, Row{Cells: []string{"Late, or may be", thousands(len(found)) + ": " + causesSaid(many)}})
	}
	f, _ := c.forecast(all, "")
	lines := f.Lines()
	if len(lines) == 0 {
		return "", nil
	}
	for _, d := range f.Dates {
		t.Rows = append(t.Rows, Row{Filter: desk.Ticket.Asked().Open, Cells: []string{fmt.Sprintf("All done, %d %% likely", d.Percent), string(d.Day)}})
	}
	c.out.Notes = append(c.out.Notes, f.Notes...)
	return lines[0], nil
}

// undatedDone notes how many done tickets have no day, which "lately" leaves out.
func (c *computation) undatedDone(done int) {
	dated, err := c.found(desk.Ticket.Asked().Done + " has:closedOn")
	if err == nil && len(dated) < done {
		c.note("Of %s it is not known when; they are not among those of the last 7 days.", counted(done-len(dated), "done ticket", "done tickets"))
	}
}
