package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/pattern"
	"chela/internal/run"
)

// purse is what the model calls of a loop are paid from. Without room they wait for the calls that
// hold it, or ask a person.
type purse struct{ l *loop }

// Reserve implements [meter.Purse].
func (p purse) Reserve(ctx context.Context, c budget.Call) (*budget.Grant, error) {
	l := p.l
	if l.g.opts.Budgets == nil {
		return nil, nil //nolint:nilnil // nothing limits it
	}
	limits, err := l.g.opts.Budgets.Limits(ctx)
	if err != nil {
		return nil, err
	}
	got, err := l.room(ctx, c.Step, l.limiting(limits), l.limiting, c)
	if err != nil || len(got) == 0 {
		return nil, err
	}
	return &got[0], nil
}

// Return implements [meter.Purse]. The result of a call that was cut off is not known, and it keeps
// what it reserved.
func (p purse) Return(ctx context.Context, step string, err error) error {
	if context.Cause(ctx) != nil || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return p.l.g.writeIn(ctx, p.l.s, func(tx Tx) error { return tx.Budgets().Unreserve(p.l.s.Run.ID, step) })
}

// payer is whose calls the loop makes.
func (l *loop) payer() budget.Payer {
	return budget.Payer{Project: l.s.Run.Project, Agent: l.agentID(), Key: l.s.Run.By.Key}
}

// limiting are those of all limits that count what the agent does in its project.
func (l *loop) limiting(all []budget.Limit) []budget.Limit {
	return budget.Of(all, l.payer())
}

// limitingTools are those of them that bound calls of tools.
func (l *loop) limitingTools(all []budget.Limit) []budget.Limit {
	return budget.OfTools(l.limiting(all))
}

// bound says of plans which limits their calls have to fit; it holds for the answer they
// belong to, so that none whose intention is recorded waits for room.
func (l *loop) bound(ctx context.Context, plans []plan) error {
	if l.g.opts.Budgets == nil {
		return nil
	}
	all, err := l.g.opts.Budgets.Limits(ctx)
	if err != nil {
		return err
	}
	limits := l.limitingTools(all)
	for n := range plans {
		if !plans[n].ofClient() {
			plans[n].limits = limits
		}
	}
	return nil
}

// counts reports whether budgets count the call: it is made, and is not one of those that
// begin children and wait for them, whose own calls count.
func (p *plan) counts() bool {
	return p.tool != nil && p.verdict.Verdict == guard.Allow && !OfChildren(p.call.Name)
}

// affordCalls reserves what calls that are made together may take, all or none, and
// narrows their time to that. A step that has begun under no limit is past it.
func (l *loop) affordCalls(ctx context.Context, i int, group []plan) error {
	var counted []*plan
	var each []budget.Call
	for g := range group {
		p := &group[g]
		key := l.callKey(i, p.n)
		if !p.counts() || len(p.limits) == 0 || l.s.Recorded(key).Done {
			continue
		}
		counted = append(counted, p)
		each = append(each, budget.Call{Step: key, Want: budget.Want{Time: l.longest(p)}})
	}
	if len(each) == 0 {
		return nil
	}
	got, err := l.room(ctx, each[0].Step, counted[0].limits, l.limitingTools, each...)
	for n := range got {
		counted[n].time = got[n].Time
	}
	return err
}

// longest is how long a call may last; one that a person answers takes no time of ours.
func (l *loop) longest(p *plan) time.Duration {
	if _, asks, _ := p.tool.Question(p.call.Args); asks {
		return 0
	}
	limit := p.tool.Timeout
	if left := l.timeLeft(); left > 0 {
		limit = min(limit, left)
	}
	if p.time > 0 {
		limit = min(limit, p.time)
	}
	return limit
}

// room reserves what calls may take together, where limits are; it asks people under key.
// It returns nothing when nothing limits them.
func (l *loop) room(ctx context.Context, key string, limits []budget.Limit, limiting func([]budget.Limit) []budget.Limit, each ...budget.Call) ([]budget.Grant, error) {
	for len(limits) > 0 {
		got, short, used, err := l.reserve(ctx, limits, limiting, each)
		switch {
		case err != nil:
			return nil, err
		case short == nil:
			return got, l.moved(ctx, key)
		}
		if err := l.askToRaise(ctx, key, short, used, limiting); err != nil {
			return nil, err
		}
		if limits, err = l.limitsNow(ctx, limiting); err != nil {
			return nil, err
		}
	}
	return nil, l.moved(ctx, key)
}

// limitsNow are the limits as they are, of those that bound the calls.
func (l *loop) limitsNow(ctx context.Context, limiting func([]budget.Limit) []budget.Limit) ([]budget.Limit, error) {
	all, err := l.g.opts.Budgets.LimitsNow(ctx)
	return limiting(all), err
}

// reserve asks for room, and again as long as only calls under way hold what is missing, each time
// under the limits as they are then. It returns the limits that it asked under last.
func (l *loop) reserve(ctx context.Context, limits []budget.Limit, limiting func([]budget.Limit) []budget.Limit, each []budget.Call) ([]budget.Grant, *budget.Shortage, []budget.Limit, error) {
	late := time.NewTimer(l.g.opts.CallTimeout) // what holds longer is no call
	defer late.Stop()
	grown, stop := l.g.opts.Budgets.Subscribe(event.LogGrew)
	defer stop()
	for len(limits) > 0 {
		got, short, err := l.tryReserve(ctx, limits, each)
		if err != nil || short == nil || !short.Held {
			return got, short, limits, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, limits, context.Cause(ctx)
		case <-late.C:
			return nil, short, limits, nil
		case <-grown:
		}
		if limits, err = l.limitsNow(ctx, limiting); err != nil {
			return nil, nil, limits, err
		}
	}
	return nil, nil, limits, nil
}

