package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"chela/internal/approval"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/stream"
	"chela/internal/tool"
)

func (l *loop) agentID() org.AgentID { return l.t.agent.Card.AgentID }

func (l *loop) callKey(i, n int) string { return fmt.Sprintf("%s/c%d", l.key(i), n) }

// use makes the calls of an answer and takes their results into the history:
// those that may be beside each other, the others one after the other. plans is what was
// decided when the answer was recorded, nil when that was before. It returns the limit
// that was reached, if any.
func (l *loop) use(ctx context.Context, i int, a model.Answer, plans []plan) (limit string, err error) {
	fresh := plans != nil
	if plans == nil {
		if err := l.still(ctx); err != nil {
			return "", err
		}
		if plans, err = l.planned(ctx, i, a.Calls); err != nil {
			return "", err
		}
	}
	if err := l.permit(ctx, i, plans); err != nil {
		return "", err
	}
	if err := l.adopt(ctx, i, plans); err != nil {
		return "", err
	}
	results := make([]result, len(a.Calls))
	for n := 0; n < len(plans); {
		if plans[n].ofClient() {
			n++
			continue
		}
		size := 1
		for size < l.g.opts.Parallel && n+size < len(plans) && beside(plans[n]) && beside(plans[n+size]) {
			size++
		}
		if err := l.group(ctx, i, plans[n:n+size], fresh, results); err != nil {
			return "", err
		}
		for _, r := range results[n : n+size] {
			l.touched.Join(r.changed)
		}
		n += size
	}
	if err := l.askClient(ctx, i, plans, fresh, results); err != nil {
		return "", err
	}
	for n := range results {
		l.seenFrom.take(plans[n], results[n])
	}
	l.learn(plans, results)
	parts := make([]model.Part, len(results))
	stuck := 0
	for n := range results {
		parts[n].Result = &results[n].ToolResult
		stuck = max(stuck, l.repeats.again(a.Calls[n].Name, a.Calls[n].Args, results[n].Text))
	}
	l.history = fewerPictures(append(l.history, model.Message{Role: model.Tool, Parts: parts}), mostPictures)
	l.steps--
	if a.LeftOut > 0 {
		l.say(fmt.Sprintf("Your answer asked for %d calls, and at most %d of one answer are made. The last %d were left out: make them in your next answers, as far as they are still wanted.", len(a.Calls)+a.LeftOut, len(a.Calls), a.LeftOut))
	}
	if a.Stop == model.StopMaxTokens && slices.ContainsFunc(a.Calls, func(c model.ToolCall) bool { return tool.Broken(c.Name, c.Args) != nil }) {
		l.say("Your answer was cut at the output limit in the middle of a call. Make it again with less in it: a long text in parts, one call after the other.")
	}
	switch {
	case stuck >= 5:
		return "The agent made the same call with the same result five times.", nil
	case stuck >= 3:
		l.say("You have made this call with the same result before. Do something else, or answer.")
	case l.steps <= 0:
		return "The limit of tool calls is reached.", nil
	}
	return "", nil
}

// effect is what a call does to the world. One that a person was asked about, or that is made
// alone, is recorded before it is made although it only reads.
func (p plan) effect() run.Effect {
	switch {
	case p.tool == nil:
		return run.Ours
	case (p.risk() == tool.ReadOnly || p.tool.Parallel) && !p.asked && !p.tool.Alone:
		return run.Pure
	case p.risk() == tool.ReadOnly || p.risk() == tool.WriteRecords || p.tool.Repeatable:
		return run.Ours
	}
	return run.World
}

// outside reports whether a call does more than read and change our own records.
func (p plan) outside() bool { return p.risk() != tool.ReadOnly && p.risk() != tool.WriteRecords }

// beside reports whether a call may be made beside others.
func beside(p plan) bool { return p.effect() == run.Pure && p.verdict.Verdict == guard.Allow }

// effectOf is what an answer with these calls does: nothing outside follows from one whose calls
// only read our own records.
func effectOf(plans []plan) run.Effect {
	for _, p := range plans {
		if !beside(p) || p.risk() != tool.ReadOnly || !tool.Ours(p.tool.Untrusted) || len(p.limits) > 0 {
			return run.World
		}
	}
	return run.Pure
}

