package ask

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"chela/internal/answer"
	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A snapshot is a project as questions see it. It does not change: what has changed makes another, which
// shares the records that stayed the same.
type snapshot struct {
	*answer.Snapshot
	dict    *answer.Dictionary
	board   *clerk.Board
	project string // name and id
}

// computed returns the computed tables, and what is computed of each person, by id.
func (s *snapshot) computed(now time.Time) (summary string, lines map[string]string) {
	report := s.Report(now)
	lines = make(map[string]string, len(report.Lines))
	for _, l := range report.Lines {
		lines[l.ID] = fmt.Sprintf(" effectiveHours=%s tickets=%d allocatedSP=%s allocatedPercent=%s%s spareCapacity=%s load=%s", num(l.EffectiveHours), l.Tickets, num(l.AllocatedSP), num(l.AllocatedPct), estimated(l), num(l.SpareHours), l.Load)
	}
	return summaries(report, s.board.Objectives(), s.board.Tickets()), lines
}

// estimated is a load that is estimated, with what the estimate rests on.
func estimated(l capacity.Line) string {
	if l.Estimate == "" {
		return ""
	}
	return fmt.Sprintf(" estimatedPercent=%s (%s)", num(l.EstimatedPct), l.Estimate)
}

// read returns the snapshot of a book.
func read(b *clerk.Book) *snapshot {
	s := &snapshot{dict: answer.NewDictionary(), board: clerk.NewBoard(b)}
	owners := ownersOf(s.board, nil)
	places, entries := make([]int32, 0, b.Len()), make([]*clerk.Entry, 0, b.Len())
	for place, e := range b.All() {
		s.title(e)
		places, entries = append(places, int32(place)), append(entries, e) //nolint:gosec // see [clerk.Book]
	}
	records := make([]*answer.Record, len(entries))
	size := len(entries)/runtime.GOMAXPROCS(0) + 1
	var all sync.WaitGroup
	for from := 0; from < len(entries); from += size {
		all.Go(func() {
			var room []answer.Record // of some records, which lie one beside the other
			for i := from; i < min(from+size, len(entries)); i++ {
				if len(room) == 0 {
					room = make([]answer.Record, min(recordsOf, from+size-i, len(entries)-i))
				}
				records[i], room = &room[0], room[1:]
				e, o := entries[i], owners.of(places[i])
				s.dict.Fill(records[i], &e.Record, e.Thing, o.names, o.ids)
				records[i].Place = places[i]
			}
		})
	}
	all.Wait()
	s.Snapshot = answer.NewSnapshot(s.dict, records, answer.Source{Place: b.Place, Report: s.board.Report})
	return s
}

// recordsOf is how many records get their room at once.
const recordsOf = 64

// follow returns the snapshot of a book that has changed since.
func follow(before *snapshot, b *clerk.Book, changed []clerk.Changed) *snapshot {
	s := &snapshot{dict: before.dict, board: before.board.Follow(b, changed), project: before.project}
	touched := touchedBy(changed, before.board, s.board)
	owners := ownersOf(s.board, touched)
	var set []*answer.Record
	var gone []int32
	for _, c := range changed {
		touched[c.Place] = false
		if c.Is == nil {
			gone = append(gone, int32(c.Place)) //nolint:gosec // see [clerk.Book]
			continue
		}
		s.title(c.Is)
		place := int32(c.Place) //nolint:gosec // see [clerk.Book]
		o := owners.of(place)
		r := s.dict.NewRecord(&c.Is.Record, c.Is.Thing, o.names, o.ids)
		r.Place = place
		set = append(set, r)
	}
	for place, is := range touched { // others have it, and it is the same
		if !is {
			continue
		}
		if r, ok := before.Find(s.board.ID(place)); ok {
			o := owners.of(int32(place)) //nolint:gosec // see [clerk.Book]
			set = append(set, r.OwnedBy(o.names, o.ids))
		}
	}
	s.Snapshot = before.With(set, gone, answer.Source{Place: b.Place, Report: s.board.Report})
	return s
}

func (s *snapshot) title(e *clerk.Entry) {
	if p, ok := e.Thing.(*desk.ProjectBody); ok {
		s.project = p.Name + " (" + e.ID + ")"
	}
}

