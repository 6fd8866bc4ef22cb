// Package approval is how a run asks a person and waits. The question is an event;
// the answer is an event that starts the run's next segment.
package approval

import (
	"context"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Sort says what is asked.
type Sort string

// OutcomeUnknown asks what to do about a step that was under way when the daemon
// died and cannot be known to have happened.
const OutcomeUnknown Sort = "outcome_unknown"

// The choices for [OutcomeUnknown].
const (
	Happened = "happened" // treat the step as done
	Repeat   = "repeat"   // do it again
	Skip     = "skip"     // it did not happen, go on without it
)

// A Request is the payload of approval.requested.
type Request struct {
	ID       string   `json:"id"` // "apr_…"
	Run      run.ID   `json:"run"`
	Sort     Sort     `json:"sort"`
	Question string   `json:"question"` // a sentence
	Step     string   `json:"step,omitempty"`
	Tool     string   `json:"tool,omitempty"`
	Detail   string   `json:"detail,omitempty"` // the exact arguments
	Choices  []string `json:"choices"`
}

// An Answer is the payload of approval.answered.
type Answer struct {
	ID     string `json:"id"`
	Choice string `json:"choice"`
	Note   string `json:"note,omitempty"`
}

// The facts of this package.
var (
	RequestedKind = event.Kind[Request]{Name: "approval.requested", PayloadType: "approval.requested.v1"}
	AnsweredKind  = event.Kind[Answer]{Name: "approval.answered", PayloadType: "approval.answered.v1"}
)

// A Status is where an approval stands.
type Status string

// The states of an approval. It lapses when its run ends otherwise.
const (
	Pending  Status = "pending"
	Answered Status = "answered"
	Lapsed   Status = "lapsed"
)

// An Approval is a question as people see it.
type Approval struct {
	Request
	Status    Status    `json:"status"`
	Answer    *Answer   `json:"answer,omitempty"`
	By        string    `json:"by,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// A Reader finds approvals.
type Reader interface {
	Approval(ctx context.Context, id string) (Approval, error) // fault.NotFound
}

// Decide records a person's answer and lets the run go on.
func Decide(ctx context.Context, from Reader, runs *run.Engine, by event.Party, a Answer) error {
	asked, err := from.Approval(ctx, a.ID)
	if err != nil {
		return err
	}
	if asked.Status != Pending {
		return fault.New(fault.Conflict, "The question %s is %s already.", a.ID, asked.Status)
	}
	if !slices.Contains(asked.Choices, a.Choice) {
		return fault.BadField("choice", "That is not one of the choices.", asked.Choices...)
	}
	return runs.Write(ctx, func(b *run.Batch) error {
		r, err := b.Run(asked.Run)
		if err != nil {
			return err
		}
		at := event.Place{
			Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID),
			From: by, Key: "approval:" + a.ID,
		}
		if _, err := b.Append(AnsweredKind.Draft(at, a)); err != nil {
			return err
		}
		return b.Resume(r.ID, by, "The question "+a.ID+" was answered: "+a.Choice+".")
	})
}
