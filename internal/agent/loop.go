package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A loop is one agent at work on one task: model, tools, repeat. What it shares with the other
// tasks of the segment is in its [Scope]; what is decided about one call is a [plan].
type loop struct {
	*Scope
	hearing
	allowance

	t       Task
	now     org.Agent     // the task's agent, as it is by now
	who     *guard.Caller // for whom it acts; a child's is its own
	shown   bool          // its words go to the person as they come
	system  string
	tools   *model.Toolset
	found   []string // tools it was not shown at first
	follows []string // the skills that it has read
	left    left     // what was left out of the history
	history []model.Message
	output  *model.Schema
	job     model.Job
	pending []event.Draft // recorded together with the next step
	asked   asked         // what it was asked for
	touched disk.Changes  // what its calls did to files

	family *family  // nil when it may have no children
	child  *child   // that it is; nil for none
	client *clients // tools of the program that asks; nil for none
	abroad *abroad  // what an agent is sent that works elsewhere; nil for one of ours
}

// A hearing says what a loop has heard of the conversation.
type hearing struct {
	steer bool              // look for new messages of people between calls
	seen  event.Seq         // the newest that it was shown
	later []session.Message // messages since, read with the history, for the first call
	ends  bool              // the run ends with this loop, and looks for them again itself
}

// An allowance is what a loop may still do, and what it has done.
type allowance struct {
	steps   int // tool calls left
	repeats repeatWatch
	spent   spending
}

// errWait ends a segment that has to ask a person, or the program that asked.
type errWait struct {
	on    string    // what the run waits for
	until time.Time // zero: for ever
	why   string
}

func (e *errWait) Error() string { return "waits for " + e.on }

// work runs the loop to a reply.
func (l *loop) work(ctx context.Context) (_ Reply, err error) {
	defer func() { err = l.settle(ctx, err) }()
	if l.abroad != nil {
		return l.elsewhere(ctx)
	}
	budget := l.g.opts.Calls * (1 + l.g.opts.Continuations)
	continued := 0
	for i := range budget {
		if why := l.overBudget(); why != "" {
			return l.summary(ctx, i, why)
		}
		if err := l.still(ctx); err != nil {
			return Reply{}, err
		}
		if err := l.listen(ctx, i); err != nil {
			return Reply{}, err
		}
		if i > 0 && i%l.g.opts.Nudge == 0 {
			l.say(fmt.Sprintf("You have used %d of %d model calls. Finish soon.", i, budget))
		}
		l.covers()
		if l.tools != nil { // tools come and go, and more may have been found
			l.tools = l.client.beside(l.g.toolset(l.t.agent, l.found))
		}
		l.prune()
		a, plans, fresh, err := l.ask(ctx, i, l.tools)
		if err != nil {
			return Reply{}, err
		}
		l.history = append(l.history, model.Message{Role: model.Assistant, Parts: a.Parts})
		if len(a.Calls) > 0 {
			if over, err := l.use(ctx, i, a, plans); err != nil {
				return Reply{}, err
			} else if over != "" {
				return l.summary(ctx, i+1, over)
			}
			continue
		}
		if a.Stop == model.StopMaxTokens && continued < l.g.opts.Continuations {
			continued++
			l.say("Your answer was cut at the output limit. Go on exactly where it stopped.")
			continue
		}
		if more, err := l.gather(ctx); err != nil {
			return Reply{}, err
		} else if more {
			continue
		}
		if !fresh || !l.ends {
			more, err := l.newMessages(ctx)
			if err != nil {
				return Reply{}, err
			}
			if len(more) > 0 {
				continue // somebody spoke meanwhile; listen takes it in
			}
		}
		return l.replied(a, i, continued), nil
	}
	return l.summary(ctx, budget, fmt.Sprintf("The budget of %d model calls is used up.", budget))
}