// group makes calls beside each other; their results are recorded together, soon: a crash
// before that has the calls made again, which harms nobody.
func (l *loop) group(ctx context.Context, i int, group []plan, fresh bool, results []result) error {
	if len(group) == 1 {
		r, err := l.one(ctx, i, group[0], fresh)
		results[group[0].n] = r
		return err
	}
	if err := l.affordCalls(ctx, i, group); err != nil {
		return err
	}
	drafts, took := make([][]event.Draft, len(group)), make([]time.Duration, len(group))
	var wait sync.WaitGroup
	for g, p := range group {
		if r, ok := l.known(i, p); ok {
			results[p.n], took[g] = r, r.took
			continue
		}
		wait.Go(func() {
			start := l.s.Mint().Now()
			res, err := l.run(ctx, i, p)
			took[g] = l.s.Mint().Now().Sub(start)
			results[p.n], drafts[g] = l.outcome(ctx, i, p, res, err, took[g])
			drafts[g] = l.begun(i, p, drafts[g])
		})
	}
	wait.Wait()
	l.spent.time += slices.Max(took) // beside each other
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var all []event.Draft
	for _, d := range drafts {
		all = append(all, d...)
	}
	l.s.Hold(all...)
	return nil
}

// known returns the recorded result of a call.
func (l *loop) known(i int, p plan) (result, bool) {
	r := l.s.Recorded(l.callKey(i, p.n))
	if !r.Done {
		return result{}, false
	}
	if got, ok, err := tool.ResultKind.Open(r.Event); ok && err == nil {
		out := l.pictured(p.result(got.Result, got.From).did(got.Changed), got.Shows)
		out.stands, out.took, out.IsError = got.Stands, time.Duration(got.MS)*time.Millisecond, !got.Success
		return out, true
	}
	if got, ok, err := tool.ErrorKind.Open(r.Event); ok && err == nil {
		out := p.failed(got.Error).did(got.Changed)
		out.took = time.Duration(got.MS) * time.Millisecond
		return out, true
	}
	return result{}, false
}

// one makes a call and records its result. A call of ours on our own records is
// planned again when somebody changed them meanwhile.
func (l *loop) one(ctx context.Context, i int, p plan, fresh bool) (result, error) {
	if r, ok := l.known(i, p); ok {
		l.spent.time += r.took
		return r, nil
	}
	if r, ok, err := l.ready(ctx, i, &p, fresh); err != nil || ok {
		return r, err
	}
	start, spent, granted := l.s.Mint().Now(), l.spent.time, p.time
	for try := 1; ; try++ {
		res, err := l.run(ctx, i, p)
		if _, waits := errors.AsType[*errWait](err); waits {
			return result{}, err
		}
		if cause := context.Cause(ctx); cause != nil {
			return result{}, cause
		}
		took := l.s.Mint().Now().Sub(start)
		l.spent.time = spent + took
		if granted > 0 {
			p.time = max(granted-took, time.Millisecond)
		}
		r, drafts := l.outcome(ctx, i, p, res, err, took)
		if beside(p) {
			return r, l.s.Record(ctx, p.effect(), l.begun(i, p, drafts)...)
		}
		_, err = l.s.Append(ctx, drafts...)
		if err != nil && fault.KindOf(err) == fault.Conflict && len(res.Drafts) > 0 && try < 5 && !isSuperseded(err) {
			continue
		}
		return r, err
	}
}

// ready has a person say whether a call happened that was under way when its worker died,
// reserves what it may take, and records that it is about to be made. ok is true when its
// result is known instead.
func (l *loop) ready(ctx context.Context, i int, p *plan, fresh bool) (r result, ok bool, err error) {
	recorded := l.s.Recorded(l.callKey(i, p.n))
	had, err := l.interrupted(ctx, l.callKey(i, p.n), fresh)
	if err != nil {
		return r, false, err
	}
	if (had || p.effect().Unknown(recorded)) && !fresh {
		if r, ok, err = l.unknown(ctx, i, *p); err != nil || ok {
			return r, ok, err
		}
	}
	one := []plan{*p}
	if err := l.affordCalls(ctx, i, one); err != nil {
		return r, false, err
	}
	*p = one[0]
	if p.tool != nil && p.effect().Intends(recorded) && p.verdict.Verdict == guard.Allow {
		return r, false, l.intend(ctx, i, *p)
	}
	return r, false, nil
}

