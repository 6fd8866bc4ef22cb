package flow

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

// A SprintJournal is what became of a project's tickets, objectives and plans of sprints, as far as sprints go. It is read
// from the log once and then only grows. Safe for concurrent use.
type SprintJournal struct {
	mu      sync.Mutex // guards the rest
	end     int64      // the number in its stream of the event that was added last
	clock   time.Time  // the latest time of an event
	steps   []step
	tickets map[string]*ticketAsIs
	plans   []planned
	records map[string]desk.Record // objectives and plans, as they stand
	now     *Ledger                // of all that was added; nil when more was added since
}

// A stamp says when an event was recorded, by its clock and in the log.
type stamp struct {
	recorded time.Time
	seq      event.Seq
}

// A ticketAsIs is what counts of a ticket, as its body has it.
type ticketAsIs struct {
	title, ref, sprint string
	status             desk.TicketStatus
	points             float64
	earlier            []string
	gone               ShiftKind
	last               *standing
}

// A planned is what an objective or the plan of a sprint became. New says that it was made.
type planned struct {
	stamp
	record desk.Record
	made   bool
}

// none is the standing of a ticket that is not there yet.
var none = new(standing) //nolint:gochecknoglobals // never changed

// sprintTypes are the types of the events that sprints are computed from.
var sprintTypes = func() map[string]bool { //nolint:gochecknoglobals // a table
	out := make(map[string]bool)
	for _, k := range []desk.Kind{desk.Ticket, desk.Objective, desk.SprintPlan} {
		for _, op := range desk.Ops() {
			out[desk.EventType(k, op)] = true
		}
	}
	return out
}()

// NewSprintJournal returns the journal of a project whose log is empty.
func NewSprintJournal() *SprintJournal {
	return &SprintJournal{tickets: make(map[string]*ticketAsIs), records: make(map[string]desk.Record)}
}

