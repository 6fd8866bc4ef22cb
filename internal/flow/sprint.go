package flow

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// A SprintState says whether a sprint has begun and ended.
type SprintState string

// The states. A sprint without an end runs.
const (
	SprintPlanned SprintState = "PLANNED"
	SprintRunning SprintState = "RUNNING"
	SprintOver    SprintState = "OVER"
)

// An Amount is a number of tickets and their story points.
type Amount struct {
	Tickets int     `json:"tickets"`
	Points  float64 `json:"points"`
}

func (a Amount) plus(b Amount) Amount {
	return Amount{a.Tickets + b.Tickets, math.Round((a.Points+b.Points)*100) / 100} // a sum of tenths may be 0.30000000000000004
}

func (a Amount) minus(b Amount) Amount { return a.plus(Amount{-b.Tickets, -b.Points}) }

// A Sprint is how far a sprint is; one that is over, how far it was at its end.
type Sprint struct {
	Name       string      `json:"name"`
	State      SprintState `json:"state"`
	Goal       string      `json:"goal,omitempty"`      // what its plan says
	Begin      desk.Date   `json:"beginDate,omitempty"` // what its plan or its objectives say, else the first day with a ticket
	End        desk.Date   `json:"endDate,omitempty"`   // what its plan or its objectives say
	Dated      bool        `json:"dated"`               // its plan or an objective says when it begins
	Scope      Amount      `json:"scope"`
	Done       Amount      `json:"done"`
	Left       Amount      `json:"left"`       // scope − done
	DaysLeft   int         `json:"daysLeft"`   // until the end; 0 without one, and after it
	CarriedIn  Amount      `json:"carriedIn"`  // what was in an earlier sprint, too
	CarriedOut Amount      `json:"carriedOut"` // what was in it and is in a later one
}

// A SprintDay is a sprint at the end of a day, UTC.
type SprintDay struct {
	Day   desk.Date `json:"day"`
	Scope Amount    `json:"scope"`
	Done  Amount    `json:"done"`
}

// A ShiftKind says how the scope of a sprint changed.
type ShiftKind string

// The kinds of shifts.
const (
	ShiftCreated   ShiftKind = "CREATED"   // the ticket was made in it
	ShiftMovedIn   ShiftKind = "MOVED_IN"  // from another sprint or none
	ShiftMovedOut  ShiftKind = "MOVED_OUT" // to another sprint or none
	ShiftDeleted   ShiftKind = "DELETED"
	ShiftMerged    ShiftKind = "MERGED"    // into another ticket
	ShiftEstimated ShiftKind = "ESTIMATED" // its points are others
)

// A Shift is one change of a sprint's scope after its first day.
type Shift struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	TicketID string    `json:"ticketId"`
	Ref      string    `json:"externalRef,omitempty"`
	Title    string    `json:"title"`
	Kind     ShiftKind `json:"kind"`
	Other    string    `json:"otherSprint,omitempty"` // of a move: where from, where to
	Change   Amount    `json:"change"`                // of the scope; less is negative
}

// A Health is a sprint day by day. Base + In − Out + Estimates = Scope.
type Health struct {
	Sprint
	Today      desk.Date   `json:"today"`
	Days       []SprintDay `json:"days"` // from its begin to its end or today; at most the last 366
	Base       Amount      `json:"base"` // at the end of its first day
	In         Amount      `json:"cameIn"`
	Out        Amount      `json:"wentOut"`
	InTickets  []Carry     `json:"carriedInTickets"`
	OutTickets []Carry     `json:"carriedOutTickets"`
	Estimates  float64     `json:"estimatedPoints"` // more or fewer, by new estimates
	Shifts     []Shift     `json:"shifts"`
	Away       []Absent    `json:"away,omitempty" doc:"who is away on working days that are left of it, today included; of one that has not begun, on its working days"`
	AwayDays   int         `json:"awayDays,omitempty" doc:"their days together"`
}

// An Absent is somebody who is away during a sprint.
type Absent struct {
	ResourceID string `json:"resourceId"`
	Name       string `json:"name"`
	Days       int    `json:"days" doc:"working days"`
}

