package acp

import (
	"context"
	"slices"
	"strconv"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/session"
)

// start begins a conversation.
func (c *connection) start(ctx context.Context, cwd string) (*conversation, error) {
	cl, err := c.Daemon()
	if err != nil {
		return nil, err
	}
	status, err := cl.Status(ctx)
	if err != nil {
		return nil, withWayOut(err)
	}
	project, err := c.Project(ctx, cl)
	if err != nil {
		return nil, err
	}
	in := client.SessionBody{ProjectID: client.Given(project)}
	if c.Agent != "" {
		in.Metadata = &client.SessionBodyMetadataStruct{AgentID: &c.Agent}
	}
	t, err := cl.OpenSession(ctx, in)
	if err != nil {
		return nil, err
	}
	return c.opened(ctx, cl, c.conversation(t, cwd, event.Seq(status.LogEnd)))
}

// load goes on with a conversation, and shows what was said and done in it before when again is set.
func (c *connection) load(ctx context.Context, id, cwd string, again bool) (*conversation, error) {
	cl, err := c.Daemon()
	if err != nil {
		return nil, err
	}
	view, err := cl.GetConversation(ctx, id)
	if err != nil {
		return nil, withWayOut(err)
	}
	if open, err := c.find(id); err == nil {
		busy := false
		open.within(func() { busy = open.prompt != nil })
		if busy {
			return nil, open.errBusy()
		}
	}
	v := c.conversation(view.Thread, cwd, 0)
	if err := v.replay(ctx, cl, again); err != nil {
		return nil, err
	}
	return c.opened(ctx, cl, v)
}

// mostForks is how many conversations are read that one goes on with.
const mostForks = 10

// replay shows what is recorded of the conversation, after what was said in those of which it is a fork.
func (v *conversation) replay(ctx context.Context, cl *client.Client, show bool) error {
	type part struct {
		thread string
		upTo   event.Seq
	}
	parts := []part{{thread: v.id}}
	for t := v.thread; t.ForkedFrom != "" && len(parts) < mostForks; {
		view, err := cl.GetConversation(ctx, t.ForkedFrom)
		if err != nil {
			break // it was removed
		}
		parts = append(parts, part{t.ForkedFrom, t.ForkedSeq})
		t = view.Thread
	}
	shows := v.editor
	if !show {
		v.editor = silent{shows}
	}
	defer func() { v.editor = shows }()
	for _, p := range slices.Backward(parts) {
		if err := v.again(ctx, cl, p.thread, p.upTo); err != nil {
			return err
		}
	}
	reads, writes := v.editor.files()
	for id, q := range v.unmade {
		if slices.ContainsFunc(q.Calls, func(c session.ClientCall) bool { return (c.As != readFile || !reads) && (c.As != writeFile || !writes) }) {
			delete(v.unmade, id) // another program's
		}
	}
	return nil
}

// silent shows nothing.
type silent struct{ editor }

func (silent) show(string, update) {}

// again tells what is recorded of a thread, up to a position; 0 is all.
func (v *conversation) again(ctx context.Context, cl *client.Client, thread string, upTo event.Seq) error {
	const page = 500
	for after := 0; ; {
		got, err := cl.ReadLog(ctx, client.ReadLogQuery{Thread: thread, After: after, Limit: page})
		if err != nil {
			return err
		}
		for _, l := range got.Events {
			if upTo > 0 && event.Seq(l.Seq) > upTo {
				return nil
			}
			v.recorded(ctx, l, true)
		}
		if after = got.End; len(got.Events) < page {
			v.seen = max(v.seen, event.Seq(got.End))
			return nil
		}
	}
}

