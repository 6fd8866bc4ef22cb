// Package turn answers conversations. A run of a conversation is one of the definitions in
// definitions.go, played by the package workflow: a team (controller → specialist → checker, each
// on its own fork of the history), or one agent that a person speaks to directly.
package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/workflow"
)

// Options of a [Handler]. The zero value is the default.
type Options struct {
	Retries int // of the specialist after a failed review; 0 means 3
	History int // messages of history that a model is shown, at most, and a quarter of it at least; 0 means 160
	// Redact takes secrets out of what errors say; nil leaves all.
	Redact func(ctx context.Context, text string) string
	Router Router // nil has no workflow begun by a message
	// Records answer what people say while no model can be asked; nil answers nothing.
	Records router.Records
	Log     *slog.Logger // nil means slog.Default
}

// A Router decides what becomes of a message that names no agent.
type Router interface {
	Route(ctx context.Context, a router.Ask) (router.Answer, error)
}

// A Handler works the runs of conversations.
type Handler struct {
	agents *agent.Runner
	roster agent.Roster
	conv   agent.Conversations
	opts   Options
	team   workflow.Definition[*turn]
	direct workflow.Definition[*turn]
}

// New returns a handler over the agents that a runner lets work.
func New(agents *agent.Runner, roster agent.Roster, conv agent.Conversations, o Options) *Handler {
	o.Retries, o.History = cmp.Or(o.Retries, 3), cmp.Or(o.History, 160)
	if o.Redact == nil {
		o.Redact = func(_ context.Context, text string) string { return text }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Handler{agents: agents, roster: roster, conv: conv, opts: o, team: team(o.Retries), direct: direct()}
}

// a turn is one run of a conversation being worked.
type turn struct {
	h       *Handler
	s       *run.Segment
	scope   *agent.Scope
	thread  session.Thread
	opening session.Opening
	input   session.TurnInput
	history []model.Message   // what was said before this run and with its message
	later   []session.Message // what people said since
	before  []session.Message // of the conversation, up to the run's message
	first   session.Message   // that the run began with
	seen    event.Seq         // the newest message that the history has
	routed  []string          // ids of messages that the router has replied to

	agents  []org.Agent   // all there are
	checker *org.Agent    // nil when none is enabled
	choice  prompt.Choice // of the controller
	asked   agent.Task    // the controller's

	specialist org.Agent
	pending    []event.Draft // recorded together with the specialist's first step
	shown      []model.Message
	round      int         // of the specialist, from 0
	task       agent.Task  // whose reply is delivered
	reply      agent.Reply // of that task
	review     *prompt.Review
	reviewed   []event.Draft // the end of the review, recorded with what follows it
}

// Handle is the [run.Handler] of the runs that answer conversations.
func (h *Handler) Handle(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	t := &turn{h: h, s: s}
	if len(s.Run.Input) > 0 {
		if err := json.Unmarshal(s.Run.Input, &t.input); err != nil {
			return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
		}
	}
	var err error
	if t.opening, err = h.conv.Opening(ctx, s.Run.Thread, s.Run.Seq, s.Run.ID); err != nil {
		return run.Outcome{}, err
	}
	t.thread = t.opening.Thread
	if t.scope, err = h.agents.Scope(ctx, s, t.thread, t.input.Policy); err != nil {
		return run.Outcome{}, err
	}
	t.seen = s.Run.Seq
	if err := t.hear(ctx); err != nil {
		return run.Outcome{}, err
	}
	if t.thread.Agent != "" || s.Run.Agent != "" {
		return workflow.Play(ctx, h.direct, t)
	}
	return workflow.Play(ctx, h.team, t)
}

// maxLater is how many messages since the run began are read with its history.
const maxLater = 20

// hear reads what was said before the run and since it.
func (t *turn) hear(ctx context.Context) error {
	limit := t.h.opts.History
	all, err := t.h.conv.LastMessages(ctx, t.thread.ID, event.Newest, limit+maxLater)
	if err != nil {
		return err
	}
	began, _ := slices.BinarySearchFunc(all, t.seen+1, func(m session.Message, at event.Seq) int { return cmp.Compare(m.Seq, at) })
	before, later := all[:began], all[began:]
	if len(later) > maxLater { // they leave too little of what was before
		if before, err = t.h.conv.LastMessages(ctx, t.thread.ID, t.seen, limit); err != nil {
			return err
		}
	}
	since := len(later)
	t.later = slices.DeleteFunc(later, func(m session.Message) bool { return m.Role != session.FromPerson })
	before = before[max(0, len(before)-limit):]
	rest, begins := t.scope.Begin(t.thread, t.opening.Compacted, before, since)
	if before = rest; len(before) == limit {
		before = anchored(before, max(0, t.thread.Messages-since-limit))
		_, begins = t.scope.Begin(t.thread, t.opening.Compacted, before, since)
	}
	t.before = before
	for _, m := range before {
		if m.ID == t.input.Message && m.Role == session.FromPerson {
			t.first = m
		}
	}
	if len(begins) == 0 {
		var inherited []session.Message
		if inherited, begins, err = t.scope.Inherited(ctx, t.thread, limit-len(before)); err != nil {
			return err
		}
		before = append(inherited, before...)
	}
	history, err := t.scope.History(before)
	t.history = append(begins, history...)
	return err
}

// anchored drops the oldest messages of a history that is cut, so that what was dropped of the whole conversation is a
// multiple of a block. The calls of the turns until the next block begin with the same bytes, which providers need not read
// again.
func anchored(in []session.Message, dropped int) []session.Message {
	block := max(1, len(in)*3/4)
	return in[(block-dropped%block)%block:]
}

func lastSaid(in []model.Message) string {
	for _, m := range slices.Backward(in) {
		if m.Role == model.User {
			return textOf(m)
		}
	}
	return ""
}

func textOf(m model.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// deliver ends the run with the reply. When somebody spoke meanwhile it goes on instead.
func (t *turn) deliver(context.Context) (workflow.Next, error) {
	said := session.Said{Message: t.reply.Text, Broken: t.reply.Broken, Origins: t.scope.Origins()}
	if said.Message == "" {
		said.Message = "The model gave an empty answer."
		if t.reply.Refused {
			said.Message = "The model, or a filter of its provider, refused to answer. Ask in other words, or another model."
		}
	}
	if t.review != nil && !t.review.Pass {
		no := false
		said.Confirmed, said.Review = &no, t.review.Feedback
	}
	if t.reply.Limited != "" {
		said.Review = strings.TrimSpace(said.Review + " " + t.reply.Limited)
	}
	by := t.task.Agent()
	at := t.s.Place(by.Card.AgentID.Party())
	at.To = []event.Party{t.s.Run.By}
	output, err := json.Marshal(said)
	if err != nil {
		return workflow.Next{}, fmt.Errorf("encode answer: %w", err)
	}
	root, drafts := t.scope.Root(by), t.reviewed
	if t.task.Key() != root.Key() {
		drafts = append(drafts, t.scope.Done(t.task, output, said.Message))
	}
	drafts = append(drafts, session.SaidKind.Draft(at, said), t.scope.Done(root, output, said.Message))
	return workflow.End(run.Outcome{State: run.Done, Result: output, Drafts: drafts, Heard: t.reply.Seen}), nil
}

// failed ends the run with a notice of what went wrong in the conversation.
func failed(ctx context.Context, t *turn, _ string, err error) (run.Outcome, error) {
	if context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), run.ErrTimeout) || errors.Is(err, run.ErrSuperseded) {
		return run.Outcome{}, err // somebody ended the work; the engine knows what to record
	}
	t.h.opts.Log.Warn("a turn failed", "run", t.s.Run.ID, "err", err)
	timedOut := errors.Is(context.Cause(ctx), run.ErrTimeout)
	text := t.h.opts.Redact(ctx, fault.TextOf(err))
	if timedOut {
		text = "The answer took longer than it may."
	}
	at := t.s.Place(run.Chela())
	at.To, at.Key = []event.Party{t.s.Run.By}, at.Run+"/failed"
	out := run.Outcome{State: run.Failed, Reason: text, Drafts: []event.Draft{session.NoticeKind.Draft(at, session.Notice{Message: text})}}
	if timedOut {
		return out, err // the engine says task.timeout
	}
	root := t.scope.Root(org.Agent{Card: org.Card{AgentID: org.AgentID(run.Chela().AgentID)}})
	out.Drafts = append(out.Drafts, t.scope.Failed(root, "AGENT_ERROR", text, fault.KindOf(err) == fault.Unavailable))
	return out, nil
}
