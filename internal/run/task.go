package run

import (
	"encoding/json"
	"time"

	"chela/internal/event"
)

// The protocol's frame around every delegation: a request, an acceptance, and a
// result or an error. docs/protocol.md names where each is written.
var (
	RequestKind  = event.Kind[TaskRequest]{Name: event.TaskRequest}
	AcceptKind   = event.Kind[TaskAccept]{Name: event.TaskAccept}
	ProgressKind = event.Kind[TaskProgress]{Name: event.TaskProgress}
	ResultKind   = event.Kind[TaskResult]{Name: event.TaskResult}
	ErrorKind    = event.Kind[TaskError]{Name: event.TaskError}
)

// A TaskRequest hands a piece of work to an agent.
type TaskRequest struct {
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Constraints *Constraints    `json:"constraints,omitempty"`
}

// Constraints limit a task.
type Constraints struct {
	MaxTokens     int     `json:"max_tokens,omitempty"`
	MaxRuntimeSec int     `json:"max_runtime_sec,omitempty"`
	MaxCost       float64 `json:"max_cost,omitempty"`
}

// A TaskAccept says that an agent has begun.
type TaskAccept struct {
	TaskID    string    `json:"taskId"`
	AgentID   string    `json:"agentId"`
	StartedAt time.Time `json:"startedAt"`
}

// A TaskProgress tells how far a task is.
type TaskProgress struct {
	Status   string `json:"status"`
	Progress int    `json:"progress,omitempty"` // percent
	Message  string `json:"message,omitempty"`
}

// A TaskResult is what came of a task.
type TaskResult struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output"`
	Summary string          `json:"summary,omitempty"`
}

// A TaskError says that a task failed.
type TaskError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// A TaskState is where a task stands.
type TaskState string

// The states of a task.
const (
	TaskRequested TaskState = "requested"
	TaskRunning   TaskState = "running"
	TaskDone      TaskState = "done"
	TaskFailed    TaskState = "failed"
	TaskCancelled TaskState = "cancelled"
)

// A Task is a task as people see it.
type Task struct {
	ID        string    `json:"id"`
	Run       ID        `json:"run"`
	Parent    string    `json:"parent,omitempty"`
	Agent     string    `json:"agent"`
	Title     string    `json:"title"`
	State     TaskState `json:"state"`
	Summary   string    `json:"summary,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}
