package builder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/session"
)

// A Watch tells a program what becomes of one conversation, in the words of systems in which workflows are built and begun by
// chat: session:stateChange, session:message and execution:log. It is given the events of the log in order. Not
// safe for concurrent use.
type Watch struct {
	thread string
	store  Store
	plans  map[string]Planned // of the conversation, by id; one without an id is of another
	played map[string]bool    // the runs of instances that it began
}

// NewWatch watches a conversation.
func NewWatch(s Store, thread string) *Watch {
	return &Watch{thread: thread, store: s, plans: make(map[string]Planned), played: make(map[string]bool)}
}

// A Told is one message to a program.
type Told struct {
	Name string // session:stateChange, session:message, execution:log
	Data any
}

// A StateChange is the payload of session:stateChange.
type StateChange struct {
	Session   string            `json:"sessionId"`
	State     router.State      `json:"state"`
	Previous  router.State      `json:"previousState,omitempty"`
	Plan      string            `json:"planId,omitempty"` // of a plan that builds, or the workflow and its version that is played
	Step      string            `json:"stepId,omitempty"`
	Variables map[string]string `json:"variables,omitempty"`
	Canvas    int               `json:"canvasVersion,omitempty"` // the revision of the draft that is built, or the version that is played
	Workflow  string            `json:"workflow,omitempty"`
	Run       string            `json:"runId,omitempty"`
	Person    string            `json:"person,omitempty"`
	At        int64             `json:"timestamp"` // ms
}

// A Message is the payload of session:message.
type Message struct {
	Session  string            `json:"sessionId"`
	ID       string            `json:"id"`
	Role     string            `json:"role"` // user, supervisor or system
	Content  string            `json:"content"`
	At       int64             `json:"timestamp"` // ms
	Metadata map[string]string `json:"metadata,omitempty"`
}

// A Log is the payload of execution:log.
type Log struct {
	Session string    `json:"sessionId"`
	Output  string    `json:"output"`
	Stream  string    `json:"stream"` // stdout, or stderr of what failed
	At      time.Time `json:"timestamp"`
	Source  string    `json:"source"` // workflow
	Plan    string    `json:"planId,omitempty"`
	Step    string    `json:"stepId,omitempty"`
	Run     string    `json:"runId,omitempty"`
}

// Tell returns what a program is told of an event; mostly nothing.
func (w *Watch) Tell(ctx context.Context, e event.Event) ([]Told, error) {
	switch e.Message.Type {
	case session.SaidKind.Name, session.NoticeKind.Name:
		return w.said(e)
	case router.ChangedKind.Name:
		return w.changed(e)
	case PlannedKind.Name:
		return w.planned(e)
	case MovedKind.Name:
		return w.moved(ctx, e)
	case instance.StepKind.Name:
		return w.step(e)
	}
	return nil, nil
}

func (w *Watch) said(e event.Event) ([]Told, error) {
	if e.Message.ThreadID != w.thread {
		return nil, nil
	}
	m := Message{Session: w.thread, ID: e.Message.ID, Role: "system", At: e.At.UnixMilli()}
	if e.Message.Type == session.NoticeKind.Name {
		n, ok, err := session.NoticeKind.Open(e)
		m.Content = n.Message
		return told(ok, err, "session:message", m)
	}
	s, ok, err := session.SaidKind.Open(e)
	m.Content = s.Message
	switch from := e.Message.From; {
	case org.PersonOf(from) != "":
		m.Role = "user"
	case from.AgentID == router.Party().AgentID:
		m.Metadata = map[string]string{"intent": "router"}
	default:
		m.Role, m.Metadata = "supervisor", map[string]string{"agent": strings.TrimPrefix(from.AgentID, "agent:")}
	}
	return told(ok, err, "session:message", m)
}

func told(ok bool, err error, name string, data any) ([]Told, error) {
	if err != nil || !ok {
		return nil, err
	}
	return []Told{{name, data}}, nil
}

