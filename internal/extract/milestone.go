package extract

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A MilestoneRow is a milestone that a table names, with what it tells of it.
type MilestoneRow struct {
	Name        string
	Description string
	Closed      bool
	Due         time.Time // midnight UTC of the day
	Reached     time.Time // when it was closed
	Owner       string
	Status      string // as the desk has it, where a plan says more than that it is over
	Phase       string // by its name
	Planned     bool   // it is a row of a plan, or a line of a text
	Quote       string // the words that name it, where they are not the name
	Line        int    // the first that names it
}

// milestones reads the milestones of a row; versions with a day of release are some, too.
func (r *rowReader) milestones(row Row) (names []string) {
	for _, cell := range r.cells(row, "milestone") {
		found := objects(cell)
		for _, o := range found {
			names = r.keepMilestone(names, r.milestoneOf(row, o))
		}
		if len(found) > 0 || blank(cell) {
			continue
		}
		names = r.keepMilestone(names, MilestoneRow{
			Name: relationPage.ReplaceAllString(cell, ""), Line: row.Line, Due: dayOf(r.date(row, "milestone due")), Description: r.first(row, "milestone text"),
			Closed: strings.EqualFold(r.first(row, "milestone state"), "closed"), Reached: dayOf(r.date(row, "milestone closed")),
		})
	}
	for _, cell := range r.cells(row, "versions") {
		for _, o := range objects(cell) {
			if m := r.milestoneOf(row, o); !m.Due.IsZero() {
				names = r.keepMilestone(names, m)
			}
		}
	}
	return names
}

// milestoneOf reads a milestone, or a version of Jira's, in JSON.
func (r *rowReader) milestoneOf(row Row, o map[string]any) MilestoneRow {
	text := func(names ...string) (out string) {
		for _, n := range names {
			s, _ := o[n].(string) // none is empty
			out = cmp.Or(out, s)
		}
		return out
	}
	released, _ := o["released"].(bool) // none is not released
	return MilestoneRow{
		Name: nameIn(o), Description: text("description"), Line: row.Line, Due: r.dayIn(text("due_on", "dueOn", "due_date", "dueDate", "releaseDate", "targetDate")),
		Closed: released || strings.EqualFold(text("state"), "closed"), Reached: r.dayIn(text("closed_at", "closedAt")),
	}
}

// keepMilestone adds what is told of a milestone, and its name to those of a row.
func (r *rowReader) keepMilestone(names []string, m MilestoneRow) []string {
	m.Name = clippedTo(oneLine(m.Name), 200)
	if blank(m.Name) {
		return names
	}
	at, is := r.marked[m.Name]
	if !is {
		at = len(r.marks)
		r.marked[m.Name] = at
		r.marks = append(r.marks, MilestoneRow{Name: m.Name, Line: m.Line})
	}
	p := &r.marks[at]
	p.Description, p.Closed = cmp.Or(p.Description, m.Description), p.Closed || m.Closed
	if p.Due.IsZero() {
		p.Due = m.Due
	}
	if p.Reached.IsZero() {
		p.Reached = m.Reached
	}
	if slices.Contains(names, m.Name) {
		return names
	}
	return append(names, m.Name)
}
