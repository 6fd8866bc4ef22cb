package capacity

import (
	"math"
	"time"

	"chela/internal/column"
	"chela/internal/desk"
)

// A Sheet is what capacity is computed from, in columns. A record has a place, its number among those of its
// project; computing goes through the columns once and looks nothing up.
type Sheet struct {
	People  []Placed            // in the order of their places
	IDs     []string            // by place
	Tickets column.List[Fact]   // by place; zero for what is no ticket
	Shares  column.List[Joined] // by place; zero for what is no assignment
	Numbers []int32             // by place: one more than the number of the person among People, 0 for anybody else; see [Sheet.Number]
}

// Number says again who is which of the people, after these have changed.
func (s *Sheet) Number() {
	s.Numbers = nil
	if n := len(s.People); n > 0 {
		s.Numbers = make([]int32, s.People[n-1].Place+1)
	}
	for i, p := range s.People {
		s.Numbers[p.Place] = int32(i + 1) //nolint:gosec // a project has fewer people
	}
}

// Held returns which of the people has which ticket by an assignment. It is not ok unless both are there.
func (s *Sheet) Held(x *Joined) (person int, ok bool) {
	if !x.There || x.Person < 0 || x.Ticket < 0 || int(x.Person) >= len(s.Numbers) || !s.Tickets.At(int(x.Ticket)).There {
		return 0, false
	}
	n := s.Numbers[x.Person]
	return int(n - 1), n > 0
}

// A Placed is a person with their place.
type Placed struct {
	Person
	Place int32
}

// A Fact is what counts of a ticket.
type Fact struct {
	There, Open, Done bool
	Points            float64
	Estimated         bool  // it has points, which may be 0
	Resolved          int64 // the day as seconds since 1970; never for none
}

// never is the day of what has none.
const never = math.MinInt64

// FactOf returns what counts of a ticket.
func FactOf(t *desk.TicketBody) Fact {
	f := Fact{There: true, Open: t.Status.Open(), Done: t.Status == desk.Done, Points: amount(t.Points()), Estimated: t.StoryPoints != nil, Resolved: never}
	if at := t.ResolvedOn.Time(); !at.IsZero() {
		f.Resolved = at.Unix()
	}
	return f
}

// A Joined is an assignment by the places of its person and its ticket, -1 for one that is not known.
type Joined struct {
	There          bool
	Person, Ticket int32
	Percent        float64
}

// sheetOf places people, tickets and assignments in this order.
func sheetOf(people []Person, tickets []Ticket, shares []Share) *Sheet {
	n := len(people) + len(tickets) + len(shares)
	s := &Sheet{IDs: make([]string, n)}
	s.Tickets.Grow(n)
	s.Shares.Grow(n)
	person, ticket := make(map[string]int32, len(people)), make(map[string]int32, len(tickets))
	place := int32(0)
	for _, p := range people {
		s.People = append(s.People, Placed{p, place})
		person[p.ID], s.IDs[place] = place, p.ID
		place++
	}
	for _, t := range tickets {
		s.Tickets.Set(int(place), FactOf(t.TicketBody))
		ticket[t.ID], s.IDs[place] = place, t.ID
		place++
	}
	find := func(in map[string]int32, id string) int32 {
		if p, ok := in[id]; ok {
			return p
		}
		return -1
	}
	for _, x := range shares {
		s.Shares.Set(int(place), Joined{true, find(person, x.ResourceID), find(ticket, x.TicketID), x.Percent})
		place++
	}
	s.Number()
	return s
}

// A work is what a person has to do and did lately.
type work struct {
	open          int
	todo          int     // open tickets without a share of time
	points, plain float64 // of these: their points, and how many have none
	done
}

