// Package report computes the status of a project or a sprint over some days, for those who are not in
// it: numbers with what they were before, what was finished, what is late, what stands still and who has
// too much. Every number names the records behind it. No model is asked.
package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A Source is what a report is computed from.
type Source struct {
	Project    string // its id
	Name       string
	Sprint     string // "" for the whole project
	From, To   time.Time
	Now        time.Time
	Tickets    []flow.Ticket
	Owners     map[string][]string // ticket → names
	Objectives []flow.Objective
	Milestones []flow.Milestone
	Capacity   capacity.Report
	History    chart.History
	Spent      []chart.Spent
}

// A Report is the status of a project or a sprint.
type Report struct {
	ProjectID  string          `json:"projectId"`
	Project    string          `json:"project"`
	Sprint     string          `json:"sprint,omitempty"`
	From       desk.Date       `json:"from"`
	To         desk.Date       `json:"to"`
	Numbers    []Number        `json:"numbers"`
	Finished   []Item          `json:"finished" doc:"tickets that became done in these days"`
	Late       []Item          `json:"late" doc:"open tickets whose day is over"`
	Blocked    []Item          `json:"blocked" doc:"open tickets that are blocked, or wait for others"`
	Next       []Item          `json:"next" doc:"open tickets that are due in the next seven days"`
	Objectives []flow.Coverage `json:"objectives"`
	Milestones []Milestone     `json:"milestones"`
	Overloaded []capacity.Line `json:"overloaded"`
	Notes      []string        `json:"notes,omitempty"`
}

// A Number is one figure with the records behind it.
type Number struct {
	Name    string    `json:"name"`
	Value   float64   `json:"value"`
	Was     *float64  `json:"was,omitempty" doc:"at the beginning of the days"`
	Unit    string    `json:"unit,omitempty"`
	Records []string  `json:"records,omitempty" doc:"ids, at most 100"`
	More    int       `json:"more,omitempty" doc:"how many more records are behind it"`
	Query   string    `json:"query,omitempty" doc:"a filter of the list of tickets that finds the records"`
	AsOf    desk.Date `json:"asOf,omitempty" doc:"the day as of which it finds them; none is now"`
}

// An Item is a ticket in a report.
type Item struct {
	ID     string            `json:"id"`
	Key    string            `json:"key,omitempty"`
	Title  string            `json:"title"`
	Status desk.TicketStatus `json:"status"`
	Owner  string            `json:"owner,omitempty"`
	Due    desk.Date         `json:"dueDate,omitempty"`
	Waits  []string          `json:"waitsFor,omitempty" doc:"keys or titles of the tickets that it waits for"`
}

// A Milestone is a milestone in a report.
type Milestone struct {
	ID     string               `json:"id"`
	Name   string               `json:"name"`
	Status desk.MilestoneStatus `json:"status"`
	Target desk.Date            `json:"targetDate,omitempty"`
	Late   int                  `json:"daysLate,omitempty"`
}

// usual is how many days a report is about when nothing says it.
const usual = 7

// Fill puts in the days that were left open: those of the sprint, else the last seven.
func (s *Source) Fill(sprint *flow.Sprint) {
	today := dayOf(s.Now)
	if s.To.IsZero() {
		s.To = today
		if sprint != nil && sprint.End != "" && sprint.End.Time().Before(today) {
			s.To = sprint.End.Time()
		}
	}
	if s.From.IsZero() {
		s.From = s.To.AddDate(0, 0, 1-usual)
		if sprint != nil && sprint.Begin != "" && !sprint.Begin.Time().After(s.To) {
			s.From = sprint.Begin.Time()
		}
	}
}

// Compute returns the report.
func Compute(s Source) (Report, error) {
	out := Report{ProjectID: s.Project, Project: s.Name, Sprint: s.Sprint, From: desk.DateOf(s.From), To: desk.DateOf(s.To), Finished: []Item{}, Late: []Item{}, Blocked: []Item{}, Next: []Item{}, Objectives: []flow.Coverage{}, Milestones: []Milestone{}, Overloaded: []capacity.Line{}}
	mine := func(t flow.Ticket) bool {
		return s.Sprint == "" || strings.EqualFold(strings.TrimSpace(t.Sprint), strings.TrimSpace(s.Sprint))
	}
	byID := make(map[string]flow.Ticket, len(s.Tickets))
	for _, t := range s.Tickets {
		byID[t.ID] = t
	}
	finished, err := out.progress(s, byID, mine)
	if err != nil {
		return out, err
	}
	for _, id := range finished.Records {
		if t, ok := byID[id]; ok {
			out.Finished = append(out.Finished, s.item(t))
		}
	}
	if finished.More > 0 {
		out.Notes = append(out.Notes, "Only the first of the finished tickets are listed.")
	}
	out.standing(s, mine)
	out.plan(s)
	for _, l := range s.Capacity.Lines {
		if l.Load == capacity.Overloaded || l.EstimatedPct > 100 {
			out.Overloaded = append(out.Overloaded, l)
		}
	}
	out.cost(s)
	return out, nil
}

