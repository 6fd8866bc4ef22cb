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

// A Pace is how the work on tickets goes.
type Pace struct {
	Finished map[string]time.Time // when the tickets that are done were finished, by their ids
	Begun    map[string]time.Time // when the work began on those that are in work, in review or blocked
	Usual    float64              // in how many days 85 of 100 were finished that were finished within the [LastDays]; zero when none was
}

// Pace returns how the work went until a moment.
func (h History) Pace(now time.Time) Pace {
	all := h.lives(now)
	out := Pace{Finished: make(map[string]time.Time), Begun: make(map[string]time.Time)}
	for i := range all {
		l := &all[i]
		if !l.finished.IsZero() {
			out.Finished[l.id] = l.finished
		}
		if l.status.Open() && l.status != desk.Todo && !l.began.IsZero() {
			out.Begun[l.id] = l.began
		}
	}
	done, _ := cycles(all, now.AddDate(0, 0, -LastDays), now.AddDate(0, 0, 1))
	took := make([]float64, 0, len(done))
	for _, l := range done {
		took = append(took, days(l.began, l.finished))
	}
	for _, p := range percentiles(took) {
		if p.Name == "p85" {
			out.Usual = p.Value
		}
	}
	return out
}
