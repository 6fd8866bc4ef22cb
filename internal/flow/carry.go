package flow

import (
	"slices"
	"strings"
	"time"
)

// A Carry is a ticket that was carried over from one sprint to another.
type Carry struct {
	TicketID string   `json:"ticketId"`
	Ref      string   `json:"externalRef,omitempty"`
	Title    string   `json:"title"`
	Sprints  []string `json:"sprints"` // where it came from, or where it is now
	Amount   Amount   `json:"amount"`
	Done     bool     `json:"done,omitempty"`
}

// wasIn are the names of the sprints that a ticket says it was in before.
func (s *standing) wasIn() []string {
	if s.earlier == "" {
		return nil
	}
	return strings.Split(s.earlier, "\x00")
}

// carries are the tickets that came into a sprint from an earlier one, and those that went out of it into a later one.
type carries struct{ in, out []Carry }

// carried returns, by sprint, the tickets that are in it and were in an earlier one, and those that were in it
// and are in a later one: as the tickets say, and as they were moved after the sprint had begun.
func (l *Ledger) carried(now time.Time) map[string]carries {
	latest := make(map[string]*standing)
	was := make(map[string][]string) // ticket → keys of sprints that it was in
	var order []string
	for _, st := range l.steps {
		if st.at.After(now) {
			break
		}
		if _, known := latest[st.id]; !known {
			order = append(order, st.id)
		}
		latest[st.id] = st.after
		if from := st.before.sprint; from != "" && from != st.after.sprint && st.before.gone == "" && l.hadBegun(from, st.at) {
			was[st.id] = append(was[st.id], from)
		}
	}
	out := make(map[string]carries)
	for _, id := range order {
		s := latest[id]
		if s.gone != "" || s.sprint == "" || s.earlier == "" && was[id] == nil {
			continue
		}
		var before []string // keys, each once
		for _, k := range append(s.wasIn(), was[id]...) {
			if k = keyOf(k); k != "" && k != s.sprint && !slices.Contains(before, k) {
				before = append(before, k)
			}
		}
		if len(before) == 0 {
			continue
		}
		c := Carry{TicketID: id, Ref: s.ref, Title: s.title, Amount: s.amount, Done: s.done}
		came := c
		for _, k := range before {
			came.Sprints = append(came.Sprints, l.nameOf(k))
		}
		into := out[s.sprint]
		into.in = append(into.in, came)
		out[s.sprint] = into
		for _, k := range before {
			c.Sprints = []string{l.nameOf(s.sprint)}
			from := out[k]
			from.out = append(from.out, c)
			out[k] = from
		}
	}
	return out
}

// hadBegun reports that a sprint is known to have begun at a time.
func (l *Ledger) hadBegun(key string, at time.Time) bool {
	s := l.spans[key]
	return s != nil && !s.begin.IsZero() && !s.begin.After(dayOf(at))
}

// sum adds up what was carried.
func sum(all []Carry) (n Amount) {
	for _, c := range all {
		n = n.plus(c.Amount)
	}
	return n
}
