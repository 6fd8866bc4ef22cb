package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
)

// Kinds lists the kinds of records that charts are computed from.
func Kinds() []desk.Kind {
	return []desk.Kind{desk.Ticket, desk.Assignment, desk.Objective, desk.Resource, desk.SprintPlan, desk.Milestone, desk.Intake}
}

// A Journal is what became of a project's tickets, as far as charts go. It is read from the log once
// and then only grows. Safe for concurrent use.
type Journal struct {
	mu     sync.RWMutex // guards the rest
	end    int64        // the number in its stream of the event that was added last
	clock  time.Time    // the latest time of an event: a clock that was set back moves nothing
	of     map[string]int
	ids    []string    // of tickets
	last   []fact      // of tickets, as they stand
	since  []time.Time // of tickets: when that counts from
	fresh  []step      // that were added since a history was asked for last
	sorted []step      // those before, by when they count from
	marks  []mark      // of sorted
	dues   []desk.Date // by the numbers in marks; the first is none
	due    map[desk.Date]int32
	dated  time.Time // when what a tracker dated back was recorded last
	newest time.Time // when the last step was recorded
	shares []share
	on     map[string]share // assignment → as it stands; nil until it is asked for, see assignments
	goals  []goal
	aims   map[string]goal   // objective → as it stands
	names  map[string]string // id → name, of people among others
	words  map[string]string // each word once

	occasions []occasion
	days      map[string]occasion // sprint, objective, milestone or intake → as it stands
}

// NewJournal returns the journal of a project whose log is empty.
func NewJournal() *Journal {
	return &Journal{
		of: make(map[string]int), aims: make(map[string]goal), names: make(map[string]string), words: make(map[string]string),
		days: make(map[string]occasion), dues: []desk.Date{""}, due: map[desk.Date]int32{"": 0},
	}
}

// A stamp says when a change was recorded.
type stamp struct {
	at  time.Time
	seq event.Seq
}

// A fact is what counts of a ticket.
type fact struct {
	status            desk.TicketStatus
	points            float64
	sprint            string // without case
	due               desk.Date
	created, resolved desk.Date // as a tracker says
	closed            desk.Date // see [desk.ClosedDay]
	objectives        []string
	there             bool
}

// A step is one change of a ticket. It counts from on, which is when it was recorded, unless the
// ticket came from a tracker that says when it was created or resolved.
type step struct {
	stamp
	on     time.Time
	ticket int
	fact
}

// A share is one change of an assignment.
type share struct {
	stamp
	id             string
	ticket, person string
	there          bool
	was, is        int // the places of the tickets that it was of before and is of, -1 for none
}

// A goal is one change of an objective.
type goal struct {
	stamp
	id, outcome string
	tickets     []string
	there       bool
}

// End is the number in the project's stream of the event that was added last.
func (j *Journal) End() int64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.end
}

// number is that of a ticket, which it keeps.
func (j *Journal) number(id string) (int, bool) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	n, ok := j.of[id]
	return n, ok
}

// Reach says that nothing up to a number of the stream concerns charts but what was added.
func (j *Journal) Reach(end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end = max(j.end, end)
}

