package talk

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// A Call is a call of a tool that a person asks for, without a model.
type Call struct {
	Tool    string
	Args    json.RawMessage // an object
	Agent   org.AgentID     // as whom it is called; empty is the enabled agent that may call it and comes first by name
	Project string
	Key     string // asked again under it, the call is not made again; empty is none
	From    event.Party
}

// An Invoked is what came of a call.
type Invoked struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output,omitempty" doc:"what the tool gave: its JSON, else a text"`
	Error   string          `json:"error,omitempty" doc:"why it gave nothing"`
	Run     run.ID          `json:"runId"`
	State   run.State       `json:"state"`
	Waits   string          `json:"waitsFor,omitempty" doc:"what it waits for, such as approval:ID"`
}

// Invoke calls a tool as an agent, and returns when the call has ended or waits for a person, or after
// [MaxWait]. It is permitted, asked about and recorded as an agent's own call.
func (t *Talk) Invoke(ctx context.Context, c Call) (Invoked, error) {
	called, ok := t.Tools.Now().Find(c.Tool)
	if !ok {
		return Invoked{}, fault.New(fault.NotFound, "%s", t.Tools.Now().Missing(c.Tool))
	}
	if c.Project != "" {
		if err := t.Project(ctx, c.Project); err != nil {
			return Invoked{}, err
		}
	}
	as, err := t.callerOf(ctx, called, c.Agent)
	if err != nil {
		return Invoked{}, err
	}
	spec := run.Spec{ID: run.ID(t.Store.Desk.Mint().ID("run")), Thread: t.Store.Desk.Mint().ID("thr"), Project: c.Project, Agent: string(as), By: c.From, Trace: run.TraceOf(ctx)}
	settled, stop := t.Store.Runs.Settled(spec.ID)
	defer stop()
	key := c.Key
	if key != "" {
		key = "invoke/" + key // another than that of a message
	}
	err = t.Runs.Write(ctx, func(b *run.Batch) error {
		return agent.StartInvocation(b, spec, key, agent.Invocation{Tool: called.Name, Args: c.Args})
	})
	if errors.Is(err, agent.ErrAsked) {
		var asked event.Event
		asked, err = t.Store.Log.ByKey(ctx, c.From.AgentID, key)
		spec.ID = run.ID(asked.Message.RunID)
	}
	if err != nil {
		return Invoked{}, err
	}
	return t.invoked(ctx, spec.ID, settled)
}

// MayCall are the enabled agents that have a tool, by name.
func MayCall(called *tool.Tool, members []agent.Member) []string {
	out := []string{}
	for _, m := range members {
		if m.Enabled && slices.ContainsFunc(m.Tools, func(n string) bool { return n == "*" || org.Whole(n) == called.Name }) {
			out = append(out, m.Card.AgentID.Name())
		}
	}
	return out
}

func (t *Talk) callerOf(ctx context.Context, called *tool.Tool, named org.AgentID) (org.AgentID, error) {
	if named != "" {
		m, err := t.Store.Agents.Member(ctx, named)
		return m.Card.AgentID, err
	}
	members, err := t.Store.Agents.Members(ctx)
	if err != nil {
		return "", err
	}
	may := MayCall(called, members)
	if len(may) == 0 {
		return "", fault.New(fault.Denied, "No enabled agent may call %s. Give it to one on the page Agents, or name one with ?agent=.", called.Name)
	}
	return org.AgentID("agent:" + slices.Min(may)), nil
}

// invoked returns when a run has ended or waits for somebody, or is waited for too long.
func (t *Talk) invoked(ctx context.Context, id run.ID, settled <-chan run.Finished) (Invoked, error) {
	wait, cancel := context.WithTimeout(ctx, MaxWait)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for over := false; ; {
		select {
		case <-wait.Done():
			over = true
		case <-settled:
		case <-tick.C:
		}
		r, err := t.Store.Runs.Run(ctx, id)
		if err != nil {
			return Invoked{}, err
		}
		if over || r.State.Final() || r.State == run.Waiting && strings.HasPrefix(r.WaitsFor, run.ForPerson) {
			return t.outcomeOf(ctx, r)
		}
	}
}

// outcomeOf reads from the log what an invocation gave.
func (t *Talk) outcomeOf(ctx context.Context, r run.Run) (Invoked, error) {
	out := Invoked{Run: r.ID, State: r.State, Waits: r.WaitsFor, Error: r.Reason}
	if r.State != run.Done {
		return out, nil
	}
	ends, _, err := t.Store.Log.Events(ctx, 0, event.Filter{Run: string(r.ID), Type: run.FinishedKind.Name, Limit: 1})
	if err != nil || len(ends) == 0 {
		return out, err
	}
	end, _, err := run.FinishedKind.Open(ends[0].Event)
	if err != nil {
		return out, err
	}
	var got agent.Invoked
	if err := json.Unmarshal(end.Result, &got); err != nil {
		return out, err
	}
	out.Success = got.Success
	if out.Output = json.RawMessage(got.Output); !json.Valid(out.Output) {
		out.Output, err = json.Marshal(got.Output)
	}
	return out, err
}
