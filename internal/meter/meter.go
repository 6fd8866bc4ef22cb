// Package meter bounds what calls of models spend. It reserves what a call may take, narrows the call
// to that, and gives the room back when the call fails. Every caller of a model spends through it.
package meter

import (
	"context"
	"errors"
	"time"

	"chela/internal/budget"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/prompt"
)

// A Price tells what is known of the model that a request's Model and Job name.
type Price func(name string, job model.Job) (model.Price, bool)

// A Purse is what one caller may spend from.
type Purse interface {
	// Reserve reserves what a call may take. Without a grant nothing limits it.
	Reserve(ctx context.Context, c budget.Call) (grant *budget.Grant, err error)
	// Return gives back what a call had reserved that failed with err. ctx may have ended.
	Return(ctx context.Context, step string, err error) error
}

// Spend makes a call within what p grants it; limit is how long the call may last at most.
func Spend(ctx context.Context, p Purse, c budget.Call, limit time.Duration, do func(ctx context.Context, grant *budget.Grant) error) error {
	grant, err := p.Reserve(ctx, c)
	if err != nil {
		return err
	}
	if grant != nil && grant.Time > 0 {
		limit = grant.Time
	}
	inTime, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "The model did not answer within %s.", limit))
	defer cancel()
	err = do(inTime, grant)
	if err == nil || grant == nil {
		return err
	}
	if also := p.Return(ctx, c.Step, err); also != nil {
		return errors.Join(err, also)
	}
	return err
}

// A metered model answers one step of a run within what a purse grants.
type metered struct {
	model model.Model
	purse Purse
	price Price
	step  string
	limit time.Duration
}

// Model returns m as it answers one step: each call is reserved, narrowed and settled in p, and lasts
// at most limit. A nil price knows none.
func Model(m model.Model, p Purse, price Price, step string, limit time.Duration) model.Model {
	return metered{m, p, price, step, limit}
}

// Generate implements [model.Model].
func (m metered) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (a model.Answer, err error) {
	call := budget.Call{Step: m.step, Want: WantOf(r, m.price, m.limit)}
	err = Spend(ctx, m.purse, call, m.limit, func(ctx context.Context, grant *budget.Grant) (err error) {
		if grant != nil {
			r.MaxTokens = int(grant.Out)
		}
		a, err = m.model.Generate(ctx, r, show)
		return err
	})
	return a, err
}

// mostOut is how many tokens an answer is taken to have at most where the model does not say.
const mostOut = 8192

// imageTokens is about what vendors count for one picture.
const imageTokens = 1600

// WantOf is what a call may take: what it sends, as far as that can be told before, and the longest answer.
func WantOf(r model.Request, known Price, limit time.Duration) budget.Want {
	w := budget.Want{In: int64(prompt.Estimate(r.System)), Out: mostOut, Time: limit}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			w.In += int64(prompt.Estimate(p.Text))
			switch {
			case p.Call != nil:
				w.In += int64(prompt.Estimate(p.Call.Name) + prompt.EstimateSize(len(p.Call.Args)))
			case p.Result != nil:
				w.In += int64(prompt.Estimate(p.Result.Text)) + imageTokens*int64(len(p.Result.Images))
			case p.Image != nil:
				w.In += imageTokens
			}
		}
	}
	if r.Tools != nil {
		for _, t := range r.Tools.Specs {
			w.In += int64(prompt.Estimate(t.Name) + prompt.Estimate(t.Help) + prompt.EstimateSize(len(t.Schema)))
		}
	}
	if r.Output != nil {
		w.In += int64(prompt.EstimateSize(len(r.Output.Schema)))
	}
	if known == nil {
		return w
	}
	price, ok := known(r.Model, r.Job)
	if ok && price.Output > 0 {
		w.Out = min(w.Out, int64(price.Output))
	}
	if ok && !price.Unpriced {
		w.USDIn, w.USDOut = price.In, price.Out
	}
	return w
}
