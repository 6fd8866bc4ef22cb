package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// inquire puts the forms of a server to the person for whom the run works, one after the other. It is nil when there is none: a
// schedule, an agent's own run, and a program with a key have nobody who looks.
func (l *loop) inquire(i int, p plan) tool.Inquire {
	by := l.s.Run.By
	if org.PersonOf(by) == "" || by.Key != "" || by.Role == event.RoleSchedule || l.s.Run.Lane == run.ScheduleLane || l.g.opts.Growth == nil || p.tool == nil {
		return nil
	}
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, q tool.Inquiry) (tool.Filled, error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
			return l.putForm(ctx, l.callKey(i, p.n), p, q)
		case <-ctx.Done():
			return tool.Filled{}, context.Cause(ctx)
		}
	}
}

// forms are the recorded forms of the call with that key.
func (l *loop) forms(key string) []run.Recorded {
	return l.s.Steps(func(k string) bool { return strings.HasPrefix(k, key+"/form") })
}

// putForm puts a form to the person of the run, who has nine tenths of the time that is left of the call. The run does not wait
// meanwhile: the call is in hand.
func (l *loop) putForm(ctx context.Context, key string, p plan, q tool.Inquiry) (out tool.Filled, err error) {
	step := fmt.Sprintf("%s/form%d", key, len(l.forms(key)))
	now := l.s.Mint().Now()
	left := l.g.opts.CallTimeout
	if end, ok := ctx.Deadline(); ok {
		left = time.Until(end)
	}
	left = left / 10 * 9
	shown := q.Form.Each(func(s string) string { return l.g.opts.Redact(ctx, s) })
	r := approval.Request{
		ID: l.s.Mint().ID("apr"), Run: l.s.Run.ID, Kind: approval.Elicitation, Step: step, Tool: p.tool.Name, Project: l.s.Run.Project, Role: org.Viewer,
		Only: []string{org.PersonOf(l.s.Run.By)}, Server: q.Server, Form: &shown, Detail: "In the server's words:\n" + shown.String(), Until: now.Add(left).UTC(),
		Question: fmt.Sprintf("The MCP server %s asks, while %s calls %s. What is answered goes to that server.", q.Server, l.agentID().Name(), p.tool.Name),
		Choices:  []string{approval.Accept, approval.Decline, approval.Cancel},
	}
	if err := l.mayAsk(ctx, &r); err != nil {
		return tool.Filled{Action: approval.Decline, Why: fault.TextOf(err)}, context.Cause(ctx)
	}
	grown, stop := l.g.opts.Growth.Subscribe(event.LogGrew)
	defer stop()
	if _, err := l.s.Append(ctx, run.AsStep(approval.RequestedKind.Draft(l.t.Place(l.s, run.Chela()), r), step, true)); err != nil {
		return out, err
	}
	late := time.NewTimer(left)
	defer late.Stop()
	for {
		is, err := l.g.asked.Approval(context.WithoutCancel(ctx), r.ID)
		if err != nil {
			return out, err
		}
		if is.Answer != nil {
			return l.formAnswered(ctx, *is.Answer), nil
		}
		why := ""
		select {
		case <-grown:
			continue
		case <-late.C:
			why = "Nobody answered in time."
		case <-ctx.Done():
			why = "The call ended before it was answered."
		}
		_, err = l.s.Append(context.WithoutCancel(ctx), approval.Withdraw(l.s.Run, r.ID, why))
		return tool.Filled{Action: approval.Cancel, Why: why}, err
	}
}

// formAnswered is an answer as the server gets it. One with a secret of ours is not sent.
func (l *loop) formAnswered(ctx context.Context, a approval.Answer) tool.Filled {
	switch {
	case a.Choice == approval.Accept && l.g.opts.Redact(ctx, string(a.Values)) != string(a.Values):
		return tool.Filled{Action: approval.Cancel, Why: "The answer has a secret in it, and was not sent."}
	case a.Choice == approval.Accept:
		return tool.Filled{Action: approval.Accept, Values: a.Values}
	case a.Choice == approval.Decline:
		return tool.Filled{Action: approval.Decline}
	}
	return tool.Filled{Action: approval.Cancel, Why: a.Note}
}

// interrupted withdraws the forms of a call whose worker died while a person was asked. asked says that there were some: such a call
// is not made again without a person's word, whatever it does.
func (l *loop) interrupted(ctx context.Context, key string, fresh bool) (asked bool, err error) {
	if fresh {
		return false, nil
	}
	for _, r := range l.forms(key) {
		q, _, err := approval.RequestedKind.Open(r.Event)
		if err != nil {
			return false, fmt.Errorf("read question %s: %w", r.Key, err)
		}
		is, err := l.g.asked.Approval(ctx, q.ID)
		if err != nil {
			return false, err
		}
		if asked = true; is.Answer == nil {
			if _, err := l.s.Append(ctx, approval.Withdraw(l.s.Run, q.ID, "The daemon stopped while it was asked, so the answer goes nowhere.")); err != nil {
				return false, err
			}
		}
	}
	return asked, nil
}
