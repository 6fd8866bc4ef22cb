package clutch

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/worker"
)

// How a worker fetches.
const (
	mostWait     = 60 // seconds
	usualFetched = 10 // tasks
	mostFetched  = 100
)

// AsksAnswer is the status of a task.progress that waits for an answer.
const AsksAnswer = "input_required"

// Fetched are the tasks that wait for a worker, as the messages that it is told: for each a task.request, and a chat.message for each
// answer to what it asked.
type Fetched struct {
	Messages []event.Message `json:"messages"`
}

// Stands says where a task of a worker stands.
type Stands struct {
	TaskID string       `json:"task_id"`
	State  worker.State `json:"state"`
	Until  *time.Time   `json:"until,omitempty"` // when it waits again, unless the worker says something
	Reason string       `json:"reason,omitempty"`
}

func standsAs(t worker.Task) Stands {
	out := Stands{TaskID: t.ID, State: t.State, Reason: t.Reason}
	if !t.Until.IsZero() {
		out.Until = &t.Until
	}
	return out
}

// ofWorker is for whom a caller speaks: the worker of the agent of its key.
func (d *door) ofWorker(ctx context.Context) (worker.Bearer, error) {
	c := gateway.CallerOf(ctx)
	if c.Key == nil || c.Key.Agent == "" {
		return worker.Bearer{}, fault.New(fault.Denied, "Tasks are fetched and ended with the key of an agent elsewhere. An admin makes one with `chela key make NAME --agent AGENT`.")
	}
	m, err := d.store.Agents.Member(ctx, c.Key.Agent)
	if err != nil {
		return worker.Bearer{}, err
	}
	if err := m.Ready(); err != nil {
		return worker.Bearer{}, err
	}
	return worker.Bearer{Worker: m.Server, Party: event.Party{AgentID: string(c.Key.Agent), Key: c.Key.ID}}, nil
}

// get answers a GET with JSON.
func get(h *gateway.Hall, answer func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := func() (any, error) {
			if r.Method != http.MethodGet {
				w.Header().Set("Allow", http.MethodGet)
				return nil, gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "%s takes GET, not %s.", r.URL.Path, r.Method))
			}
			c, err := h.PermitScoped(r, org.Viewer)
			if err != nil {
				return nil, err
			}
			return answer(r.WithContext(c.With(r.Context())))
		}()
		if err != nil {
			h.Fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(out) // the client is gone
	})
}

// number is a number in the query of a request, from 0 to a bound.
func number(r *http.Request, name string, usual, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fault.BadField(name, "It is a number from 0 to "+strconv.Itoa(most)+".")
	}
	return n, nil
}

// fetch answers with the tasks that wait for the worker, and waits for one when there are none.
func (d *door) fetch(r *http.Request) (any, error) {
	b, err := d.ofWorker(r.Context())
	if err != nil {
		return nil, err
	}
	wait, err := number(r, "wait", 0, mostWait)
	if err != nil {
		return nil, err
	}
	most, err := number(r, "limit", usualFetched, mostFetched)
	if err != nil {
		return nil, err
	}
	all, err := d.store.Workers.Fetch(r.Context(), b.Worker, max(most, 1), time.Duration(wait)*time.Second)
	out := Fetched{Messages: []event.Message{}}
	for _, t := range all {
		out.Messages = append(out.Messages, t.Messages(event.Party{AgentID: b.Party.AgentID})...)
	}
	return out, err
}

// look answers where a task of the worker stands.
func (d *door) look(r *http.Request) (any, error) {
	b, err := d.ofWorker(r.Context())
	if err != nil {
		return nil, err
	}
	t, err := d.store.Workers.Of(r.Context(), b.Worker, strings.TrimPrefix(r.URL.Path, gateway.WorkersPath+"/tasks/"))
	return standsAs(t), err
}

// brings takes what a worker says of a task.
func (d *door) brings(ctx context.Context, m event.Message) (Stands, error) {
	b, err := d.ofWorker(ctx)
	if err != nil {
		return Stands{}, err
	}
	if m.From.AgentID != b.Party.AgentID {
		return Stands{}, fault.BadField("from.agent_id", "The key speaks for "+b.Party.AgentID+".")
	}
	if b.Message = m.IdempotencyKey; b.Message == "" {
		b.Message = m.ID
	}
	t, err := d.moved(ctx, b, m)
	return standsAs(t), err
}

func (d *door) moved(ctx context.Context, b worker.Bearer, m event.Message) (worker.Task, error) {
	switch m.Type {
	case event.TaskAccept:
		return d.store.Workers.Take(ctx, b, m.TaskID)
	case event.TaskProgress:
		var p run.TaskProgress
		if err := event.DecodeStrict(m.Payload, &p); err != nil {
			return worker.Task{}, err
		}
		return d.store.Workers.Progress(ctx, b, m.TaskID, p.Progress, p.Message, p.Status == AsksAnswer)
	case event.TaskResult:
		var p run.TaskResult
		if err := event.DecodeStrict(m.Payload, &p); err != nil {
			return worker.Task{}, err
		}
		return d.store.Workers.End(ctx, b, m.TaskID, endOf(p))
	}
	var p run.TaskError
	if err := event.DecodeStrict(m.Payload, &p); err != nil {
		return worker.Task{}, err
	}
	if p.Message == "" {
		return worker.Task{}, fault.BadField("payload.message", "A task.error says what went wrong.")
	}
	return d.store.Workers.End(ctx, b, m.TaskID, worker.Ended{State: worker.Failed, Reason: strings.TrimSpace(p.Message + " " + code(p.Code))})
}

// code is the code of an error, for a sentence.
func code(c string) string {
	if c == "" {
		return ""
	}
	return "(" + c + ")"
}

// endOf is what a result says: its output as text, or as the JSON that it is, else its summary.
func endOf(p run.TaskResult) worker.Ended {
	out := worker.Ended{State: worker.Done, Output: text(p.Output)}
	if out.Output == "" {
		out.Output = p.Summary
	}
	if !p.Success {
		out.State, out.Reason = worker.Failed, p.Summary
	}
	return out
}

// text is JSON as text: a string as it is, null as nothing.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