// opened has the editor hear a conversation, and asks what waits for an answer in it.
func (c *connection) opened(ctx context.Context, cl *client.Client, v *conversation) (*conversation, error) {
	var err error
	if v.choices, err = choicesOf(ctx, cl); err != nil {
		return nil, err
	}
	commands, err := cl.ListCommands(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := questionsIn(ctx, cl, v.id)
	if err != nil {
		return nil, err
	}
	v.announce = func() { v.within(func() { v.editor.show(v.id, update{commands: offered(commands)}) }) }
	v.begin(waiting)
	return v, nil
}

// questionsIn are what runs of a conversation wait for.
func questionsIn(ctx context.Context, cl *client.Client, thread string) ([]approval.Request, error) {
	runs, err := cl.ListRuns(ctx, client.ListRunsQuery{Thread: thread, Limit: 5})
	if err != nil {
		return nil, err
	}
	all, err := cl.ListApprovals(ctx, client.ListApprovalsQuery{Status: string(approval.Pending), Limit: 200})
	if err != nil {
		return nil, err
	}
	var out []approval.Request
	for _, a := range all {
		if slices.ContainsFunc(runs, func(r client.RunRow) bool { return r.ID == string(a.Run) }) {
			out = append(out, a.Request)
		}
	}
	return out, nil
}

// offered are the commands that stay in the conversation: a session of the editor is one.
func offered(all []inbox.Command) []command {
	var out []command
	for _, c := range all {
		if c.Name != "new" && c.Name != "thread" {
			out = append(out, command{c.Name, c.Help, c.Args})
		}
	}
	return out
}

// end closes a session for the editor, as the protocol has it: what answers its prompt is cancelled. The conversation stays.
func (c *connection) end(id string) error {
	v, err := c.find(id)
	if err != nil {
		return err
	}
	answers := false
	v.within(func() { answers = v.prompt != nil })
	if answers {
		v.cancel()
		v.within(func() { v.finish(outcome{cancelled: true}) })
	}
	c.mu.Lock()
	delete(c.open, id)
	c.mu.Unlock()
	v.leave()
	return nil
}

// listedAtOnce is how many conversations are listed at once.
const listedAtOnce = 50

// list lists conversations, the latest first. next is where the next page begins, "" after the last.
func (c *connection) list(ctx context.Context, cursor string) (all []session.View, next string, err error) {
	offset := 0
	if cursor != "" {
		if offset, err = strconv.Atoi(cursor); err != nil || offset < 0 {
			return nil, "", fault.BadField("cursor", "It is no cursor of session/list.")
		}
	}
	cl, err := c.Daemon()
	if err != nil {
		return nil, "", err
	}
	project, err := c.Project(ctx, cl)
	if err != nil {
		return nil, "", withWayOut(err)
	}
	all, err = cl.ListConversations(ctx, client.ListConversationsQuery{Project: project, Limit: listedAtOnce, Offset: offset})
	if len(all) == listedAtOnce {
		next = strconv.Itoa(offset + listedAtOnce)
	}
	return slices.DeleteFunc(all, func(s session.View) bool { return s.Messages == 0 }), next, withWayOut(err)
}

// choices are what can be chosen in a conversation.
type choices struct{ agents, models []string }

func choicesOf(ctx context.Context, cl *client.Client) (out choices, err error) {
	agents, err := cl.ListAgents(ctx)
	if err != nil {
		return out, err
	}
	for _, a := range agents {
		if a.Enabled && a.Kind == string(org.Specialist) {
			out.agents = append(out.agents, a.Card.AgentID.Name())
		}
	}
	slices.Sort(out.agents)
	models, err := cl.ListModels(ctx)
	for _, m := range models {
		out.models = append(out.models, nameOf(m))
	}
	return out, err
}

func nameOf(m model.State) string { return m.Name + "/" + m.Model }

// byDefault takes a choice back.
const byDefault = "default"

// options are what the person can choose, and what is chosen.
func (v *conversation) options() []option {
	of := func(id, name, help, none, now string, names []string) option {
		o := option{id: id, name: name, help: help, now: byDefault, values: []value{{byDefault, none}}}
		for _, n := range names {
			o.values = append(o.values, value{n, n})
		}
		if now != "" {
			if o.now = now; !slices.Contains(names, now) {
				o.values = append(o.values, value{now, now})
			}
		}
		return o
	}
	return []option{
		of("agent", "Agent", "Who answers in this conversation.", "The controller chooses", org.AgentID(v.thread.Agent).Name(), v.choices.agents),
		of("model", "Model", "Which model the agents of this conversation ask.", "Each agent's own", v.thread.Model, v.choices.models),
	}
}

// now is what can be chosen, and what is, for others than the conversation's goroutine.
func (v *conversation) now() (out []option) {
	v.within(func() { out = v.options() })
	return out
}

// choose chooses a value, by the command that is for it.
func (c *connection) choose(ctx context.Context, id, of, wanted string) ([]option, error) {
	v, err := c.find(id)
	if err != nil {
		return nil, err
	}
	options := v.now()
	i := slices.IndexFunc(options, func(o option) bool { return o.id == of })
	if i < 0 {
		return nil, fault.BadField("configId", "There is no such option.", "agent", "model")
	}
	if !slices.ContainsFunc(options[i].values, func(o value) bool { return o.id == wanted }) {
		return nil, fault.BadField("value", "That is none of the option's values.")
	}
	if _, err := v.say(ctx, message{text: "/" + of + " " + wanted, quiet: true}); err != nil {
		return nil, err
	}
	options[i].now = wanted
	return options, nil
}
