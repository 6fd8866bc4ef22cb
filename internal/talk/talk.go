// Package talk is what every door calls: [Talk.Say] something, [Talk.Await] what comes of it,
// [Talk.Stream] it while it comes, and [Talk.Invoke] a tool. The rules that hold for all doors are
// here: which thread, which project and which agent a message may name.
package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/meter"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
	"chela/internal/tool"
)

// A Store is what is looked up.
type Store struct {
	Desk          Desk
	Conversations Conversations
	Runs          Runs
	Log           Log
	Agents        Agents
	Spending      Spending
	Keys          Keys
}

// Keys are what programs may do.
type Keys interface {
	// Key returns the bounds of a key; a fault.Unauthenticated says that it may do nothing.
	Key(ctx context.Context, id string) (org.Key, error)
}

// Spending sums the calls of models.
type Spending interface {
	Spend(ctx context.Context, id run.ID) (agent.Spend, error)
}

// A Desk finds records.
type Desk interface {
	Mint() *event.Mint
	Record(ctx context.Context, id string) (desk.Record, error)
}

// Conversations reads what was said.
type Conversations interface {
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
	Session(ctx context.Context, thread string) (session.Thread, error)
}

// A Log finds what was recorded.
type Log interface {
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
}

// Runs are the runs and how they end.
type Runs interface {
	Run(ctx context.Context, id run.ID) (run.Run, error)
	// Settled returns a channel that receives when the run has ended or waits, and its end.
	Settled(id run.ID) (<-chan run.Finished, func())
}

// Agents are the members of the organization.
type Agents interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	Member(ctx context.Context, id org.AgentID) (agent.Member, error)
	Members(ctx context.Context) ([]agent.Member, error)
	Agents(ctx context.Context) ([]org.Agent, error) // as they are kept in memory
}

// Parts are what a [Talk] drives.
type Parts struct {
	Store Store
	Inbox *inbox.Inbox
	Runs  *run.Engine
	Tools *tool.Catalog
	Hub   *stream.Hub
	// Models and Limits are what calls of models pass that are forwarded.
	Models Models
	Limits meter.Store
	Files  *artifact.Files // pictures that come with messages
	// Project returns an error unless the project exists.
	Project func(ctx context.Context, id string) error
}

// A Talk accepts what callers say and ask. Safe for concurrent use.
type Talk struct {
	Parts
	crowd crowd
}

// New returns a talk.
func New(p Parts) *Talk { return &Talk{Parts: p} }

// A Message is what somebody says through a door.
type Message struct {
	inbox.Message
	// Begins lets a thread that does not exist yet be begun under the id that the sender gave it.
	Begins bool
	// Opening is told before the text by a message that begins its conversation.
	Opening string
}

// Say accepts a message. Without a thread it begins a conversation. A thread is a conversation, or a
// record of the desk in which nothing has been said yet; its project is then the record's. A
// fault.NotFound says that the thread, the project or the agent does not exist.
func (t *Talk) Say(ctx context.Context, m Message) (inbox.Accepted, error) {
	if err := t.bind(ctx, &m); err != nil {
		return inbox.Accepted{}, err
	}
	if m.Agent != "" {
		if _, err := t.Store.Agents.Agent(ctx, org.AgentID(m.Agent)); err != nil {
			return inbox.Accepted{}, err
		}
	}
	if m.Run == "" {
		m.Run = run.ID(t.Store.Desk.Mint().ID("run"))
	}
	if err := t.enter(ctx, m.From, m.Run); err != nil {
		return inbox.Accepted{}, err
	}
	acc, err := t.take(ctx, m)
	if err != nil || acc.Run != string(m.Run) { // it begins none
		t.crowd.leave(m.From.Key, m.Run)
	}
	return acc, err
}

// take accepts a message in its thread, or begins one.
func (t *Talk) take(ctx context.Context, m Message) (inbox.Accepted, error) {
	if m.Thread == "" {
		if m.Project != "" {
			if err := t.Project(ctx, m.Project); err != nil {
				return inbox.Accepted{}, err
			}
		}
		m.Text = m.Opening + m.Text
		return t.Inbox.Take(ctx, m.Message)
	}
	m.Begun = true
	acc, err := t.Inbox.Take(ctx, m.Message)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return acc, err
	}
	r, missing := t.Store.Desk.Record(ctx, m.Thread)
	switch {
	case missing == nil:
		m.Project = r.Project
	case !m.Begins:
		return inbox.Accepted{}, fault.New(fault.NotFound, "The thread %s does not exist.", m.Thread)
	}
	m.Begun, m.Text = false, m.Opening+m.Text
	return t.Inbox.Take(ctx, m.Message)
}