// unknownWhy is why a run waits whose step may or may not have happened.
const unknownWhy = "It cannot be known whether a step happened; a person has to say."

// unknown puts to a person what to do about a call that was under way when its
// worker died or the run was paused. ok is false when it shall be made (again).
func (l *loop) unknown(ctx context.Context, i int, p plan) (r result, ok bool, err error) {
	key := l.callKey(i, p.n) + "/ask"
	asked := l.s.Recorded(key)
	if !asked.Done {
		q := approval.Request{
			ID: l.s.Mint().ID("apr"), Run: l.s.Run.ID, Kind: approval.OutcomeUnknown, Step: l.callKey(i, p.n), Tool: p.tool.Name, Detail: readable(p.call.Args),
			Project: l.s.Run.Project, Role: p.approver(),
			Question: fmt.Sprintf("%s was calling %s when its work was cut off: the run was paused, or the daemon stopped. It cannot be known whether it happened. Did it happen, shall it be done again, or be skipped?", l.agentID().Name(), p.tool.Name),
			Choices:  []string{approval.Happened, approval.Repeat, approval.Skip},
		}
		if err := l.mayAsk(ctx, &q); err != nil {
			return r, false, err
		}
		l.put(q, key)
		return r, false, &errWait{on: run.ForPerson + q.ID, why: unknownWhy}
	}
	q, _, err := approval.RequestedKind.Open(asked.Event)
	if err != nil {
		return r, false, fmt.Errorf("read question: %w", err)
	}
	now, err := l.g.asked.Approval(ctx, q.ID)
	if err != nil {
		return r, false, err
	}
	if now.Answer == nil {
		return r, false, &errWait{on: run.ForPerson + q.ID, why: unknownWhy}
	}
	switch now.Answer.Choice {
	case approval.Repeat:
		return r, false, nil
	case approval.Happened:
		r, drafts := l.outcome(ctx, i, p, tool.Result{Text: "A person says that it happened; its result is not known."}, nil, 0)
		_, err := l.s.Append(ctx, drafts...)
		return r, true, err
	case approval.Skip:
		p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "skipped: " + q.ID}
		r, drafts := l.outcome(ctx, i, p, tool.Result{}, fault.New(fault.Conflict, "It did not happen: a person chose to skip it."), 0)
		_, err := l.s.Append(ctx, drafts...)
		return r, true, err
	}
	return r, false, &errWait{on: run.ForPerson + q.ID, why: unknownWhy}
}

// run makes the call with its time limit, and makes an error of a panic.
func (l *loop) run(ctx context.Context, i int, p plan) (res tool.Result, err error) {
	if p.verdict.Verdict != guard.Allow {
		return res, fault.New(fault.Denied, "%s", p.verdict.Text)
	}
	if res, ok, err := l.withChildren(ctx, i, p); ok {
		return res, err
	}
	if res, ok, err := l.lookUp(ctx, i, p); ok {
		return res, err
	}
	if res, ok, err := l.reread(ctx, p); ok {
		return res, err
	}
	proof, err := l.prove(ctx, i, p)
	if err != nil {
		return res, err
	}
	limit := l.longest(&p)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fault.New(fault.Unavailable, "%s did not end within %s.", p.tool.Name, limit))
	defer cancel()
	ctx, end := run.Span(ctx, "execute_tool "+p.tool.Name, attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", p.tool.Name), attribute.String("gen_ai.tool.call.id", p.call.ID))
	defer func() { end(err) }()
	defer func() {
		if r := recover(); r != nil {
			l.g.opts.Log.Error("panic in a tool", "tool", p.tool.Name, "panic", r)
			err = fault.New(fault.Internal, "%s broke; the daemon's log has the details.", p.tool.Name)
		}
	}()
	l.g.hub.Publish(stream.Tick{Thread: l.s.Run.Thread, Run: string(l.s.Run.ID), Task: l.t.id, Agent: string(l.agentID()), Kind: "tool", Text: p.tool.Name})
	if p.outside() {
		fault.Point("before tool call")
		defer fault.Point("after tool call")
	}
	c := l.toolCall(i, p)
	c.Proof = proof
	if c.Secrets, err = l.g.secretsOf(ctx, p.act.Secrets); err != nil {
		return res, err
	}
	if p.asked {
		if changed := approval.Differ(p.bound, p.bounds()); changed != "" {
			return res, fault.New(fault.Denied, "%s was approved, but %s Call it again, so that a person is asked about what is there now.", p.tool.Name, changed)
		}
	}
	done := l.g.writers.enter(&c, p)
	res, err = p.tool.Call(ctx, c)
	res.Changed = l.masked(ctx, done())
	return res, err
}

