package agent

import (
	"context"
	"encoding/json"
	"slices"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/tool"
)

// WorkflowScope opens the scope of a segment that plays a workflow. It may do what both the sender of the
// run and the author of the workflow may now; the daemon itself as the author narrows nothing. origins
// are where the run has data from before it began.
func (g *Runner) WorkflowScope(ctx context.Context, s *run.Segment, author event.Party, origins []string) (*Scope, error) {
	sc, err := g.scope(ctx, s, "")
	if err != nil {
		return nil, err
	}
	if sc.who.Via == guard.ByPerson {
		sc.who.Via = guard.ByWorkflow
	}
	if author.AgentID != run.Chela().AgentID {
		behind, err := g.behind(ctx, author)
		if err != nil {
			return nil, err
		}
		sc.who.Lower(behind)
	}
	sc.Saw(origins)
	return sc, nil
}

// Saw notes where the run has data from.
func (sc *Scope) Saw(origins []string) {
	if len(origins) > 0 {
		sc.seenFrom.add(origins)
	}
}

// SawRecords notes that the run has data from the organization's records.
func (sc *Scope) SawRecords() { sc.Saw([]string{tool.FromRecords}) }

// Choose returns the agent that takes a request, as the router decides, and the decision.
func (g *Runner) Choose(ctx context.Context, req route.Request) (org.Agent, route.Decision, error) {
	agents, err := g.roster.Agents(ctx)
	if err != nil {
		return org.Agent{}, route.Decision{}, err
	}
	busy, err := g.roster.Busy(ctx)
	if err != nil {
		return org.Agent{}, route.Decision{}, err
	}
	candidates := make([]route.Candidate, 0, len(agents))
	for _, a := range agents {
		b := busy[a.Card.AgentID]
		candidates = append(candidates, route.Candidate{Agent: a, Status: org.Online, Load: b.Tasks, Success: b.Success, Known: b.Known, Last: b.Last})
	}
	d, ok := route.Decide(req, candidates)
	if !ok {
		return org.Agent{}, d, fault.New(fault.Unavailable, "No agent can take this: %s", d.Reason)
	}
	a, err := g.roster.Agent(ctx, d.Selected)
	return a, d, err
}

// MayCall returns the enabled agent that has a tool and comes first by name.
func (g *Runner) MayCall(ctx context.Context, name string) (org.Agent, error) {
	t, err := g.Tool(name)
	if err != nil {
		return org.Agent{}, err
	}
	agents, err := g.roster.Agents(ctx)
	if err != nil {
		return org.Agent{}, err
	}
	agents = slices.DeleteFunc(agents, func(a org.Agent) bool {
		return a.Ready() != nil || !slices.ContainsFunc(a.Tools, func(n string) bool { return n == "*" || org.Whole(n) == t.Name })
	})
	if len(agents) == 0 {
		return org.Agent{}, fault.New(fault.Denied, "No enabled agent may call %s. Give it to one on the page Agents, or name one in the step.", name)
	}
	return slices.MinFunc(agents, func(a, b org.Agent) int {
		if a.Card.AgentID < b.Card.AgentID {
			return -1
		}
		return 1
	}), nil
}

// Tool returns the tool of a name, or a fault.NotFound.
func (g *Runner) Tool(name string) (*tool.Tool, error) {
	t, ok := g.tools().Find(name)
	if !ok {
		return nil, fault.New(fault.NotFound, "%s", g.tools().Missing(name))
	}
	return t, nil
}

// Agent returns an agent that can be given work.
func (g *Runner) Agent(ctx context.Context, id org.AgentID) (org.Agent, error) {
	a, err := g.roster.Agent(ctx, id)
	if err != nil {
		return a, err
	}
	return a, a.Ready()
}

// Call has the agent of a task make one call of a tool, without a model, and ends the task with it. The
// call is decided about, asked about and recorded as a model's is.
func (sc *Scope) Call(ctx context.Context, k Task, from event.Party, name string, args json.RawMessage) (Invoked, error) {
	made, err := sc.call(ctx, Assignment{Task: k, Context: sc.Context(), From: from, Request: "Call " + name}, name, args)
	if err != nil {
		return Invoked{}, err
	}
	out, end, err := k.invoked(sc.s, made)
	if err != nil {
		return out, err
	}
	sc.s.Hold(end.Drafts...)
	if got, ok, err := tool.ResultKind.Open(made.Event); ok && err == nil && got.Rest != "" {
		whole, err := sc.g.arts.Get(artifact.Ref(got.Rest))
		if err != nil {
			return out, err
		}
		out.Output = string(whole)
	}
	return out, nil
}

// call makes a call and returns what is recorded of it.
func (sc *Scope) call(ctx context.Context, a Assignment, name string, args json.RawMessage) (run.Recorded, error) {
	l := sc.loop(ctx, a)
	sc.s.Hold(l.takePending()...)
	one := model.ToolCall{ID: "call_0_0", Name: name, Args: args}
	if _, err := l.use(ctx, 0, model.Answer{Calls: []model.ToolCall{one}}, nil); err != nil {
		return run.Recorded{}, err
	}
	return sc.s.Recorded(l.callKey(0, 0)), nil
}

// Shaped lets an agent work with its tools, and then has its answer fit a form. An answer that does not
// fit is shown what is wrong and may be repaired once; a fault.Unavailable says that it did not fit then.
func Shaped[T any](ctx context.Context, sc *Scope, a Assignment, form *model.Schema, parse func(answer string) (T, error)) (T, Reply, error) {
	l := sc.loop(ctx, a)
	r, err := l.work(ctx)
	if err != nil {
		var none T
		return none, r, err
	}
	l.output = form
	v, err := fits(ctx, l, r, parse)
	return v, l.knows(r), err
}
