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
		return "", fault.New(fault.Unavailable, "The agent %s works elsewhere, where documents are not sent.", id.Name())
	}
	sc, err := g.scope(ctx, s, "")
	if err != nil {
		return "", err
	}
	sc.who.Via = guard.ByWorkflow
	sc.seenFrom.add([]string{tool.FromDocuments}) // the documents are in the input
	k := sc.Task(key, a, title)
	l := sc.loop(ctx, Assignment{
		Task: k, Context: sc.Context(), History: []model.Message{{Role: model.User, Parts: []model.Part{{Text: input}}}},
		From: run.Chela(), Request: title, Steps: g.opts.PipelineSteps, Shown: true,
	})
	if form != nil {
		l.tools, l.output = nil, form.Schema
	}
	work, cancel := context.WithTimeoutCause(ctx, timeout, fault.New(fault.Unavailable, "%s did not end within %s.", id.Name(), timeout))
	defer cancel()
	r, err := l.work(work)
	if err == nil && form != nil {
		r.Text, err = l.repaired(work, r, form)
	}
	if err != nil && context.Cause(ctx) == nil && !isSuperseded(err) {
		var wait *errWait
		if errors.As(err, &wait) {
			return "", err
		}
		code := "AGENT_ERROR"
		drafts := []event.Draft{k.failed(s, code, g.opts.Redact(ctx, fault.TextOf(err)), true)}
		if context.Cause(work) != nil {
			drafts = []event.Draft{run.TimeoutKind.Draft(once(k.Place(s, run.Chela()), key+"/end"), run.Timeout{AfterSec: int(timeout.Seconds()), Message: fault.TextOf(context.Cause(work))})}
			err = context.Cause(work)
		}
		_, appendErr := s.Append(ctx, drafts...)
		return "", errors.Join(err, appendErr)
	}
	if err != nil {
		return "", err
	}
	text := r.Text
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

// Waits returns how a run goes on whose work ended with err because a person, or the program
// that asked, has to do something.
func Waits(err error) (run.Outcome, bool) {
	var wait *errWait
	if !errors.As(err, &wait) {
		return run.Outcome{}, false
	}
	return run.Outcome{State: run.Waiting, WaitsFor: wait.on, Until: wait.until, Reason: wait.why}, true
}

func (l *loop) repaired(ctx context.Context, r Reply, form *Form) (string, error) {
	if wrong := form.Check(r.Text); wrong != nil {
		return l.repair(ctx, r, wrong)
	}
	return r.Text, nil
}
