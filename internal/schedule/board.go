package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chela/internal/org"
	"chela/internal/run"
)

// CatchUp is how late an instant that nobody was there for is still worked.
const CatchUp = time.Hour

// A Pair is a schedule and a project that it works for.
type Pair struct {
	Schedule ID
	Project  string
}

// A Board is everything that [Decide] needs to know.
type Board struct {
	Schedules []Schedule
	Projects  []string    // that are active
	Open      []Execution // that are not over
	// Last holds the newest instant that was planned for a pair and not withdrawn.
	Last map[Pair]time.Time
	// Freed holds when an execution of a schedule ended last.
	Freed map[ID]time.Time
	// Runs holds the runs of the executions that are RUNNING.
	Runs map[run.ID]run.Run
	// Agents holds whether an agent is enabled; one that is not in it does not exist.
	Agents map[org.AgentID]bool
}

// Conditions is what else a decision depends on.
type Conditions struct {
	Now time.Time
	// Paused means that this daemon plans and begins nothing by the clock. It does what
	// people ask for.
	Paused bool
	// NoModel is why no agent can work, a sentence; empty when one can.
	NoModel string
}

// An Act is something to be done and recorded.
type Act interface{ act() }

// A ToPlan is an execution to plan.
type ToPlan struct {
	Schedule Schedule
	Project  string
	At       time.Time
}

// A ToStart is an execution to begin.
type ToStart struct{ Execution Execution }

// A ToEnd is an execution to end.
type ToEnd struct {
	Execution Execution
	Ended     Ended
}

func (ToPlan) act()  {}
func (ToStart) act() {}
func (ToEnd) act()   {}

// Decide says what is to be done now, in this order, and when to ask again: the zero time
// when nothing is planned. It is asked again after that was done, until it wants nothing.
func Decide(b Board, m Conditions) (acts []Act, next time.Time) {
	freed := make(map[ID]time.Time)
	maps.Copy(freed, b.Freed)
	b.Freed = freed
	d := decision{Board: b, Conditions: m, schedules: make(map[ID]Schedule), running: make(map[ID]int), planned: make(map[Pair]bool)}
	for _, s := range b.Schedules {
		d.schedules[s.ID] = s
	}
	for _, e := range b.Open {
		if e.State == Running {
			d.watch(e)
		}
	}
	waiting := slices.DeleteFunc(slices.Clone(b.Open), func(e Execution) bool { return e.State == Running })
	slices.SortFunc(waiting, func(x, y Execution) int {
		return cmp.Or(cmp.Compare(y.Policy.Priority, x.Policy.Priority), x.Due.Compare(y.Due), cmp.Compare(x.Seq, y.Seq))
	})
	for _, e := range waiting {
		d.begin(e)
	}
	if !m.Paused {
		for _, s := range b.Schedules {
			d.plan(s)
		}
	}
	return d.acts, d.next
}

// A decision is [Decide] at work.
type decision struct {
	Board
	Conditions
	schedules map[ID]Schedule
	running   map[ID]int    // executions of a schedule that run, with those to be started
	planned   map[Pair]bool // pairs that have their next instant
	acts      []Act
	next      time.Time
}

func (d *decision) wake(at time.Time) {
	if d.next.IsZero() || at.Before(d.next) {
		d.next = at
	}
}

func (d *decision) end(e Execution, how Ended) {
	how.ID, how.Attempt = e.ID, e.Attempt
	d.acts = append(d.acts, ToEnd{e, how})
}

// watch ends an execution whose run is over.
func (d *decision) watch(e Execution) {
	r := d.Runs[e.Run]
	if r.State.Final() {
		d.free(e.Schedule, d.Now)
	}
	switch r.State {
	case run.Done:
		d.end(e, Ended{Result: Success})
	case run.Cancelled:
		d.end(e, Ended{Result: Cancelled, Reason: r.Reason})
	case run.Failed:
		how := Ended{Result: Fail, Reason: r.Reason}
		if e.Attempt < e.Policy.MaxAttempts {
			how.RetryAt = d.Now.Add(e.Policy.Backoff(e.Attempt)).UTC()
			d.wake(how.RetryAt)
		}
		d.end(e, how)
	case run.Waiting: // for a person, mostly; it holds no room
		d.free(e.Schedule, r.UpdatedAt)
	case run.Queued, run.Running:
		d.running[e.Schedule]++
	}
}

// free says that there is room for an execution of a schedule since an instant.
func (d *decision) free(id ID, at time.Time) {
	if at.After(d.Freed[id]) {
		d.Freed[id] = at
	}
}

