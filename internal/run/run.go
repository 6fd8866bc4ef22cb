// Package run keeps work alive across crashes. A run is a chain of segments; a
// segment is ordinary code that asks models, calls tools, and ends when the run is
// finished or has to wait. The log is the checkpoint: every outside step has a key
// and its result is an event, so a segment that died is simply run again and
// recorded steps answer from the log ([Segment.Recorded]).
//
// Who works which segment, and when, is an [Executor]'s part: run/local on one
// machine, run/cluster on many. [Engine] is everything else. See docs/states/run.md.
package run

import (
	"encoding/json"
	"time"

	"chela/internal/event"
)

// An ID names a run: "run_…".
type ID string

// A State is where a run stands.
type State string

// The states. Done, Failed and Cancelled are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Waiting   State = "waiting" // for what WaitsFor names; it holds no slot
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Final reports whether s can no longer change.
func (s State) Final() bool { return s == Done || s == Failed || s == Cancelled }

// CanBecome reports whether a run in state s may go to next.
func (s State) CanBecome(next State) bool {
	switch s {
	case Queued:
		return next == Running || next == Cancelled || next == Waiting
	case Running:
		return next != Queued
	case Waiting:
		return next == Queued || next == Cancelled || next == Failed || next == Waiting // when it is paused
	case Done, Failed, Cancelled:
		return false
	}
	return false
}

// A Lane bounds how many segments of one sort of work run at once.
type Lane string

// The lanes.
const (
	UserLane          Lane = "user"          // people's messages and intakes
	ScheduleLane      Lane = "schedule"      // started by the clock
	ChildLane         Lane = "child"         // child agents
	TranscriptionLane Lane = "transcription" // audio files that are transcribed
)

// Lanes gives the width of every lane.
type Lanes map[Lane]int

// DefaultLanes are the widths of a machine that one team uses: people come before the clock.
func DefaultLanes() Lanes {
	return Lanes{UserLane: 10, ScheduleLane: 3, ChildLane: 4, TranscriptionLane: 3}
}

// What a run may wait for, followed by an id where there is one.
const (
	ForPerson = "approval:" // an answer to the approval of that id
	ForResume = "resume"    // somebody paused it
	ForTime   = "time"      // the wake time of its claim
	ForClient = "client:"   // a program makes the calls of that id and brings their results
)

// A Spec is what a run is asked to do.
type Spec struct {
	ID      ID              `json:"id"`
	Thread  string          `json:"thread"`
	Project string          `json:"project,omitempty"`
	Kind    string          `json:"kind"` // which handler works it
	Lane    Lane            `json:"lane"`
	Agent   string          `json:"agent,omitempty"`
	Title   string          `json:"title"`
	Input   json.RawMessage `json:"input,omitempty"`
	Timeout int             `json:"timeout_sec,omitempty"` // of each segment; 0 means 30 minutes
	By      event.Party     `json:"by"`
	Trace   *event.Trace    `json:"trace,omitempty"` // of the request that asked
	ForkOf  ID              `json:"fork_of,omitempty"`
	ForkSeq event.Seq       `json:"fork_seq,omitempty"` // steps of ForkOf up to here count as this run's
}

// A Run is a spec and where it stands.
type Run struct {
	Spec
	State     State     `json:"state"`
	WaitsFor  string    `json:"waits_for,omitempty"`
	Reason    string    `json:"reason,omitempty"` // why it ended or waits, a sentence
	Segment   int       `json:"segment"`          // from 1
	Attempt   int       `json:"attempt"`          // of the segment, from 1
	Node      string    `json:"node,omitempty"`   // who works it
	Seq       event.Seq `json:"seq"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Paused reports whether somebody paused r: nothing of it begins until somebody resumes it.
func (r Run) Paused() bool { return r.State == Waiting && r.WaitsFor == ForResume }

// A Recorded is one step found in the log.
type Recorded struct {
	Key   string
	Begun bool        // its intention is recorded
	Done  bool        // its result is recorded
	Event event.Event // the result, when Done
}

// The facts of this package.
var (
	QueuedKind   = event.Kind[Spec]{Name: "run.queued", PayloadType: "run.queued.v1"}
	StartedKind  = event.Kind[Started]{Name: "run.started", PayloadType: "run.started.v1"}
	WaitingKind  = event.Kind[Waits]{Name: "run.waiting", PayloadType: "run.waiting.v1"}
	ResumedKind  = event.Kind[Resumed]{Name: "run.resumed", PayloadType: "run.resumed.v1"}
	FinishedKind = event.Kind[Finished]{Name: "run.finished", PayloadType: "run.finished.v1"}
	StepKind     = event.Kind[StepResult]{Name: "run.step", PayloadType: "run.step.v1"}
	CancelKind   = event.Kind[Cancel]{Name: event.TaskCancel}
	TimeoutKind  = event.Kind[Timeout]{Name: event.TaskTimeout}
)

// Started records that a segment is worked.
type Started struct {
	Segment int    `json:"segment"`
	Attempt int    `json:"attempt"`
	Epoch   int64  `json:"epoch"`
	Node    string `json:"node"`
}

// Waits records that a run waits.
type Waits struct {
	For    string    `json:"for"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero"`
}

// Resumed records that a waiting run goes on.
type Resumed struct {
	Segment int    `json:"segment"`
	Reason  string `json:"reason"`
}

// Finished records that a run reached a final state.
type Finished struct {
	State  State           `json:"state"`
	Reason string          `json:"reason,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// A StepResult is the recorded result of a step that has no kind of its own.
type StepResult struct {
	Result json.RawMessage `json:"result"`
}

// Cancel is the payload of task.cancel.
type Cancel struct {
	Reason string `json:"reason"`
}

// Timeout is the payload of task.timeout.
type Timeout struct {
	AfterSec int    `json:"after_sec"`
	Message  string `json:"message"`
}

// A Filter narrows a list of runs. Zero fields do not narrow.
type Filter struct {
	State   State
	Project string
	Thread  string
	Kind    string
	Agent   string    // who has a task in it
	By      string    // the agent id of who asked
	Before  event.Seq // only runs queued before this position
	Limit   int       // 0 means 50
}
