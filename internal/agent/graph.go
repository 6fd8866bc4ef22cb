package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// ChatKind is the kind of run that answers a conversation.
const ChatKind = "chat"

// A ChatInput is what a chat run is started with.
type ChatInput struct {
	Message  string        `json:"message_id"`         // of the message that started it
	Policy   *event.Policy `json:"policy,omitempty"`   // of that message
	Requires []string      `json:"requires,omitempty"` // capabilities the message asks for
	Prefers  []string      `json:"prefers,omitempty"`
}

// a turn is one run of a conversation being worked.
type turn struct {
	g        *Runner
	s        *run.Segment
	thread   session.Thread
	who      guard.Caller
	seenFrom origins
	input    ChatInput
	history  []model.Message   // what was said before this run and with its message
	later    []session.Message // what people said since
	seen     event.Seq
}

// Chat is the [run.Handler] of chat runs.
func (g *Runner) Chat(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	t, err := g.turn(ctx, s)
	if err != nil {
		return run.Outcome{}, err
	}
	var out run.Outcome
	if t.thread.Agent != "" || s.Run.Agent != "" {
		out, err = t.forced(ctx)
	} else {
		out, err = t.graph(ctx)
	}
	if wait, ok := Waits(err); ok {
		return wait, nil
	}
	if err != nil {
		return t.failed(ctx, err)
	}
	return out, nil
}

func (g *Runner) turn(ctx context.Context, s *run.Segment) (*turn, error) {
	t := &turn{g: g, s: s}
	if len(s.Run.Input) > 0 {
		if err := json.Unmarshal(s.Run.Input, &t.input); err != nil {
			return nil, fmt.Errorf("read the run's input: %w", err)
		}
	}
	var err error
	if t.thread, err = g.conv.Session(ctx, s.Run.Thread); err != nil {
		return nil, err
	}
	if t.who, err = g.caller(ctx, s.Run.Spec, t.thread.Channel); err != nil {
		return nil, err
	}
	t.seen = s.Run.Seq
	if t.thread.Channel == "clutch" || t.who.Via == guard.ByAgent {
		t.seenFrom.add([]string{tool.FromAgents})
	}
	return t, t.hear(ctx)
}

// maxLater is how many messages since the run began are read with its history.
const maxLater = 20

// hear reads what was said before the run and since it.
func (t *turn) hear(ctx context.Context) error {
	all, err := t.g.conv.LastMessages(ctx, t.thread.ID, event.Newest, t.g.opts.HistoryLimit+maxLater)
	if err != nil {
		return err
	}
	began, _ := slices.BinarySearchFunc(all, t.seen+1, func(m session.Message, at event.Seq) int { return cmp.Compare(m.Seq, at) })
	before, later := all[:began], all[began:]
	if len(later) > maxLater { // they leave too little of what was before
		if before, err = t.g.conv.LastMessages(ctx, t.thread.ID, t.seen, t.g.opts.HistoryLimit); err != nil {
			return err
		}
	}
	t.later = fromPersons(later)
	t.history, err = t.g.history(ctx, &t.seenFrom, t.thread, before[max(0, len(before)-t.g.opts.HistoryLimit):])
	return err
}

func fromPersons(in []session.Message) []session.Message {
	return slices.DeleteFunc(in, func(m session.Message) bool { return m.Role != session.FromPerson })
}

// history returns what models are shown of a conversation; o hears it.
func (g *Runner) history(ctx context.Context, o *origins, thread session.Thread, messages []session.Message) ([]model.Message, error) {
	if thread.ForkedFrom != "" && len(messages) < g.opts.HistoryLimit {
		before, err := g.conv.LastMessages(ctx, thread.ForkedFrom, thread.ForkedSeq, g.opts.HistoryLimit-len(messages))
		if err != nil {
			return nil, err
		}
		messages = append(before, messages...)
	}
	var out []model.Message
	for _, m := range messages {
		if m.Role == session.FromSystem || m.Role == session.Commanded {
			continue
		}
		o.hear(m)
		parts, err := g.partsOf(m)
		if err != nil {
			return nil, err
		}
		role := model.User
		if m.Role == session.FromAgent {
			role = model.Assistant
		}
		out = append(out, model.Message{Role: role, Parts: parts})
	}
	return out, nil
}

func (g *Runner) partsOf(m session.Message) ([]model.Part, error) {
	parts := []model.Part{{Text: m.Words()}}
	for _, ref := range m.Images {
		raw, err := g.arts.Get(artifact.Ref(ref))
		if err != nil {
			return nil, err
		}
		parts = append(parts, model.Part{Image: &model.Image{MIMEType: imageType(raw), Data: raw}})
	}
	return parts, nil
}

