// Package schedule starts work by the clock. A [Schedule] says when an agent works for
// which projects; next.go computes its instants, purely. What is to happen is decided by
// one pure function, [Decide] in board.go, from everything that is known, the [Board];
// [Clock] sleeps until the next instant and does what was decided, [Editor] does what
// people ask for. What a schedule starts is an ordinary run.
// States: docs/states/execution.md.
package schedule

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/query"
)

// An ID names a schedule: "sch_…".
type ID string

// A Type says how the instants of a schedule are given.
type Type string

// The types.
const (
	Cron       Type = "CRON"        // an expression of five fields, or six with seconds
	FixedTimes Type = "FIXED_TIMES" // times of every day
	Interval   Type = "INTERVAL"    // every so many minutes, from midnight on
	Immediate  Type = "IMMEDIATE"   // once, when it is made or switched on
	Once       Type = "ONCE"        // once, at a time; then it is over
)

// Types lists all types.
func Types() []string {
	return []string{string(Cron), string(FixedTimes), string(Interval), string(Immediate), string(Once)}
}

// A Scope says for which projects.
type Scope string

// The scopes.
const (
	Global  Scope = "GLOBAL" // each project that is active
	Project Scope = "PROJECT"
)

// A Policy says how executions are treated. What is 0 has its default.
type Policy struct {
	MaxConcurrent  int   `json:"maxConcurrent"`  // executions of the schedule at once
	Priority       int   `json:"priority"`       // of those that are due the higher begin first
	MaxAttempts    int   `json:"maxAttempts"`    // how often one that fails is begun at most
	RetryBackoffMs int64 `json:"retryBackoffMs"` // the wait before the second attempt, doubled before each further one
}

// The values of a policy that says nothing.
const (
	defaultPriority = 5
	defaultAttempts = 3
	defaultBackoff  = time.Minute
	maxBackoff      = 6 * time.Hour
)

