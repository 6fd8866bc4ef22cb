package chart

import (
	"iter"
	"slices"
	"sync"
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

// A Stood is where a ticket stood at a moment.
type Stood struct {
	ID       string
	Status   desk.TicketStatus
	Sprint   string    // in lower case, without blanks around it
	Created  desk.Date // the day on which it was, as its tracker says or else the log
	Closed   desk.Date // the day on which it was, as [desk.ClosedDay] gives it; "" for an open one
	Recorded bool      // the log had it by then; otherwise an import told of that day later
}

// Stood returns where the tickets stood that were there at a moment, in the order in which they came here.
func (h History) Stood(at time.Time) []Stood {
	now, created, recorded := make([]fact, len(h.ids)), make([]time.Time, len(h.ids)), make([]bool, len(h.ids))
	for _, s := range h.until(at) {
		if created[s.ticket].IsZero() {
			created[s.ticket] = s.on
		}
		now[s.ticket] = s.fact
		recorded[s.ticket] = recorded[s.ticket] || !s.at.After(at)
	}
	out := make([]Stood, 0, len(h.ids))
	for n, f := range now {
		if f.there {
			out = append(out, Stood{h.ids[n], f.status, f.sprint, desk.DateOf(created[n]), f.closed, recorded[n]})
		}
	}
	return out
}

// A mark is what of a step is counted, so small that going through all of them takes a millisecond.
type mark struct {
	ticket, due int32 // due is the number of the date in the journal
	state       state
}

// A state says how a ticket stands.
type state uint8

const (
	isThere state = 1 << iota
	isOpen        // and there
	inWork        // or in review
	isBlocked
	isDone
	isTodo
)

// mark returns what is counted of a step.
func (j *Journal) mark(s *step) mark {
	due, ok := j.due[s.due]
	if !ok {
		due = int32(len(j.dues)) //nolint:gosec // fewer days than that fit into memory
		j.due[s.due], j.dues = due, append(j.dues, s.due)
	}
	m := mark{ticket: int32(s.ticket), due: due} //nolint:gosec // fewer tickets than that fit into memory
	set := func(is bool, bit state) {
		if is {
			m.state |= bit
		}
	}
	set(s.there, isThere)
	set(s.there && s.status.Open(), isOpen)
	set(s.status == desk.InProgress || s.status == desk.InReview, inWork)
	set(s.status == desk.Blocked, isBlocked)
	set(s.status == desk.Done, isDone)
	set(s.status == desk.Todo, isTodo)
	return m
}

// A tally counts tickets while their steps are gone through.
type tally struct {
	Standing
	state []state // by the numbers of tickets
	due   []int32
	has   []int32 // how many have each ticket
	days  []int   // how many are open, by the number of the day on which they are due
}

// Standings counts the tickets at moments, of which each is later than the one before.
func (h History) Standings(moments []time.Time) []Standing {
	out, shares, done := make([]Standing, 0, len(moments)), h.shares, 0
	n := len(h.ids)
	t := &tally{state: make([]state, n), due: make([]int32, n), has: make([]int32, n), days: make([]int, len(h.dues))}
	for _, at := range moments {
		end := len(h.until(at))
		for ; done < end; done++ {
			m := h.marks[done]
			t.count(m.ticket, -1)
			t.state[m.ticket], t.due[m.ticket] = m.state, m.due
			t.count(m.ticket, 1)
		}
		for len(shares) > 0 && !shares[0].at.After(at) {
			t.hand(shares[0].was, -1)
			t.hand(shares[0].is, 1)
			shares = shares[1:]
		}
		out = append(out, t.at(at, h.dues))
	}
	return out
}

// count adds a ticket, or takes it away.
func (t *tally) count(n int32, sign int) {
	s := t.state[n]
	if s&isOpen == 0 {
		return
	}
	t.Open += sign
	t.days[t.due[n]] += sign
	if s&isBlocked != 0 {
		t.Blocked += sign
	}
	if s&inWork != 0 {
		t.InProgress += sign
	}
	if t.has[n] <= 0 {
		t.Unassigned += sign
	}
}

// hand says that one more, or one less, has a ticket; -1 is none.
func (t *tally) hand(n, sign int) {
	if n < 0 {
		return
	}
	t.count(int32(n), -1) //nolint:gosec // as in mark
	t.has[n] += int32(sign)
	t.count(int32(n), 1) //nolint:gosec // as in mark
}

// at returns the counts at a moment.
func (t *tally) at(at time.Time, dues []desk.Date) Standing {
	s, today := t.Standing, desk.DateOf(at)
	s.At = at
	for n, d := range dues {
		if t.days[n] > 0 && d != "" && d < today {
			s.Overdue += t.days[n]
		}
	}
	return s
}

// A Pace is how the work on tickets goes. Nothing changes it.
type Pace struct {
	Usual float64 // in how many days 85 of 100 were finished that were finished within the [LastDays]; zero when none was

	history         History
	began, finished []int32 // by the numbers of tickets: the step at which work began first, and that which finished it, plus one; 0 for none
	state           []state
}

// Pace returns how the work went until a moment.
func (h History) Pace(now time.Time) Pace {
	n := len(h.ids)
	p := Pace{history: h, began: make([]int32, n), finished: make([]int32, n), state: make([]state, n)}
	for i, m := range h.marks[:len(h.until(now))] {
		nth := int32(i + 1) //nolint:gosec // fewer steps than that fit into memory
		if p.state[m.ticket] = m.state; m.state&inWork != 0 && p.began[m.ticket] == 0 {
			p.began[m.ticket] = nth
		}
		switch {
		case m.state&isDone == 0:
			p.finished[m.ticket] = 0
		case p.finished[m.ticket] == 0:
			p.finished[m.ticket] = nth
		}
	}
	from, to := now.AddDate(0, 0, -LastDays), now.AddDate(0, 0, 1)
	var took []float64
	for n := range p.finished {
		if at := p.step(n, p.finished); !at.IsZero() && p.began[n] > 0 && !at.Before(from) && at.Before(to) {
			took = append(took, days(p.step(n, p.began), at))
		}
	}
	slices.Sort(took)
	if len(took) > 0 {
		p.Usual = nearest(took, 85)
	}
	return p
}

// step is when a step of a ticket that is there counts from; zero for none.
func (p *Pace) step(n int, of []int32) time.Time {
	if of[n] == 0 || p.state[n]&isThere == 0 {
		return time.Time{}
	}
	return p.history.steps[of[n]-1].on
}

// Numbers keep which ticket of a journal is at which place of somebody's list, whose places keep their tickets, so that it is
// not looked up by its id at each look. The zero value knows none. Safe for concurrent use.
type Numbers struct {
	mu      sync.Mutex // guards what follows
	journal *Journal
	of      []int32 // by place; plus one, 0 for what was not looked up
}

// number returns the number of the ticket at a place, in the journal of a pace; -1 for one that the pace does not know.
func (n *Numbers) number(p *Pace, place int, id string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.journal != p.history.journal {
		n.journal, n.of = p.history.journal, nil
	}
	if place >= len(n.of) {
		n.of = append(n.of, make([]int32, place+1-len(n.of)+len(n.of)/2)...)
	}
	if n.of[place] == 0 {
		if at, ok := n.journal.number(id); ok {
			n.of[place] = int32(at + 1) //nolint:gosec // fewer tickets than that fit into memory
		}
	}
	if at := int(n.of[place]) - 1; at < len(p.state) {
		return at
	}
	return -1
}

// end is when a ticket was finished; zero for one that is not done, and for one that came closed without a day.
func (p *Pace) end(n int) time.Time {
	if of := p.finished[n]; of > 0 && p.history.steps[of-1].closed == "" {
		return time.Time{}
	}
	return p.step(n, p.finished)
}

// Finished yields when the tickets that are done were finished, of which that is known, in no order that means anything.
func (p *Pace) Finished() iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		for n := range p.finished {
			if at := p.end(n); !at.IsZero() && !yield(p.history.ids[n], at) {
				return
			}
		}
	}
}

// FinishedAt is when the ticket at a place, if it is done, was finished; zero for any other, and where that is not known.
func (p *Pace) FinishedAt(in *Numbers, place int, id string) time.Time {
	n := in.number(p, place, id)
	if n < 0 {
		return time.Time{}
	}
	return p.end(n)
}

// Begun is when the work began on the ticket at a place, if it is in work, in review or blocked; zero when that is not known.
func (p *Pace) Begun(in *Numbers, place int, id string) time.Time {
	return p.begunBy(in.number(p, place, id))
}

// BegunOf is [Pace.Begun] for a ticket that is looked up by its id.
func (p *Pace) BegunOf(id string) time.Time {
	n, ok := p.history.journal.number(id)
	if !ok || n >= len(p.state) {
		return time.Time{}
	}
	return p.begunBy(n)
}

func (p *Pace) begunBy(n int) time.Time {
	if n < 0 || p.state[n]&isOpen == 0 || p.state[n]&isTodo != 0 {
		return time.Time{}
	}
	return p.step(n, p.began)
}
