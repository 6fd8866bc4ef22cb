package agent

import (
	"context"
	"fmt"
	"slices"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/session"
)

// An Assignment is a task as its agent is to do it.
type Assignment struct {
	Task    Task
	Context prompt.Context
	History []model.Message
	From    event.Party // who asks for it; nobody for the run's own task
	Request string      // what is asked for

	Steps    int                  // tool calls; 0 means [Options.Steps]
	Shown    bool                 // the agent's words go to the person as they come
	Children bool                 // it may begin child agents
	Client   *session.ClientTools // of the program that asks
	Before   []event.Draft        // recorded together with its first step
	Seen     event.Seq            // the newest message of the conversation in the history
	Hears    bool                 // it takes in what people say while it works
	Later    []session.Message    // what they said since Seen
	Ends     bool                 // the run ends with it, and looks for such messages itself
}

// A Reply is what a task came to.
type Reply struct {
	Text    string
	Calls   int    // model calls made; the key of what builds on it has it
	Broken  bool   // the answer did not come whole
	Limited string // the limit that ended it, a sentence
	Refused bool   // the model refused

	Seen    event.Seq       // the newest message that it was shown
	History []model.Message // as the agent knows it by then
	Changed *disk.Changes   // what its calls did to files; nil for nothing
}

// Work lets the agent work until it answers. An error for which [Waits] says so means that the
// segment ends until a person has answered.
func (sc *Scope) Work(ctx context.Context, a Assignment) (Reply, error) {
	l := sc.loop(ctx, a)
	r, err := l.work(ctx)
	return l.knows(r), err
}

// Fit lets an agent without tools answer in a form. An answer that does not fit is shown what is
// wrong and may be repaired once; a fault.Unavailable says that it did not fit then.
func Fit[T any](ctx context.Context, sc *Scope, a Assignment, form *model.Schema, parse func(answer string) (T, error)) (T, Reply, error) {
	l := sc.loop(ctx, a)
	l.tools, l.output = nil, form
	v, r, err := fit(ctx, l, parse)
	return v, l.knows(r), err
}

func fit[T any](ctx context.Context, l *loop, parse func(string) (T, error)) (T, Reply, error) {
	r, err := l.work(ctx)
	if err != nil {
		var none T
		return none, r, err
	}
	v, err := fits(ctx, l, r, parse)
	return v, r, err
}

// fits reads a reply; one that does not fit may be repaired once.
func fits[T any](ctx context.Context, l *loop, r Reply, parse func(string) (T, error)) (T, error) {
	v, err := parse(r.Text)
	if err == nil {
		return v, nil
	}
	text, askErr := l.repair(ctx, r, err)
	if askErr != nil {
		return v, askErr
	}
	if v, err = parse(text); err != nil {
		err = fault.Wrap(err, fault.Unavailable, "%s did not answer in the form it has to, twice: %s", l.agentID().Name(), fault.TextOf(err))
	}
	return v, err
}

// repair shows the agent what is wrong with its answer and asks for another.
func (l *loop) repair(ctx context.Context, r Reply, wrong error) (string, error) {
	const again = "Your answer does not fit: %s Give it again, as one JSON object and nothing else."
	if l.abroad != nil {
		return l.repairAbroad(ctx, r, fmt.Sprintf(again, fault.TextOf(wrong)))
	}
	l.say(fmt.Sprintf(again, fault.TextOf(wrong)))
	a, _, _, err := l.ask(ctx, r.Calls, nil)
	return a.Text, err
}

// loop begins the loop of an assignment.
func (sc *Scope) loop(ctx context.Context, a Assignment) *loop {
	who := a.Task.agent
	if who.Outside() {
		return sc.loopAbroad(a)
	}
	if who.Permissions.Any(org.Files, org.Shell, org.Git) {
		a.Context.Folders = sc.g.folders(ctx, who.Card.AgentID, sc.s.Run.Project)
	}
	a.Context.Files, a.Context.Skills = sc.g.files(ctx, who, sc.s.Run.Project), sc.g.skills(ctx, who)
	l := &loop{
		Scope: sc, t: a.Task, who: &sc.who, shown: a.Shown,
		system: prompt.System(who, a.Context), tools: sc.g.toolset(who, nil), history: sc.remember(ctx, a, slices.Clone(a.History)), job: model.Job(who.Kind),
		hearing: hearing{steer: a.Hears, seen: a.Seen, later: a.Later, ends: a.Ends}, allowance: allowance{steps: a.Steps},
		pending: a.Before, asked: askedOf(a),
	}
	if l.found = sc.g.named(who, l.asked.request); len(l.found) > 0 {
		l.tools = sc.g.toolset(who, l.found)
	}
	if l.steps == 0 {
		l.steps = sc.g.opts.Steps
	}
	if a.From != (event.Party{}) {
		l.pending = append(l.pending, a.Task.request(sc.s, a.From, a.Request))
	}
	l.pending = append(l.pending, a.Task.accept(sc.s))
	if l.client = clientsOf(a.Client); l.client != nil {
		l.tools = l.client.beside(l.tools)
	}
	if a.Children {
		l.family = newFamily(l)
	}
	return l
}

// knows adds to a reply what the agent knows by then.
func (l *loop) knows(r Reply) Reply {
	r.Seen, r.History, r.Changed = l.seen, l.history, l.touched.Noted()
	return r
}

// Failed drafts how a task failed.
func (sc *Scope) Failed(t Task, code, message string, retryable bool) event.Draft {
	return t.failed(sc.s, code, message, retryable)
}

// Done drafts what came of a task.
func (sc *Scope) Done(t Task, output []byte, summary string) event.Draft {
	return t.done(sc.s, output, summary)
}

// said is the text of a reply, with why it is not whole.
func (r Reply) said() string {
	text := r.Text
	if r.Broken {
		text += "\n" + brokenOff
	}
	if r.Limited != "" {
		text += "\n" + r.Limited
	}
	return text
}

// brokenOff is said of an answer that did not come whole, where a text has to say it itself.
const brokenOff = "[The answer broke off here.]"

// fromPersons drops what others than people said.
func fromPersons(in []session.Message) []session.Message {
	return slices.DeleteFunc(in, func(m session.Message) bool { return m.Role != session.FromPerson })
}