// Filled returns p with its defaults.
func (p Policy) Filled() Policy {
	for _, f := range []struct {
		v   *int
		def int
	}{{&p.MaxConcurrent, 1}, {&p.Priority, defaultPriority}, {&p.MaxAttempts, defaultAttempts}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if p.RetryBackoffMs == 0 {
		p.RetryBackoffMs = defaultBackoff.Milliseconds()
	}
	return p
}

// Backoff is how long to wait after so many attempts that failed.
func (p Policy) Backoff(attempts int) time.Duration {
	d := time.Duration(p.RetryBackoffMs) * time.Millisecond
	for i := 1; i < attempts && d < maxBackoff; i++ {
		d *= 2
	}
	return min(d, maxBackoff)
}

// Check reports the first value of p that is out of its bounds.
func (p Policy) Check() error {
	for _, f := range []struct {
		name        string
		v, min, max int64
	}{
		{"maxConcurrent", int64(p.MaxConcurrent), 1, 100},
		{"priority", int64(p.Priority), 1, 10},
		{"maxAttempts", int64(p.MaxAttempts), 1, 10},
		{"retryBackoffMs", p.RetryBackoffMs, 1, 3_600_000},
	} {
		if f.v < f.min || f.v > f.max {
			return fault.BadField("executorPolicy."+f.name, "The value "+strconv.FormatInt(f.v, 10)+" is not between "+strconv.FormatInt(f.min, 10)+" and "+strconv.FormatInt(f.max, 10)+".")
		}
	}
	return nil
}

// Inputs say what an execution looks at. What is zero narrows nothing.
type Inputs struct {
	WindowMinutes int    `json:"windowMinutes,omitempty"` // what changed within so many minutes before its instant
	ThreadFilter  string `json:"threadFilter,omitempty"`  // of the threads those that fit, see package query
	Always        bool   `json:"always,omitempty"`        // the agent is asked also when nothing has changed or come due since it looked last
}

// maxWindow is the longest window, in minutes.
const maxWindow = 366 * 24 * 60

func (in Inputs) check() error {
	if in.WindowMinutes < 0 || in.WindowMinutes > maxWindow {
		return fault.BadField("inputsPolicy.windowMinutes", "The window is between 1 and "+strconv.Itoa(maxWindow)+" minutes; 0 is none.")
	}
	fields, err := desk.Fields(desk.Thread)
	if err != nil {
		return err
	}
	if _, err := query.Parse(in.ThreadFilter, fields, time.Unix(0, 0)); err != nil {
		return fault.BadField("inputsPolicy.threadFilter", "The filter of threads cannot be read. "+fault.TextOf(err))
	}
	return nil
}

// Fields are what people say of a schedule.
type Fields struct {
	Agent           org.AgentID `json:"agentId"`
	Enabled         bool        `json:"enabled"`
	Timezone        string      `json:"timezone"`
	Type            Type        `json:"scheduleType"`
	CronExpr        string      `json:"cronExpr,omitempty"`
	TimesOfDay      []string    `json:"timesOfDay,omitempty"`
	IntervalMinutes int         `json:"intervalMinutes,omitempty"`
	OnceAt          string      `json:"onceAt,omitempty"` // on the clock of the time zone, or an instant
	Scope           Scope       `json:"projectScope"`
	Project         string      `json:"projectId,omitempty"`
	Policy          Policy      `json:"executorPolicy"`
	Inputs          Inputs      `json:"inputsPolicy,omitzero"`
	Message         string      `json:"message,omitempty"` // what the agent is asked; empty is the text that comes with it
	Deliver         Delivery    `json:"deliver,omitzero"`  // where the answers go
	Through         org.AgentID `json:"through,omitempty"` // the agent that made it for who asked it to
	Origins         []string    `json:"origins,omitempty"` // of the data that the agent had seen when it wrote the message
}

// maxMessage bounds what an agent is asked, in bytes.
const maxMessage = 10_000

// A Schedule is its fields and where they stand.
type Schedule struct {
	Fields
	ID        ID          `json:"scheduleId"`
	By        event.Party `json:"by"` // who said so last; its executions may do what they may
	Version   int64       `json:"version"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
}

// clone returns a copy that shares nothing.
func (f Fields) clone() Fields {
	f.TimesOfDay, f.Origins = slices.Clone(f.TimesOfDay), slices.Clone(f.Origins)
	return f
}

// Party is the schedule as a sender.
func (id ID) Party() event.Party {
	return event.Party{AgentID: partyPrefix + string(id), Role: event.RoleSchedule}
}

const partyPrefix = "agent:schedule/"

// Of returns the schedule behind a sender, "" when it is none.
func Of(from event.Party) ID {
	id, ok := strings.CutPrefix(from.AgentID, partyPrefix)
	if !ok || from.Role != event.RoleSchedule {
		return ""
	}
	return ID(id)
}

// maxInterval is the longest interval, in minutes: it begins anew every midnight.
const maxInterval = 24 * 60

// maxTimes bounds the times of a day.
const maxTimes = 96

// Checked returns f with its defaults, without what its type does not use, or the first
// thing that is wrong with it.
func (f Fields) Checked() (Fields, error) {
	f.Policy = f.Policy.Filled()
	if f.Timezone == "" {
		f.Timezone = "UTC"
	}
	if f.Scope == "" {
		f.Scope = Global
		if f.Project != "" {
			f.Scope = Project
		}
	}
	if f.Type == "" {
		f.Type = Cron
	}
	switch {
	case f.Agent == "":
		return f, fault.BadField("agentId", "Say which agent works.")
	case f.Scope != Global && f.Scope != Project:
		return f, fault.BadField("projectScope", "The scope is not known.", string(Global), string(Project))
	case f.Scope == Project && f.Project == "":
		return f, fault.BadField("projectId", "A schedule of the scope PROJECT names its project.")
	case f.Scope == Global && f.Project != "":
		return f, fault.BadField("projectId", "A schedule of the scope GLOBAL works for every active project; leave the project out, or say PROJECT.")
	}
	if _, err := desk.Zone(f.Timezone); err != nil {
		return f, err
	}
	if err := f.Policy.Check(); err != nil {
		return f, err
	}
	f.Inputs.ThreadFilter = strings.TrimSpace(f.Inputs.ThreadFilter)
	if err := f.Inputs.check(); err != nil {
		return f, err
	}
	if f.Message = strings.TrimSpace(f.Message); len(f.Message) > maxMessage {
		return f, fault.BadField("message", "The message has "+strconv.Itoa(len(f.Message))+" bytes; the limit is "+strconv.Itoa(maxMessage)+".")
	}
	var err error
	if f.Deliver, err = f.Deliver.checked(); err != nil {
		return f, err
	}
	return f.checkedTime()
}

// checkedTime keeps and checks what the type says about time.
func (f Fields) checkedTime() (Fields, error) {
	given := f
	f.CronExpr, f.TimesOfDay, f.IntervalMinutes, f.OnceAt = "", nil, 0, ""
	switch f.Type {
	case Cron:
		f.CronExpr = strings.Join(strings.Fields(given.CronExpr), " ")
		if _, err := parseCron(f.CronExpr); err != nil {
			return f, err
		}
		if _, ok := f.Next(time.Unix(0, 0)); !ok {
			return f, fault.BadField("cronExpr", "The expression "+strconv.Quote(f.CronExpr)+" names a time that never comes.")
		}
	case FixedTimes:
		times, err := parseTimes(given.TimesOfDay)
		if err != nil {
			return f, err
		}
		f.TimesOfDay = times
	case Interval:
		f.IntervalMinutes = given.IntervalMinutes
		if f.IntervalMinutes < 1 || f.IntervalMinutes > maxInterval {
			return f, fault.BadField("intervalMinutes", "The interval is between 1 and 1440 minutes; it begins anew every midnight.")
		}
	case Once:
		loc, err := desk.Zone(f.Timezone)
		if err != nil {
			return f, err
		}
		if _, f.OnceAt, err = readOnce(given.OnceAt, loc); err != nil {
			return f, err
		}
	case Immediate:
	default:
		return f, fault.BadField("scheduleType", "The type is not known.", Types()...)
	}
	return f, nil
}

// parseTimes reads times of a day, sorts them, and leaves out what is there twice.
func parseTimes(in []string) ([]string, error) {
	if len(in) == 0 || len(in) > maxTimes {
		return nil, fault.BadField("timesOfDay", "Name between 1 and 96 times of the day, such as 09:00.")
	}
	var out []string
	for _, s := range in {
		t, err := time.Parse("15:04", strings.TrimSpace(s))
		if err != nil {
			return nil, fault.BadField("timesOfDay", strconv.Quote(s)+" is not a time of the day; write hours and minutes, such as 09:00.")
		}
		out = append(out, t.Format("15:04"))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
