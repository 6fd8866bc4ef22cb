package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// InvokeIn is a call of a tool that a person asks for.
type InvokeIn struct {
	Name    string `path:"name"`
	Agent   string `query:"agent" doc:"as whom it is called; the first enabled agent that may call the tool when left out"`
	Project string `query:"project" doc:"where; also projectId in the body, where the tool has no such argument"`
	Key     string `query:"key" maxLength:"200" doc:"asked again under it, the call is not made again"`
	RawBody []byte
}

// InvokeOut is what came of it.
type InvokeOut struct {
	Success bool            `json:"success"`
	Output  json.RawMessage `json:"output,omitempty" doc:"what the tool gave: its JSON, else a text"`
	Error   string          `json:"error,omitempty" doc:"why it gave nothing"`
	Run     run.ID          `json:"runId"`
	State   run.State       `json:"state"`
	Waits   string          `json:"waitsFor,omitempty" doc:"what it waits for, such as approval:ID"`
}

func invokeRoute(a *api) {
	route(a, http.MethodPost, "/api/tools/{name}/invoke", "invoke-tool", "Call a tool as an agent, without a model; the body has its arguments. It is permitted, asked about and recorded as an agent's own call", org.Viewer, a.invoke, func(op *huma.Operation) {
		op.Description += " It answers when the call has ended or waits for a person, within 5 minutes."
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}}
		op.SkipValidateBody = true // the tool says what fits
	})
}

func (a *api) invoke(ctx context.Context, in *InvokeIn) (*Body[InvokeOut], error) {
	t, ok := a.Tools.Now().Find(in.Name)
	if !ok {
		return nil, fault.New(fault.NotFound, "%s", a.Tools.Now().Missing(in.Name))
	}
	args, project, err := argumentsOf(t, in)
	if err != nil {
		return nil, err
	}
	if project != "" {
		if _, err := a.Clerk.Begin(ctx, a.place(ctx), project); err != nil {
			return nil, err
		}
	}
	as, err := a.callerOf(ctx, t, in.Agent)
	if err != nil {
		return nil, err
	}
	at := a.place(ctx)
	settled, stop := a.Store.Settled(run.ID(at.Run))
	defer stop()
	spec := run.Spec{ID: run.ID(at.Run), Thread: at.Thread, Project: project, Agent: string(as), By: at.From, Trace: run.TraceOf(ctx)}
	key := in.Key
	if key != "" {
		key = "invoke/" + key // another than that of a message
	}
	err = a.Runs.Write(ctx, func(b *run.Batch) error {
		return agent.StartInvocation(b, spec, key, agent.Invocation{Tool: t.Name, Args: args})
	})
	if errors.Is(err, agent.ErrAsked) {
		var asked event.Event
		asked, err = a.Store.ByKey(ctx, at.From.AgentID, key)
		spec.ID = run.ID(asked.Message.RunID)
	}
	if err != nil {
		return nil, err
	}
	return body(a.invoked(ctx, spec.ID, settled))
}

// argumentsOf takes the project out of the arguments, where the tool has no argument of that name.
func argumentsOf(t *tool.Tool, in *InvokeIn) (args json.RawMessage, project string, err error) {
	fields := make(map[string]json.RawMessage)
	if len(in.RawBody) > 0 {
		if err := json.Unmarshal(in.RawBody, &fields); err != nil || fields == nil {
			return nil, "", fault.New(fault.Invalid, "The body is no JSON object: give the arguments of %s, as GET /api/tools/%s describes them.", t.Name, t.Name)
		}
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return nil, "", err
	}
	project = in.Project
	if raw, given := fields["projectId"]; given && schema.Properties["projectId"] == nil {
		if err := json.Unmarshal(raw, &project); err != nil {
			return nil, "", fault.BadField("projectId", "It is no text.")
		}
		delete(fields, "projectId")
	}
	args, err = json.Marshal(fields)
	return args, project, err
}

// callerOf is the agent as which a tool is called.
func (a *api) callerOf(ctx context.Context, t *tool.Tool, name string) (org.AgentID, error) {
	if name != "" {
		m, err := a.Store.Member(ctx, agentID(name))
		return m.Card.AgentID, err
	}
	members, err := a.Store.Members(ctx)
	if err != nil {
		return "", err
	}
	may := toolOut(t, members).Agents
	if len(may) == 0 {
		return "", fault.New(fault.Denied, "No enabled agent may call %s. Give it to one on the page Agents, or name one with ?agent=.", t.Name)
	}
	return agentID(slices.Min(may)), nil
}

// invoked returns when a run has ended or waits for somebody, or is waited for too long.
func (a *api) invoked(ctx context.Context, id run.ID, settled <-chan run.Finished) (InvokeOut, error) {
	wait, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	tick := time.NewTicker(time.Second) // a lost wake-up costs a second, no more
	defer tick.Stop()
	for over := false; ; {
		select {
		case <-wait.Done():
			over = true
		case <-settled:
		case <-tick.C:
		}
		r, err := a.Store.Run(ctx, id)
		if err != nil {
			return InvokeOut{}, err
		}
		if over || r.State.Final() || r.State == run.Waiting && strings.HasPrefix(r.WaitsFor, run.ForPerson) {
			return a.outcomeOf(ctx, r)
		}
	}
}

// outcomeOf reads from the log what an invocation gave.
func (a *api) outcomeOf(ctx context.Context, r run.Run) (InvokeOut, error) {
	out := InvokeOut{Run: r.ID, State: r.State, Waits: r.WaitsFor, Error: r.Reason}
	if r.State != run.Done {
		return out, nil
	}
	ends, _, err := a.Store.Events(ctx, 0, event.Filter{Run: string(r.ID), Type: run.FinishedKind.Name, Limit: 1})
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
