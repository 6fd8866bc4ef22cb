package chart

import (
	"time"

	"chela/internal/desk"
)

// A Standing counts the tickets of a project as they stood at a moment.
type Standing struct {
	At         time.Time `json:"at"`
	Open       int       `json:"open"`
	InProgress int       `json:"inProgress" doc:"in work or in review"`
	Blocked    int       `json:"blocked"`
	Overdue    int       `json:"overdue" doc:"open, and due on a day before"`
	Unassigned int       `json:"unassigned" doc:"open, and nobody has them"`
}

// Standings counts the tickets at moments, of which each is later than the one before.
func (h History) Standings(moments []time.Time) []Standing {
	out := make([]Standing, 0, len(moments))
	facts, steps, shares := make([]fact, len(h.ids)), h.steps, h.shares
	has := make([]int, len(h.ids)) // how many have each ticket
	for _, at := range moments {
		for len(steps) > 0 && !steps[0].on.After(at) {
			facts[steps[0].ticket], steps = steps[0].fact, steps[1:]
		}
		for len(shares) > 0 && !shares[0].at.After(at) {
			if n := shares[0].was; n >= 0 {
				has[n]--
			}
			if n := shares[0].is; n >= 0 {
				has[n]++
			}
			shares = shares[1:]
		}
		out = append(out, h.count(at, facts, has))
	}
	return out
}

func (h History) count(at time.Time, facts []fact, has []int) Standing {
	s, today := Standing{At: at}, desk.DateOf(at)
	for n, f := range facts {
		if !f.there || !f.status.Open() {
			continue
		}
		s.Open++
		s.Blocked += b2i(f.status == desk.Blocked)
		s.InProgress += b2i(f.status == desk.InProgress || f.status == desk.InReview)
		s.Overdue += b2i(f.due != "" && f.due < today)
		s.Unassigned += b2i(has[n] <= 0)
	}
	return s
}

// Finished returns when the tickets that are done at a moment were finished, by their ids.
func (h History) Finished(now time.Time) map[string]time.Time {
	out := make(map[string]time.Time)
	for _, l := range h.lives(now) {
		if !l.finished.IsZero() {
			out[l.id] = l.finished
		}
	}
	return out
}

// Begun returns when the work on tickets began that are in work, in review or blocked at a moment, by
// their ids.
func (h History) Begun(now time.Time) map[string]time.Time {
	out := make(map[string]time.Time)
	for _, l := range h.lives(now) {
		if l.status.Open() && l.status != desk.Todo && !l.began.IsZero() {
			out[l.id] = l.began
		}
	}
	return out
}

// Usual returns in how many days most tickets were finished, 85 of 100, of those that were finished
// within the [LastDays]; zero when none was.
func (h History) Usual(now time.Time) float64 {
	done, _ := cycles(h.lives(now), now.AddDate(0, 0, -LastDays), now.AddDate(0, 0, 1))
	took := make([]float64, 0, len(done))
	for _, l := range done {
		took = append(took, days(l.began, l.finished))
	}
	for _, p := range percentiles(took) {
		if p.Name == "p85" {
			return p.Value
		}
	}
	return 0
}
