// Package clutch is the door of the Clutch Protocol: POST /api/clutch takes one message of a program, and at GET /api/clutch/tasks agents
// elsewhere fetch what they are asked for.
package clutch

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/talk"
	"chela/internal/worker"
)

// A Store keeps what agents elsewhere say of themselves and of their tasks.
type Store struct {
	Log     Log
	Agents  Agents
	Workers *worker.Tasks
}

// A Log records.
type Log interface {
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
}

// Agents are the members of the organization.
type Agents interface {
	Member(ctx context.Context, id org.AgentID) (agent.Member, error)
}

// mostBytes bounds a message.
const mostBytes = 2 << 20

type door struct {
	talk  *talk.Talk
	runs  *run.Engine
	store Store
}

// New returns the doors.
func New(h *gateway.Hall, t *talk.Talk, runs *run.Engine, s Store) []gateway.Door {
	d := &door{t, runs, s}
	return []gateway.Door{
		{Path: gateway.WorkersPath, Handler: h.Post(org.Editor, mostBytes, d.take)},
		{Path: gateway.WorkersPath + "/tasks", Handler: get(h, d.fetch)},
		{Path: gateway.WorkersPath + "/tasks/", Handler: get(h, d.look)},
	}
}

// take takes a protocol message from a program. It may speak for the person whose
// token it sends (chat.message, task.request, task.cancel), for agents that run
// outside (agent.register, agent.heartbeat, agent.update), and by the key of such an
// agent for that one alone (task.accept, task.progress, task.result, task.error, agent.heartbeat).
func (d *door) take(r *http.Request, raw []byte) (any, error) {
	ctx := r.Context()
	m, err := event.DecodeMessage(raw)
	if err != nil {
		return nil, err
	}
	mine := []string{event.TaskAccept, event.TaskProgress, event.TaskResult, event.TaskError, event.AgentHeartbeat}
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Agent != "" && !slices.Contains(mine, m.Type) {
		return nil, fault.BadField("type", "The key of an agent elsewhere sends these types.", mine...)
	}
	switch m.Type {
	case event.TaskAccept, event.TaskProgress, event.TaskResult, event.TaskError:
		return d.brings(ctx, m)
	case event.ChatMessage, event.TaskRequest:
		return d.say(ctx, m)
	case event.TaskCancel:
		return d.cancel(ctx, m)
	case event.AgentRegister, event.AgentHeartbeat, event.AgentUpdate:
		return d.register(ctx, m)
	}
	return nil, fault.BadField("type", "Programs may send only these types; the others are written by the daemon.", append(mine, event.ChatMessage, event.TaskRequest, event.TaskCancel, event.AgentRegister, event.AgentUpdate)...)
}

// Accepted says what became of a message.
type Accepted struct {
	MessageID string `json:"message_id"`
	ThreadID  string `json:"thread_id"`
	RunID     string `json:"run_id,omitempty"`
	Again     bool   `json:"again,omitempty"`
}