func (w *Watch) changed(e event.Event) ([]Told, error) {
	if e.Message.ThreadID != w.thread {
		return nil, nil
	}
	c, ok, err := router.ChangedKind.Open(e)
	s := StateChange{Session: w.thread, State: c.Session.State, Previous: c.From, Person: c.Session.Person, At: e.At.UnixMilli()}
	if p := c.Session.Plan; p != nil {
		s.Plan, s.Step, s.Variables, s.Canvas, s.Workflow, s.Run = p.ID, p.Step, p.Variables, p.Version, p.Slug, string(p.Run)
		if p.Run != "" && !p.State.Over() {
			w.played[string(p.Run)] = true
		}
	}
	return told(ok, err, "session:stateChange", s)
}

func (w *Watch) planned(e event.Event) ([]Told, error) {
	p, ok, err := PlannedKind.Open(e)
	if err != nil || !ok || p.Thread != w.thread {
		return nil, err
	}
	w.plans[p.Plan.ID] = p
	return told(true, nil, "session:stateChange", StateChange{
		Session: w.thread, State: router.Planning, Previous: router.Routing, Plan: p.Plan.ID, Workflow: p.Plan.Workflow, Person: p.Person, At: e.At.UnixMilli(),
	})
}

// stateOf is the state of a session whose plan stands so.
func stateOf(s State) router.State {
	switch s {
	case Pending:
		return router.Planning
	case Executing:
		return router.Executing
	case Completed:
		return router.Completed
	case Failed:
		return router.Failed
	case Dropped, Undone:
	}
	return router.Idle
}

func (w *Watch) moved(ctx context.Context, e event.Event) ([]Told, error) {
	m, ok, err := MovedKind.Open(e)
	if err != nil || !ok {
		return nil, err
	}
	p, known := w.plans[m.ID]
	if !known { // it was made before the program listened
		k, err := w.store.BuildPlan(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		if k.Thread == w.thread {
			p = k.Planned
		}
		w.plans[m.ID] = p
	}
	if p.Plan.ID == "" {
		return nil, nil
	}
	out := make([]Told, 0, len(m.Results)+1)
	vars := make(map[string]string)
	last := ""
	for _, r := range m.Results {
		l := Log{Session: w.thread, Output: "The step " + r.Step + " is done.", Stream: "stdout", At: e.At, Source: "workflow", Plan: m.ID, Step: r.Step}
		switch {
		case r.Skipped:
			l.Output = "The step " + r.Step + " is skipped."
		case !r.Success:
			l.Output, l.Stream = fmt.Sprintf("The step %s failed: %s", r.Step, r.Error), "stderr"
		default:
			last = r.Step
		}
		for _, s := range p.Plan.Steps {
			if s.ID == r.Step && s.Output != nil && s.Output.Node != "" && r.Node != "" {
				vars[s.Output.Node] = r.Node
			}
		}
		out = append(out, Told{"execution:log", l})
	}
	return append(out, Told{"session:stateChange", StateChange{
		Session: w.thread, State: stateOf(m.To), Previous: stateOf(m.From), Plan: m.ID, Step: last, Variables: vars, Canvas: m.Revision, Workflow: p.Plan.Workflow, Person: p.Person, At: e.At.UnixMilli(),
	}}), nil
}

// step tells how a step of an instance stands that the conversation began.
func (w *Watch) step(e event.Event) ([]Told, error) {
	if !w.played[e.Message.RunID] {
		return nil, nil
	}
	s, ok, err := instance.StepKind.Open(e)
	l := Log{Session: w.thread, Output: fmt.Sprintf("The step %s is %s.", s.Path, s.State), Stream: "stdout", At: e.At, Source: "workflow", Step: s.Path, Run: e.Message.RunID}
	if s.Error != "" {
		l.Output, l.Stream = fmt.Sprintf("The step %s is %s: %s", s.Path, s.State, s.Error), "stderr"
	}
	return told(ok, err, "execution:log", l)
}

// Plays notes an instance that the conversation began before the program listened.
func (w *Watch) Plays(sessions []router.Session) {
	for _, s := range sessions {
		if s.Plan != nil && s.Plan.Run != "" && !s.Plan.State.Over() {
			w.played[string(s.Plan.Run)] = true
		}
	}
}