func imageType(raw []byte) string {
	switch {
	case strings.HasPrefix(string(raw), "\x89PNG"):
		return "image/png"
	case strings.HasPrefix(string(raw), "GIF8"):
		return "image/gif"
	case len(raw) > 12 && string(raw[8:12]) == "WEBP":
		return "image/webp"
	}
	return "image/jpeg"
}

// task makes the run's task of that step for an agent. The root task is the run's.
func (t *turn) task(key string, a org.Agent, title string) task {
	root := run.RootTask(t.s.Run.ID)
	return task{id: root + "." + key, parent: root, key: key, agent: a, title: head(title, 200)}
}

func (t *turn) context() prompt.Context {
	return prompt.Context{Date: t.s.Run.CreatedAt, Project: t.thread.Project, Thread: t.thread.Title}
}

func (t *turn) loop(ctx context.Context, k task, c prompt.Context, history []model.Message) *loop {
	if k.agent.Permissions.Any(org.Files, org.Shell, org.Git) {
		c.Folders = t.g.folders(ctx, k.agent.Card.AgentID, t.s.Run.Project)
	}
	return &loop{
		g: t.g, s: t.s, t: k, system: prompt.System(k.agent, c), tools: t.g.toolset(k.agent, nil), who: &t.who, policy: t.input.Policy, seenFrom: &t.seenFrom,
		history: append([]model.Message(nil), history...), steps: t.g.opts.Steps, seen: t.seen,
		job: model.Job(k.agent.Kind), asks: t.thread.Model,
	}
}

// forced skips controller and checker: the person speaks to one agent directly. What
// it may do is decided as ever.
func (t *turn) forced(ctx context.Context) (run.Outcome, error) {
	id := org.AgentID(t.thread.Agent)
	if t.s.Run.Agent != "" {
		id = org.AgentID(t.s.Run.Agent)
	}
	a, err := t.g.roster.Agent(ctx, id)
	if err != nil {
		return run.Outcome{}, err
	}
	if err := a.Ready(); err != nil {
		return run.Outcome{}, err
	}
	ok, err := t.g.takeSlot(ctx, t.s, a)
	if err != nil {
		return run.Outcome{}, err
	}
	if !ok {
		return t.g.busy(a), nil
	}
	// The root task is its own: the person has asked it, and nobody else.
	k := task{id: run.RootTask(t.s.Run.ID), key: "root", agent: a, title: head(t.s.Run.Title, 200), shown: true}
	l := t.loop(ctx, k, t.context(), t.history)
	l.steer, l.ends, l.later, l.family = true, true, t.later, newFamily(l)
	l.pending = []event.Draft{k.accept(t.s)}
	r, err := l.work(ctx)
	if err != nil {
		return run.Outcome{}, err
	}
	return t.answer(k, r, nil, l.seen, nil)
}

// graph works controller → specialist → checker.
func (t *turn) graph(ctx context.Context) (run.Outcome, error) {
	agents, err := t.g.roster.Agents(ctx)
	if err != nil {
		return run.Outcome{}, err
	}
	var controller, checker *org.Agent
	var roster []org.Agent
	for i, a := range agents {
		switch {
		case a.Ready() != nil:
		case a.Kind == org.Controller && controller == nil:
			controller = &agents[i]
		case a.Kind == org.Checker && checker == nil:
			checker = &agents[i]
		case a.Kind == org.Specialist:
			roster = append(roster, a)
		}
	}
	if controller == nil {
		return run.Outcome{}, fault.New(fault.Unavailable, "No agent of the kind controller is enabled; enable one on the Agents page, or speak to an agent directly.")
	}
	choice, k, seen, err := t.choose(ctx, *controller, roster)
	if err != nil {
		return run.Outcome{}, err
	}
	if choice.Respond != "" {
		return t.answer(k, reply{text: choice.Respond}, nil, seen, nil)
	}
	specialist, pending, err := t.route(ctx, choice, k, agents)
	if err != nil {
		return run.Outcome{}, err
	}
	return t.work(ctx, choice, specialist, checker, pending)
}

// choose asks the controller until it has seen everything that was said.
func (t *turn) choose(ctx context.Context, controller org.Agent, roster []org.Agent) (prompt.Choice, task, event.Seq, error) {
	c := t.context()
	c.Roster = roster
	k := t.task("controller", controller, "Choose who answers")
	l := t.loop(ctx, k, c, t.history)
	l.tools, l.output, l.steer, l.later = nil, prompt.ChoiceSchema(), true, t.later
	l.pending = []event.Draft{k.request(t.s, t.s.Run.By, t.s.Run.Title), k.accept(t.s)}
	choice, err := contract(ctx, l, prompt.ParseChoice)
	if l.seen > t.seen { // what came while it thought belongs to the specialist's history
		t.history, t.seen = plain(l.history), l.seen
	}
	return choice, k, l.seen, err
}

