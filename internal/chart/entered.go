package chart

import (
	"slices"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
)

// Entered says since when the tickets of a project have had the status that they have at a moment. Nothing changes it.
type Entered struct {
	history History
	at      []int32 // by the numbers of tickets: the step that brought the status, plus one; 0 for a ticket that is not there
	first   []bool  // by the numbers of tickets: it came here with the status, though its tracker may have made it before
}

// Entered returns since when tickets have had their status at a moment.
func (h History) Entered(now time.Time) *Entered {
	e := &Entered{h, make([]int32, len(h.ids)), make([]bool, len(h.ids))}
	status, made := make([]desk.TicketStatus, len(h.ids)), make([]event.Seq, len(h.ids))
	for i, s := range h.until(now) {
		n := s.ticket
		switch {
		case !s.there:
			e.at[n] = 0
		case e.at[n] == 0 || s.status != status[n]:
			if e.at[n] == 0 {
				made[n] = s.seq
			}
			e.first[n], e.at[n], status[n] = s.seq == made[n], int32(i+1), s.status //nolint:gosec // fewer steps than that fit into memory
		}
	}
	return e
}

// Of returns since when a ticket has had its status. Of one that came here with it (came) it is only known that it has had it since then, unless
// a tracker says on which day it was closed. ok is false for a ticket that is not there.
func (e *Entered) Of(id string) (since time.Time, came, ok bool) {
	n, known := e.history.journal.number(id)
	if !known || n >= len(e.at) || e.at[n] == 0 {
		return time.Time{}, false, false
	}
	s := &e.history.steps[e.at[n]-1]
	switch {
	case !e.first[n]:
		return s.on, false, true
	case s.closed != "" && !s.status.Open():
		return s.closed.Time(), false, true
	}
	return s.at, true, true
}

// AssignmentsOf returns the ids of all assignments that a ticket ever had.
func (h History) AssignmentsOf(ticket string) (out []string) {
	for _, s := range h.shares {
		if s.ticket == ticket && !slices.Contains(out, s.id) {
			out = append(out, s.id)
		}
	}
	return out
}
