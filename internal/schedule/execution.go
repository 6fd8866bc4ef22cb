package schedule

import (
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// An ExecutionID names an execution: "exe_…".
type ExecutionID string

// A State is where an execution stands.
type State string

// The states. The last four are final, and are what an execution resulted in.
const (
	Ready     State = "READY"            // planned; it waits for its time, or for room
	Running   State = "RUNNING"          // its run is not over
	Retrying  State = "FAILED_RETRYABLE" // an attempt failed; it waits for the next
	Success   State = "SUCCESS"
	Fail      State = "FAIL"
	Cancelled State = "CANCELLED"
	Skipped   State = "SKIPPED" // its time passed, or nobody could work
)

// States lists all states.
func States() []State {
	return []State{Ready, Running, Retrying, Success, Fail, Cancelled, Skipped}
}

// Final reports whether s can no longer change.
func (s State) Final() bool { return s != Ready && s != Running && s != Retrying }

// CanBecome reports whether an execution in state s may go to next.
func (s State) CanBecome(next State) bool {
	switch s {
	case Ready, Retrying:
		return next == Running || next == Cancelled || next == Skipped || next == Fail
	case Running:
		return next == Success || next == Fail || next == Cancelled || next == Retrying
	case Success, Fail, Cancelled, Skipped:
	}
	return false
}

// An Execution is one occurrence of a schedule for one project, or what somebody had
// begun at once.
type Execution struct {
	ID        ExecutionID `json:"id"`
	Schedule  ID          `json:"schedule,omitempty"` // empty when somebody named only an agent
	Version   int64       `json:"version,omitempty"`  // of the schedule
	Agent     org.AgentID `json:"agent"`
	Project   string      `json:"project"`
	At        time.Time   `json:"at"`                  // the instant it is for
	Timezone  string      `json:"timezone"`            // in which people read that
	Immediate bool        `json:"immediate,omitempty"` // not planned by the clock
	By        event.Party `json:"by"`                  // who asks the agent
	Policy    Policy      `json:"policy"`
	Inputs    Inputs      `json:"inputs,omitzero"`
	Ask

	State     State     `json:"state"`
	Attempt   int       `json:"attempt"` // that was begun last, from 1
	Due       time.Time `json:"due"`     // At, or when to try again
	Run       run.ID    `json:"run,omitempty"`
	Reason    string    `json:"reason,omitempty"` // a sentence
	Seq       event.Seq `json:"seq"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// An Ask is what an execution takes of its schedule beside when and how: what is asked, for whom, and where the answer goes.
type Ask struct {
	Message string      `json:"message,omitempty"`
	Origins []string    `json:"origins,omitempty"`
	Deliver Delivery    `json:"deliver,omitzero"`
	Maker   event.Party `json:"maker,omitzero"` // of the schedule
	Once    bool        `json:"once,omitempty"` // the schedule works once
}

// An Attempt is one time that an execution was begun, or the one record of an execution
// that passed without.
type Attempt struct {
	Execution
	Number    int       // 0 when nothing was begun
	Result    State     // Success, Fail, Cancelled or Skipped
	Thread    string    // of its run
	Error     string    // a sentence
	Summary   string    // of the answer
	StartedAt time.Time // zero when nothing was begun
	EndedAt   time.Time
}

// AttemptID names the attempt: its execution, a dot, and its number.
func (a Attempt) AttemptID() string { return string(a.ID) + "." + strconv.Itoa(a.Number) }

// ParseAttemptID reads what [Attempt.AttemptID] gives.
func ParseAttemptID(s string) (ExecutionID, int, error) {
	id, number, ok := strings.Cut(s, ".")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 || number != strconv.Itoa(n) || !strings.HasPrefix(id, "exe_") {
		return "", 0, fault.New(fault.NotFound, "There is no past execution %q; its id is that of the execution, a dot, and the number of the attempt.", clipped(s))
	}
	return ExecutionID(id), n, nil
}

// The facts of this package. All are in the organization's stream.
var (
	CreatedKind = event.Kind[Made]{Name: "schedule.created", PayloadType: "schedule.created.v1"}
	ChangedKind = event.Kind[Made]{Name: "schedule.changed", PayloadType: "schedule.changed.v1"}
	DeletedKind = event.Kind[Deleted]{Name: "schedule.deleted", PayloadType: "schedule.deleted.v1"}
	PlannedKind = event.Kind[Planned]{Name: "schedule.execution.planned", PayloadType: "schedule.execution.planned.v1"}
	StartedKind = event.Kind[Started]{Name: "schedule.execution.started", PayloadType: "schedule.execution.started.v1"}
	EndedKind   = event.Kind[Ended]{Name: "schedule.execution.ended", PayloadType: "schedule.execution.ended.v1"}
)

// Made records how a schedule is from now on.
type Made struct {
	ID      ID    `json:"id"`
	Version int64 `json:"version"`
	Fields
}

// Deleted records that a schedule is gone.
type Deleted struct {
	ID ID `json:"id"`
}

// Planned records an execution that is to come.
type Planned struct {
	ID        ExecutionID `json:"id"`
	Schedule  ID          `json:"schedule,omitempty"`
	Version   int64       `json:"version,omitempty"`
	Agent     org.AgentID `json:"agent"`
	Project   string      `json:"project"`
	At        time.Time   `json:"at"`
	Timezone  string      `json:"timezone"`
	Immediate bool        `json:"immediate,omitempty"`
	By        event.Party `json:"by"`
	Policy    Policy      `json:"policy"`
	Inputs    Inputs      `json:"inputs,omitzero"`
	Ask
}

// Started records that an attempt began.
type Started struct {
	ID      ExecutionID `json:"id"`
	Attempt int         `json:"attempt"`
	Run     run.ID      `json:"run"`
	Thread  string      `json:"thread"`
}

// Ended records how an attempt ended or, when none had begun, the execution.
type Ended struct {
	ID      ExecutionID `json:"id"`
	Attempt int         `json:"attempt"`
	Result  State       `json:"result"`
	Reason  string      `json:"reason,omitempty"`
	Summary string      `json:"summary,omitempty"`
	RetryAt time.Time   `json:"retry_at,omitzero"` // of Fail: when it is tried again
	// Withdrawn says that it was planned in vain: its schedule or project changed, and
	// its instant may be planned again.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// Denied says that a hook did not let it begin.
	Denied bool `json:"denied,omitempty"`
	// Delivered is the conversation in which the answer was said, or INBOX; Kept says that it was to be delivered and was not,
	// for the reason. Tells is who is told of it in their inbox.
	Delivered string `json:"delivered,omitempty"`
	Kept      bool   `json:"kept,omitempty"`
	Tells     *Tells `json:"tells,omitempty"`
}

// Tells is the person who is told how an execution ended, and of what it was.
type Tells struct {
	Person  string      `json:"person"`
	Title   string      `json:"title"`
	Agent   org.AgentID `json:"agent"`
	Project string      `json:"project"`
}

// Unbegun reports whether nothing was begun, although the end is worth a record.
func (e Ended) Unbegun() bool { return e.Result == Skipped || e.Denied }

// A Filter narrows a list of executions. Zero fields do not narrow.
type Filter struct {
	Agent    org.AgentID
	Project  string
	Schedule ID
	State    State     // empty means those that are not over
	From, To time.Time // of the instant it is for: not before From, before To
	Limit    int
	Offset   int
}
