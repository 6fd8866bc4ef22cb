package capacity

import (
	"fmt"
	"math"
	"time"

	"chela/internal/desk"
)

// What an estimate assumes. A person's load is compared with what they do in a sprint of two weeks; who has
// finished too little lately is taken to need so many hours for a point or for a ticket without points.
const (
	history        = 8 * 7 * 24 * time.Hour // how far back finished tickets count
	leastFinished  = 3                      // fewer say nothing
	sprintWeeks    = 2.0
	hoursOfPoint   = 4.0
	hoursOfTicket  = 8.0
	leastWeeksOfIt = 2.0 // a history is at least that long
)

// done is what somebody finished lately.
type done struct {
	tickets, points float64
	first           time.Time
}

// Estimate gives each person whose open tickets have no share of time an estimate of how much of it they
// take: [Line.EstimatedPct], and in [Line.Estimate] what it rests on. Hours to spare and the load follow it.
// Nobody's given share is changed.
func (r *Report) Estimate(tickets []Ticket, shares []Share, now time.Time) {
	byID := make(map[string]Ticket, len(tickets))
	for _, t := range tickets {
		byID[t.ID] = t
	}
	open, finished := make(map[string][]Ticket), make(map[string]*done)
	for _, s := range shares {
		t, ok := byID[s.TicketID]
		switch {
		case !ok:
		case t.Status.Open() && amount(s.Percent) == 0:
			open[s.ResourceID] = append(open[s.ResourceID], t)
		case t.Status == desk.Done:
			at := t.ResolvedOn.Time()
			if at.IsZero() || at.After(now) || now.Sub(at) > history {
				continue
			}
			d := finished[s.ResourceID]
			if d == nil {
				d = &done{first: at}
				finished[s.ResourceID] = d
			}
			if d.tickets++; at.Before(d.first) {
				d.first = at
			}
			d.points += amount(t.StoryPoints)
		}
	}
	r.Overloaded, r.IdleCount = 0, 0
	for i := range r.Lines {
		l := &r.Lines[i]
		if todo := open[l.ID]; len(todo) > 0 {
			l.estimate(todo, finished[l.ID], now)
		}
		switch l.Load {
		case Overloaded:
			r.Overloaded++
		case Idle:
			r.IdleCount++
		case Underutilized, Balanced:
		}
	}
	r.sort()
}

// estimate is how much of a person's time their tickets without a share take.
func (l *Line) estimate(todo []Ticket, d *done, now time.Time) {
	var points, plain float64 // plain: tickets without points
	for _, t := range todo {
		if p := amount(t.StoryPoints); p > 0 {
			points += p
		} else {
			plain++
		}
	}
	var percent float64
	switch {
	case d != nil && d.tickets >= leastFinished:
		weeks := max(math.Floor(now.Sub(d.first).Hours()/24)/7, leastWeeksOfIt)
		l.Estimate = fmt.Sprintf("an estimate from the %.0f tickets finished in the last %.0f weeks", d.tickets, weeks)
		if d.points > 0 && points > 0 {
			each := d.points / d.tickets // what a ticket without points is taken for
			percent = (points + plain*each) / (d.points / weeks * sprintWeeks) * 100
		} else {
			percent = float64(len(todo)) / (d.tickets / weeks * sprintWeeks) * 100
		}
	case l.EffectiveHours > 0:
		l.Estimate = fmt.Sprintf("an estimate at %.0f hours a point and %.0f a ticket without points", hoursOfPoint, hoursOfTicket)
		percent = (points*hoursOfPoint + plain*hoursOfTicket) / (l.EffectiveHours * sprintWeeks) * 100
	default:
		return
	}
	l.EstimatedPct = round1(l.AllocatedPct + min(percent, 1000))
	l.SpareHours = round1(max(0, l.EffectiveHours*(1-l.EstimatedPct/100)))
	l.Load = loadOf(l.EstimatedPct, l.Tickets)
}
