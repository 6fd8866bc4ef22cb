package talk

import (
	"context"
	"errors"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/run"
)

const (
	probeStep = "test"
	probeTime = 2 * time.Minute
)

// Probe asks a provider's model for one word, within what the organization may spend, and records what it used. How it went is in
// the state.
func (t *Talk) Probe(ctx context.Context, by event.Party, provider string) (model.State, error) {
	mint := t.Store.Desk.Mint()
	id := run.ID(mint.ID("run"))
	at := event.Place{Stream: event.OrgStream, Thread: mint.ID("thr"), Run: string(id), Task: run.RootTask(id), From: by}
	want := budget.Want{In: 20, Out: 16, Time: probeTime}
	for _, p := range t.Models.List() {
		if price, known := t.Models.Price(p.Name+"/"+p.Model, ""); p.Name == provider && known && !price.Unpriced {
			want.USDIn, want.USDOut = price.In, price.Out
		}
	}
	var out model.State
	purse := meter.Direct{Store: t.Limits, Run: id, Payer: budget.Payer{Key: by.Key}}
	err := meter.Spend(ctx, purse, budget.Call{Step: probeStep, Want: want}, probeTime, func(ctx context.Context, _ *budget.Grant) error {
		state, a, err := t.Models.Test(ctx, provider)
		out = state
		if err != nil {
			return err
		}
		if a == nil {
			return errSilent // what was reserved is given back
		}
		_, err = t.Store.Log.Append(context.WithoutCancel(ctx), run.AsStep(agent.AnsweredKind.Draft(at, agent.Answered{Agent: by.AgentID, Answer: *a}), probeStep, true))
		return err
	})
	if errors.Is(err, errSilent) {
		return out, nil
	}
	return out, err
}

// errSilent says that the provider did not answer; its state says why.
var errSilent = errors.New("the provider did not answer")