// Absences adds who is away on the working days that are left of the sprint. One without an end, and one that is over, has none.
func (h *Health) Absences(people iter.Seq2[string, *desk.ResourceBody]) {
	from, to := later(h.Begin.Time(), h.Today.Time()), h.End.Time()
	if h.State == SprintOver || to.IsZero() || to.Sub(from) > mostDays*24*time.Hour {
		return
	}
	h.Away, h.AwayDays = nil, 0
	for id, p := range people {
		if n := p.DaysAway(from, to); n > 0 {
			h.Away, h.AwayDays = append(h.Away, Absent{id, p.Name, n}), h.AwayDays+n
		}
	}
	slices.SortFunc(h.Away, func(a, b Absent) int { return cmp.Or(b.Days-a.Days, cmp.Compare(a.Name, b.Name)) })
}

// mostDays bounds the days of a sprint whose dates are wrong.
const mostDays = 366

// A Ledger is what became of a project's tickets until a moment, as far as sprints go, computed from the log alone. Names of
// sprints are compared without case. Nothing changes a ledger.
type Ledger struct {
	names []string // keys, as they came
	spans map[string]*span
	steps []step
}

type span struct {
	name, goal string
	begin, end time.Time // zero when neither a plan nor an objective says it
	first      time.Time // day of the first ticket
	steps      []int     // places of those that are of a ticket which was or is in it
	status     desk.SprintPlanStatus
}

// A step is a change of one ticket.
type step struct {
	stamp
	at            time.Time // of the latest event so far: a clock that was set back moves nothing
	by, id        string
	before, after *standing
}

// A standing is what counts of a ticket.
type standing struct {
	ref, title     string
	sprint, called string // the sprint's key and its name; "" for none
	amount         Amount
	done           bool
	gone           ShiftKind // ShiftDeleted, ShiftMerged or ""
	earlier        string    // names of the sprints that it was in before, as it says
}

func (s *standing) in(sprint string) bool {
	return s.gone == "" && s.amount.Tickets > 0 && s.sprint == sprint
}

func (s *standing) share(sprint string) (scope, done Amount) {
	if !s.in(sprint) {
		return scope, done
	}
	if s.done {
		done = s.amount
	}
	return s.amount, done
}

