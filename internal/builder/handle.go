package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// RunKind is the kind of runs that plan a request which came outside of a conversation.
const RunKind = "build"

// Input is what such a run is started with.
type Input struct {
	Plan string `json:"plan"`
	Text string `json:"text"`
	Slug string `json:"slug,omitempty"`
}

// A Begun is a request that is planned.
type Begun struct {
	Run    run.ID
	Thread string
	Plan   string // the id that the plan gets
}

// Start begins to plan a request. Its plan, or why there is none, is the run's result.
func (b *Builder) Start(ctx context.Context, by event.Party, text, slug string) (Begun, error) {
	if slug != "" {
		if _, err := b.Library.Draft(ctx, slug); err != nil {
			return Begun{}, err
		}
	}
	mint := b.Runs.Mint()
	in := Input{Plan: mint.ID("pln"), Text: text, Slug: slug}
	raw, err := json.Marshal(in)
	if err != nil {
		return Begun{}, fmt.Errorf("encode input: %w", err)
	}
	const title = "Plan a workflow"
	spec := run.Spec{ID: run.ID(mint.ID("run")), Thread: mint.ID("thr"), Kind: RunKind, Title: title, Input: raw, By: by, Trace: run.TraceOf(ctx)}
	at := event.Place{Stream: event.ThreadStream(spec.Thread), Thread: spec.Thread, Run: string(spec.ID), Task: run.RootTask(spec.ID), From: by, Trace: spec.Trace}
	err = b.write(ctx, func(batch *run.Batch, _ Tx) error {
		if _, err := batch.Append(run.RequestKind.Draft(at, run.TaskRequest{Title: title})); err != nil {
			return err
		}
		return batch.Start(spec)
	})
	return Begun{spec.ID, spec.Thread, in.Plan}, err
}

// Handle is the [run.Handler] of such runs.
func (b *Builder) Handle(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	var in Input
	if err := json.Unmarshal(s.Run.Input, &in); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	scope, err := b.Agents.WorkflowScope(ctx, s, run.Chela(), nil)
	if err != nil {
		return run.Outcome{}, err
	}
	answer, err := b.Plan(ctx, Request{Plan: in.Plan, Text: in.Text, Slug: in.Slug, By: s.Run.By, Segment: s, Scope: scope, Key: "plan"})
	at := s.Place(run.Chela())
	at.Task, at.Key = run.RootTask(s.Run.ID), at.Run+"/end"
	switch {
	case err != nil && (context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded) || !refused(err)):
		return run.Outcome{}, err
	case err != nil:
		text := fault.TextOf(err)
		return run.Outcome{State: run.Failed, Reason: text, Drafts: []event.Draft{run.ErrorKind.Draft(at, run.TaskError{Code: "NOT_PLANNED", Message: text})}}, nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return run.Outcome{}, fmt.Errorf("encode the answer: %w", err)
	}
	return run.Outcome{State: run.Done, Result: raw, Drafts: []event.Draft{run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: raw, Summary: "The request is planned."})}}, nil
}
