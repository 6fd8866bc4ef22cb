package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/flow"
)

// stood returns where the tickets of the report stood at a moment. A ticket that an import told of later and that is gone
// since is none: no record says more of it.
func (s *Source) stood(at time.Time) []chart.Stood {
	there := make(map[string]bool, len(s.Tickets))
	for _, t := range s.Tickets {
		there[t.ID] = true
	}
	key := strings.ToLower(strings.TrimSpace(s.Sprint))
	return slices.DeleteFunc(s.History.Stood(at), func(t chart.Stood) bool {
		return !t.Recorded && !there[t.ID] || key != "" && t.Sprint != key
	})
}

// progress adds the numbers that are told by what became of the tickets, and the finished ones. All of them are read off
// the same tickets, so that none contradicts another.
func (r *Report) progress(s *Source, l links, stood []chart.Stood) {
	var finished, created, all, done []string
	var ended []chart.Stood
	undated := 0
	for _, t := range stood {
		all = append(all, t.ID)
		if spans(t.Created, s.From, s.To) {
			created = append(created, t.ID)
		}
		if t.Status == desk.Done {
			done = append(done, t.ID)
		}
		switch {
		case t.Status.Open():
		case t.Closed == "":
			undated++
		case t.Status == desk.Done && spans(t.Closed, s.From, s.To):
			ended = append(ended, t)
		}
	}
	slices.SortStableFunc(ended, func(a, b chart.Stood) int { return a.Closed.Time().Compare(b.Closed.Time()) })
	for _, t := range ended {
		finished = append(finished, t.ID)
	}
	allBefore, doneBefore := 0.0, 0.0
	for _, t := range s.stood(s.From.Add(-time.Nanosecond)) {
		if allBefore++; t.Status == desk.Done {
			doneBefore++
		}
	}
	r.Numbers = append(r.Numbers,
		l.number("Finished", finished, l.finished()...), l.number("Created", created, l.created(s.From)...),
		l.number("In all", all, l.all()...).was(allBefore), l.number("Done", done, l.done()...).was(doneBefore))
	for _, id := range finished[:min(len(finished), mostRecords)] {
		if i, ok := s.item(id); ok {
			i.Status = desk.Done
			r.Finished = append(r.Finished, i)
		}
	}
	if len(finished) > mostRecords {
		r.Notes = append(r.Notes, "Only the first of the finished tickets are listed.")
	}
	if undated > 0 {
		r.Notes = append(r.Notes, chart.Undated(undated))
	}
}

// item is a ticket as it was; of one of which an import told later, who had it then is not known. ok is false for one that
// no record tells of any more.
func (s *Source) item(id string) (Item, bool) {
	is := func(t flow.Ticket) bool { return t.ID == id }
	state := s.state()
	if i := slices.IndexFunc(state.Tickets, is); i >= 0 {
		return state.item(state.Tickets[i]), true
	}
	if i := slices.IndexFunc(s.Tickets, is); i >= 0 {
		t := s.Tickets[i]
		return Item{ID: t.ID, Key: t.ExternalRef, Title: t.Title, Status: t.Status}, true
	}
	return Item{}, false
}

func (s *State) item(t flow.Ticket) Item {
	owner := strings.Join(s.Owners[t.ID], ", ")
	return Item{ID: t.ID, Key: t.ExternalRef, Title: t.Title, Status: t.Status, Owner: owner, Nobody: owner == "", Due: t.DueDate}
}

// standing lists what is late, stands still and comes next, of the open tickets that had been recorded.
func (r *Report) standing(s *Source, l links, stood []chart.Stood) {
	day, state := s.day(), s.state()
	open, untold := make(map[string]bool), 0
	for _, t := range stood {
		if t.Status.Open() {
			open[t.ID] = t.Recorded
			if !t.Recorded {
				untold++
			}
		}
	}
	waits := make(map[string]flow.Dependent)
	for _, d := range flow.Depend(state.Tickets).Tickets {
		waits[d.TicketID] = d
	}
	called := make(map[string]string, len(state.Tickets))
	for _, t := range state.Tickets {
		called[t.ID] = cmp.Or(t.ExternalRef, t.Title)
	}
	var late, blocked, unassigned []string
	for _, t := range state.Tickets {
		if !open[t.ID] {
			continue
		}
		i := state.item(t)
		if i.Nobody {
			unassigned = append(unassigned, t.ID)
		}
		due := dayOf(t.DueDate.Time())
		if t.DueDate != "" && due.Before(day) {
			late = append(late, t.ID)
			r.Late = append(r.Late, i)
		} else if t.DueDate != "" && due.Before(day.AddDate(0, 0, usual)) {
			r.Next = append(r.Next, i)
		}
		if t.Status == desk.Blocked {
			blocked = append(blocked, t.ID)
		}
		if w := waits[t.ID]; t.Status == desk.Blocked || len(w.WaitsFor) > 0 {
			for _, id := range w.WaitsFor {
				i.Waits = append(i.Waits, called[id])
			}
			r.Blocked = append(r.Blocked, i)
		}
	}
	byDue := func(a, b Item) int { return cmp.Or(a.Due.Time().Compare(b.Due.Time()), cmp.Compare(a.Key, b.Key)) }
	slices.SortStableFunc(r.Late, byDue)
	slices.SortStableFunc(r.Next, byDue)
	if untold > 0 {
		r.Notes = append(r.Notes, Untold(untold, r.To))
	}
	if untold > 0 && untold == len(open) { // nothing is known of any of them
		return
	}
	r.Numbers = append(r.Numbers, l.number("Late", late, l.late(day)), l.number("Blocked", blocked, l.blocked()), l.number("Unassigned", unassigned, l.unassigned()))
}

// Untold says what a report of the past leaves out of a number of tickets that were open on its last day.
func Untold(n int, day desk.Date) string {
	noun := "tickets that were"
	if n == 1 {
		noun = "ticket that was"
	}
	return fmt.Sprintf("%d %s open on %s came by a later import: who had them then, what was late and what was blocked is not known of them, and left out.", n, noun, day)
}