// plain drops an isolated fork's own answers from its history.
func plain(in []model.Message) []model.Message {
	var out []model.Message
	for i, m := range in {
		if m.Role == model.Assistant && i == len(in)-1 {
			continue
		}
		out = append(out, m)
	}
	return out
}

// route chooses the specialist by the protocol's rules and says why. Decisions are
// steps: a run that goes on keeps the agent it had.
func (t *turn) route(ctx context.Context, c prompt.Choice, k task, agents []org.Agent) (org.Agent, []event.Draft, error) {
	const key = "route"
	if r := t.s.Recorded(key); r.Done {
		d, ok, err := route.DecisionKind.Open(r.Event)
		if err != nil || !ok {
			return org.Agent{}, nil, fmt.Errorf("read routing decision: %w", err)
		}
		a, err := t.g.roster.Agent(ctx, d.Selected)
		return a, nil, err
	}
	busy, err := t.g.roster.Busy(ctx)
	if err != nil {
		return org.Agent{}, nil, err
	}
	req := route.Request{Requires: slices.Concat([]string{}, c.Requires, t.input.Requires), Prefers: slices.Concat([]string{}, t.input.Prefers), Policy: t.input.Policy}
	if c.Delegate != "" {
		req.Named = org.AgentID("agent:" + c.Delegate)
	}
	var candidates []route.Candidate
	for _, a := range agents {
		b := busy[a.Card.AgentID]
		candidates = append(candidates, route.Candidate{Agent: a, Status: org.Online, Load: b.Tasks, Success: b.Success, Known: b.Known, Last: b.Last})
	}
	d, ok := route.Decide(req, candidates)
	at := t.s.Place(event.Party{AgentID: "agent:router", Role: "system"})
	at.Task, at.ParentTask = k.id, k.parent
	if !ok {
		f := route.Failure{OriginalMessageID: t.input.Message, Requires: req.Requires, Prefers: req.Prefers, Reason: d.Reason, Rejected: d.Rejected}
		if _, err := t.s.Append(ctx, route.FailureKind.Draft(once(at, "route/failure"), f)); err != nil {
			return org.Agent{}, nil, err
		}
		return org.Agent{}, nil, fault.New(fault.Unavailable, "No agent can take this: %s", whyNot(c, d))
	}
	a, err := t.g.roster.Agent(ctx, d.Selected)
	draft := run.AsStep(route.DecisionKind.Draft(at, d), key, true)
	return a, []event.Draft{draft, k.done(t.s, encoded(c), "Handed to "+d.Selected.Name()+".")}, err
}

func encoded(c prompt.Choice) []byte {
	raw, err := json.Marshal(c)
	if err != nil {
		panic("agent: a choice is always JSON: " + err.Error())
	}
	return raw
}

func whyNot(c prompt.Choice, d route.Decision) string {
	if why, ok := d.Rejected[org.AgentID("agent:"+c.Delegate)]; ok {
		return fmt.Sprintf("%s %s.", c.Delegate, why)
	}
	if c.Delegate != "" {
		return fmt.Sprintf("there is no agent named %s.", c.Delegate)
	}
	return fmt.Sprintf("none has %s.", strings.Join(c.Requires, " and "))
}

// work lets the specialist answer and the checker review, up to three retries. The
// last answer is delivered even when it was refused, and says so.
func (t *turn) work(ctx context.Context, c prompt.Choice, a org.Agent, checker *org.Agent, pending []event.Draft) (run.Outcome, error) {
	history := t.history
	for round := 0; ; round++ {
		k := t.task(fmt.Sprintf("r%d", round), a, c.SubTask)
		k.shown = true
		con := t.context()
		con.Task = c.SubTask
		l := t.loop(ctx, k, con, history)
		l.steer, l.family = true, newFamily(l)
		l.pending = append(pending, k.request(t.s, run.Chela(), c.SubTask), k.accept(t.s))
		r, err := l.work(ctx)
		if err != nil {
			return run.Outcome{}, err
		}
		if checker == nil || r.refused {
			return t.answer(k, r, nil, l.seen, nil)
		}
		review, ended, err := t.review(ctx, *checker, k, c, r)
		if err != nil {
			return run.Outcome{}, err
		}
		if review.Pass || round == t.g.opts.Retries {
			return t.answer(k, r, &review, l.seen, ended)
		}
		pending = append(ended, k.failed(t.s, "REVIEW_FAILED", head(review.Feedback, 500), true))
		history = append(append([]model.Message(nil), history...),
			model.Message{Role: model.Assistant, Parts: []model.Part{{Text: r.text}}},
			model.Message{Role: model.User, Parts: []model.Part{{Text: "A reviewer did not accept this answer: " + review.Feedback + "\nGive a better one."}}})
	}
}

