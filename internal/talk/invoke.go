package talk

import (
	"cmp"
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
	Run     run.ID // from [Talk.NewRun], for who has to know it before; empty is a new one
}

// NewRun returns the id of a run that is to begin.
func (t *Talk) NewRun() run.ID { return run.ID(t.Store.Desk.Mint().ID("run")) }

// An Invoked is what came of a call.
type Invoked struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output,omitempty" doc:"what the tool gave: its JSON, else a text"`
	Error   string          `json:"error,omitempty" doc:"why it gave nothing"`
	Run     run.ID          `json:"runId"`
	State   run.State       `json:"state"`
	Waits   string          `json:"waitsFor,omitempty" doc:"what it waits for, such as approval:ID"`
	Shows   []string        `json:"shows,omitempty" doc:"artifacts with pictures that the tool gave"`
	Rest    string          `json:"rest,omitempty" doc:"the artifact with the whole of an output that was cut"`
}

// Invoke calls a tool as an agent, and returns when the call has ended or waits for a person, or after
// [MaxWait]. It is permitted, asked about and recorded as an agent's own call.
func (t *Talk) Invoke(ctx context.Context, c Call) (Invoked, error) {
	id, settled, stop, err := t.call(ctx, c)
	if err != nil {
		return Invoked{}, err
	}
	defer stop()
	r, err := t.settled(ctx, id, "", MaxWait, settled)
	if err != nil {
		return Invoked{}, err
	}
	return t.Result(ctx, r)
}

// Call begins what [Talk.Invoke] does, and returns its run. [Talk.Settle] waits for it.
func (t *Talk) Call(ctx context.Context, c Call) (run.ID, error) {
	id, _, stop, err := t.call(ctx, c)
	if err != nil {
		return "", err
	}
	stop()
	return id, nil
}

// call begins a call. The channel receives when its run has ended or waits, until stop is called.
func (t *Talk) call(ctx context.Context, c Call) (id run.ID, settled <-chan run.Finished, stop func(), err error) {
	called, ok := t.Tools.Now().Find(c.Tool)
	if !ok {
		return "", nil, nil, fault.New(fault.NotFound, "%s", t.Tools.Now().Missing(c.Tool))
	}
	if err := t.bindCall(ctx, &c, called.Name); err != nil {
		return "", nil, nil, err
	}
	if c.Project != "" {
		if err := t.Project(ctx, c.Project); err != nil {
			return "", nil, nil, err
		}
	}
	as, err := t.callerOf(ctx, called, c.Agent)
	if err != nil {
		return "", nil, nil, err
	}
	spec := run.Spec{ID: cmp.Or(c.Run, t.NewRun()), Thread: t.Store.Desk.Mint().ID("thr"), Project: c.Project, Agent: string(as), By: c.From, Trace: run.TraceOf(ctx)}
	if err := t.enter(ctx, c.From, spec.ID); err != nil {
		return "", nil, nil, err
	}
	settled, stop = t.Store.Runs.Settled(spec.ID)
	key := c.Key
	if key != "" {
		key = "invoke/" + key // another than that of a message
	}
	err = t.Runs.Write(ctx, func(b *run.Batch) error {
		return agent.StartInvocation(b, spec, key, agent.Invocation{Tool: called.Name, Args: c.Args})
	})
	if err != nil {
		t.crowd.leave(c.From.Key, spec.ID)
	}
	if errors.Is(err, agent.ErrAsked) {
		var asked event.Event
		asked, err = t.Store.Log.ByKey(ctx, c.From.AgentID, key)
		spec.ID = run.ID(asked.Message.RunID)
	}
	if err != nil {
		stop()
		return "", nil, nil, err
	}
	return spec.ID, settled, stop, nil
}

// MayCall are the enabled agents that have a tool, by name.
func MayCall(called *tool.Tool, members []agent.Member) []string {
	out := []string{}
	for _, m := range members {
		if mayCall(called, m.Agent) {
			out = append(out, m.Card.AgentID.Name())
		}
	}
	return out
}

func mayCall(called *tool.Tool, a org.Agent) bool {
	return a.Enabled && slices.ContainsFunc(called.Uses(), func(u tool.Spec) bool { return a.MayUse(u.Name) })
}

func (t *Talk) callerOf(ctx context.Context, called *tool.Tool, named org.AgentID) (org.AgentID, error) {
	if named != "" {
		m, err := t.Store.Agents.Member(ctx, named)
		return m.Card.AgentID, err
	}
	agents, err := t.Store.Agents.Agents(ctx)
	if err != nil {
		return "", err
	}
	var may []string
	for _, a := range agents {
		if mayCall(called, a) {
			may = append(may, a.Card.AgentID.Name())
		}
	}
	if len(may) == 0 {
		return "", fault.New(fault.Denied, "No enabled agent may call %s. Give it to one on the page Agents, or name one with ?agent=.", called.Name)
	}
	return org.AgentID("agent:" + slices.Min(may)), nil
}

// Settle returns a run when it has ended, or waits for a person for something else than known, or after
// most, as it stands then.
func (t *Talk) Settle(ctx context.Context, id run.ID, known string, most time.Duration) (run.Run, error) {
	settled, stop := t.Store.Runs.Settled(id)
	defer stop()
	r, err := t.Store.Runs.Run(ctx, id)
	if err != nil || over(r, known) {
		return r, err
	}
	return t.settled(ctx, id, known, most, settled)
}

// over reports whether a run has ended, or waits for a person for something else than known.
func over(r run.Run, known string) bool {
	return r.State.Final() || r.State == run.Waiting && strings.HasPrefix(r.WaitsFor, run.ForPerson) && r.WaitsFor != known
}

func (t *Talk) settled(ctx context.Context, id run.ID, known string, most time.Duration, settled <-chan run.Finished) (run.Run, error) {
	wait, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for late := false; ; {
		select {
		case <-wait.Done():
			late = true
		case <-settled:
		case <-tick.C:
		}
		r, err := t.Store.Runs.Run(ctx, id)
		if err != nil || late || over(r, known) {
			return r, err
		}
	}
}

// Result reads from the log what an invocation gave, as it stands.
func (t *Talk) Result(ctx context.Context, r run.Run) (Invoked, error) {
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
	out.Success, out.Shows, out.Rest = got.Success, got.Shows, got.Rest
	if out.Output = json.RawMessage(got.Output); !json.Valid(out.Output) {
		out.Output, err = json.Marshal(got.Output)
	}
	return out, err
}