func (d *door) say(ctx context.Context, m event.Message) (Accepted, error) {
	var text struct {
		Message     string `json:"message"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(m.Payload, &text); err != nil {
		return Accepted{}, fault.Wrap(err, fault.Invalid, "payload: it is an object with message, or with title and description.")
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal(m.Payload, &names); err != nil {
		return Accepted{}, fault.Wrap(err, fault.Invalid, "payload: it is an object with message, or with title and description.")
	}
	if err := event.CheckSpelling(names, "payload.", "message", "title", "description"); err != nil {
		return Accepted{}, err
	}
	if text.Message == "" {
		text.Message = text.Title
		if text.Description != "" {
			text.Message += "\n" + text.Description
		}
	}
	key := m.IdempotencyKey
	if key == "" {
		key = m.ID
	}
	said := talk.Message{Begins: true, Message: inbox.Message{Thread: m.ThreadID, Text: text.Message, From: gateway.CallerOf(ctx).Party(), Channel: "clutch", Key: key, Requires: m.Requires, Prefers: m.Prefers, Trace: m.Trace}}
	if m.Security != nil {
		said.Policy = m.Security.Policy
	}
	if len(m.To) == 1 && m.To[0].AgentID != "agent:controller" && m.To[0].AgentID != "agent:chela" {
		said.Agent = m.To[0].AgentID
	}
	acc, err := d.talk.Say(ctx, said)
	return Accepted{MessageID: acc.Message, ThreadID: acc.Thread, RunID: acc.Run, Again: acc.Again}, err
}

func (d *door) cancel(ctx context.Context, m event.Message) (Accepted, error) {
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Project != "" {
		r, err := d.talk.Store.Runs.Run(ctx, run.ID(m.RunID))
		if err == nil && r.Project != k.Project {
			err = fault.New(fault.Denied, "The key %q is for one project, and the run is not of it.", k.Name)
		}
		if err != nil {
			return Accepted{}, err
		}
	}
	err := d.runs.Write(ctx, func(b *run.Batch) error {
		return b.Cancel(run.ID(m.RunID), gateway.CallerOf(ctx).Party(), "A message cancelled it.")
	})
	return Accepted{MessageID: m.ID, ThreadID: m.ThreadID, RunID: m.RunID}, err
}

func (d *door) register(ctx context.Context, m event.Message) (Accepted, error) {
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Agent != "" {
		if m.From.AgentID != string(k.Agent) {
			return Accepted{}, fault.BadField("from.agent_id", "The key speaks for "+string(k.Agent)+".")
		}
	} else if !gateway.CallerOf(ctx).Person.Role.AtLeast(org.Admin) {
		return Accepted{}, fault.New(fault.Denied, "Speaking for agents needs the role admin; %s has the role %s.", gateway.CallerOf(ctx).Person.Name, gateway.CallerOf(ctx).Person.Role)
	}
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Project != "" {
		return Accepted{}, fault.New(fault.Denied, "The key %q is for one project, and agents are the whole organization's.", k.Name)
	}
	if err := d.checkAgent(ctx, m); err != nil {
		return Accepted{}, err
	}
	recorded, err := d.store.Log.Append(ctx, event.Draft{Stream: event.OrgStream, Message: m})
	return Accepted{MessageID: m.ID, ThreadID: m.ThreadID, Again: err == nil && len(recorded) == 0}, err
}

// checkAgent refuses what would speak for one of our own agents.
func (d *door) checkAgent(ctx context.Context, m event.Message) error {
	id := org.AgentID(m.From.AgentID)
	member, err := d.store.Agents.Member(ctx, id)
	known := err == nil
	if known && member.Card.Endpoints == nil {
		return fault.New(fault.Denied, "The agent %s runs inside Chela and speaks for itself.", id)
	}
	switch m.Type {
	case event.AgentRegister:
		var r org.Registration
		if err := event.DecodeStrict(m.Payload, &r); err != nil {
			return err
		}
		if r.Profile != nil || r.Card.AgentID != id || r.Card.Endpoints == nil {
			return fault.BadField("payload.card", "A registration carries the sender's own card with its endpoints, and no profile.")
		}
		return org.Agent{Card: r.Card, Profile: org.Profile{Kind: org.Specialist, Prompt: "outside", Enabled: true}}.Check()
	case event.AgentHeartbeat:
		var h org.Heartbeat
		if err := event.DecodeStrict(m.Payload, &h); err != nil {
			return err
		}
		if err := h.Check(); err != nil {
			return err
		}
	case event.AgentUpdate:
		var u org.Update
		if err := event.DecodeStrict(m.Payload, &u); err != nil {
			return err
		}
		if u.AgentID != id || u.Profile != nil || u.Card != nil && (u.Card.AgentID != id || u.Card.Endpoints == nil) {
			return fault.BadField("payload", "An update is about the sender itself, carries no profile, and a card keeps its endpoints.")
		}
		if err := u.Check(); err != nil {
			return err
		}
	}
	if !known {
		return fault.New(fault.NotFound, "The agent %s has not registered.", id)
	}
	return nil
}
