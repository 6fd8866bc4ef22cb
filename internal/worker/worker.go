// Package worker is how agents elsewhere that have no address are given work: each fetches its tasks by the Clutch Protocol, takes
// them for a while, and brings what came of them. A [Task] is a state machine that follows from the log (docs/states/worker.md);
// [Tasks] are the ways to move it. To our agents a worker is a server with the tools ask, task and cancel, see tool/mcp.
package worker

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// An About is what a worker says of itself. An owner writes it, and with that accepts it.
type About struct {
	Does   string   `json:"does" maxLength:"300" doc:"what it does, in a sentence or two"`
	Skills []string `json:"skills,omitempty" maxItems:"20" doc:"what it can be asked for, such as code_review"`
}

// What a worker may say of itself.
const (
	mostDoes   = 300 // characters
	mostSkills = 20
	mostSkill  = 60 // bytes
)

// Check reports the first thing wrong with what is said of a worker, as a fault that names the field.
func (a About) Check() error {
	if strings.TrimSpace(a.Does) == "" || utf8.RuneCountInString(a.Does) > mostDoes || strings.ContainsFunc(a.Does, unicode.IsControl) {
		return fault.BadField("worker.does", "Say what the worker does, in one line of at most 300 characters.")
	}
	if len(a.Skills) > mostSkills {
		return fault.BadField("worker.skills", "A worker has at most 20 skills.")
	}
	for i, s := range a.Skills {
		plain := strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
		if s == "" || len(s) > mostSkill || !plain || slices.Contains(a.Skills[:i], s) {
			return fault.BadField("worker.skills", "A skill has 1 to 60 of a to z, 0 to 9, _ and -, and is named once.")
		}
	}
	return nil
}

// A State is where a task of a worker stands.
type State string

// The states. A task that was taken is open again when its time is over.
const (
	Open      State = "open"      // it waits for the worker
	Taken     State = "taken"     // the worker has it, until [Task.Until]
	Asks      State = "asks"      // the worker waits for an answer
	Done      State = "done"      // it brought a result
	Failed    State = "failed"    // it brought an error
	Cancelled State = "cancelled" // it is not wanted any more
)

// States lists them.
func States() []State { return []State{Open, Taken, Asks, Done, Failed, Cancelled} }

// Ended reports whether nothing comes after the state.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// CanBecome reports whether a task that stands as s may stand as to next. One that was taken waits again when its time is over.
func (s State) CanBecome(to State) bool {
	switch s {
	case Open:
		return to == Taken || to == Cancelled
	case Taken:
		return to != Taken
	case Asks:
		return to == Open || to.Ended()
	case Done, Failed, Cancelled:
	}
	return false
}

// How long things take, and how much is taken of a worker.
const (
	Lease      = 5 * time.Minute // after an acceptance or a word of progress
	Life       = 24 * time.Hour  // of a task that nobody ends
	MostOutput = 256 << 10       // bytes of a result or a question
	mostNote   = 1000            // characters of a word of progress
)

// A Task is what a worker is asked for.
type Task struct {
	ID       string      `json:"id"`
	Worker   string      `json:"worker"` // the name of its server
	Giver    event.Party `json:"giver"`  // the agent that gave it
	State    State       `json:"state"`
	Said     []Words     `json:"said"` // what the worker is told: the request, and the answers to what it asked
	Seconds  int         `json:"seconds,omitempty"`
	Attempt  int         `json:"attempt"` // how often it was taken
	Key      string      `json:"key,omitempty"`
	Until    time.Time   `json:"until,omitzero"` // while it is taken
	Progress int         `json:"progress,omitempty"`
	Note     string      `json:"note,omitempty"`   // its last word of progress, or what it asks
	Output   string      `json:"output,omitempty"` // what it brought
	Reason   string      `json:"reason,omitempty"` // why it failed or was cancelled
	At       time.Time   `json:"at"`
	Ended    time.Time   `json:"ended,omitzero"`

	Stream string       `json:"stream"`
	Thread string       `json:"thread,omitempty"`
	Run    string       `json:"run"`
	Parent string       `json:"parent"` // the task of the giver
	Trace  *event.Trace `json:"trace,omitempty"`
}

// Words are something that a worker is told.
type Words struct {
	ID   string    `json:"id"` // of the message
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	Key  string    `json:"key,omitempty"` // by which it was said once
}

