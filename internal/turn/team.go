package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/workflow"
)

// choose asks the controller until it has seen everything that was said.
func (t *turn) choose(ctx context.Context) (workflow.Next, error) {
	controller, specialists, err := t.enlist(ctx)
	if err != nil {
		return workflow.Next{}, err
	}
	c := t.scope.Context()
	c.Roster = specialists
	if in := t.input.Client; in != nil {
		names := make([]string, len(in.Tools))
		for i, own := range in.Tools {
			names[i] = own.Name
		}
		c.Task = "The program that asks brings tools, which only a specialist can call: " + strings.Join(names, ", ") + ". Hand the work on when they are needed."
	}
	t.asked = t.scope.Task("controller", *controller, "Choose who answers")
	var r agent.Reply
	t.choice, r, err = agent.Fit(ctx, t.scope, agent.Assignment{
		Task: t.asked, Context: c, History: t.history, From: t.s.Run.By, Request: t.s.Run.Title, Seen: t.seen, Hears: true, Later: t.later,
	}, prompt.ChoiceSchema(), prompt.ParseChoice)
	if err != nil {
		return workflow.Next{}, err
	}
	if r.Seen > t.seen { // what came while it thought belongs to the specialist's history
		t.history, t.seen = withoutAnswer(r.History), r.Seen
	}
	if t.choice.Respond == "" {
		return workflow.Next{}, nil
	}
	t.task, t.reply = t.asked, agent.Reply{Text: t.choice.Respond, Seen: r.Seen}
	return t.deliver(ctx)
}

// withoutAnswer drops the answer that an isolated fork ends with from its history.
func withoutAnswer(in []model.Message) []model.Message {
	if n := len(in); n > 0 && in[n-1].Role == model.Assistant {
		return in[:n-1]
	}
	return in
}

// route chooses the specialist by the protocol's rules and says why. Decisions are
// steps: a run that goes on keeps the agent it had.
func (t *turn) route(ctx context.Context) (workflow.Next, error) {
	const key = "route"
	var err error
	if r := t.s.Recorded(key); r.Done {
		d, ok, err := route.DecisionKind.Open(r.Event)
		if err != nil || !ok {
			return workflow.Next{}, fmt.Errorf("read routing decision: %w", err)
		}
		t.specialist, err = t.h.roster.Agent(ctx, d.Selected)
		return workflow.Next{}, err
	}
	busy, err := t.h.roster.Busy(ctx)
	if err != nil {
		return workflow.Next{}, err
	}
	req := route.Request{Requires: slices.Concat([]string{}, t.choice.Requires, t.input.Requires), Prefers: slices.Concat([]string{}, t.input.Prefers), Policy: t.input.Policy}
	if t.choice.Delegate != "" {
		req.Named = org.AgentID("agent:" + t.choice.Delegate)
	}
	var candidates []route.Candidate
	for _, a := range t.agents {
		b := busy[a.Card.AgentID]
		candidates = append(candidates, route.Candidate{Agent: a, Status: org.Online, Load: b.Tasks, Success: b.Success, Known: b.Known, Last: b.Last})
	}
	d, ok := route.Decide(req, candidates)
	at := t.asked.Place(t.s, event.Party{AgentID: "agent:router", Role: "system"})
	if !ok {
		f := route.Failure{OriginalMessageID: t.input.Message, Requires: req.Requires, Prefers: req.Prefers, Reason: d.Reason, Rejected: d.Rejected}
		if _, err := t.s.Append(ctx, route.FailureKind.Draft(once(at, "route/failure"), f)); err != nil {
			return workflow.Next{}, err
		}
		return workflow.Next{}, fault.New(fault.Unavailable, "No agent can take this: %s", whyNot(t.choice, d, t.agents))
	}
	if t.specialist, err = t.h.roster.Agent(ctx, d.Selected); err != nil {
		return workflow.Next{}, err
	}
	chosen, err := json.Marshal(t.choice)
	if err != nil {
		return workflow.Next{}, fmt.Errorf("encode choice: %w", err)
	}
	t.pending = []event.Draft{run.AsStep(route.DecisionKind.Draft(at, d), key, true), t.scope.Done(t.asked, chosen, "Handed to "+d.Selected.Name()+".")}
	return workflow.Next{}, nil
}

