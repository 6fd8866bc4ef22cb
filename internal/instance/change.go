package instance

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/review"
	"chela/internal/run"
)

// A Change is one moment in the life of an instance, as its canvas shows it. Taken in the order of the log until
// a moment, the changes say how the instance stood then.
type Change struct {
	Seq  event.Seq `json:"seq"`
	At   time.Time `json:"at"`
	Path string    `json:"path,omitempty" doc:"of the step, as get-instance has it; empty is the instance itself"`
	// State of the step or of the instance, from then on; empty when it stays.
	State   string           `json:"state,omitempty"`
	Kind    definition.Kind  `json:"kind,omitempty"`
	Attempt int              `json:"attempt,omitempty"`
	Says    string           `json:"says,omitempty" doc:"why: an error, or a reason"`
	Review  review.State     `json:"review,omitempty" doc:"where the review of the step stands from then on"`
	Found   []contract.Found `json:"found,omitempty" doc:"what was found of the contract of the step"`
	CostUSD float64          `json:"costUsd,omitempty" doc:"what a model's answer adds to the step"`
	Tokens  int              `json:"tokens,omitempty" doc:"of that answer, read and written"`
}

// Changed tells what an event of an instance changes; ok is false for one that its canvas does not show.
func Changed(e event.Event) (c Change, ok bool, err error) {
	c = Change{Seq: e.Seq, At: e.At}
	switch e.Message.Type {
	case StepKind.Name:
		s, known, err := StepKind.Open(e)
		c.Path, c.State, c.Kind, c.Attempt, c.Says = s.Path, string(s.State), s.Kind, s.Attempt, s.says()
		return c, known, told(err)
	case ReviewedKind.Name:
		r, known, err := ReviewedKind.Open(e)
		c.Path, c.Review, c.Says = r.Path, r.To, r.Reason
		return c, known, told(err)
	case contract.EvidenceKind.Name:
		found, known, err := contract.EvidenceKind.Open(e)
		c.Path, c.Found = found.Path, found.Found
		return c, known && found.Ticket == "", told(err)
	case agent.AnsweredKind.Name:
		a, known, err := agent.AnsweredKind.Open(e)
		mark, marked := run.MarkOf(e.Message)
		c.Path, c.CostUSD, c.Tokens = stepOf(mark.Key), a.Answer.CostUSD, a.Answer.Usage.InputTokens+a.Answer.Usage.OutputTokens
		return c, known && marked, told(err)
	}
	return c.ofRun(e)
}

// says is why a step stands where it does, in a sentence.
func (s Step) says() string {
	if s.Event != "" && s.State == Waiting {
		return "It waits for an event of the type " + s.Event + "."
	}
	return cmp.Or(s.Error, s.Reason)
}

// ofRun tells what an event changes of the instance itself.
func (c Change) ofRun(e event.Event) (_ Change, ok bool, err error) {
	switch e.Message.Type {
	case run.QueuedKind.Name, run.ResumedKind.Name:
		c.State, ok = string(run.Queued), true
	case run.StartedKind.Name:
		c.State, ok = string(run.Running), true
	case run.WaitingKind.Name:
		var w run.Waits
		w, ok, err = run.WaitingKind.Open(e)
		c.State, c.Says = string(run.Waiting), w.Reason
	case run.FinishedKind.Name:
		var f run.Finished
		f, ok, err = run.FinishedKind.Open(e)
		c.State, c.Says = string(f.State), f.Reason
	}
	return c, ok, told(err)
}

func told(err error) error {
	if err != nil {
		return fmt.Errorf("read an event of an instance: %w", err)
	}
	return nil
}

// stepOf is the path of the step that a step of the run belongs to: each[2].write of each[2].write#1~1/m3.
func stepOf(key string) string {
	task, _, _ := strings.Cut(key, "/")
	if cut := strings.LastIndex(task, "#"); cut >= 0 {
		return task[:cut]
	}
	return task
}