// Add takes over the next event of the project's stream. One that was added already is left out.
func (j *Journal) Add(e event.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.StreamSeq <= j.end {
		return nil
	}
	j.end = e.StreamSeq
	if !strings.HasPrefix(e.Message.Type, "desk.") {
		return nil
	}
	c, err := changeOf(e.Message.Payload)
	if err != nil {
		return fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	j.clock = latest(j.clock, e.At)
	at, set := stamp{j.clock, e.Seq}, c.Set
	gone := c.Op == desk.Deleted || c.Op == desk.Merged
	switch c.Kind {
	case desk.Ticket:
		return j.addTicket(at, e.At, c.ID, set, gone)
	case desk.Assignment:
		on := j.assignments()
		s := on[c.ID]
		s.stamp, s.id, s.there = at, c.ID, !gone
		err = firstError(set.Person.into(&s.person), set.Ticket.into(&s.ticket))
		if err == nil {
			j.placeShare(&s, on[c.ID])
		}
		on[c.ID], j.shares = s, append(j.shares, s)
	case desk.Objective:
		g := j.aims[c.ID]
		g.stamp, g.id, g.there = at, c.ID, !gone
		err = firstError(set.Outcome.into(&g.outcome), set.Tickets.into(&g.tickets))
		j.aims[c.ID], j.goals = g, append(j.goals, g)
		if err == nil {
			err = j.addOccasion(at, c.ID, set, gone)
		}
	default: // a person, or what is dated
		if err = j.addOccasion(at, c.ID, set, gone); err == nil {
			j.names[c.ID] = j.days[c.ID].name
		}
	}
	return err
}

// assignments returns the assignments as they stand.
func (j *Journal) assignments() map[string]share {
	if j.on == nil {
		j.on = make(map[string]share, len(j.shares))
		for _, s := range j.shares {
			j.on[s.id] = s
		}
	}
	return j.on
}

// placeShare says which tickets an assignment was of before and is of.
func (j *Journal) placeShare(s *share, before share) {
	s.was, s.is = -1, -1
	if before.there {
		s.was = before.is
	}
	if n, known := j.of[s.ticket]; known && s.there {
		s.is = n
	}
}

// addTicket adds a step, and before it what the tracker says of the days before, when the ticket
// is new here. The change was made at the time made.
func (j *Journal) addTicket(at stamp, made time.Time, id string, set patch, gone bool) error {
	n, known := j.of[id]
	if !known {
		n = len(j.ids)
		j.of[id], j.ids, j.last, j.since = n, append(j.ids, id), append(j.last, fact{}), append(j.since, time.Time{})
	}
	before := j.last[n]
	f := before
	f.there = !gone
	if err := set.apply(&f); err != nil {
		return fmt.Errorf("read what became of the ticket %s: %w", id, err)
	}
	f.status, f.sprint = desk.TicketStatus(j.word(string(f.status))), j.word(sprintKey(f.sprint))
	f.closed = desk.ClosedDay(f.status, f.resolved, before.status, before.closed, made)
	if f.equal(before) {
		return nil
	}
	s := step{stamp: at, on: at.at, ticket: n, fact: f}
	if begun := f.created.Time(); !known && !begun.IsZero() && begun.Before(at.at) {
		first := s
		first.on, first.status, first.closed = begun, desk.Todo, ""
		j.since[n] = begun
		j.step(first)
	}
	if solved := f.resolved.Time(); !f.status.Open() && (!known || before.status.Open()) && solved.Before(at.at) && !solved.IsZero() {
		s.on = latest(solved, j.since[n])
	}
	j.last[n], j.since[n] = f, s.on
	j.step(s)
	return nil
}

func (j *Journal) step(s step) {
	j.fresh = append(j.fresh, s)
	j.dated, j.newest = dating(&s, j.dated, j.newest)
}

// dating returns when what was dated back, and when anything, was recorded last.
func dating(s *step, dated, recorded time.Time) (time.Time, time.Time) {
	if !s.on.Equal(s.at) {
		dated = latest(dated, s.at)
	}
	return dated, latest(recorded, s.at)
}

func (j *Journal) word(s string) string {
	if w, ok := j.words[s]; ok {
		return w
	}
	j.words[s] = s
	return s
}

func (f fact) equal(other fact) bool {
	return slices.Equal(f.objectives, other.objectives) && f.status == other.status && f.points == other.points && f.sprint == other.sprint && f.due == other.due &&
		f.created == other.created && f.resolved == other.resolved && f.closed == other.closed && f.there == other.there
}

// A patch is what counts of a change: a merge patch, in which null clears.
type patch struct {
	Status     value `json:"status"`
	Points     value `json:"storyPoints"`
	Sprint     value `json:"sprint"`
	Due        value `json:"dueDate"`
	Created    value `json:"externalCreated"`
	Resolved   value `json:"externalResolved"`
	Objectives value `json:"objectiveIds"`
	Person     value `json:"resourceId"`
	Ticket     value `json:"ticketId"`
	Outcome    value `json:"outcome"`
	Tickets    value `json:"ticketIds"`
	Name       value `json:"name"`
	Title      value `json:"title"`
	SprintName value `json:"sprintName"`
	Start      value `json:"startDate"`
	End        value `json:"endDate"`
	Target     value `json:"targetDate"`
	Actual     value `json:"actualDate"`
	Made       value `json:"created"`
}

func (p patch) apply(f *fact) error {
	return firstError(p.Status.into(&f.status), p.Points.into(&f.points), p.Sprint.into(&f.sprint), p.Due.into(&f.due),
		p.Created.into(&f.created), p.Resolved.into(&f.resolved), p.Objectives.into(&f.objectives))
}

// A value is what a patch sets a member to; nil leaves it.
type value []byte

// UnmarshalJSON implements [json.Unmarshaler].
func (v *value) UnmarshalJSON(raw []byte) error {
	*v = slices.Clone(raw)
	return nil
}

// into sets what to points to.
func (v value) into(to any) error {
	if v == nil {
		return nil
	}
	null := string(v) == "null"
	var err error
	switch to := to.(type) {
	case *[]string:
		if *to = nil; !null { // what was read before may be in use
			err = json.Unmarshal(v, to)
		}
	case *desk.Date:
		if *to = ""; !null {
			err = json.Unmarshal(v, to)
		}
	case *float64:
		if *to = 0; !null {
			err = json.Unmarshal(v, to)
		}
	case *string:
		*to, err = v.text()
	case *desk.TicketStatus:
		var s string
		s, err = v.text()
		*to = desk.TicketStatus(s)
	}
	return err
}

func (v value) text() (s string, err error) {
	if s, plain := v.plain(); plain {
		return s, nil
	}
	if string(v) != "null" {
		err = json.Unmarshal(v, &s)
	}
	return s, err
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// History returns what happened up to a moment, of which seen says whether an event's time and
// position belong to it; nil is now.
func (j *Journal) History(seen func(at time.Time, seq event.Seq) bool) History {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.place()
	h := History{
		journal: j, ids: j.ids, steps: j.sorted, marks: j.marks, dues: j.dues, shares: j.shares, goals: j.goals, occasions: j.occasions,
		people: make(map[string]string, len(j.names)), dated: j.dated, recorded: j.newest,
	}
	for id, name := range j.names {
		h.people[id] = name
	}
	if seen != nil {
		h.upTo(seen)
	}
	return h
}

// upTo leaves out what does not belong to a moment.
func (h *History) upTo(seen func(at time.Time, seq event.Seq) bool) {
	all, marks, n := h.steps, h.marks, 0
	for i := range all {
		if seen(all[i].at, all[i].seq) {
			n++
		}
	}
	if n < len(all) {
		h.steps, h.marks, h.dated, h.recorded = make([]step, 0, n), make([]mark, 0, n), time.Time{}, time.Time{}
		for i := range all {
			if s := &all[i]; seen(s.at, s.seq) {
				h.steps, h.marks = append(h.steps, *s), append(h.marks, marks[i])
				h.dated, h.recorded = dating(s, h.dated, h.recorded)
			}
		}
	}
	h.shares = upTo(h.shares, func(s share) bool { return seen(s.at, s.seq) })
	h.goals = upTo(h.goals, func(g goal) bool { return seen(g.at, g.seq) })
	h.occasions = upTo(h.occasions, func(o occasion) bool { return seen(o.at, o.seq) })
}

// fewNew is of how many new steps each is put in its place.
const fewNew = 100

// place puts the new steps among the others, by when they count from. Histories that were given away keep theirs: what
// comes after all others is written behind what they have.
func (j *Journal) place() {
	fresh := j.fresh
	j.fresh = nil
	if len(fresh) > fewNew || len(j.sorted) == 0 {
		j.sorted = append(slices.Clip(j.sorted), fresh...)
		slices.SortStableFunc(j.sorted, func(a, b step) int { return a.on.Compare(b.on) })
		j.marks = make([]mark, len(j.sorted))
		for i := range j.sorted {
			j.marks[i] = j.mark(&j.sorted[i])
		}
		return
	}
	ours := false // nobody else reads them
	for i := range fresh {
		s := fresh[i]
		if n := len(j.sorted); !j.sorted[n-1].on.After(s.on) {
			j.sorted, j.marks = append(j.sorted, s), append(j.marks, j.mark(&s))
			continue
		}
		if !ours {
			ours, j.sorted, j.marks = true, slices.Grow(slices.Clone(j.sorted), len(fresh)), slices.Grow(slices.Clone(j.marks), len(fresh))
		}
		at, _ := slices.BinarySearchFunc(j.sorted, s, func(have, s step) int {
			if have.on.After(s.on) {
				return 1
			}
			return -1 // it comes after its equals
		})
		j.sorted, j.marks = slices.Insert(j.sorted, at, s), slices.Insert(j.marks, at, j.mark(&s))
	}
}

// upTo returns those of all that keep lets through, without a copy when these are all.
func upTo[T any](all []T, keep func(T) bool) []T {
	if !slices.ContainsFunc(all, func(x T) bool { return !keep(x) }) {
		return all
	}
	var out []T
	for _, x := range all {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// A History is a journal up to a moment. Nothing changes it.
type History struct {
	journal   *Journal // knows the numbers of tickets, which stay
	ids       []string
	steps     []step // by when they count from
	marks     []mark // of steps
	dues      []desk.Date
	shares    []share
	goals     []goal
	occasions []occasion
	people    map[string]string
	dated     time.Time // when what a tracker dated back was recorded last
	recorded  time.Time // when the last step was recorded
}

// Last is when the last change of a ticket was recorded; zero when there is none.
func (h History) Last() time.Time { return h.recorded }

// first is the first day of which the history knows a ticket.
func (h History) first() time.Time {
	if len(h.steps) == 0 {
		return time.Time{}
	}
	return dayOf(h.steps[0].on)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func sprintKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
