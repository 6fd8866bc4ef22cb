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

// earlierKeys are the keys of the sprints that a ticket says it was in before.
func earlierKeys(names []string) string {
	keys := make([]string, 0, len(names))
	for _, n := range names {
		if k := keyOf(n); k != "" {
			keys = append(keys, k)
		}
	}
	return strings.Join(keys, "\x00")
}

// carried returns the tickets that are in a sprint and were in an earlier one, and those that were in it
// and are in a later one: as the tickets say, and as they were moved after the sprint had begun.
func (l *Ledger) carried(key string, now time.Time) (in, out []Carry) {
	in, out = []Carry{}, []Carry{}
	latest := make(map[string]standing)
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
	for _, id := range order {
		s := latest[id]
		if s.gone != "" || s.sprint == "" {
			continue
		}
		before := was[id]
		if s.earlier != "" {
			before = append(strings.Split(s.earlier, "\x00"), before...)
		}
		before = slices.DeleteFunc(before, func(k string) bool { return k == s.sprint })
		c := Carry{TicketID: id, Ref: s.ref, Title: s.title, Amount: s.amount, Done: s.done}
		switch {
		case s.sprint == key && len(before) > 0:
			for _, k := range before {
				if name := l.nameOf(k); !slices.Contains(c.Sprints, name) {
					c.Sprints = append(c.Sprints, name)
				}
			}
			in = append(in, c)
		case s.sprint != key && slices.Contains(before, key):
			c.Sprints = []string{l.nameOf(s.sprint)}
			out = append(out, c)
		}
	}
	return in, out
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
