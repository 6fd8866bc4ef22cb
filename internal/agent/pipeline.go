package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// A Form is what an answer has to fit.
type Form struct {
	Schema *model.Schema
	Check  func(answer string) error // a sentence says what does not fit
}

// Pipeline lets one agent work on a text within a run of another kind, without
// controller and checker: the phases of an intake. key tells its steps from others'. An
// answer that does not fit the form, when there is one, may be repaired once; what comes
// then is returned as it is.
func (g *Runner) Pipeline(ctx context.Context, s *run.Segment, key string, id org.AgentID, input, title string, form *Form, timeout time.Duration) (string, error) {
	a, err := g.roster.Agent(ctx, id)
	if err != nil {
		return "", err
	}
	if a.Outside() {
		return "", a.Ready()
	}
	who, err := g.caller(ctx, s.Run.Spec, "")
	if err != nil {
		return "", err
	}
	who.Via = guard.ByWorkflow
	t := &turn{g: g, s: s, who: who, thread: session.Thread{Project: s.Run.Project}}
	t.seenFrom.add([]string{tool.FromDocuments}) // the documents are in the input
	k := t.task(key, a, title)
	k.shown = true
	l := t.loop(ctx, k, t.context(), []model.Message{{Role: model.User, Parts: []model.Part{{Text: input}}}})
	l.steps = g.opts.PipelineSteps
	if form != nil {
		l.tools, l.output = nil, form.Schema
	}
	l.pending = []event.Draft{k.request(s, run.Chela(), title), k.accept(s)}
	work, cancel := context.WithTimeoutCause(ctx, timeout, fault.New(fault.Unavailable, "%s did not end within %s.", id.Name(), timeout))
	defer cancel()
	r, err := l.work(work)
	if err == nil && form != nil {
		r.text, err = l.repaired(work, r, form)
	}
	if err != nil && context.Cause(ctx) == nil && !isSuperseded(err) {
		var wait *errWait
		if errors.As(err, &wait) {
			return "", err
		}
		code := "AGENT_ERROR"
		drafts := []event.Draft{k.failed(s, code, g.opts.Redact(ctx, fault.TextOf(err)), true)}
		if context.Cause(work) != nil {
			drafts = []event.Draft{run.TimeoutKind.Draft(once(k.place(s, run.Chela()), key+"/end"), run.Timeout{AfterSec: int(timeout.Seconds()), Message: fault.TextOf(context.Cause(work))})}
			err = context.Cause(work)
		}
		_, appendErr := s.Append(ctx, drafts...)
		return "", errors.Join(err, appendErr)
	}
	if err != nil {
		return "", err
	}
	text := r.text
	if form == nil {
		text = r.said()
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return "", fmt.Errorf("encode answer: %w", err)
	}
	_, err = s.Append(ctx, k.done(s, raw, text))
	return text, err
}

// Waits returns how a run goes on whose work ended with err because a person has to be
// asked.
func Waits(err error) (run.Outcome, bool) {
	var wait *errWait
	if !errors.As(err, &wait) {
		return run.Outcome{}, false
	}
	return run.Outcome{State: run.Waiting, WaitsFor: run.ForPerson + wait.approval, Until: wait.until, Reason: wait.why}, true
}

// contract works a loop whose answer must fit a contract. One that does not fit is
// shown what is wrong and may repair it once.
func contract[T any](ctx context.Context, l *loop, parse func(string) (T, error)) (T, error) {
	r, err := l.work(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, err := parse(r.text)
	if err == nil {
		return v, nil
	}
	text, askErr := l.repair(ctx, r, err)
	if askErr != nil {
		return v, askErr
	}
	if v, err = parse(text); err != nil {
		return v, fault.Wrap(err, fault.Unavailable, "%s did not answer in the form it has to, twice: %s", l.agentID().Name(), fault.TextOf(err))
	}
	return v, nil
}

// repair shows the agent what is wrong with its answer and asks for another.
func (l *loop) repair(ctx context.Context, r reply, wrong error) (string, error) {
	l.say("Your answer does not fit: " + fault.TextOf(wrong) + " Give it again, as one JSON object and nothing else.")
	a, _, _, err := l.ask(ctx, r.calls, nil)
	return a.Text, err
}

func (l *loop) repaired(ctx context.Context, r reply, form *Form) (string, error) {
	if wrong := form.Check(r.text); wrong != nil {
		return l.repair(ctx, r, wrong)
	}
	return r.text, nil
}
