// Package report computes the status of a project or a sprint over some days, for those who are not in
// it: numbers with what they were before, what was finished, what is late, what stands still and who has
// too much. Every number names the records behind it. No model is asked.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/forecast"
)

// A Source is what a report is computed from.
type Source struct {
	Project  string // its id
	Name     string
	Sprint   string // "" for the whole project
	From, To time.Time
	Now      time.Time
	AsOf     desk.Date // the moment that Now is when it is looked back to; "" for the present
	State              // of Now
	Then     *State    // as it had been recorded at the end of To; nil when To is not over by Now
	History  chart.History
	Spent    []chart.Spent
}

// A State is what the records of a project say at a moment.
type State struct {
	Tickets    []flow.Ticket
	Owners     map[string][]string // ticket → names
	Objectives []flow.Objective
	Milestones []flow.Milestone
	Capacity   capacity.Report
}

// Past reports whether the report is about days that are over, so that it needs Then.
func (s *Source) Past() bool { return s.To.Before(dayOf(s.Now)) }

// end is the moment that the report is about, and day its day.
func (s *Source) end() time.Time {
	if s.Past() {
		return s.To.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return s.Now
}

func (s *Source) day() time.Time { return dayOf(s.end()) }

// state is the state that the report is about.
func (s *Source) state() *State {
	if s.Past() && s.Then != nil {
		return s.Then
	}
	return &s.State
}

// A Report is the status of a project or a sprint.
type Report struct {
	ProjectID  string             `json:"projectId"`
	Project    string             `json:"project"`
	Sprint     string             `json:"sprint,omitempty"`
	From       desk.Date          `json:"from"`
	To         desk.Date          `json:"to"`
	Past       bool               `json:"past,omitempty" doc:"these days are over: all is as of the end of the last of them, not as of now"`
	Numbers    []Number           `json:"numbers"`
	Finished   []Item             `json:"finished" doc:"tickets that became done in these days"`
	Late       []Item             `json:"late" doc:"open tickets whose day is over"`
	Blocked    []Item             `json:"blocked" doc:"open tickets that are blocked, or wait for others"`
	Next       []Item             `json:"next" doc:"open tickets that are due in the next seven days"`
	Objectives []flow.Coverage    `json:"objectives"`
	Milestones []Milestone        `json:"milestones"`
	Overloaded []capacity.Line    `json:"overloaded"`
	Forecast   *forecast.Forecast `json:"forecast,omitempty" doc:"when what is open will be done; of days that are over there is none, and none where too little is known"`
	Notes      []string           `json:"notes,omitempty"`
}

// A Number is one figure with the records behind it.
type Number struct {
	Name    string    `json:"name"`
	Value   float64   `json:"value"`
	Was     *float64  `json:"was,omitempty" doc:"at the beginning of the days"`
	Unit    string    `json:"unit,omitempty"`
	AtLeast bool      `json:"atLeast,omitempty" doc:"the value leaves out what is not known; a note says how much"`
	Records []string  `json:"records,omitempty" doc:"ids, at most 100"`
	More    int       `json:"more,omitempty" doc:"how many more records are behind it"`
	Query   string    `json:"query,omitempty" doc:"a filter of the list of tickets that finds exactly the records; none when no filter does"`
	AsOf    desk.Date `json:"asOf,omitempty" doc:"the day, or the instant, as of which it finds them; none is now"`
}

// An Item is a ticket in a report.
type Item struct {
	ID     string            `json:"id"`
	Key    string            `json:"key,omitempty"`
	Title  string            `json:"title"`
	Status desk.TicketStatus `json:"status"`
	Owner  string            `json:"owner,omitempty"`
	Nobody bool              `json:"unassigned,omitempty" doc:"nobody has it; without an owner and without this it is not known who had it"`
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
	Risk   string               `json:"atRisk,omitempty" doc:"why one may be late: its day is near, and work for it is open"`
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

// Compute returns the report. It is a fault.Invalid when the days end before they begin.
func Compute(s Source) (Report, error) {
	out := Report{ProjectID: s.Project, Project: s.Name, Sprint: s.Sprint, From: desk.DateOf(s.From), To: desk.DateOf(s.To), Past: s.Past(), Finished: []Item{}, Late: []Item{}, Blocked: []Item{}, Next: []Item{}, Objectives: []flow.Coverage{}, Milestones: []Milestone{}, Overloaded: []capacity.Line{}}
	if s.To.Before(s.From) {
		return out, fault.BadField("from", fmt.Sprintf("The range begins on %s, after its end on %s.", out.From, out.To))
	}
	l := newLinks(&s)
	stood := s.stood(s.end())
	out.progress(&s, l, stood)
	out.standing(&s, l, stood)
	out.plan(&s)
	for _, line := range s.state().Capacity.Lines {
		if line.Load == capacity.Overloaded || line.EstimatedPct > 100 {
			out.Overloaded = append(out.Overloaded, line)
		}
	}
	out.cost(&s)
	return out, nil
}

// mostRecords bounds the ids behind a number.
const mostRecords = 100

// plan adds objectives and milestones.
func (r *Report) plan(s *Source) {
	state := s.state()
	covers, _ := flow.Coverages(state.Objectives, state.Tickets)
	for i, o := range state.Objectives {
		over := o.EndDate != "" && o.EndDate.Time().Before(s.From)
		if o.Wanted() && (s.Sprint != "" || !over) && (s.Sprint == "" || strings.EqualFold(strings.TrimSpace(o.SprintName), strings.TrimSpace(s.Sprint))) {
			r.Objectives = append(r.Objectives, covers[i])
		}
	}
	milestones := slices.Clone(state.Milestones)
	flow.InOrder(nil, milestones)
	day, risks := s.day(), make(map[string]string)
	for _, d := range (flow.Plan{Milestones: state.Milestones}).Delays(state.Objectives, state.Tickets, s.end()) {
		if d.Why == flow.AtRisk {
			risks[d.ID] = d.Said()
		}
	}
	for _, m := range milestones {
		out := Milestone{ID: m.ID, Name: m.Name, Status: m.Status, Target: m.TargetDate, Risk: risks[m.ID]}
		if m.Status == desk.MilestoneCompleted {
			if s.Sprint != "" || m.ActualDate.Time().Before(s.From) {
				continue
			}
		} else if due := dayOf(m.TargetDate.Time()); m.TargetDate != "" && due.Before(day) {
			out.Late = int(day.Sub(due) / (24 * time.Hour))
		}
		r.Milestones = append(r.Milestones, out)
	}
}

// cost adds what models cost in these days. A call whose price is not known adds nothing to the sum, which says so.
func (r *Report) cost(s *Source) {
	n, unpriced := Number{Name: "Cost of models", Unit: "USD"}, 0
	for _, sp := range s.Spent {
		if sp.Day.Before(s.From) || sp.Day.After(s.To) {
			continue
		}
		unpriced += sp.Unpriced
		if n.Value += sp.USD; len(n.Records) < mostRecords {
			n.Records = append(n.Records, sp.Run)
		} else {
			n.More++
		}
	}
	if len(n.Records) == 0 || s.Sprint != "" {
		return
	}
	if n.AtLeast = unpriced > 0; n.AtLeast {
		r.Notes = append(r.Notes, Unpriced(n.Value, unpriced))
	}
	r.Numbers = append(r.Numbers, n)
}

// Unpriced says what calls of models cost of which some have no known price.
func Unpriced(usd float64, calls int) string {
	noun := "calls"
	if calls == 1 {
		noun = "call"
	}
	return fmt.Sprintf("The models cost at least %s; the price of %d %s is not known.", number(usd, "USD"), calls, noun)
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