// begin starts an execution when it is its time and there is room, and ends it when it
// cannot begin any more.
func (d *decision) begin(e Execution) {
	if why := d.stale(e); why != "" {
		d.end(e, Ended{Result: Cancelled, Reason: why, Withdrawn: true})
		return
	}
	if d.Paused && !e.Immediate {
		return
	}
	pair := Pair{e.Schedule, e.Project}
	if e.Due.After(d.Now) {
		d.planned[pair] = d.planned[pair] || !e.Immediate && e.State == Ready
		d.wake(e.Due)
		return
	}
	since := e.Due // it could have begun
	if freed := d.Freed[e.Schedule]; freed.After(since) {
		since = freed
	}
	full := e.Schedule != "" && d.running[e.Schedule] >= max(e.Policy.MaxConcurrent, 1)
	enabled, there := d.Agents[e.Agent]
	switch {
	case full: // the end of what runs wakes the clock
		d.planned[pair] = d.planned[pair] || !e.Immediate && e.State == Ready
	case d.NoModel != "" && e.Message == "": // what a message asks the records may answer
		d.end(e, Ended{Result: Skipped, Reason: d.NoModel})
	case !there:
		d.end(e, Ended{Result: Skipped, Reason: fmt.Sprintf("The agent %s does not exist. Name another in the schedule.", e.Agent.Name())})
	case !enabled:
		d.end(e, Ended{Result: Skipped, Reason: fmt.Sprintf("The agent %s is disabled. Enable it, or name another in the schedule.", e.Agent.Name())})
	case d.Now.Sub(since) >= CatchUp && d.running[e.Schedule] == 0:
		d.end(e, Ended{Result: Skipped, Reason: fmt.Sprintf("It was due at %s, when no daemon worked, and that is more than an hour ago.", e.Due.UTC().Format(time.RFC3339))})
		d.catchUp(e)
	default:
		d.running[e.Schedule]++
		d.acts = append(d.acts, ToStart{e})
	}
}

// stale says why an execution that has not begun is not wanted any more.
func (d *decision) stale(e Execution) string {
	if !slices.Contains(d.Projects, e.Project) {
		return "The project is not active any more."
	}
	if e.Immediate {
		return ""
	}
	s, ok := d.schedules[e.Schedule]
	switch {
	case !ok:
		return "The schedule was deleted."
	case !s.Enabled:
		return "The schedule was switched off."
	case s.Version != e.Version:
		return "The schedule was changed."
	}
	return ""
}

// catchUp plans the newest of the instants that were missed when it is not long ago.
func (d *decision) catchUp(e Execution) {
	s, ok := d.schedules[e.Schedule]
	if !ok || e.Immediate || e.State != Ready {
		return
	}
	var latest time.Time
	for at, ok := s.Next(d.Now.Add(-CatchUp)); ok && !at.After(d.Now); at, ok = s.Next(at) {
		latest = at
	}
	if !latest.After(e.At) {
		return
	}
	pair := Pair{e.Schedule, e.Project}
	d.planned[pair] = true
	d.acts = append(d.acts, ToPlan{s, e.Project, latest})
	d.wake(d.Now)
}

// plan gives each project of a schedule its next instant.
func (d *decision) plan(s Schedule) {
	if !s.Enabled || s.Type == Immediate {
		return
	}
	for _, p := range d.targets(s) {
		pair := Pair{s.ID, p}
		if d.planned[pair] {
			continue
		}
		after := d.Now
		if last := d.Last[pair]; last.After(after) {
			after = last
		}
		at, ok := s.Next(after)
		if !ok {
			continue
		}
		d.acts = append(d.acts, ToPlan{s, p, at})
		d.wake(at)
	}
}

// targets are the projects that a schedule works for.
func (d *decision) targets(s Schedule) []string { return targets(s.Fields, d.Projects) }

func targets(f Fields, active []string) []string {
	if f.Scope == Global {
		return active
	}
	if slices.Contains(active, f.Project) {
		return []string{f.Project}
	}
	return nil
}

// Key is what an attempt of e is recorded under, once.
func (e Execution) Key() string {
	if e.Immediate {
		return fmt.Sprintf("execution/%s/%d", e.ID, e.Attempt+1)
	}
	return strings.Join([]string{"execution", string(e.Schedule), e.Project, e.At.UTC().Format(time.RFC3339), fmt.Sprint(e.Attempt + 1)}, "/")
}