// progress adds the numbers that are told by what became of the tickets, and returns the finished ones.
func (r *Report) progress(s Source, byID map[string]flow.Ticket, mine func(flow.Ticket) bool) (finished Number, err error) {
	q := chart.Query{From: s.From, To: s.To, By: chart.Day, Now: s.Now}
	if s.To.Sub(s.From) > 300*24*time.Hour {
		q.By = chart.Week
	}
	c, err := chart.Draw(chart.Throughput, s.History, q)
	if err != nil {
		return finished, err
	}
	for i, name := range []string{"Finished", "Created"} {
		n := Number{Name: name, Unit: "tickets"}
		for _, p := range c.Series[i].Points {
			for _, id := range p.Records {
				if t, ok := byID[id]; ok && mine(t) {
					n.add(id)
				}
			}
			if s.Sprint == "" {
				n.Value, n.More = n.Value+float64(p.More), n.More+p.More
			}
		}
		if name == "Finished" {
			finished = n
		}
		r.Numbers = append(r.Numbers, n)
	}
	q.Sprint, q.From = s.Sprint, s.From.AddDate(0, 0, -1)
	c, err = chart.Draw(chart.BurnUp, s.History, q)
	if err != nil {
		return finished, err
	}
	for i, name := range []string{"In all", "Done"} {
		points := c.Series[i].Points
		if len(points) == 0 {
			continue
		}
		last := points[len(points)-1]
		n := Number{Name: name, Value: last.Value, Was: &points[0].Value, Unit: "tickets", Query: last.Query, AsOf: last.AsOf, Records: last.Records, More: last.More}
		r.Numbers = append(r.Numbers, n)
	}
	return finished, nil
}

func (n *Number) add(id string) {
	n.Value++
	if len(n.Records) < mostRecords {
		n.Records = append(n.Records, id)
		return
	}
	n.More++
}

// mostRecords bounds the ids behind a number.
const mostRecords = 100

func (s Source) item(t flow.Ticket) Item {
	return Item{ID: t.ID, Key: t.ExternalRef, Title: t.Title, Status: t.Status, Owner: strings.Join(s.Owners[t.ID], ", "), Due: t.DueDate}
}

// standing lists what is late, stands still and comes next.
func (r *Report) standing(s Source, mine func(flow.Ticket) bool) {
	today := dayOf(s.Now)
	waits := make(map[string]flow.Dependent)
	for _, d := range flow.Depend(s.Tickets).Tickets {
		waits[d.TicketID] = d
	}
	called := make(map[string]string, len(s.Tickets))
	for _, t := range s.Tickets {
		called[t.ID] = cmp.Or(t.ExternalRef, t.Title)
	}
	late, blocked, unassigned := Number{Name: "Late", Unit: "tickets"}, Number{Name: "Blocked", Unit: "tickets"}, Number{Name: "Unassigned", Unit: "tickets"}
	for _, t := range s.Tickets {
		if !t.Status.Open() || !mine(t) {
			continue
		}
		if len(s.Owners[t.ID]) == 0 {
			unassigned.add(t.ID)
		}
		due := dayOf(t.DueDate.Time())
		if t.DueDate != "" && due.Before(today) {
			late.add(t.ID)
			r.Late = append(r.Late, s.item(t))
		} else if t.DueDate != "" && due.Before(today.AddDate(0, 0, usual)) {
			r.Next = append(r.Next, s.item(t))
		}
		if w := waits[t.ID]; t.Status == desk.Blocked || len(w.WaitsFor) > 0 {
			blocked.add(t.ID)
			i := s.item(t)
			for _, id := range w.WaitsFor {
				i.Waits = append(i.Waits, called[id])
			}
			r.Blocked = append(r.Blocked, i)
		}
	}
	byDue := func(a, b Item) int { return cmp.Or(a.Due.Time().Compare(b.Due.Time()), cmp.Compare(a.Key, b.Key)) }
	slices.SortStableFunc(r.Late, byDue)
	slices.SortStableFunc(r.Next, byDue)
	r.Numbers = append(r.Numbers, late, blocked, unassigned)
}

// plan adds objectives and milestones.
func (r *Report) plan(s Source) {
	covers, _ := flow.Coverages(s.Objectives, s.Tickets)
	for i, o := range s.Objectives {
		over := o.EndDate != "" && o.EndDate.Time().Before(s.From)
		if o.Wanted() && (s.Sprint != "" || !over) && (s.Sprint == "" || strings.EqualFold(strings.TrimSpace(o.SprintName), strings.TrimSpace(s.Sprint))) {
			r.Objectives = append(r.Objectives, covers[i])
		}
	}
	milestones := slices.Clone(s.Milestones)
	flow.InOrder(nil, milestones)
	today := dayOf(s.Now)
	for _, m := range milestones {
		out := Milestone{ID: m.ID, Name: m.Name, Status: m.Status, Target: m.TargetDate}
		if m.Status == desk.MilestoneCompleted {
			if s.Sprint != "" || m.ActualDate.Time().Before(s.From) {
				continue
			}
		} else if due := dayOf(m.TargetDate.Time()); m.TargetDate != "" && due.Before(today) {
			out.Late = int(today.Sub(due) / (24 * time.Hour))
		}
		r.Milestones = append(r.Milestones, out)
	}
}

// cost adds what models cost in these days.
func (r *Report) cost(s Source) {
	n := Number{Name: "Cost of models", Unit: "USD"}
	for _, sp := range s.Spent {
		if sp.Day.Before(s.From) || sp.Day.After(s.To) {
			continue
		}
		usd := n.Value + sp.USD
		n.add(sp.Run)
		n.Value = usd
	}
	if len(n.Records) > 0 && s.Sprint == "" {
		r.Numbers = append(r.Numbers, n)
	}
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
