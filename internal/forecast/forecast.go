// Package forecast says when tickets will be done, from how many were finished on each of the last days. Nothing is estimated by
// anybody, and no model is asked. The days to come are taken to be like days of the last weeks, one drawn for each: a working day
// like one of the working days, a weekend's like one of the weekends'. What can come of that is computed whole, and not tried out.
package forecast

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"time"

	"chela/internal/desk"
)

// What a forecast is made of.
const (
	Window        = 13 * 7  // days that are looked back
	leastFinished = 5       // tickets that have to be finished in them
	leastDays     = 14      // days that have to be known
	horizon       = 3 * 366 // days that are looked ahead
	exactly       = 400     // open tickets; of more, sums are taken to be normal
)

// Percents are how likely the days of a forecast are.
func Percents() []int { return []int{50, 85, 95} }

// A Ticket is what a forecast has to know of one.
type Ticket struct {
	Open    bool
	Done    bool      // and not closed otherwise
	Sprint  string    // as sprints are compared
	Created desk.Date // "" where that is not known
	Closed  desk.Date // "" for an open one, and where that is not known
}

// A Query says what is forecast.
type Query struct {
	Now    time.Time
	Sprint string    // of the open tickets, only those of this sprint, as sprints are compared; "" is all
	Until  desk.Date // the day by which they should be done; "" is none
}

// A Dated is the first day by the end of which all is done that likely.
type Dated struct {
	Percent int       `json:"percent"`
	Day     desk.Date `json:"day"`
}

// A Least is how many of the open tickets are done by a day, that likely, or more.
type Least struct {
	Percent int `json:"percent"`
	Tickets int `json:"tickets"`
}

// A Forecast says when the open tickets are done, and how likely they are by a day.
type Forecast struct {
	Sprint   string    `json:"sprint,omitempty"`
	Open     int       `json:"open" doc:"tickets that are not done"`
	From     desk.Date `json:"from,omitempty" doc:"the first of the days that it is made of"`
	To       desk.Date `json:"to,omitempty" doc:"the last of them"`
	Finished int       `json:"finished" doc:"tickets that were done on these days"`
	PerWeek  float64   `json:"perWeek" doc:"of them, in a week"`
	Created  float64   `json:"createdPerWeek" doc:"tickets that came on these days, in a week; the forecast is as if no more came"`
	Dates    []Dated   `json:"dates" doc:"by when all are done; those within three years"`
	Until    desk.Date `json:"until,omitempty" doc:"the day by which they should be done"`
	Percent  *int      `json:"percent,omitempty" doc:"how likely all are done by then"`
	ByThen   []Least   `json:"byThen,omitempty" doc:"how many are done by then, at least"`
	Notes    []string  `json:"notes,omitempty" doc:"why something is not said, and what it leaves out"`
}

// Of returns the forecast of tickets.
func Of(tickets iter.Seq[Ticket], q Query) Forecast {
	out := Forecast{Sprint: q.Sprint, Until: q.Until, Dates: []Dated{}}
	today := q.Now.UTC().Truncate(24 * time.Hour)
	var days past
	days.from = today.AddDate(0, 0, -Window)
	first := today
	for t := range tickets {
		if t.Open && (q.Sprint == "" || t.Sprint == q.Sprint) {
			out.Open++
		}
		for _, d := range []desk.Date{t.Created, t.Closed} {
			if at := d.Time(); d != "" && at.Before(first) {
				first = at
			}
		}
		if t.Done && t.Closed != "" && days.add(t.Closed.Time()) {
			out.Finished++
		}
		if at := t.Created.Time(); t.Created != "" && !at.Before(days.from) && at.Before(today) {
			out.Created++
		}
	}
	if first.After(days.from) {
		days.begin = int(first.Sub(days.from) / (24 * time.Hour))
	}
	known := Window - days.begin
	if known > 0 {
		out.From, out.To = desk.DateOf(days.from.AddDate(0, 0, days.begin)), desk.DateOf(today.AddDate(0, 0, -1))
		out.PerWeek, out.Created = perWeek(float64(out.Finished), known), perWeek(out.Created, known)
	}
	switch {
	case out.Open == 0:
		out.Notes = append(out.Notes, "No ticket is open, so there is nothing to forecast.")
		return out
	case out.Finished < leastFinished || known < leastDays:
		out.Notes = append(out.Notes, fmt.Sprintf("Too little is known for a forecast: %s in %s before today, of which days are known. It takes %d tickets in %d days.", plural(out.Finished, "ticket was done", "tickets were done"), plural(known, "day", "days"), leastFinished, leastDays))
		return out
	}
	out.reckon(days.laws(), today)
	if out.Created > out.PerWeek {
		out.Notes = append(out.Notes, fmt.Sprintf("More tickets come (%g a week) than are done (%g): the days hold only if no more came.", out.Created, out.PerWeek))
	}
	return out
}

