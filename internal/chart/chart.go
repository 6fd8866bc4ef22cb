// Package chart computes the series of charts from what became of a project's tickets: how many
// were finished, how long they took, where they stand day by day, who has how many. Days are UTC.
// Each point names the records behind it.
package chart

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
)

// A Name names a chart.
type Name string

// The charts.
const (
	Throughput Name = "throughput"
	CycleTime  Name = "cycle-time"
	Ageing     Name = "ageing"
	Flow       Name = "flow"
	BurnUp     Name = "burn-up"
	Load       Name = "load"
	Cost       Name = "cost"
	Coverage   Name = "coverage"
)

// An About says what a chart shows.
type About struct {
	Name  Name   `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit" doc:"of the points' values: tickets, days, USD or percent"`
	Says  string `json:"says"`
	By    Step   `json:"by,omitempty" doc:"how long a point lasts when the query does not say it; nothing when a point is a ticket"`
}

// All lists the charts.
func All() []About {
	return []About{
		{Throughput, "Throughput", "tickets", "Tickets that were finished, and those that were created", Week},
		{CycleTime, "Cycle time", "days", "Days from the first work on a ticket to its end, for each ticket that was finished", ""},
		{Ageing, "Ageing work in progress", "days", "Days since the first work on each ticket that is in progress", ""},
		{Flow, "Cumulative flow", "tickets", "Tickets by status at the end of each day", Day},
		{BurnUp, "Burn-up", "tickets", "Tickets that are there and those that are done, of the project or a sprint", Day},
		{Load, "Load", "tickets", "Open tickets that each person has at the end of each week; of weeks to come, those that are due", Week},
		{Cost, "Cost", "USD", "What models cost, by agent", Day},
		{Coverage, "Coverage", "percent", "How much of each objective its tickets cover, at the end of each week", Week},
	}
}

// Find returns what a chart shows.
func Find(n Name) (About, error) {
	all := All()
	if i := slices.IndexFunc(all, func(a About) bool { return a.Name == n }); i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a.Name)
	}
	return About{}, fault.New(fault.NotFound, "There is no chart named %q. There are: %s.", n, strings.Join(names, ", "))
}

// A Chart is a set of series.
type Chart struct {
	About
	From   desk.Date `json:"from"`
	To     desk.Date `json:"to"`
	Sprint string    `json:"sprint,omitempty"`
	Series []Series  `json:"series"`
	Lines  []Line    `json:"lines,omitempty" doc:"values to compare the points with, such as percentiles"`
	Notes  []string  `json:"notes,omitempty" doc:"what the figures leave out or take from elsewhere"`

	Annotations []Annotation `json:"annotations,omitempty" doc:"days of these on which a sprint began or ended, a milestone was due or reached, or an intake brought ten tickets or more"`
}

// A Series is a row of points.
type Series struct {
	Name   string  `json:"name"`
	Of     string  `json:"of,omitempty" doc:"the id of the person, agent or objective that it is about"`
	Points []Point `json:"points"`
}

// A Point is one value.
type Point struct {
	At          desk.Date `json:"at" doc:"the day, or the first day of the week or month that is in the range; of a ticket, the day it was finished or begun"`
	Value       float64   `json:"value"`
	StoryPoints float64   `json:"storyPoints,omitempty"`
	Calls       int       `json:"calls,omitempty" doc:"of models"`
	Planned     bool      `json:"planned,omitempty" doc:"it lies ahead, and is what is due"`
	AwayDays    int       `json:"awayDays,omitempty" doc:"of the load: working days of the span on which the person is away"`
	Records     []string  `json:"records,omitempty" doc:"ids of the records behind the value"`
	More        int       `json:"more,omitempty" doc:"how many more records are behind it"`
	Query       string    `json:"query,omitempty" doc:"a filter of the list of tickets that finds the records behind the value"`
	AsOf        desk.Date `json:"asOf,omitempty" doc:"the day as of which the filter finds them; none is now"`
}

// A Line is a value to compare points with.
type Line struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// A Step is how long a point lasts.
type Step string

// The steps.
const (
	Day   Step = "day"
	Week  Step = "week" // from Monday
	Month Step = "month"
)

// A Query says what of a chart is wanted. The zero value is the last 90 days.
type Query struct {
	From, To time.Time // days
	By       Step
	Sprint   string    // of burn-up: only this sprint
	Now      time.Time // what lies after it has not happened
	Spent    []Spent   // of cost

	People map[string]*desk.ResourceBody // of load: who is away when, by the ids of people
}

// mostRecords bounds the ids that a point names.
const mostRecords = 100

// mostPoints bounds the points of a series.
const mostPoints = 400