// compute returns the report without estimates, and what estimates rest on, by place. Tickets that were done before a
// time do not count for estimates.
func (s *Sheet) compute(now time.Time) (Report, []work) {
	r := Report{Unassigned: []string{}, Lines: make([]Line, len(s.People))}
	works := make([]work, len(s.People))
	for i, p := range s.People {
		l := Line{ID: p.ID, Name: p.Name, Role: p.Role, Skills: p.Skills, Capacity: value(p.Capacity, 40), Availability: value(p.Availability, 1)}
		l.EffectiveHours = round1(l.Capacity * l.Availability)
		if n := awayDays(&p.ResourceBody, now); n > 0 {
			l.AwayDays, l.EffectiveHours = n, round1(l.Capacity*l.Availability*float64(workDays-n)/workDays)
		}
		r.Lines[i] = l
	}
	taken := make([]bool, s.Tickets.Len())
	s.eachShare(func(i int, _ float64, ticket int32) {
		if s.Tickets.At(int(ticket)).Open {
			works[i].open++
			taken[ticket] = true
		}
	})
	for i := range works {
		if n := works[i].open; n > 0 {
			r.Lines[i].TicketIDs = make([]string, 0, n)
		}
	}
	oldest, newest := now.Add(-history), now.Unix()
	s.eachShare(func(i int, percent float64, ticket int32) {
		l, w, f := &r.Lines[i], &works[i], s.Tickets.At(int(ticket))
		switch {
		case f.Open:
			l.Tickets++
			l.TicketIDs = append(l.TicketIDs, s.IDs[ticket])
			l.AllocatedSP += f.Points
			l.AllocatedPct += percent
			w.todoOf(percent, f)
		case f.Done:
			l.DoneTickets++
			if f.Resolved != never && f.Resolved <= newest && !time.Unix(f.Resolved, 0).Before(oldest) {
				w.finish(time.Unix(f.Resolved, 0).UTC(), f.Points)
			}
		}
	})
	for i, f := range s.Tickets.All() {
		if !f.There {
			continue
		}
		r.Tickets++
		switch {
		case !f.Open:
		case taken[i]:
			r.Open++
			r.Assigned++
		default:
			r.Open++
			r.Unassigned = append(r.Unassigned, s.IDs[i])
		}
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		l.AllocatedSP, l.AllocatedPct = round2(l.AllocatedSP), round2(l.AllocatedPct) // a sum of tenths may be 100.00000000000001
		l.SpareHours = round1(max(0, l.EffectiveHours*(1-l.AllocatedPct/100)))
		l.Load = l.loadAt(l.AllocatedPct)
	}
	return r, works
}

// workDays is how many days of a week people work.
const workDays = 5

// awayDays counts the working days of the week that begins on the day of a time on which somebody is away; none without a time.
func awayDays(p *desk.ResourceBody, now time.Time) int {
	if now.IsZero() {
		return 0
	}
	today := now.UTC().Truncate(24 * time.Hour)
	return p.DaysAway(today, today.AddDate(0, 0, 6))
}

// eachShare calls fn with the number of the person and the share of time of each assignment of somebody who is there to a ticket that is.
func (s *Sheet) eachShare(fn func(person int, percent float64, ticket int32)) {
	for _, x := range s.Shares.All() {
		if n, ok := s.Held(x); ok {
			fn(n, amount(x.Percent), x.Ticket)
		}
	}
}

// todoOf adds an open ticket.
func (w *work) todoOf(percent float64, f *Fact) {
	if percent > 0 {
		return
	}
	w.todo++
	if f.Estimated {
		w.points += f.Points
	} else {
		w.plain++
	}
}

// Allocated returns the report, in which nothing is estimated.
func (s *Sheet) Allocated() Report {
	r, _ := s.compute(time.Time{})
	r.finish()
	return r
}

// Report returns the report with estimates at a time.
func (s *Sheet) Report(now time.Time) Report {
	r, works := s.compute(now)
	for i := range r.Lines {
		if works[i].todo > 0 {
			r.Lines[i].estimate(&works[i], now)
		}
	}
	r.finish()
	return r
}