func whyNot(c prompt.Choice, d route.Decision, agents []org.Agent) string {
	if why, ok := d.Rejected[org.AgentID("agent:"+c.Delegate)]; ok {
		return fmt.Sprintf("%s %s.", c.Delegate, why)
	}
	if c.Delegate != "" {
		return fmt.Sprintf("there is no agent named %s.", c.Delegate)
	}
	for _, a := range agents {
		lacks := slices.ContainsFunc(c.Requires, func(need string) bool { return !a.Card.Has(need) })
		if why := d.Rejected[a.Card.AgentID]; why != "" && !lacks && a.Kind == org.Specialist {
			return fmt.Sprintf("%s has %s, but %s.", a.Card.AgentID.Name(), strings.Join(c.Requires, " and "), why)
		}
	}
	return fmt.Sprintf("none has %s.", strings.Join(c.Requires, " and "))
}

// work lets the specialist answer. What a reviewer said of its last answer is in the history.
func (t *turn) work(ctx context.Context) (workflow.Next, error) {
	if t.shown == nil {
		t.shown = t.history
	}
	t.task = t.scope.Task(fmt.Sprintf("r%d", t.round), t.specialist, t.choice.SubTask)
	c := t.scope.Context()
	c.Task = t.choice.SubTask
	var err error
	t.reply, err = t.scope.Work(ctx, agent.Assignment{
		Task: t.task, Context: c, History: t.shown, From: run.Chela(), Request: t.choice.SubTask, Seen: t.seen, Shown: true, Children: true, Hears: true, Before: t.pending, Client: t.input.Client,
	})
	t.pending, t.review, t.reviewed = nil, nil, nil
	return workflow.Next{}, err
}

// check has the checker review the reply. One that it refuses is given back; the last answer is
// delivered even then, and says so.
func (t *turn) check(ctx context.Context) (workflow.Next, error) {
	review, ended, err := t.reviewOf(ctx)
	if err != nil {
		return workflow.Next{}, err
	}
	t.review, t.reviewed = &review, ended
	if review.Pass || t.round == t.h.opts.Retries {
		return workflow.Next{}, nil
	}
	t.pending = append(ended, t.scope.Failed(t.task, "REVIEW_FAILED", head(review.Feedback, 500), true))
	t.shown = append(slices.Clone(t.shown),
		model.Message{Role: model.Assistant, Parts: []model.Part{{Text: t.reply.Text}}},
		model.Message{Role: model.User, Parts: []model.Part{{Text: "A reviewer did not accept this answer: " + review.Feedback + "\nGive a better one."}}})
	t.round++
	return workflow.Back("work"), nil
}

// reviewOf asks the checker about the reply, on a fork of its own, and drafts the end of that task.
func (t *turn) reviewOf(ctx context.Context) (prompt.Review, []event.Draft, error) {
	by := t.task.Agent().Card.AgentID.Name()
	k := t.scope.Task(fmt.Sprintf("%s-check-%d", t.task.Key(), t.reply.Calls), *t.checker, "Review: "+t.choice.SubTask)
	review, _, err := agent.Fit(ctx, t.scope, agent.Assignment{
		Task: k, Context: t.scope.Context(), From: run.Chela(), Request: "Review the answer of " + by, Seen: t.seen,
		History: []model.Message{{Role: model.User, Parts: []model.Part{{
			Text: prompt.Data("the request", lastSaid(t.history)) + "\n\n" + prompt.Data("the task given to "+by, t.choice.SubTask) + "\n\n" + prompt.Data("the answer", t.reply.Text),
		}}}},
	}, prompt.ReviewSchema(), prompt.ParseReview)
	if err != nil {
		var me *model.Error
		_, waits := agent.Waits(err)
		if errors.As(err, &me) || waits || fault.KindOf(err) == fault.Denied || context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded) {
			return review, nil, err
		}
		// A checker that keeps no form reviews nothing: the answer stands unconfirmed.
		why := t.h.opts.Redact(ctx, fault.TextOf(err))
		return prompt.Review{Feedback: why}, []event.Draft{t.scope.Failed(k, "NO_REVIEW", why, false)}, nil
	}
	raw, err := json.Marshal(review)
	return review, []event.Draft{t.scope.Done(k, raw, review.Summary)}, err
}

// head returns the first n bytes of s, whole characters, with an ellipsis when cut.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
