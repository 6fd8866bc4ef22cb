package talk

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/prompt"
	"chela/internal/run"
)

// Models pass calls on to the models that are configured.
type Models interface {
	Forward(ctx context.Context, name string, kind model.Kind, path string, header http.Header, write func(model string) ([]byte, error)) (model.Forwarded, error)
	Price(name string, job model.Job) (model.Price, bool)
	Charge(a *model.Answer)
	List() []model.Provider
	Test(ctx context.Context, provider string) (model.State, *model.Answer, error)
}

// A Forward is a call of a model in a vendor's own format that is passed on as it is. Nothing of what it
// says is recorded; what it used is.
type Forward struct {
	By     event.Party
	Name   string // of the model, as "provider/model"
	Kind   model.Kind
	Path   string // of the vendor
	Header http.Header
	Size   int  // of what is sent, in bytes
	Most   int  // tokens of an answer, 0 when the caller does not say
	Count  int  // of answers; 0 is one
	Free   bool // it uses nothing, as a count does: nothing is reserved and recorded
	// Write returns the body for the model of that name, each of whose answers has at most so many tokens; 0 is no bound.
	Write func(model string, most int) ([]byte, error)
	// Deliver hands the answer on and says what it used, also where it broke.
	Deliver func(model.Forwarded) (model.Usage, error)
}

const (
	forwardStep = "forward"
	forwardTime = 30 * time.Minute // a call may last
	mostOut     = 8192             // tokens of an answer, where neither caller nor table says
)

// Forward passes a call on within what the organization may spend, and records what it used.
func (t *Talk) Forward(ctx context.Context, f Forward) error {
	if f.Free {
		res, err := t.Models.Forward(ctx, f.Name, f.Kind, f.Path, f.Header, func(model string) ([]byte, error) { return f.Write(model, 0) })
		if err == nil {
			defer func() { _ = res.Body.Close() }() // read to its end, or given up
			_, err = f.Deliver(res)
		}
		return err
	}
	project, err := t.projectOf(ctx, f.By)
	if err != nil {
		return err
	}
	stream := event.OrgStream
	if project != "" {
		stream = event.ProjectStream(project)
	}
	mint := t.Store.Desk.Mint()
	id := run.ID(mint.ID("run"))
	at := event.Place{Stream: stream, Thread: mint.ID("thr"), Run: string(id), Task: run.RootTask(id), From: f.By}
	want := budget.Want{In: int64(prompt.EstimateSize(f.Size)), Out: int64(f.Most), Time: forwardTime}
	price, known := t.Models.Price(f.Name, "")
	if want.Out == 0 {
		want.Out = int64(cmp.Or(price.Output, mostOut))
	}
	if known && !price.Unpriced {
		want.USDIn, want.USDOut = price.In, price.Out
	}
	count := int64(max(f.Count, 1))
	want.Out *= count
	began := mint.Now()
	purse := meter.Direct{Store: t.Limits, Run: id, Payer: budget.Payer{Key: f.By.Key, Project: project}}
	return meter.Spend(ctx, purse, budget.Call{Step: forwardStep, Want: want}, forwardTime, func(ctx context.Context, grant *budget.Grant) error {
		most := 0
		if grant != nil {
			if most = int(grant.Out / count); most == 0 {
				return fault.New(fault.Unavailable, "The budget has room for %d tokens, which is not one for each of the %d answers. Ask for fewer.", grant.Out, count)
			}
		}
		res, err := t.Models.Forward(ctx, f.Name, f.Kind, f.Path, f.Header, func(model string) ([]byte, error) { return f.Write(model, most) })
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }() // read to its end, or given up
		used, err := f.Deliver(res)
		if res.StatusCode != http.StatusOK {
			return errors.Join(err, fault.New(fault.Unavailable, "%s refused the call with %d.", res.Provider, res.StatusCode))
		}
		if grant != nil && (err != nil || used == (model.Usage{})) { // what it used is not known: what was reserved counts
			used.InputTokens, used.OutputTokens = max(used.InputTokens, int(want.In)), max(used.OutputTokens, int(grant.Out))
		}
		a := model.Answer{Provider: res.Provider, Model: res.Model, Stop: model.StopEnd, Usage: used, Duration: mint.Now().Sub(began), Attempts: 1}
		if err != nil {
			a.Stop = model.StopBroken
		}
		t.Models.Charge(&a)
		said := run.AsStep(agent.AnsweredKind.Draft(at, agent.Answered{Agent: f.By.AgentID, Answer: a}), forwardStep, true)
		if _, also := t.Store.Log.Append(context.WithoutCancel(ctx), said); also != nil {
			return errors.Join(err, also)
		}
		return err
	})
}