// touchedBy says by place which tickets are others or may have other owners than before.
func touchedBy(changed []clerk.Changed, before, after *clerk.Board) []bool {
	out, people := make([]bool, after.Places()), make(map[string]bool)
	for _, c := range changed {
		out[c.Place] = true // when it is a ticket
		for _, e := range []*clerk.Entry{c.Was, c.Is} {
			if e == nil {
				continue
			}
			if a, ok := e.Thing.(*desk.AssignmentBody); ok {
				if place := after.Place(a.TicketID); place >= 0 {
					out[place] = true
				}
			}
			people[e.ID] = true // when it is a person
		}
	}
	for _, b := range []*clerk.Board{before, after} {
		theirs := make([]bool, b.People())
		for n := range theirs {
			theirs[n] = people[b.Person(n).ID]
		}
		if !slices.Contains(theirs, true) {
			continue
		}
		for place, n := range b.Held() {
			if theirs[n] {
				out[place] = true
			}
		}
	}
	return out
}

// An owned says who has a ticket.
type owned struct{ names, ids []string }

// owners say who has tickets, by their places. Most tickets have one owner, and share who that is.
type owners struct {
	first  []int32 // one more than the number of the first; 0 for nobody
	people []owned // one each
	more   map[int32]owned
}

// of returns who has the ticket at a place.
func (o owners) of(place int32) owned {
	if int(place) >= len(o.first) || o.first[place] == 0 {
		return owned{}
	}
	if several, ok := o.more[place]; ok {
		return several
	}
	return o.people[o.first[place]-1]
}

// ownersOf returns who has each of some tickets, by their places; nil means all.
func ownersOf(b *clerk.Board, of []bool) owners {
	out := owners{make([]int32, b.Places()), make([]owned, b.People()), make(map[int32]owned)}
	for n := range out.people {
		p := b.Person(n)
		out.people[n] = owned{slices.Clip([]string{p.Name}), slices.Clip([]string{p.ID})}
	}
	for at, n := range b.Held() {
		if of != nil && !of[at] {
			continue
		}
		place, p := int32(at), b.Person(n) //nolint:gosec // see [clerk.Book]
		if out.first[place] == 0 {
			out.first[place] = int32(n) + 1 //nolint:gosec // fewer people than places
			continue
		}
		had := out.of(place)
		out.more[place] = owned{append(slices.Clip(had.names), p.Name), append(slices.Clip(had.ids), p.ID)}
	}
	return out
}

// summaries are the computed tables.
func summaries(r capacity.Report, objectives []flow.Objective, tickets []flow.Ticket) string {
	var b strings.Builder
	status := make(map[desk.TicketStatus]int)
	points := 0.0
	for _, t := range tickets {
		status[t.Status]++
		points += t.Points()
	}
	fmt.Fprintf(&b, "TICKET SUMMARY\nTotal: %d\n", len(tickets))
	for _, st := range desk.TicketStatuses() {
		fmt.Fprintf(&b, "%s: %d\n", st, status[st])
	}
	fmt.Fprintf(&b, "Story points in all: %s\n\nASSIGNMENT SUMMARY\nOpen tickets: %d\nAssigned: %d\nUnassigned: %d\n", num(points), r.Open, r.Assigned, len(r.Unassigned))
	b.WriteString("\nRESOURCE CAPACITY SUMMARY (hours a week, most room first)\n")
	if len(r.Lines) == 0 {
		b.WriteString("No people are recorded.\n")
	}
	for _, l := range r.Lines[:min(len(r.Lines), 100)] {
		fmt.Fprintf(&b, "%s [%s]: effectiveHours=%s, allocatedSP=%s, tickets=%d, allocatedPercent=%s%s, spareCapacity=%s, load=%s\n", l.Name, l.ID, num(l.EffectiveHours), num(l.AllocatedSP), l.Tickets, num(l.AllocatedPct), estimated(l), num(l.SpareHours), l.Load)
	}
	if len(objectives) > 0 {
		b.WriteString("\nCOVERAGE SUMMARY\n")
		covers, _ := flow.Coverages(objectives, tickets)
		for i, c := range covers {
			o := objectives[i]
			fmt.Fprintf(&b, "%s [%s]: coverage=%s%%, done=%d, inProgress=%d, open=%d\n", o.Outcome, o.ID, num(c.Percent), c.Done, c.InProgress, c.Open)
		}
	}
	return b.String()
}

// num has at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
