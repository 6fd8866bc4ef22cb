package capacity

import (
	"fmt"
	"math"
	"time"
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

	mostEstimated = 1000.0 // percent of somebody's time: more is cut
)

// done is what somebody finished lately.
type done struct {
	tickets, points float64
	first           time.Time
}

// finish adds a ticket that was done on a day.
func (d *done) finish(at time.Time, points float64) {
	if d.tickets++; d.tickets == 1 || at.Before(d.first) {
		d.first = at
	}
	d.points += points
}

// Estimated is as [Compute], and gives each person whose open tickets have no share of time an estimate of how much of it
// they take: [Line.EstimatedPct], and in [Line.Estimate] what it rests on. Hours to spare and the load follow it.
// Nobody's given share is changed. Of somebody without hours nothing is estimated.
func Estimated(people []Person, tickets []Ticket, shares []Share, now time.Time) Report {
	return sheetOf(people, tickets, shares).Report(now)
}

// Over is "over ", which stands before an estimated load that was cut.
func (l Line) Over() string {
	if l.EstimateCut {
		return "over "
	}
	return ""
}

// estimate is how much of a person's time their tickets without a share take.
func (l *Line) estimate(w *work, now time.Time) {
	points, plain, d := w.points, w.plain, w.done
	var percent float64
	switch {
	case l.EffectiveHours == 0:
		return
	case d.tickets >= leastFinished:
		weeks := max(math.Floor(now.Sub(d.first).Hours()/24)/7, leastWeeksOfIt)
		l.Estimate = fmt.Sprintf("an estimate from the %.0f tickets finished in the last %.0f weeks", d.tickets, weeks)
		if d.points > 0 && int(plain) < w.todo {
			each := d.points / d.tickets // what a ticket without points is taken for
			percent = (points + plain*each) / (d.points / weeks * sprintWeeks) * 100
		} else {
			percent = float64(w.todo) / (d.tickets / weeks * sprintWeeks) * 100
		}
	default:
		l.Estimate = fmt.Sprintf("an estimate at %.0f hours a point and %.0f a ticket without points", hoursOfPoint, hoursOfTicket)
		percent = (points*hoursOfPoint + plain*hoursOfTicket) / (round1(l.Capacity*l.Availability) * sprintWeeks) * 100
	}
	if l.EstimateCut = percent > mostEstimated; l.EstimateCut {
		l.Estimate += fmt.Sprintf(", which comes to more than %.0f %%", mostEstimated)
	}
	l.EstimatedPct = round1(l.AllocatedPct + min(percent, mostEstimated))
	l.SpareHours = round1(max(0, l.EffectiveHours*(1-l.EstimatedPct/100)))
	l.Load = l.loadAt(l.EstimatedPct)
}
