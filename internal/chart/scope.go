package chart

import "time"

// A Scope is what a sprint has: for each ticket that was ever in it, since when, and whether it is in it still.
type Scope struct {
	history History
	of      map[int]presence
}

// A presence is when a ticket was in a sprint the last time.
type presence struct {
	since, until time.Time // until is zero while it is in it
	came         bool      // it came here in the sprint
}

// Scope returns which tickets were in a sprint until a moment.
func (h History) Scope(sprint string, now time.Time) *Scope {
	key := sprintKey(sprint)
	s := &Scope{h, make(map[int]presence)}
	seen := make([]bool, len(h.ids))
	for _, x := range h.until(now) {
		p, was := s.of[x.ticket]
		in := was && p.until.IsZero()
		switch is := x.there && x.sprint == key; {
		case is && !in:
			s.of[x.ticket] = presence{since: x.on, came: !seen[x.ticket]}
		case !is && in:
			p.until = x.on
			s.of[x.ticket] = p
		}
		seen[x.ticket] = true
	}
	return s
}

// Joined returns since when a ticket is in the sprint. Of one that came here in it (came) it is only known that it was made then; ok is false for one
// that is not in it.
func (s *Scope) Joined(id string) (since time.Time, came, ok bool) {
	p, ok := s.presence(id)
	return p.since, p.came, ok && p.until.IsZero()
}

// Left returns when a ticket that was in the sprint was taken out of it; ok is false for one that is in it, or never was.
func (s *Scope) Left(id string) (at time.Time, ok bool) {
	p, ok := s.presence(id)
	return p.until, ok && !p.until.IsZero()
}

func (s *Scope) presence(id string) (presence, bool) {
	n, known := s.history.journal.number(id)
	p, ok := s.of[n]
	return p, known && ok
}