// Lines say a forecast in sentences; none where nothing is forecast.
func (f Forecast) Lines() (out []string) {
	what := fmt.Sprintf("all %d open tickets are", f.Open)
	if f.Open == 1 {
		what = "the open ticket is"
	}
	if f.Percent != nil {
		line := fmt.Sprintf("By %s: %d %% likely %s done", f.Until, *f.Percent, what)
		for _, l := range f.ByThen {
			if l.Percent == likely && l.Tickets > 0 && l.Tickets < f.Open {
				line += fmt.Sprintf("; %d %% likely %d or more", l.Percent, l.Tickets)
			}
		}
		out = append(out, line+".")
	}
	for i, d := range f.Dates {
		if d.Percent != likely {
			continue
		}
		line := fmt.Sprintf("%d %% likely %s done by %s", d.Percent, what, d.Day)
		if first := f.Dates[0]; i > 0 && first.Day != d.Day {
			line += fmt.Sprintf(", %d %% by %s", first.Percent, first.Day)
		}
		out = append(out, line+".")
	}
	if len(out) > 0 {
		out = append(out, fmt.Sprintf("From %s done between %s and %s, %g a week; %g a week came.", plural(f.Finished, "ticket", "tickets"), f.From, f.To, f.PerWeek, f.Created))
	}
	return out
}

// likely is the percent that is said first: a day that is kept five times of six.
const likely = 85

// reckon goes through the days to come. Today is not one of them: some of it is over.
func (f *Forecast) reckon(laws [2]law, today time.Time) {
	until := f.Until.Time()
	if f.Until != "" && !until.After(today) {
		f.Notes = append(f.Notes, fmt.Sprintf("%s is no day to come, so how likely it is kept is not forecast.", f.Until))
	}
	var s sum = newExact(f.Open)
	if f.Open > exactly {
		s = &normal{}
	}
	for n := range horizon {
		day := today.AddDate(0, 0, n+1)
		s.add(laws[class(day)])
		done := s.atLeast(f.Open)
		for len(f.Dates) < len(Percents()) && done*100 >= float64(Percents()[len(f.Dates)]) {
			f.Dates = append(f.Dates, Dated{Percents()[len(f.Dates)], desk.DateOf(day)})
		}
		if f.Until != "" && day.Equal(until) {
			percent := int(math.Round(done * 100))
			f.Percent = &percent
			for _, p := range Percents() {
				f.ByThen = append(f.ByThen, Least{p, least(s, f.Open, float64(p)/100)})
			}
		}
		if len(f.Dates) == len(Percents()) && !day.Before(until) {
			return
		}
	}
	if len(f.Dates) < len(Percents()) {
		f.Notes = append(f.Notes, "At this pace not all are done within three years.")
	}
}

// least is the greatest number, of at most all, that is reached with a likelihood.
func least(s sum, all int, likely float64) int {
	low, high := 0, all
	for low < high {
		if n := (low + high + 1) / 2; s.atLeast(n) >= likely {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// past is how many tickets were done on each of the days that are looked back.
type past struct {
	from  time.Time
	begin int // the first day of which something is known
	done  [Window]int
}

func (p *past) add(at time.Time) bool {
	n := int(math.Floor(at.Sub(p.from).Hours() / 24))
	if n < 0 || n >= Window {
		return false
	}
	p.done[n]++
	return true
}

// class tells working days and weekends apart.
func class(day time.Time) int {
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		return 1
	}
	return 0
}

// laws are how many are done on a working day, and on one of a weekend.
func (p *past) laws() (out [2]law) {
	var days [2]int
	for n := p.begin; n < Window; n++ {
		c := class(p.from.AddDate(0, 0, n))
		days[c]++
		out[c].count(p.done[n])
	}
	for c := range out {
		out[c].share(days[c])
	}
	return out
}

func perWeek(n float64, days int) float64 { return math.Round(n*7/float64(days)*10) / 10 }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, cmp.Or(many, one+"s"))
}
