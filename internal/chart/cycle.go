package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"chela/internal/desk"
)

// A life is what became of one ticket.
type life struct {
	id                       string
	created, began, finished time.Time // began: the first work on it; zero when that is not known
	fact
}

// lives returns what became of every ticket until now.
func (h History) lives(now time.Time) []life {
	out := make([]life, len(h.ids))
	for _, s := range h.until(now) {
		l := &out[s.ticket]
		l.id, l.fact = h.ids[s.ticket], s.fact
		if l.created.IsZero() {
			l.created = s.on
		}
		if (s.status == desk.InProgress || s.status == desk.InReview) && l.began.IsZero() {
			l.began = s.on
		}
		switch {
		case s.status != desk.Done:
			l.finished = time.Time{}
		case l.finished.IsZero():
			l.finished = s.on
		}
	}
	return slices.DeleteFunc(out, func(l life) bool { return !l.there })
}

// days is how long something took, to one decimal.
func days(from, to time.Time) float64 { return math.Round(to.Sub(from).Hours()/24*10) / 10 }

// cycles returns the tickets that were begun, and finished in the time, by when that was, and how
// many were finished without having been begun.
func cycles(all []life, from, to time.Time) (out []life, unbegun int) {
	for _, l := range all {
		switch {
		case l.finished.IsZero() || l.finished.Before(from) || !l.finished.Before(to):
		case l.began.IsZero():
			unbegun++
		default:
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b life) int { return a.finished.Compare(b.finished) })
	return out, unbegun
}

// percentiles are those of how long tickets took, by nearest rank.
func percentiles(took []float64) []Line {
	if len(took) == 0 {
		return nil
	}
	took = slices.Sorted(slices.Values(took))
	var out []Line
	for _, p := range []int{50, 85, 95} {
		out = append(out, Line{fmt.Sprintf("p%d", p), nearest(took, p)})
	}
	return out
}

// nearest is a percentile of sorted values, by nearest rank.
func nearest(sorted []float64, percent int) float64 { return sorted[(len(sorted)*percent+99)/100-1] }

// cycleTime has a point for each ticket that was finished.
func (c *Chart) cycleTime(h History, q Query) {
	done, unbegun := cycles(h.lives(q.Now), q.From, q.To.AddDate(0, 0, 1))
	s := Series{Name: "Done", Points: []Point{}}
	var took []float64
	for _, l := range done {
		d := days(l.began, l.finished)
		took = append(took, d)
		s.Points = append(s.Points, Point{At: desk.DateOf(l.finished), Value: d, StoryPoints: l.points, Records: []string{l.id}})
	}
	c.Series, c.Lines = []Series{s}, percentiles(took)
	if unbegun > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d finished tickets are left out: nothing says when the work on them began.", unbegun))
	}
}

// ageing has a point for each ticket that was begun and is open.
func (c *Chart) ageing(h History, q Query) {
	end := q.To.AddDate(0, 0, 1)
	if end.After(q.Now) {
		end = q.Now
	}
	all := h.lives(end)
	for _, status := range []desk.TicketStatus{desk.InProgress, desk.InReview, desk.Blocked} {
		s := Series{Name: words[status], Points: []Point{}}
		for _, l := range all {
			if l.status == status && !l.began.IsZero() {
				s.Points = append(s.Points, Point{At: desk.DateOf(l.began), Value: days(l.began, end), StoryPoints: l.points, Records: []string{l.id}})
			}
		}
		slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(b.Value, a.Value) })
		c.Series = append(c.Series, s)
	}
	done, _ := cycles(all, q.From, end)
	var took []float64
	for _, l := range done {
		took = append(took, days(l.began, l.finished))
	}
	c.Lines = percentiles(took)
}
