// Package agent is one agent at work: a loop of model calls and tools on one task (loop.go), with
// the child agents that it begins. What the tasks of a run share is a [Scope]; who works when is
// for others to say. Everything an agent learns is recorded as a step before anything builds on
// it, so a run that died goes on where it was. An agent that works elsewhere has no model here: what it is sent and says are the steps
// of its loop (elsewhere.go).
package agent

import (
	"context"
	"log/slog"
	"time"

	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/hook"
	"chela/internal/meter"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/redact"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
	"chela/internal/tool"
)

// A Roster knows the members of the organization.
type Roster interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error) // fault.NotFound
	Agents(ctx context.Context) ([]org.Agent, error)
	// RoleOf is the role of the person behind from; agents of ours act for nobody.
	RoleOf(ctx context.Context, from event.Party) (org.Role, error)
	// Barred is a sentence about why nobody with a role is behind from, and the way out; "" when somebody is.
	Barred(ctx context.Context, from event.Party) (string, error)
	// Key returns the bounds of a program's key; a fault.Unauthenticated says that it may do nothing.
	Key(ctx context.Context, id string) (org.Key, error)
	// Busy counts the tasks that each agent has in hand, and its share of tasks
	// that ended well.
	Busy(ctx context.Context) (map[org.AgentID]Workload, error)
}

// A Workload is how an agent is doing.
type Workload struct {
	Tasks   int     // in hand
	Success float64 // 0..1 of those that ended; 1 when none did
	Known   bool    // at least one ended
	Last    event.Seq
}

// Conversations reads what was said.
type Conversations interface {
	// Opening is a conversation as a run begins, with what stood for its older part at a position of the log.
	Opening(ctx context.Context, thread string, at event.Seq, id run.ID) (session.Opening, error)
	Session(ctx context.Context, thread string) (session.Thread, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
	LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error)
	// LastResult is what a tool gave an agent last in a conversation, in another run than this one. ok is false when none did.
	LastResult(ctx context.Context, thread string, agent org.AgentID, except run.ID) (last tool.ResultPayload, ok bool, err error)
	// Compacted is what stood for the older part of a conversation at a position of the log; the zero value when nothing did.
	Compacted(ctx context.Context, thread string, at event.Seq) (session.Compacted, error)
}

// Artifacts keeps what is too long for the log.
type Artifacts interface {
	Put(b []byte) (artifact.Ref, error)
	Get(ref artifact.Ref) ([]byte, error)
}

// Options of a [Runner]. The zero value is the default.
type Options struct {
	Calls         int           // model calls before the budget of a turn is used up; 0 means 25
	Continuations int           // how often that budget begins anew; 0 means 2
	Nudge         int           // a reminder of the budget every so many calls; 0 means 8
	Steps         int           // tool calls of an interactive turn; 0 means 50
	PipelineSteps int           // tool calls of a forced agent in a pipeline; 0 means 5
	CallTimeout   time.Duration // of one model call; 0 means 300 s
	Children      int           // child agents at work at once, of all runs here; 0 means 4
	Parallel      int           // read-only tool calls at once; 0 means 5
	ResultLimit   int           // bytes of a tool's result that the model sees; 0 means 16,384
	Rules         Rules         // nil is an empty policy, and no folders
	Budgets       budget.Store  // nil bounds nothing
	Price         meter.Price   // nil knows none
	Slots         Slots         // of several nodes on one database; nil counts in this process
	Secrets       Secrets       // nil gives none
	// Redact takes secrets out of what tools return, before it is recorded or shown; nil
	// leaves all.
	Redact func(ctx context.Context, text string) string
	// Hidden are the stored values that nobody sees while an agent writes; nil hides none.
	Hidden *redact.Live
	Memory Memories // what is known; nil is nothing
	Skills Skills   // what agents were taught; nil is nothing
	// Records are what contracts are about; with nil no agent can say that a ticket with a contract is done.
	Records Records
	// Workspace reads the files of an agent's workspace, and the AGENTS.md of folders that it may touch; nil has none.
	Workspace func(ctx context.Context, id org.AgentID, folders []string) []prompt.File
	Hooks     *hook.Hooks    // nil has none
	Growth    event.Notifier // of the log; nil lets no server put forms to people
	Log       *slog.Logger   // nil means slog.Default
}

func (o *Options) fill() {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.Calls, 25)
	def(&o.Continuations, 2)
	def(&o.Nudge, 8)
	def(&o.Steps, 50)
	def(&o.PipelineSteps, 5)
	def(&o.Parallel, 5)
	def(&o.Children, maxChildren)
	def(&o.ResultLimit, 16<<10)
	if o.CallTimeout == 0 {
		o.CallTimeout = 300 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Redact == nil {
		o.Redact = func(_ context.Context, text string) string { return text }
	}
}

