package api

import (
	"context"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/trace"
)

// longestTrace bounds the events that a trace is made of, beside those of records.
const longestTrace = 5000

// TraceOut is a run and what it did.
type TraceOut struct {
	Run       run.Run             `json:"run"`
	Why       string              `json:"why" doc:"what it waits for, or why it ended, in a sentence"`
	Spend     agent.Spend         `json:"spend"`
	Approvals []approval.Approval `json:"approvals" nullable:"false"`
	Forks     []run.Run           `json:"forks" nullable:"false" doc:"runs that were begun from a step of this one"`
	Forkable  bool                `json:"forkable" doc:"a new run can be begun from its steps"`
	Trace     trace.Trace         `json:"trace"`
	Cut       bool                `json:"cut,omitempty" doc:"the run recorded more than is told here; the log has all of it"`
}

func (a *api) trace(ctx context.Context, in *IDPath) (*Body[TraceOut], error) {
	r, err := a.Store.Runs.Run(ctx, run.ID(in.ID))
	if err != nil {
		return nil, err
	}
	out := TraceOut{Run: r, Forkable: session.IsTurn(r.Kind), Approvals: []approval.Approval{}}
	if out.Spend, err = a.Store.Spending.Spend(ctx, r.ID); err != nil {
		return nil, err
	}
	asked, err := a.Store.Questions.ApprovalsOf(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out.Approvals = append(out.Approvals, asked...)
	if out.Why, err = a.why(ctx, r, out.Approvals); err != nil {
		return nil, err
	}
	forks, err := a.Store.Runs.Forks(ctx, r)
	if err != nil {
		return nil, err
	}
	out.Forks = append([]run.Run{}, forks...)
	found, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Run: in.ID, Without: "desk.*", Limit: longestTrace})
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, len(found))
	for i := range found {
		events[i] = found[i].Event
	}
	out.Cut = len(events) == longestTrace
	out.Trace = trace.Of(r, events, a.Store.Desk.Mint().Now())
	return body(out, nil)
}