func keyOf(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// sprint returns the span of a sprint's name; nil for no name.
func (l *Ledger) sprint(name string) *span {
	key := keyOf(name)
	if key == "" {
		return nil
	}
	if l.spans[key] == nil {
		l.spans[key] = &span{name: strings.TrimSpace(name)}
		l.names = append(l.names, key)
	}
	return l.spans[key]
}

// objective takes over when an objective's sprint begins and ends.
func (l *Ledger) objective(o *desk.ObjectiveBody) {
	s := l.sprint(o.SprintName)
	if s == nil {
		return
	}
	s.name = strings.TrimSpace(o.SprintName)
	if at := o.StartDate.Time(); !at.IsZero() && (s.begin.IsZero() || at.Before(s.begin)) {
		s.begin = dayOf(at)
	}
	if at := o.EndDate.Time(); !at.IsZero() && at.After(s.end) {
		s.end = dayOf(at)
	}
}

// planned takes over what the plan of a sprint says.
func (l *Ledger) planned(p *desk.SprintPlanBody) {
	s := l.sprint(p.Name)
	s.name, s.goal, s.status = strings.TrimSpace(p.Name), p.Goal, p.Status
	if at := p.StartDate.Time(); !at.IsZero() {
		s.begin = dayOf(at)
	}
	if at := p.EndDate.Time(); !at.IsZero() {
		s.end = dayOf(at)
	}
}

// add takes over a step.
func (l *Ledger) add(i int, st step) {
	for _, is := range []*standing{st.before, st.after} {
		l.sprint(is.called)
		for _, name := range is.wasIn() {
			l.sprint(name)
		}
	}
	if s := l.spans[st.before.sprint]; s != nil {
		s.steps = append(s.steps, i)
	}
	s := l.spans[st.after.sprint]
	if s == nil {
		return
	}
	if st.before.sprint != st.after.sprint {
		s.steps = append(s.steps, i)
	}
	if s.first.IsZero() && st.after.in(st.after.sprint) {
		s.first = dayOf(st.at)
	}
}

// Sprints lists the sprints at a time, the one that began last first.
func (l *Ledger) Sprints(now time.Time) []Sprint {
	out, carried := make([]Sprint, len(l.names)), l.carried(now)
	for i, key := range l.names {
		out[i] = l.health(key, now, carried[key]).Sprint
	}
	slices.SortStableFunc(out, func(a, b Sprint) int { // of those that began together, Sprint 10 before Sprint 9
		return cmp.Or(b.Begin.Time().Compare(a.Begin.Time()), cmp.Compare(len(b.Name), len(a.Name)), cmp.Compare(b.Name, a.Name))
	})
	return out
}

// Health returns how a sprint does; false when nothing names it.
func (l *Ledger) Health(name string, now time.Time) (Health, bool) {
	key := keyOf(name)
	if l.spans[key] == nil {
		return Health{}, false
	}
	return l.health(key, now, l.carried(now)[key]), true
}

func (l *Ledger) health(key string, now time.Time, carried carries) Health {
	s := l.spans[key]
	begin := s.begin
	if begin.IsZero() {
		begin = s.first
	}
	today := dayOf(now)
	h := Health{Sprint: Sprint{Name: s.name, Goal: s.goal, State: s.state(begin, today), Begin: dateOf(begin), End: dateOf(s.end), Dated: !s.begin.IsZero()}, Today: dateOf(today), Days: []SprintDay{}, Shifts: []Shift{}}
	if s.end.After(today) {
		h.DaysLeft = int(s.end.Sub(today) / (24 * time.Hour))
	}
	last := today
	if !s.end.IsZero() && s.end.Before(today) {
		last = later(s.end, s.first)
	}
	next := later(begin, last.AddDate(0, 0, 1-mostDays))
	closeDays := func(until time.Time) { // those that are over before until
		for ; !begin.IsZero() && next.Before(until) && !next.After(last); next = next.AddDate(0, 0, 1) {
			h.Days = append(h.Days, SprintDay{dateOf(next), h.Scope, h.Done})
		}
	}
	for _, i := range s.steps {
		st := l.steps[i]
		day := dayOf(st.at)
		if day.After(last) {
			break // what was left over is done or moved later
		}
		closeDays(day)
		h.take(st, key, l, begin.IsZero() || !day.After(begin))
	}
	closeDays(last.AddDate(0, 0, 1))
	h.Left = h.Scope.minus(h.Done)
	h.InTickets, h.OutTickets = append([]Carry{}, carried.in...), append([]Carry{}, carried.out...)
	h.CarriedIn, h.CarriedOut = sum(h.InTickets), sum(h.OutTickets)
	return h
}

// take adds a step to the sums; base says that the sprint's first day is not over.
func (h *Health) take(st step, key string, l *Ledger, base bool) {
	scope, done := st.before.share(key)
	nowScope, nowDone := st.after.share(key)
	change := nowScope.minus(scope)
	h.Scope, h.Done = h.Scope.plus(change), h.Done.plus(nowDone.minus(done))
	if base {
		h.Base = h.Scope
		return
	}
	if change == (Amount{}) {
		return
	}
	shift := Shift{At: st.at, By: st.by, TicketID: st.id, Ref: st.after.ref, Title: st.after.title, Change: change}
	switch {
	case change.Tickets > 0:
		h.In = h.In.plus(change)
		shift.Kind, shift.Other = ShiftMovedIn, l.nameOf(st.before.sprint)
		if *st.before == (standing{}) {
			shift.Kind = ShiftCreated
		}
	case change.Tickets < 0:
		h.Out = h.Out.minus(change)
		shift.Kind, shift.Other = ShiftMovedOut, l.nameOf(st.after.sprint)
		if st.after.gone != "" {
			shift.Kind, shift.Other = st.after.gone, ""
		}
	default:
		h.Estimates = Amount{Points: h.Estimates}.plus(change).Points
		shift.Kind = ShiftEstimated
	}
	h.Shifts = append(h.Shifts, shift)
}

func (l *Ledger) nameOf(key string) string {
	if s := l.spans[key]; s != nil {
		return s.name
	}
	return ""
}

// state is where a sprint stands by its days; where those do not tell, as its plan says.
func (s *span) state(begin, today time.Time) SprintState {
	if s.begin.IsZero() && s.end.IsZero() {
		switch s.status {
		case "PLANNED":
			return SprintPlanned
		case "ACTIVE":
			return SprintRunning
		case "CLOSED":
			return SprintOver
		}
	}
	return stateOf(begin, s.end, today)
}

func stateOf(begin, end, today time.Time) SprintState {
	switch {
	case begin.IsZero() || begin.After(today):
		return SprintPlanned
	case !end.IsZero() && end.Before(today):
		return SprintOver
	}
	return SprintRunning
}

func dateOf(t time.Time) desk.Date {
	if t.IsZero() {
		return ""
	}
	return desk.DateOf(t)
}

// later returns the later of two days.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