// replied is the reply that ends with the answer of call i.
func (l *loop) replied(a model.Answer, i, continued int) Reply {
	text, whole := l.spoken(continued)
	r := Reply{Text: text, Calls: i + 1, Broken: a.Stop == model.StopBroken || !whole, Refused: a.Stop == model.StopRefusal}
	switch {
	case a.Stop == model.StopMaxTokens:
		r.Limited = "The answer was cut at the model's output limit."
	case r.Refused:
		r.Limited = "The model, or a filter of its provider, ended the answer here."
	}
	return r
}

// spoken joins the last answer with those it continues. whole is false when they do not fit.
func (l *loop) spoken(continued int) (text string, whole bool) {
	var parts []string
	for i := len(l.history) - 1; i >= 0 && len(parts) <= continued; i-- {
		if m := l.history[i]; m.Role == model.Assistant {
			parts = append(parts, textOf(m))
		}
	}
	text, whole = parts[len(parts)-1], true
	for _, more := range slices.Backward(parts[:len(parts)-1]) {
		var fits bool
		text, fits = model.Join(text, more)
		whole = whole && fits && strings.TrimSpace(more) != ""
	}
	return strings.TrimSpace(text), whole
}

func textOf(m model.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// say puts a remark of the daemon's into the history, as the user's side.
func (l *loop) say(text string) {
	l.history = append(l.history, model.Message{Role: model.User, Parts: []model.Part{{Text: text}}})
}

// listen takes in what people said since the last call. On a replay it takes in
// exactly what the recorded call had seen.
func (l *loop) listen(ctx context.Context, i int) error {
	if !l.steer {
		return nil
	}
	upTo := event.Newest
	if r := l.s.Recorded(l.key(i)); r.Done {
		a, _, err := AnsweredKind.Open(r.Event)
		if err != nil {
			return fmt.Errorf("read step %s: %w", r.Key, err)
		}
		upTo = a.Seen
	}
	more := l.later
	l.later = nil
	if i > 0 {
		var err error
		if more, err = l.newMessages(ctx); err != nil {
			return err
		}
	}
	for _, m := range more {
		if m.Seq > upTo {
			break
		}
		part, err := l.partsOf(m)
		if err != nil {
			return err
		}
		if err := l.g.lower(ctx, l.who, m); err != nil {
			return err
		}
		l.family.sink(*l.who)
		l.seenFrom.hear(m)
		l.history = append(l.history, model.Message{Role: model.User, Parts: part})
		l.seen = m.Seq
	}
	return nil
}

func (l *loop) newMessages(ctx context.Context) ([]session.Message, error) {
	if !l.steer {
		return nil, nil
	}
	more, err := l.g.conv.Messages(ctx, l.s.Run.Thread, l.seen, 100)
	if err != nil {
		return nil, err
	}
	return fromPersons(more), nil
}

func (l *loop) key(i int) string { return fmt.Sprintf("%s/m%d", l.t.key, i) }

// ask returns the recorded answer of call i, or makes the call and records it
// together with the intentions that follow from it. fresh says which; plans are what was
// decided about the calls of a fresh answer.
func (l *loop) ask(ctx context.Context, i int, tools *model.Toolset) (a model.Answer, plans []plan, fresh bool, err error) {
	key := l.key(i)
	if r := l.s.Recorded(key); r.Done {
		got, ok, err := AnsweredKind.Open(r.Event)
		if err != nil || !ok {
			return a, nil, false, fmt.Errorf("read step %s: %w", key, err)
		}
		l.spent.add(got.Answer)
		l.seen = max(l.seen, got.Seen)
		return got.Answer, nil, false, nil
	}
	if err := l.live(ctx); err != nil {
		return a, nil, true, err
	}
	if a, err = l.call(ctx, key, tools); err != nil {
		return a, nil, true, err
	}
	if err := masked(&a, l.s.Mint()); err != nil {
		return a, nil, true, err
	}
	fewer(&a)
	identify(&a, i)
	shorten(&a)
	l.spent.add(a)
	drafts := append(l.takePending(), run.AsStep(AnsweredKind.Draft(l.t.Place(l.s, party(l.agentID())), Answered{Agent: string(l.agentID()), Answer: a, Seen: l.seen}), key, true))
	if len(a.Calls) == 0 { // recorded with the end, or soon
		l.s.Hold(drafts...)
		return a, nil, true, nil
	}
	if err := l.still(ctx); err != nil { // the answer may have taken minutes
		if also := l.s.Record(ctx, effectOf(nil), drafts...); also != nil {
			return a, nil, true, also
		}
		return a, nil, true, err
	}
	if plans, err = l.planned(ctx, i, a.Calls); err != nil {
		return a, nil, true, err
	}
	asks := slices.ContainsFunc(plans, func(p plan) bool { return p.verdict.Verdict == guard.Ask })
	for _, p := range plans {
		if p.verdict.Verdict == guard.Allow && !asks && len(p.limits) == 0 { // else nothing is made before a person has answered, or there is room
			drafts = append(drafts, l.intention(i, p)...)
		}
	}
	return a, plans, true, l.s.Record(ctx, effectOf(plans), drafts...)
}

// masked takes out of an answer what must not be recorded, so that what is decided about and what
// is recorded are the same.
func masked(a *model.Answer, mint *event.Mint) error {
	raw, err := json.Marshal(a.Parts)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	out := mint.Masked(raw)
	if bytes.Equal(raw, out) {
		return nil
	}
	a.Parts = nil
	if err := json.Unmarshal(out, &a.Parts); err != nil {
		return fmt.Errorf("read masked answer: %w", err)
	}
	a.Finish()
	return nil
}

func (l *loop) takePending() []event.Draft {
	p := l.pending
	l.pending = nil
	return p
}

// call makes one model call; a context that is too long is cut down, up to three
// times.
func (l *loop) call(ctx context.Context, key string, tools *model.Toolset) (model.Answer, error) {
	for cut := 0; ; cut++ {
		a, err := l.once(ctx, key, tools)
		var me *model.Error
		if err == nil || !errors.As(err, &me) || me.Reason != model.ContextOverflow || cut == 3 {
			return a, err
		}
		if err := l.mayCompact(ctx); err != nil {
			return a, err
		}
		l.g.opts.Log.Info("the context is too long for the model; cutting it down", "run", l.s.Run.ID, "agent", l.agentID(), "attempt", cut+1)
		l.history = compact(l.history, cut)
	}
}

func (l *loop) once(ctx context.Context, key string, tools *model.Toolset) (model.Answer, error) {
	var show func(model.Delta)
	if l.shown {
		s := shower{l: l, text: l.g.opts.Hidden.Stream()}
		show = s.take
		defer func() { s.publish(s.text.Rest()) }()
	}
	if l.abroad != nil {
		return l.abroad.answer(show), nil
	}
	r := model.Request{
		Model: cmp.Or(l.asks, l.t.agent.Model), Job: l.job, Agent: string(l.agentID()), System: l.system, Messages: l.history, Tools: tools, Output: l.output,
	}
	a, err := meter.Model(traced{l.g.model}, purse{l}, l.g.opts.Price, key, l.g.opts.CallTimeout).Generate(ctx, r, show)
	if err == nil {
		l.counted(l.bytes(tools), a.Usage)
	}
	return a, err
}

// traced is a model whose calls are spans of the run's trace.
type traced struct{ model.Model }

// Generate implements [model.Model].
func (t traced) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	fault.Point("before model call")
	ctx, end := run.Span(ctx, "chat "+org.AgentID(r.Agent).Name(), attribute.String("gen_ai.operation.name", "chat"),
		attribute.String("gen_ai.agent.id", r.Agent), attribute.String("gen_ai.request.model", r.Model))
	a, err := t.Model.Generate(ctx, r, show)
	end(err, attribute.String("gen_ai.provider.name", a.Provider), attribute.String("gen_ai.response.model", a.Model),
		attribute.Int("gen_ai.usage.input_tokens", a.Usage.InputTokens), attribute.Int("gen_ai.usage.output_tokens", a.Usage.OutputTokens))
	fault.Point("after model call")
	return a, err
}

