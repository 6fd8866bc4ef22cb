package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/model/scripted"
	"chela/internal/session"
)

// A Caller reaches a daemon.
type Caller interface {
	Call(ctx context.Context, method, path string, in, out any) error
}

// A logged event is what the log's page says of it.
type logged struct {
	entry
	Run string `json:"run_id"`
}

// A live run is what is read of it.
type live struct {
	ID      string `json:"id"`
	Thread  string `json:"thread"`
	Project string `json:"project"`
	Kind    string `json:"kind"`
	Agent   string `json:"agent"`
	State   string `json:"state"`
	Seq     int64  `json:"seq"`

	CreatedAt time.Time `json:"created_at"`
}

// A recorder freezes one run.
type recorder struct {
	cl    Caller
	run   live
	names []string // pairs for a replacer: an id, and the template that stands for it
}

// Record freezes a run of a conversation as a scenario: the records as they were before
// it, what the person said, what the models answered, and what came of it. A call that
// names a record which the run made itself keeps the old id and is refused when played.
func Record(ctx context.Context, cl Caller, run string) (File, error) {
	r := recorder{cl: cl}
	var got struct {
		Run live `json:"run"`
	}
	if err := cl.Call(ctx, "GET", "/api/runs/"+run, nil, &got); err != nil {
		return File{}, err
	}
	r.run = got.Run
	if !session.IsTurn(r.run.Kind) {
		return File{}, fault.New(fault.Invalid, "Run %s is an %s; only runs of conversations can be recorded.", run, r.run.Kind)
	}
	if r.run.Project == "" || r.run.State != "done" && r.run.State != "failed" {
		return File{}, fault.New(fault.Invalid, "Run %s is %s; only runs of a project that are done or failed can be recorded.", run, r.run.State)
	}
	var project struct {
		Body desk.ProjectBody `json:"body"`
	}
	if err := cl.Call(ctx, "GET", "/api/projects/"+r.run.Project, nil, &project); err != nil {
		return File{}, err
	}
	seeds, err := r.seeds(ctx)
	if err != nil {
		return File{}, err
	}
	step, err := r.step(ctx)
	if err != nil {
		return File{}, err
	}
	f := File{SchemaVersion: 2, Project: project.Body.Name, Description: "The run " + run + " as it was recorded.", Defaults: Defaults{RequireEveryReply: true}}
	if len(seeds) > 0 {
		f.Steps = append(f.Steps, Step{Name: "what there was", Type: "seed", Seeds: seeds})
	}
	f.Steps = append(f.Steps, step)
	// What was said of today and tomorrow holds on the day that it was said.
	f.Defaults.StartAt = r.run.CreatedAt.Add(-perStep * time.Duration(len(f.Steps))).Format(time.RFC3339Nano)
	return f, nil
}

// log reads events that fit a query.
func (r *recorder) log(ctx context.Context, query string) ([]logged, error) {
	var out []logged
	for after := int64(0); ; {
		var page struct {
			Events []logged `json:"events"`
			End    int64    `json:"end"`
		}
		if err := r.cl.Call(ctx, "GET", fmt.Sprintf("/api/log?limit=500&after=%d&%s", after, query), nil, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Events...)
		if len(page.Events) < 500 {
			return out, nil
		}
		after = page.End
	}
}

