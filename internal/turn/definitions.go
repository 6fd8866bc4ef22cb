package turn

import (
	"context"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/workflow"
)

// team is how a message is answered that names no agent: a controller answers itself or chooses a
// specialist, who answers until a checker accepts it or the retries are used up. While no model can be asked the records
// answer, where they can.
func team(retries int) workflow.Definition[*turn] {
	return workflow.Definition[*turn]{Name: "team", Failed: failed, Steps: []workflow.Step[*turn]{
		{Name: "match", When: (*turn).matchable, Do: (*turn).match},
		{Name: "records", When: (*turn).answerable, Do: (*turn).fromRecords},
		{Name: "choose", Do: (*turn).choose},
		{Name: "route", Do: (*turn).route},
		{Name: "work", Do: (*turn).work, Most: 1 + retries},
		{Name: "review", When: (*turn).reviewable, Do: (*turn).check, Most: 1 + retries},
		{Name: "deliver", Do: (*turn).deliver},
	}}
}

// direct is how a message is answered that a person says to one agent: without controller and
// checker; while no model can be asked, from the records. What the agent may do is decided as ever.
func direct() workflow.Definition[*turn] {
	return workflow.Definition[*turn]{Name: "direct", Failed: failed, Steps: []workflow.Step[*turn]{
		{Name: "records", When: (*turn).answerable, Do: (*turn).fromRecords},
		{Name: "slot", Do: (*turn).slot},
		{Name: "answer", Do: (*turn).answer},
		{Name: "deliver", Do: (*turn).deliver},
	}}
}

// slot takes a slot with the agent that the person speaks to, or waits for one.
func (t *turn) slot(ctx context.Context) (workflow.Next, error) {
	id := t.spokenTo()
	a, err := t.h.roster.Agent(ctx, id)
	if err != nil {
		return workflow.Next{}, err
	}
	if err := a.Ready(); err != nil {
		return workflow.Next{}, err
	}
	t.specialist = a
	ok, err := t.h.agents.TakeSlot(ctx, t.s, a, t.opening.Slot == string(id))
	if err == nil && !ok {
		return workflow.End(t.h.agents.Busy(a)), nil
	}
	return workflow.Next{}, err
}

// answer has the agent answer, as the run's own task.
func (t *turn) answer(ctx context.Context) (workflow.Next, error) {
	t.task = t.scope.Root(t.specialist)
	var err error
	t.reply, err = t.scope.Work(ctx, agent.Assignment{
		Task: t.task, Context: t.scope.Context(), History: t.history, Seen: t.seen, Shown: true, Children: true, Hears: true, Later: t.later, Ends: true, Client: t.input.Client,
	})
	return workflow.Next{}, err
}

// enlist reads who there is.
func (t *turn) enlist(ctx context.Context) (controller *org.Agent, specialists []org.Agent, err error) {
	if t.agents, err = t.h.roster.Agents(ctx); err != nil {
		return nil, nil, err
	}
	for i, a := range t.agents {
		switch {
		case a.Ready() != nil:
		case a.Kind == org.Controller && controller == nil:
			controller = &t.agents[i]
		case a.Kind == org.Checker && t.checker == nil:
			t.checker = &t.agents[i]
		case a.Kind == org.Specialist:
			specialists = append(specialists, a)
		}
	}
	if controller == nil {
		err = fault.New(fault.Unavailable, "No agent of the kind controller is enabled; enable one on the Agents page, or speak to an agent directly.")
	}
	return controller, specialists, err
}

// reviewable reports whether the reply is reviewed.
func (t *turn) reviewable() bool { return t.checker != nil && !t.reply.Refused }

// once returns the place with a key that lets the fact be recorded once per run.
func once(p event.Place, what string) event.Place {
	p.Key = p.Run + "/" + what
	return p
}