// A Reply says what became of a message, and of the run that answers it.
type Reply struct {
	inbox.Accepted
	State     run.State `json:"state,omitempty"`
	Confirmed *bool     `json:"confirmed,omitempty"`
	Review    string    `json:"review,omitempty"`
	// Calls are what the program that asked has to call: the run waits for their results.
	Calls []session.ClientCall `json:"-"`
}

// MaxWait bounds how long [Talk.Await] waits.
const MaxWait = 5 * time.Minute

// lookEvery is how often a run is looked at that is waited for: a lost wake-up costs that, no more.
const lookEvery = time.Second

// Ask says something and waits for what comes of it, as [Talk.Say] and [Talk.Await] do.
func (t *Talk) Ask(ctx context.Context, m Message) (Reply, error) {
	m.Run = run.ID(t.Store.Desk.Mint().ID("run"))
	settled, stop := t.Store.Runs.Settled(m.Run)
	defer stop()
	acc, err := t.Say(ctx, m)
	if err != nil || acc.Run != string(m.Run) { // another run answers it, or a command has
		if err == nil && acc.Run != "" {
			return t.Await(ctx, acc)
		}
		return Reply{Accepted: acc}, err
	}
	return t.await(ctx, Reply{Accepted: acc}, settled)
}

// Await returns when the run that answers a message has ended or waits for somebody, or after
// [MaxWait], as the run stands then. A run that waits for a time goes on by itself, and is waited for.
func (t *Talk) Await(ctx context.Context, acc inbox.Accepted) (Reply, error) {
	out := Reply{Accepted: acc}
	if acc.Run == "" {
		return out, nil
	}
	settled, stop := t.Store.Runs.Settled(run.ID(acc.Run))
	defer stop()
	if over, err := t.settle(ctx, &out, run.Finished{}); over || err != nil {
		return out, err
	}
	return t.await(ctx, out, settled)
}

func (t *Talk) await(ctx context.Context, out Reply, settled <-chan run.Finished) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, MaxWait)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		var how run.Finished
		select {
		case <-ctx.Done():
			return out, nil
		case how = <-settled:
		case <-tick.C:
		}
		if over, err := t.settle(ctx, &out, how); over || err != nil {
			return out, err
		}
	}
}

// settle fills out in when the run has ended or waits for somebody. It looks the run up when how
// does not say.
func (t *Talk) settle(ctx context.Context, out *Reply, how run.Finished) (over bool, err error) {
	if how.State == "" || how.State == run.Waiting {
		r, err := t.Store.Runs.Run(ctx, run.ID(out.Run))
		if out.Queued && fault.KindOf(err) == fault.NotFound && err != nil {
			return false, nil // it begins when the message has its turn
		}
		if err != nil {
			return false, err
		}
		how.State, how.Reason = r.State, r.Reason
		switch {
		case r.State == run.Waiting && r.WaitsFor == run.ForTime:
			out.State = how.State
			return false, nil
		case r.State == run.Waiting && strings.HasPrefix(r.WaitsFor, run.ForClient):
			out.State = how.State
			return true, t.callsOf(ctx, out, strings.TrimPrefix(r.WaitsFor, run.ForClient))
		}
	}
	out.State = how.State
	switch {
	case how.State != run.Waiting && !how.State.Final():
		return false, nil
	case how.State != run.Done:
		out.Reply = how.Reason
		return true, nil
	case len(how.Result) == 0:
		return true, t.lastReply(ctx, out)
	}
	var said session.Said
	if err := json.Unmarshal(how.Result, &said); err != nil {
		return true, fmt.Errorf("read the result of %s: %w", out.Run, err)
	}
	out.Reply, out.Confirmed, out.Review = said.Message, said.Confirmed, said.Review
	return true, nil
}

func (t *Talk) lastReply(ctx context.Context, out *Reply) error {
	r, err := t.Store.Runs.Run(ctx, run.ID(out.Run))
	if err != nil {
		return err
	}
	messages, err := t.Store.Conversations.Messages(ctx, out.Thread, r.Seq, 500)
	for _, m := range messages {
		if m.Run == out.Run && m.Role == session.FromAgent {
			out.Reply, out.Confirmed, out.Review = m.Message, m.Confirmed, m.Review
		}
	}
	return err
}