// compact makes a history shorter: old results to 2,000 characters and all pictures but the
// last first, then only the newest messages, without pictures.
func compact(in []model.Message, step int) []model.Message {
	out := slices.Clone(fewerPictures(in, []int{1, 0, 0}[min(step, 2)]))
	limit := []int{2000, 500, 200}[min(step, 2)]
	for i := range out {
		parts := slices.Clone(out[i].Parts)
		for j, p := range parts {
			if p.Result != nil && len(p.Result.Text) > limit {
				r := *p.Result
				r.Text = head(r.Text, limit)
				parts[j].Result = &r
			}
		}
		out[i].Parts = parts
	}
	keep := []int{len(out), 20, 6}[min(step, 2)]
	if len(out) <= keep {
		return out
	}
	rest := out[len(out)-keep:]
	// A result may not stand without its call: begin at a plain message.
	for len(rest) > 1 && rest[0].Role != model.User {
		rest = rest[1:]
	}
	return append([]model.Message{out[0]}, rest...)
}

// summary ends the loop: one last call without tools.
func (l *loop) summary(ctx context.Context, i int, why string) (Reply, error) {
	l.job = model.Summing
	l.say(why + " Do not call tools any more. Say in a few sentences what you found and did, and what is left to do.")
	a, _, _, err := l.ask(ctx, i, nil)
	if err != nil {
		return Reply{}, err
	}
	l.history = append(l.history, model.Message{Role: model.Assistant, Parts: a.Parts})
	text := strings.TrimSpace(a.Text)
	if text == "" {
		text = why
	}
	return Reply{Text: text, Calls: i + 1, Broken: a.Stop == model.StopBroken || a.Stop == model.StopMaxTokens, Limited: why}, nil
}