// toolCall is the call as its tool gets it.
func (l *loop) toolCall(i int, p plan) tool.Call {
	return tool.Call{
		ID: p.call.ID, Name: p.tool.Name, Args: p.call.Args, Key: string(l.s.Run.ID) + "/" + l.callKey(i, p.n),
		Run: l.s.Run, Place: l.t.Place(l.s, party(l.agentID())), Agent: l.agentID(), Role: l.caller().Role, Folders: p.folders, Origins: l.seenFrom.list(),
		Onward: l.onward(p), Inquire: l.inquire(i, p), Begins: l.abroad != nil,
	}
}

// outcome turns what came of a call into what the model sees and what is recorded; neither
// holds a secret.
func (l *loop) outcome(ctx context.Context, i int, p plan, res tool.Result, err error, took time.Duration) (result, []event.Draft) {
	at := l.t.Place(l.s, party(l.agentID()))
	key := l.callKey(i, p.n)
	if err != nil {
		text := l.g.opts.Redact(ctx, fault.TextOf(err))
		d := tool.ErrorKind.Draft(at, tool.ErrorPayload{Tool: p.call.Name, Error: text, Call: p.call.ID, MS: took.Milliseconds(), Changed: res.Changed})
		return p.failed(text).did(res.Changed), append(l.strayed(ctx, p, tool.Result{Changed: res.Changed}), p.step(d, key, took))
	}
	text, rest := l.g.opts.Redact(ctx, res.Text), ""
	if len(text) > l.g.opts.ResultLimit {
		if ref, err := l.g.arts.Put([]byte(text)); err == nil {
			rest = string(ref)
		}
		text = head(text, l.g.opts.ResultLimit) + "\n[The result was cut here. All of it is in " + rest + ".]"
	}
	d := tool.ResultKind.Draft(at, tool.ResultPayload{Tool: p.tool.Name, Success: !res.Failed, Result: text, Call: p.call.ID, Rest: rest, MS: took.Milliseconds(), From: res.From, Shows: res.Shows, Changed: res.Changed, Stands: res.Stands})
	drafts := append(append([]event.Draft(nil), res.Drafts...), l.strayed(ctx, p, res)...)
	drafts = append(drafts, p.step(d, key, took))
	r := p.result(text, res.From).did(res.Changed)
	r.IsError, r.stands = res.Failed, res.Stands
	return l.pictured(r, res.Shows), drafts
}

// step marks the result of the call, so that budgets count it when it was made.
func (p *plan) step(d event.Draft, key string, took time.Duration) event.Draft {
	if p.counts() {
		return run.AsCall(d, key, took)
	}
	return run.AsStep(d, key, true)
}

// A result is what the model sees of a call, and where it comes from when that is outside.
type result struct {
	model.ToolResult
	from    []string
	took    time.Duration
	changed *disk.Changes // of files
	said    string        // its text as it came, without the mark of data
	stands  *tool.Standing
}

// did is r with what its call did to files.
func (r result) did(c *disk.Changes) result {
	r.changed = c
	return r
}

// result marks what comes from outside as data.
func (p plan) result(text string, from []string) result {
	r := result{ToolResult: model.ToolResult{CallID: p.call.ID, Name: p.call.Name, Text: text}, from: p.sources(from), said: text}
	if len(r.from) > 0 {
		r.Text = prompt.Data("from "+strings.Join(r.from, ", "), text)
	}
	return r
}

// failed is a result that is an error, in a sentence of ours.
func (p plan) failed(text string) result {
	return result{ToolResult: model.ToolResult{CallID: p.call.ID, Name: p.call.Name, Text: text, IsError: true}, said: text}
}
