package chart

import (
	"cmp"
	"math"
	"slices"
	"time"

	"chela/internal/desk"
)

// weeksAhead is how much of the time to come is shown of the load when the query does not say it.
const weeksAhead = 4

// Unassigned is the series of the open tickets that nobody has.
const Unassigned = "Unassigned"

// load counts the open tickets of each person. Of spans to come it counts those that are due in them.
func (c *Chart) load(h History, q Query, spans []span) {
	rows := make(map[string]*Series)
	of := func(person string) *Series {
		if rows[person] == nil {
			s := row(cmp.Or(h.people[person], person, Unassigned), person, spans)
			for i := range s.Points {
				s.Points[i].Planned = spans[i].begin.After(q.Now)
				if p := q.People[person]; p != nil {
					s.Points[i].AwayDays = p.DaysAway(spans[i].begin, spans[i].end.AddDate(0, 0, -1))
				}
			}
			rows[person] = &s
		}
		return rows[person]
	}
	shares, holds := h.shares, make(map[string]share) // assignment → who has what
	owners := func(until time.Time) map[string][]string {
		for len(shares) > 0 && shares[0].at.Before(until) {
			s := shares[0]
			if shares = shares[1:]; s.there {
				holds[s.id] = s
			} else {
				delete(holds, s.id)
			}
		}
		out := make(map[string][]string, len(holds))
		for _, s := range holds {
			if !slices.Contains(out[s.ticket], s.person) {
				out[s.ticket] = append(out[s.ticket], s.person)
			}
		}
		return out
	}
	count := func(i int, have map[string][]string, n int, f fact) {
		who := have[h.ids[n]]
		if len(who) == 0 {
			who = []string{""}
		}
		for _, person := range who {
			of(person).Points[i].count(h.ids[n], f)
		}
	}
	h.standing(spans, q.Now, func(i int, facts []fact) {
		end := spans[i].end
		if end.After(q.Now) {
			end = q.Now.Add(time.Nanosecond)
		}
		have := owners(end)
		for n, f := range facts {
			if f.there && f.status.Open() {
				count(i, have, n, f)
			}
		}
	})
	facts, have := make([]fact, len(h.ids)), owners(q.Now.Add(time.Nanosecond))
	for _, s := range h.until(q.Now) {
		facts[s.ticket] = s.fact
	}
	for n, f := range facts {
		if i, ok := place(spans, f.due.Time()); ok && f.due != "" && f.there && f.status.Open() && spans[i].begin.After(q.Now) {
			count(i, have, n, f)
		}
	}
	for _, s := range rows {
		c.Series = append(c.Series, *s)
	}
	slices.SortFunc(c.Series, func(a, b Series) int {
		return cmp.Or(cmp.Compare(b2i(a.Of == ""), b2i(b.Of == "")), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Of, b.Of))
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// coverage is how much of each objective its tickets cover.
func (c *Chart) coverage(h History, q Query, spans []span) {
	spans = over(spans, q.Now)
	rows := make(map[string]int) // objective → its series
	goals, now := h.goals, make(map[string]goal)
	h.standing(spans, q.Now, func(i int, facts []fact) {
		for len(goals) > 0 && goals[0].at.Before(spans[i].end) && !goals[0].at.After(q.Now) {
			now[goals[0].id], goals = goals[0], goals[1:]
		}
		serve := h.serving(now, facts)
		for _, g := range h.order(now) {
			if !g.there {
				continue
			}
			k, ok := rows[g.id]
			if !ok {
				k, rows[g.id] = len(rows), len(rows)
				c.Series = append(c.Series, row(g.outcome, g.id, spans))
			}
			c.Series[k].Name = g.outcome
			c.Series[k].Points[i].cover(h, serve[g.id], facts)
		}
	})
}

// order returns the objectives as they were made.
func (h History) order(now map[string]goal) []goal {
	var out []goal
	seen := make(map[string]bool, len(now))
	for _, g := range h.goals {
		if _, ok := now[g.id]; ok && !seen[g.id] {
			seen[g.id] = true
			out = append(out, now[g.id])
		}
	}
	return out
}

// serving returns the tickets of each objective: those it names, and those that name it. One that is
// not there is -1.
func (h History) serving(now map[string]goal, facts []fact) map[string][]int {
	named := make(map[string][]string) // ticket → objectives
	out := make(map[string][]int, len(now))
	for _, g := range h.order(now) {
		for _, t := range g.tickets {
			if !slices.Contains(named[t], g.id) {
				named[t] = append(named[t], g.id)
			}
		}
	}
	for n, f := range facts {
		if !f.there {
			continue
		}
		of := named[h.ids[n]]
		delete(named, h.ids[n])
		for _, g := range f.objectives {
			if !slices.Contains(of, g) {
				of = append(of, g)
			}
		}
		for _, g := range of {
			out[g] = append(out[g], n)
		}
	}
	for _, of := range named {
		for _, g := range of {
			out[g] = append(out[g], -1)
		}
	}
	return out
}

// cover sets a point to (done + in progress) / all × 100, to one decimal, as the coverage of
// objectives is computed elsewhere: closed tickets are left out.
func (p *Point) cover(h History, tickets []int, facts []fact) {
	all, covered := 0, 0
	for _, n := range tickets {
		if n < 0 {
			all++
			continue
		}
		p.add(h.ids[n])
		switch facts[n].status {
		case desk.Closed:
			continue
		case desk.Done, desk.InProgress, desk.InReview:
			covered++
		case desk.Todo, desk.Blocked:
		}
		all++
	}
	if all > 0 {
		p.Value = math.Round(float64(covered)/float64(all)*1000) / 10
	}
}