// tryReserve asks once for room under limits, with what people granted the run on top.
func (l *loop) tryReserve(ctx context.Context, limits []budget.Limit, each []budget.Call) (got []budget.Grant, short *budget.Shortage, err error) {
	extra, err := l.raised(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := budget.Calls{Run: l.s.Run.ID, Payer: l.payer(), Each: each, Extra: extra}
	err = l.g.writeIn(ctx, l.s, func(tx Tx) (err error) {
		got, short, err = tx.Budgets().Reserve(limits, c)
		return err
	})
	return got, short, err
}

// asksToRaise fits the keys of questions about limits.
var asksToRaise = pattern.New(`/budget\d+$`)

// raised sums what people granted this run on top of limits.
func (l *loop) raised(ctx context.Context) (map[string]budget.Amounts, error) {
	out := make(map[string]budget.Amounts)
	for _, r := range l.s.Steps(asksToRaise.MatchString) {
		q, now, err := l.toRaise(ctx, r)
		if err != nil {
			return nil, err
		}
		if now.Answer != nil && now.Answer.Choice == approval.RaiseOnce {
			g := *q.Raise
			out[g.Limit] = out[g.Limit].Plus(budget.Amounts{Tokens: g.Tokens, MicroUSD: g.MicroUSD, Millis: g.Millis, Calls: g.Calls})
		}
	}
	return out, nil
}

// toRaise returns a question about a limit and how it stands.
func (l *loop) toRaise(ctx context.Context, r run.Recorded) (approval.Request, approval.Approval, error) {
	q, ok, err := approval.RequestedKind.Open(r.Event)
	if err != nil || !ok || q.Raise == nil {
		return q, approval.Approval{}, fmt.Errorf("read question %s: %w", r.Key, err)
	}
	now, err := l.g.asked.Approval(ctx, q.ID)
	return q, now, err
}

// moved withdraws the questions about room for a call that there is room for now.
func (l *loop) moved(ctx context.Context, key string) error {
	for _, r := range l.s.Steps(func(k string) bool { return asksToRaise.MatchString(k) && asksToRaise.ReplaceAllString(k, "") == key }) {
		q, now, err := l.toRaise(ctx, r)
		if err != nil {
			return err
		}
		if now.Answer == nil {
			if _, err := l.s.Append(ctx, approval.Moved(l.s.Run, q.ID, "There is room again.")); err != nil {
				return err
			}
		}
	}
	return nil
}

// askToRaise puts to a person whether the run may go over a limit, and ends the segment;
// nil is to look again. A limit for a day waits at most until the next.
func (l *loop) askToRaise(ctx context.Context, key string, short *budget.Shortage, used []budget.Limit, limiting func([]budget.Limit) []budget.Limit) error {
	for k := 0; ; k++ {
		step := fmt.Sprintf("%s/budget%d", key, k)
		asked := l.s.Recorded(step)
		if !asked.Done {
			return l.recordToRaise(ctx, step, short, used, limiting)
		}
		q, now, err := l.toRaise(ctx, asked)
		switch {
		case err != nil:
			return err
		case now.Answer != nil && now.Answer.Choice == approval.Stop:
			return fault.New(fault.Denied, "A person stopped the run: %s", strings.TrimSpace(q.Detail+" "+now.Answer.Note))
		case now.Answer == nil && (q.Until.IsZero() || l.s.Mint().Now().Before(q.Until)):
			return &errWait{on: run.ForPerson + q.ID, until: q.Until, why: q.Detail}
		case now.Answer == nil:
			if _, err := l.s.Append(ctx, approval.Moved(l.s.Run, q.ID, "The day has turned.")); err != nil {
				return err
			}
		}
	}
}

func (l *loop) recordToRaise(ctx context.Context, step string, short *budget.Shortage, used []budget.Limit, limiting func([]budget.Limit) []budget.Limit) error {
	m := short.More
	by, err := l.g.permitted(ctx, l.agentID(), l.s.Run.Project)
	if err != nil {
		return err
	}
	called := ""
	if short.Limit.Scope == budget.Project {
		called = by.ProjectName
	}
	text, question := short.Asks(called)
	q := approval.Request{
		ID: l.s.Mint().ID("apr"), Run: l.s.Run.ID, Kind: approval.BudgetReached, Step: step, Project: l.s.Run.Project, Role: org.Admin,
		Question: question, Detail: text,
		Choices: []string{approval.RaiseOnce, approval.Stop}, Until: short.Limit.Turns(l.s.Mint().Now()),
		Raise: &approval.Raise{Limit: short.Limit.ID(), Tokens: m.Tokens, MicroUSD: m.MicroUSD, Millis: m.Millis, Calls: m.Calls},
	}
	if err := l.mayAsk(ctx, &q); err != nil {
		return err
	}
	drafts := append(l.takePending(), run.AsStep(approval.RequestedKind.Draft(l.t.Place(l.s, run.Chela()), q), step, true))
	if _, err := l.s.Append(ctx, drafts...); err != nil {
		return err
	}
	// Whoever changed the limits before that did not see the question.
	fresh, err := l.limitsNow(ctx, limiting)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(fresh, used, sameLimit) {
		_, err := l.s.Append(ctx, approval.Moved(l.s.Run, q.ID, "The budget was changed."))
		return err
	}
	return &errWait{on: run.ForPerson + q.ID, until: q.Until, why: text}
}

func sameLimit(a, b budget.Limit) bool { return a.ID() == b.ID() && a.Text() == b.Text() }