// Add takes over the next event of the project's stream. One that was added already is left out, and so is what is no part of a
// sprint.
func (j *SprintJournal) Add(e event.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.StreamSeq <= j.end {
		return nil
	}
	if !sprintTypes[e.Message.Type] {
		j.end = e.StreamSeq
		return nil
	}
	c, _, err := desk.ChangeOf(e)
	if err != nil {
		return fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	j.end = e.StreamSeq
	if j.now = nil; e.At.After(j.clock) {
		j.clock = e.At // a clock that was set back moves nothing
	}
	if c.Kind == desk.Ticket {
		if err := j.addTicket(e, c); err != nil {
			return fmt.Errorf("read what became of the ticket %s in event %d: %w", c.ID, e.Seq, err)
		}
		return nil
	}
	before := j.records[c.ID]
	after, err := desk.Apply(before, c, e.At, e.Message.From.AgentID)
	if err != nil {
		return fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	j.records[c.ID] = after
	j.plans = append(j.plans, planned{stamp{e.At, e.Seq}, after, before.ID == ""})
	return nil
}

func (j *SprintJournal) addTicket(e event.Event, c desk.Change) error {
	t := j.tickets[c.ID]
	if t == nil {
		t = &ticketAsIs{last: none}
		j.tickets[c.ID] = t
	}
	if err := t.change(c); err != nil {
		return err
	}
	is := t.standing()
	if is == *t.last {
		return nil
	}
	st := step{stamp: stamp{e.At, e.Seq}, at: j.clock, by: e.Message.From.AgentID, id: c.ID, before: t.last, after: &is}
	t.last = st.after
	j.steps = append(j.steps, st)
	return nil
}

// change applies a merge patch, as far as it counts.
func (t *ticketAsIs) change(c desk.Change) error {
	switch c.Op {
	case desk.Deleted:
		t.gone = ShiftDeleted
	case desk.Merged:
		t.gone = ShiftMerged
	case desk.Restored:
		t.gone = ""
	case desk.Created, desk.Updated:
	}
	if len(c.Set) == 0 {
		return nil
	}
	var set ticketSet
	if !set.cut(c.Set) {
		set = ticketSet{}
		if err := json.Unmarshal(c.Set, &set); err != nil {
			return err
		}
	}
	if set.Earlier != nil { // a list that was read before may be in use
		t.earlier = nil
	}
	for _, m := range []struct {
		raw json.RawMessage
		to  any
	}{{set.Title, &t.title}, {set.Ref, &t.ref}, {set.Sprint, &t.sprint}, {set.Status, &t.status}, {set.Points, &t.points}, {set.Earlier, &t.earlier}} {
		if m.raw == nil {
			continue
		}
		if string(m.raw) == "null" {
			m.raw = cleared(m.to)
		}
		if err := json.Unmarshal(m.raw, m.to); err != nil {
			return err
		}
	}
	return nil
}

// A ticketSet is what a change sets of what counts of a ticket.
type ticketSet struct {
	Title   json.RawMessage `json:"title"`
	Ref     json.RawMessage `json:"externalRef"`
	Sprint  json.RawMessage `json:"sprint"`
	Status  json.RawMessage `json:"status"`
	Points  json.RawMessage `json:"storyPoints"`
	Earlier json.RawMessage `json:"earlierSprints"`
}

// cut takes over the members that count without decoding the others, which are most of a body. It is not ok where the decoder of all
// JSON may take another name for one of these.
func (s *ticketSet) cut(body []byte) bool {
	members := []struct {
		name string
		to   *json.RawMessage
	}{{"title", &s.Title}, {"externalRef", &s.Ref}, {"sprint", &s.Sprint}, {"status", &s.Status}, {"storyPoints", &s.Points}, {"earlierSprints", &s.Earlier}}
	return event.EachMember(body, func(name, raw []byte) bool {
		for _, m := range members {
			if string(name) == m.name {
				*m.to = raw
				return true
			}
			if strings.EqualFold(string(name), m.name) {
				return false
			}
		}
		return true
	})
}

// cleared is the JSON of a member that is not set.
func cleared(to any) json.RawMessage {
	switch to.(type) {
	case *float64:
		return json.RawMessage("0")
	case *[]string:
		return json.RawMessage("[]")
	}
	return json.RawMessage(`""`)
}

func (t *ticketAsIs) standing() standing {
	earlier := make([]string, 0, len(t.earlier))
	for _, name := range t.earlier {
		if name = strings.TrimSpace(name); name != "" {
			earlier = append(earlier, name)
		}
	}
	return standing{
		ref: t.ref, title: t.title, sprint: keyOf(t.sprint), called: strings.TrimSpace(t.sprint), amount: Amount{1, t.points},
		done: t.status == desk.Done, gone: t.gone, earlier: strings.Join(earlier, "\x00"),
	}
}

// Ledger returns what happened up to a moment, of which seen says whether an event's time and position belong to it; nil
// is now.
func (j *SprintJournal) Ledger(seen func(at time.Time, seq event.Seq) bool) (*Ledger, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seen == nil && j.now != nil {
		return j.now, nil
	}
	l := &Ledger{spans: make(map[string]*span), steps: slices.Clip(j.steps)}
	if seen != nil {
		l.steps = nil
		for _, st := range j.steps {
			if seen(st.recorded, st.seq) {
				l.steps = append(l.steps, st)
			}
		}
	}
	for i, st := range l.steps {
		l.add(i, st)
	}
	if err := j.plan(l, seen); err != nil {
		return nil, err
	}
	if seen == nil {
		j.now = l
	}
	return l, nil
}

// opened takes the body of a record.
func opened[T any](take func(*T)) func(desk.Record) error {
	return func(r desk.Record) error {
		b, err := desk.Open[T](r)
		if err == nil {
			take(&b)
		}
		return err
	}
}

// plan takes over what objectives and plans of sprints were.
func (j *SprintJournal) plan(l *Ledger, seen func(at time.Time, seq event.Seq) bool) error {
	latest := make(map[string]desk.Record)
	var order []string
	for _, p := range j.plans {
		if seen != nil && !seen(p.recorded, p.seq) {
			continue
		}
		if p.made {
			order = append(order, p.record.ID)
		}
		latest[p.record.ID] = p.record
	}
	for _, of := range []struct {
		kind desk.Kind
		take func(desk.Record) error
	}{{desk.Objective, opened(l.objective)}, {desk.SprintPlan, opened(l.planned)}} { // what a sprint's own plan says counts before objectives
		for _, id := range order {
			r := latest[id]
			if r.Kind != of.kind || r.Deleted || r.MergedInto != "" {
				continue
			}
			if err := of.take(r); err != nil {
				return err
			}
		}
	}
	return nil
}