// The facts of tasks of workers. All of a task lie in the stream of who gave it.
var (
	GivenKind      = event.Kind[Given]{Name: "worker.given", PayloadType: "worker.given.v1"}
	RepliedKind    = event.Kind[Replied]{Name: "worker.replied", PayloadType: "worker.replied.v1"}
	TakenKind      = event.Kind[Took]{Name: "worker.taken", PayloadType: "worker.taken.v1"}
	ProgressedKind = event.Kind[Progressed]{Name: "worker.progressed", PayloadType: "worker.progressed.v1"}
	EndedKind      = event.Kind[Ended]{Name: "worker.ended", PayloadType: "worker.ended.v1"}
)

// Given says that a task waits for a worker.
type Given struct {
	Worker  string `json:"worker"`
	Text    string `json:"text"`
	Seconds int    `json:"seconds,omitempty"` // that it may take
}

// Replied answers what a worker asked: the task waits for it again.
type Replied struct {
	Text string `json:"text"`
}

// Took says that a worker has a task.
type Took struct {
	Until time.Time `json:"until"`
}

// Progressed is a word of a worker on its way, or what it asks.
type Progressed struct {
	Progress int       `json:"progress,omitempty"` // percent
	Message  string    `json:"message,omitempty"`
	Asks     bool      `json:"asks,omitempty"`
	Until    time.Time `json:"until,omitzero"`
}

// Ended says what came of a task.
type Ended struct {
	State  State  `json:"state"`
	Output string `json:"output,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Now is where the task stands at an instant: one whose time is over waits again.
func (t Task) Now(at time.Time) State {
	if t.State == Taken && !at.Before(t.Until) {
		return Open
	}
	return t.State
}

// Over reports whether nobody waits for the task any more, though it has not ended.
func (t Task) Over(at time.Time) bool { return !t.State.Ended() && at.Sub(t.At) >= Life }

// With returns the task after an event of it. What does not follow from where it stands changes nothing.
func (t Task) With(e event.Event) (Task, error) {
	if g, ok, err := GivenKind.Open(e); ok || err != nil {
		if t.ID != "" || err != nil {
			return t, err
		}
		m := e.Message
		return Task{
			ID: m.TaskID, Worker: g.Worker, Giver: m.From, State: Open, Seconds: g.Seconds, Said: []Words{{ID: m.ID, At: e.At, Text: g.Text}}, At: e.At,
			Stream: e.Stream, Thread: m.ThreadID, Run: m.RunID, Parent: m.ParentTaskID, Trace: m.Trace,
		}, nil
	}
	if t.ID == "" || t.State.Ended() {
		return t, nil
	}
	for _, with := range []func(*Task, event.Event) error{(*Task).replied, (*Task).taken, (*Task).progressed, (*Task).ended} {
		if err := with(&t, e); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t *Task) replied(e event.Event) error {
	p, ok, err := RepliedKind.Open(e)
	if ok && err == nil && t.State == Asks {
		t.State, t.Note, t.Until = Open, "", time.Time{}
		t.Said = append(slices.Clone(t.Said), Words{e.Message.ID, e.At, p.Text, e.Message.IdempotencyKey})
	}
	return err
}

func (t *Task) taken(e event.Event) error {
	p, ok, err := TakenKind.Open(e)
	if ok && err == nil && t.Now(e.At) == Open {
		t.State, t.Until, t.Key = Taken, p.Until, e.Message.IdempotencyKey
		t.Attempt++
	}
	return err
}

func (t *Task) progressed(e event.Event) error {
	p, ok, err := ProgressedKind.Open(e)
	if !ok || err != nil || t.State != Taken {
		return err
	}
	if t.Note, t.Until = p.Message, p.Until; p.Progress > 0 {
		t.Progress = p.Progress
	}
	if p.Asks {
		t.State, t.Until = Asks, time.Time{}
	}
	return nil
}

func (t *Task) ended(e event.Event) error {
	p, ok, err := EndedKind.Open(e)
	if ok && err == nil && p.State.Ended() && t.State.CanBecome(p.State) {
		t.State, t.Output, t.Reason, t.Ended, t.Until, t.Key = p.State, p.Output, p.Reason, e.At, time.Time{}, e.Message.IdempotencyKey
	}
	return err
}