// A Runner lets agents work.
type Runner struct {
	model   model.Model
	catalog *tool.Catalog
	own     []*tool.Tool // about agents and tools, beside those of the catalog
	roster  Roster
	conv    Conversations
	arts    Artifacts
	asked   approval.Reader
	rules   Rules
	hub     *stream.Hub
	opts    Options
	offers  offers
	slots   slots
	gauge   gauge
	writers writers
	runs    *run.Engine
	write   func(ctx context.Context, fn func(*run.Batch, Tx) error) error
	// writeIn opens a transaction of a segment.
	writeIn func(ctx context.Context, s *run.Segment, fn func(Tx) error) error
	lane    chan struct{} // as wide as that of children
}

// A Tx is what agents need of a transaction.
type Tx interface {
	run.Tx
	Budgets() budget.Tx
	Slots() SlotTx
}

// New returns a runner whose runs the engine works, over the engine's own store.
func New[T Tx](runs *run.Engine, db run.Writer[T], m model.Model, tools *tool.Catalog, roster Roster, conv Conversations, arts Artifacts, asked approval.Reader, hub *stream.Hub, o Options) *Runner {
	o.fill()
	g := &Runner{runs: runs, model: m, catalog: tools, roster: roster, conv: conv, arts: arts, asked: asked, rules: o.Rules, hub: hub, opts: o, lane: make(chan struct{}, o.Children)}
	g.write = func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, runs, db, func(b *run.Batch, tx T) error { return fn(b, tx) })
	}
	g.writeIn = func(ctx context.Context, s *run.Segment, fn func(Tx) error) error {
		return run.WriteIn(ctx, s, db, func(tx T) error { return fn(tx) })
	}
	g.own = append(childTools(), g.finder(), rereader())
	return g
}

// party is an agent as a sender.
func party(id org.AgentID) event.Party { return event.Party{AgentID: string(id), Role: "agent"} }

// A Task is one delegation within a run.
type Task struct {
	id     string // "task_…"
	parent string
	key    string // prefix of its steps
	agent  org.Agent
	title  string
}

// Key is what the keys of its steps begin with.
func (t Task) Key() string { return t.key }

// Agent is who does it.
func (t Task) Agent() org.Agent { return t.agent }

// Place is where facts of the task belong, said by from.
func (t Task) Place(s *run.Segment, from event.Party) event.Place {
	p := s.Place(from)
	p.Task, p.ParentTask = t.id, t.parent
	return p
}

// once returns the place with a key that lets the fact be recorded once per run.
func once(p event.Place, what string) event.Place {
	p.Key = p.Run + "/" + what
	return p
}

// request frames a delegation; accept says that the agent has begun.
func (t Task) request(s *run.Segment, from event.Party, description string) event.Draft {
	at := once(t.Place(s, from), t.key+"/request")
	at.To = []event.Party{party(t.agent.Card.AgentID)}
	limits := t.agent.Budget
	return run.RequestKind.Draft(at, run.TaskRequest{Title: t.title, Description: description, Constraints: &run.Constraints{
		MaxTokens: limits.MaxTokens, MaxRuntimeSec: limits.MaxRuntimeSec, MaxCost: limits.MaxCostUSD,
	}})
}

func (t Task) accept(s *run.Segment) event.Draft {
	at := once(t.Place(s, party(t.agent.Card.AgentID)), t.key+"/accept")
	return run.AcceptKind.Draft(at, run.TaskAccept{TaskID: t.id, AgentID: string(t.agent.Card.AgentID), StartedAt: s.Mint().Now().UTC()})
}

func (t Task) done(s *run.Segment, output []byte, summary string) event.Draft {
	at := once(t.Place(s, party(t.agent.Card.AgentID)), t.key+"/end")
	return run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: output, Summary: head(summary, 300)})
}

func (t Task) failed(s *run.Segment, code, message string, retryable bool) event.Draft {
	at := once(t.Place(s, party(t.agent.Card.AgentID)), t.key+"/end")
	return run.ErrorKind.Draft(at, run.TaskError{Code: code, Message: message, Retryable: retryable})
}

// head returns the first n bytes of s, whole characters, with an ellipsis when cut.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// A Member is an agent and how it says it is.
type Member struct {
	org.Agent
	Status org.Status `json:"status"`
	// Version is of the last change of what it is; an edit may name the one that was seen.
	Version int64 `json:"version"`
}

// Doing is a task that an agent has in hand, and handed on to nobody.
type Doing struct {
	Run     run.ID    `json:"run"`
	Thread  string    `json:"thread"`
	Project string    `json:"project,omitempty"`
	Title   string    `json:"title"`
	State   run.State `json:"state"` // of the run
}

// A Spend sums model calls.
type Spend struct {
	Calls        int     `json:"calls"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
	Unpriced     int     `json:"unpriced"` // calls whose price is not known
	DurationMS   int     `json:"duration_ms"`
}