// spending sums what a task has cost.
type spending struct {
	tokens int
	usd    float64
	time   time.Duration
}

func (s *spending) add(a model.Answer) {
	s.tokens += a.Usage.InputTokens + a.Usage.OutputTokens
	s.usd += a.CostUSD
	s.time += a.Duration
}

// limits are the budget of the agent, narrowed by its card's own limits; 0 is no bound.
func (l *loop) limits() org.Budget {
	least := func(a, b int) int {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	b, card := l.t.agent.Budget, l.t.agent.Card.Limits
	b.MaxTokens, b.MaxRuntimeSec = least(b.MaxTokens, card.MaxTokens), least(b.MaxRuntimeSec, card.MaxRuntimeSec)
	if b.MaxCostUSD == 0 || card.MaxCost != 0 && card.MaxCost < b.MaxCostUSD {
		b.MaxCostUSD = card.MaxCost
	}
	return b
}

// timeLeft is what the task may still take; 0 is no bound.
func (l *loop) timeLeft() time.Duration {
	limit := time.Duration(l.limits().MaxRuntimeSec) * time.Second
	if limit == 0 {
		return 0
	}
	return max(limit-l.spent.time, time.Second)
}

// overBudget says which budget of the agent is used up, in a sentence.
func (l *loop) overBudget() string {
	b := l.limits()
	switch {
	case b.MaxTokens > 0 && l.spent.tokens >= b.MaxTokens:
		return fmt.Sprintf("The budget of %d tokens is used up.", b.MaxTokens)
	case b.MaxCostUSD > 0 && l.spent.usd >= b.MaxCostUSD:
		return fmt.Sprintf("The budget of %.2f USD is used up.", b.MaxCostUSD)
	case b.MaxRuntimeSec > 0 && l.spent.time >= time.Duration(b.MaxRuntimeSec)*time.Second:
		return fmt.Sprintf("The budget of %d seconds is used up.", b.MaxRuntimeSec)
	}
	return ""
}

// repeatWatch notices an agent that makes the same call with the same result again
// and again.
type repeatWatch struct {
	last  string
	times int
}

// again counts and returns how often in a row this has now been seen.
func (w *repeatWatch) again(name string, args json.RawMessage, result string) int {
	now := name + "\x00" + string(args) + "\x00" + result
	if now != w.last {
		w.last, w.times = now, 0
	}
	w.times++
	return w.times
}

func isSuperseded(err error) bool { return errors.Is(err, run.ErrSuperseded) }
