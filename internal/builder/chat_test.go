package builder_test

import (
	"context"
	"testing"

	"chela/internal/agent"
	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
)

// waiting is a store with one plan that waits for approval.
type waiting struct{ builder.Store }

func (waiting) LatestPlan(context.Context, string, string) (builder.Kept, bool, error) {
	return builder.Kept{Planned: builder.Planned{Plan: blueprint.Plan{ID: "pln_1", Workflow: "a", Metadata: blueprint.Metadata{Name: "A"}}}, State: builder.Pending}, true, nil
}

type editors struct{}

func (editors) Members(context.Context) ([]agent.Member, error) { return nil, nil }

func (editors) RoleOf(context.Context, event.Party) (org.Role, error) { return org.Editor, nil }

// passed counts what is not for the builder.
type passed struct{ n int }

func (p *passed) Route(context.Context, router.Ask) (router.Answer, error) {
	p.n++
	return router.Answer{}, nil
}

// TestFront_WhatIsSaidToOthers holds that a plan that waits takes no yes, no or undo that is said to somebody else's answer.
func TestFront_WhatIsSaidToOthers(t *testing.T) {
	t.Parallel()
	next := new(passed)
	f := builder.Front{Builder: builder.New[builder.Tx](nil, builder.Parts{Store: waiting{}, Members: editors{}}), Next: next}
	for _, text := range []string{"yes", "ok", "no", "cancel", "undo that", "deploy it"} {
		for _, last := range []string{"", "Shall I update the runbook, too?", "Shall I run **A**?"} {
			next.n = 0
			got, err := f.Route(t.Context(), router.Ask{
				Segment: new(run.Segment), Thread: session.Thread{ID: "thr_1"}, Last: last,
				Message: session.Message{ID: "msg_1", Actor: org.Person{ID: "per_1"}.Party().AgentID, Said: session.Said{Message: text}},
			})
			if err != nil || got.Replies || next.n != 1 {
				t.Errorf("%q to %q: got %+v, %v, passed on %d times", text, last, got, err, next.n)
			}
		}
	}
}