// review asks the checker about a reply, on a fork of its own.
func (t *turn) review(ctx context.Context, checker org.Agent, of task, c prompt.Choice, r reply) (prompt.Review, []event.Draft, error) {
	k := t.task(fmt.Sprintf("%s-check-%d", of.key, r.calls), checker, "Review: "+c.SubTask)
	l := t.loop(ctx, k, t.context(), []model.Message{{Role: model.User, Parts: []model.Part{{
		Text: prompt.Data("the request", lastSaid(t.history)) + "\n\n" + prompt.Data("the task given to "+of.agent.Card.AgentID.Name(), c.SubTask) + "\n\n" + prompt.Data("the answer", r.text),
	}}}})
	l.tools, l.output = nil, prompt.ReviewSchema()
	l.pending = []event.Draft{k.request(t.s, run.Chela(), "Review the answer of "+of.agent.Card.AgentID.Name()), k.accept(t.s)}
	review, err := contract(ctx, l, prompt.ParseReview)
	if err != nil {
		var me *model.Error
		_, waits := Waits(err)
		if errors.As(err, &me) || waits || fault.KindOf(err) == fault.Denied || context.Cause(ctx) != nil || isSuperseded(err) {
			return review, nil, err
		}
		// A checker that keeps no form reviews nothing: the answer stands unconfirmed.
		why := t.g.opts.Redact(ctx, fault.TextOf(err))
		return prompt.Review{Feedback: why}, []event.Draft{k.failed(t.s, "NO_REVIEW", why, false)}, nil
	}
	raw, err := json.Marshal(review)
	return review, []event.Draft{k.done(t.s, raw, review.Summary)}, err
}

func lastSaid(in []model.Message) string {
	for i := len(in) - 1; i >= 0; i-- {
		if in[i].Role == model.User {
			return textOf(in[i])
		}
	}
	return ""
}

// answer ends the run with a reply. When somebody spoke meanwhile it goes on instead.
func (t *turn) answer(k task, r reply, review *prompt.Review, seen event.Seq, before []event.Draft) (run.Outcome, error) {
	said := session.Said{Message: r.text, Broken: r.broken, Origins: t.seenFrom.list()}
	if said.Message == "" {
		said.Message = "The model gave an empty answer."
	}
	if review != nil && !review.Pass {
		no := false
		said.Confirmed, said.Review = &no, review.Feedback
	}
	if r.limited != "" {
		said.Review = strings.TrimSpace(said.Review + " " + r.limited)
	}
	at := t.s.Place(party(k.agent.Card.AgentID))
	at.To = []event.Party{t.s.Run.By}
	output, err := json.Marshal(said)
	if err != nil {
		return run.Outcome{}, fmt.Errorf("encode answer: %w", err)
	}
	root := task{id: run.RootTask(t.s.Run.ID), key: "root", agent: k.agent}
	drafts := before
	if k.id != root.id {
		drafts = append(drafts, k.done(t.s, output, said.Message))
	}
	drafts = append(drafts, session.SaidKind.Draft(at, said), root.done(t.s, output, said.Message))
	return run.Outcome{State: run.Done, Result: output, Drafts: drafts, Heard: seen}, nil
}

// failed ends the run with a notice of what went wrong in the conversation.
func (t *turn) failed(ctx context.Context, err error) (run.Outcome, error) {
	if context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), run.ErrTimeout) || isSuperseded(err) {
		return run.Outcome{}, err // somebody ended the work; the engine knows what to record
	}
	t.g.opts.Log.Warn("a turn failed", "run", t.s.Run.ID, "err", err)
	timedOut := errors.Is(context.Cause(ctx), run.ErrTimeout)
	text := t.g.opts.Redact(ctx, fault.TextOf(err))
	if timedOut {
		text = "The answer took longer than it may."
	}
	at := t.s.Place(run.Chela())
	at.To = []event.Party{t.s.Run.By}
	root := task{id: run.RootTask(t.s.Run.ID), key: "root", agent: org.Agent{Card: org.Card{AgentID: "agent:chela"}}}
	out := run.Outcome{State: run.Failed, Reason: text, Drafts: []event.Draft{session.NoticeKind.Draft(once(at, "failed"), session.Notice{Message: text})}}
	if timedOut {
		return out, err // the engine says task.timeout
	}
	out.Drafts = append(out.Drafts, root.failed(t.s, "AGENT_ERROR", text, fault.KindOf(err) == fault.Unavailable))
	return out, nil
}