// seeds make the records as they were before the run, in the order they were made.
func (r *recorder) seeds(ctx context.Context) ([]Seed, error) {
	events, err := r.log(ctx, "type=desk.*")
	if err != nil {
		return nil, err
	}
	bodies := make(map[string]map[string]json.RawMessage)
	kinds, gone := make(map[string]desk.Kind), make(map[string]bool)
	var order []string
	for _, e := range events {
		var c desk.Change
		if err := json.Unmarshal(e.Payload, &c); err != nil {
			return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		if e.Seq >= r.run.Seq || c.Project != r.run.Project || c.Kind == desk.Project || c.Kind == desk.Intake || c.Kind == desk.Upload {
			continue
		}
		var set map[string]json.RawMessage
		if len(c.Set) > 0 {
			if err := json.Unmarshal(c.Set, &set); err != nil {
				return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
			}
		}
		switch c.Op {
		case desk.Created:
			bodies[c.ID], kinds[c.ID], order = set, c.Kind, append(order, c.ID)
		case desk.Updated:
			apply(bodies[c.ID], set)
		case desk.Deleted, desk.Merged:
			gone[c.ID] = true
		case desk.Restored:
			delete(gone, c.ID)
		}
	}
	var out []Seed
	for _, id := range order {
		if gone[id] {
			continue
		}
		body := bodies[id]
		delete(body, "sources")
		name := fmt.Sprintf("%s%d", camel(string(kinds[id])), len(out)+1)
		c, _ := collectionNamed(string(kinds[id]))
		out = append(out, Seed{URL: "/api/projects/{{projectId}}/" + c.Path, Body: json.RawMessage(r.named(string(encoded(body)))), Capture: map[string]string{name: "id"}})
		r.names = append(r.names, id, "{{"+name+"}}")
	}
	return out, nil
}

// apply merges a patch into a body.
func apply(body, set map[string]json.RawMessage) {
	for k, v := range set {
		if string(v) == "null" {
			delete(body, k)
		} else if body != nil {
			body[k] = v
		}
	}
}

// named puts templates where ids are that the scenario will know by another.
func (r *recorder) named(text string) string {
	return strings.NewReplacer(append(slices.Clone(r.names), r.run.Project, "{{projectId}}", r.run.Thread, "{{threadId}}")...).Replace(text)
}

// reply is what a model answered, for a script.
func (r *recorder) reply(payload json.RawMessage) (scripted.Reply, error) {
	var said agent.Answered
	if err := json.Unmarshal(payload, &said); err != nil {
		return scripted.Reply{}, fmt.Errorf("read an answer of run %s: %w", r.run.ID, err)
	}
	out := scripted.Reply{Agent: strings.TrimPrefix(said.Agent, "agent:"), Text: r.named(said.Answer.Text)}
	for _, c := range said.Answer.Calls {
		out.Calls = append(out.Calls, scripted.Call{Name: c.Name, Args: json.RawMessage(r.named(string(c.Args)))})
	}
	return out, nil
}

// step is what was said and answered in the run, and what came of it.
func (r *recorder) step(ctx context.Context) (Step, error) {
	s := Step{Name: "the run", Agent: strings.TrimPrefix(r.run.Agent, "agent:"), Expects: &Expects{RunState: r.run.State, Events: &Events{Counts: make(map[string]int)}, Differences: make(map[string]int)}}
	events, err := r.log(ctx, "run="+r.run.ID)
	if err != nil {
		return s, err
	}
	for _, e := range events {
		var said struct {
			Message string    `json:"message"`
			Kind    desk.Kind `json:"kind"`
		}
		if err := json.Unmarshal(e.Payload, &said); err != nil {
			continue // a payload with other fields of these names says nothing here
		}
		switch {
		case e.Type == "chat.message" && strings.HasPrefix(e.From, "agent:person/"):
			s.UserQuery = strings.TrimSpace(s.UserQuery + "\n" + r.named(said.Message))
		case e.Type == agent.AnsweredKind.Name:
			reply, err := r.reply(e.Payload)
			if err != nil {
				return s, err
			}
			s.Replies = append(s.Replies, reply)
		case strings.HasPrefix(e.Type, "desk."):
			s.Expects.InOrder = append(s.Expects.InOrder, e.Type)
			s.Expects.Differences[string(said.Kind)] += map[string]int{"created": 1, "deleted": -1}[e.Type[strings.LastIndex(e.Type, ".")+1:]]
		case slices.Contains([]string{"tool.call", "tool.result", "tool.error", "routing.decision"}, e.Type):
			s.Expects.Events.Counts[e.Type]++
		}
	}
	if s.UserQuery == "" {
		return s, fault.New(fault.Invalid, "Nobody said anything in run %s; only runs that answer a person can be recorded.", r.run.ID)
	}
	return s, nil
}