// LastDays is how much of the past is shown when the query does not say it.
const LastDays = 90

// Earliest is a day before which no chart to a day begins whose query leaves the first day open; the zero time is now.
func Earliest(to, now time.Time) time.Time {
	if to.IsZero() {
		to = now
	}
	return beginOf(dayOf(to).AddDate(0, 0, 1-LastDays), Month).AddDate(0, 0, -7)
}

// A span is the time of a point, as far as it is of the query's days. Its end belongs to the next.
type span struct{ begin, end time.Time }

// fill puts in what the query leaves open, and returns the spans. A day that the query names is held to, and cuts the week or month in
// which it lies; one that it leaves open is the first or the last of a whole one.
func (q *Query) fill(a About, h History) ([]span, error) {
	today := dayOf(q.Now)
	if q.By == "" {
		q.By = a.By
	}
	if q.To.IsZero() {
		q.To = today
		if a.Name == Load {
			q.To = next(beginOf(today.AddDate(0, 0, weeksAhead*7), q.By), q.By).AddDate(0, 0, -1)
		}
	}
	if q.From.IsZero() {
		q.From = latest(q.To.AddDate(0, 0, 1-LastDays), h.first())
		if q.From.After(q.To) {
			q.From = q.To
		}
		if a.By != "" {
			q.From = beginOf(dayOf(q.From), q.By)
		}
	}
	q.From, q.To = dayOf(q.From), dayOf(q.To)
	if q.From.After(q.To) {
		return nil, fault.BadField("from", fmt.Sprintf("The range begins on %s, after its end on %s.", q.From.Format(time.DateOnly), q.To.Format(time.DateOnly)))
	}
	var out []span
	for at := beginOf(q.From, q.By); !at.After(q.To); at = next(at, q.By) {
		if len(out) == mostPoints {
			return nil, fault.BadField("by", fmt.Sprintf("From %s to %s are more than %d points. Ask for weeks, months or a shorter time.", q.From.Format(time.DateOnly), q.To.Format(time.DateOnly), mostPoints))
		}
		out = append(out, span{at, next(at, q.By)})
	}
	out[0].begin, out[len(out)-1].end = q.From, q.To.AddDate(0, 0, 1)
	return out, nil
}

// beginOf is the first day of the day, week or month in which a day lies.
func beginOf(day time.Time, by Step) time.Time {
	switch by {
	case Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case Month:
		return day.AddDate(0, 0, 1-day.Day())
	case Day:
	}
	return day
}

func next(begin time.Time, by Step) time.Time {
	switch by {
	case Week:
		return begin.AddDate(0, 0, 7)
	case Month:
		return begin.AddDate(0, 1, 0)
	case Day:
	}
	return begin.AddDate(0, 0, 1)
}

// Draw computes a chart.
func Draw(n Name, h History, q Query) (Chart, error) {
	about, err := Find(n)
	if err != nil {
		return Chart{}, err
	}
	spans, err := q.fill(about, h)
	if err != nil {
		return Chart{}, err
	}
	c := Chart{About: about, From: desk.DateOf(q.From), To: desk.DateOf(q.To), Series: []Series{}, Annotations: h.annotations(q)}
	if about.By != "" {
		c.By = q.By
	}
	switch n {
	case Throughput:
		c.throughput(h, q, spans)
	case CycleTime:
		c.cycleTime(h, q)
	case Ageing:
		c.ageing(h, q)
	case Flow:
		c.flow(h, q, spans)
	case BurnUp:
		err = c.burnUp(h, q, spans)
	case Load:
		c.load(h, q, spans)
	case Cost:
		c.cost(q, spans)
	case Coverage:
		c.coverage(h, q, spans)
	}
	return c, err
}

// add puts a record behind a point.
func (p *Point) add(id string) {
	if len(p.Records) < mostRecords {
		p.Records = append(p.Records, id)
		return
	}
	p.More++
}

// over is how many of the spans have begun by now.
func over(spans []span, now time.Time) []span {
	n := len(spans)
	for n > 0 && spans[n-1].begin.After(now) {
		n--
	}
	return spans[:n]
}

// place returns in which of the spans a time lies, which are without gaps.
func place(spans []span, at time.Time) (int, bool) {
	i, found := slices.BinarySearchFunc(spans, at, func(s span, at time.Time) int {
		switch {
		case at.Before(s.begin):
			return 1
		case !at.Before(s.end):
			return -1
		}
		return 0
	})
	return i, found
}

// row is a series with an empty point for each span.
func row(name, of string, spans []span) Series {
	s := Series{Name: name, Of: of, Points: make([]Point, len(spans))}
	for i, sp := range spans {
		s.Points[i].At = desk.DateOf(sp.begin)
	}
	return s
}
