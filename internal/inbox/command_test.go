package inbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
)

// answered keeps what was decided.
type answered struct {
	by     approval.Approver
	answer approval.Answer
	times  int
}

func (a *answered) Decide(_ context.Context, by approval.Approver, in approval.Answer) error {
	a.by, a.answer = by, in
	a.times++
	return nil
}

type models []string

func (m models) Names() []string { return m }

// people adds Ann, an editor, and Vic, a viewer.
func (w *world) people() {
	w.t.Helper()
	at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: run.Chela()}
	for id, role := range map[string]org.Role{"per_ann": org.Editor, "per_vic": org.Viewer} {
		if _, err := w.db.Log.Append(w.t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: id, Name: id, Role: role})); err != nil {
			w.t.Fatal(err)
		}
	}
}

// members are the agents of a new organization.
func (w *world) members() {
	w.t.Helper()
	at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: run.Chela()}
	for _, a := range prompt.Defaults(none) {
		if _, err := w.db.Log.Append(w.t.Context(), org.RegisterKind.Draft(at, org.Registration{Card: a.Card, Profile: &a.Profile})); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) asks(in inbox.Accepted, q approval.Request) {
	w.t.Helper()
	q.Run = run.ID(in.Run)
	at := event.Place{Stream: event.ThreadStream(in.Thread), Thread: in.Thread, Run: in.Run, Task: run.RootTask(q.Run), From: run.Chela()}
	if _, err := w.db.Log.Append(w.t.Context(), approval.RequestedKind.Draft(at, q)); err != nil {
		w.t.Fatal(err)
	}
}

// talked is a world in which Ann has asked for something in a project, and the run asks back.
func talked(t *testing.T) (w *world, decided *answered, project string, said inbox.Accepted) {
	t.Helper()
	w, decided = newWorld(t), new(answered)
	w.people()
	w.members()
	w.left = make(chan string, 1)
	w.inbox = inbox.New(w.runs, w.db, w.db.ForInbox(), inbox.Options{Answers: decided, Models: models{"lab/large", "lab/small"}, Left: w.left})
	project = w.record(desk.Project, "", `{"name":"Payments"}`)
	w.record(desk.Memory, project, `{"key":"bank","content":"The bank is away on Sundays."}`)
	w.record(desk.Memory, project, `{"key":"tea","content":"Bob drinks tea."}`)
	said = w.take(inbox.Message{Text: "Refund it", Project: project})
	at := event.Place{Stream: event.ThreadStream(said.Thread), Thread: said.Thread, Run: said.Run, Task: run.RootTask(run.ID(said.Run)), From: run.Chela()}
	spent := agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: model.Answer{Usage: model.Usage{InputTokens: 700, OutputTokens: 30}}})
	if _, err := w.db.Log.Append(t.Context(), spent); err != nil {
		t.Fatal(err)
	}
	w.asks(said, approval.Request{ID: "apr_1", Kind: approval.ToolCalls, Question: "May coder write a file?", Digest: "d1", Choices: []string{"approve", "deny"}, Calls: []approval.Asked{{Tool: "write_file", Shown: "path: a.txt\n```", Diff: "+A", Why: "It writes."}}})
	w.asks(said, approval.Request{ID: "apr_2", Kind: approval.OutcomeUnknown, Question: "Was it sent?", Choices: []string{"happened", "repeat", "skip"}})
	return w, decided, project, said
}

func TestCommand_CommandsAreAnswered(t *testing.T) {
	t.Parallel()
	w, decided, _, said := talked(t)
	for _, c := range []struct {
		say  string
		want []string
	}{
		{"/help", []string{"`/memory [words]`", "`/stop`"}},
		{"/HELP me", []string{"`/new`"}},
		{"/status", []string{"“Refund it”", "the project Payments", said.Run + " is queued", "apr_1 waits for a person: May coder"}},
		{"/approve", []string{"**apr_1**", "````\npath: a.txt", "+A", "`/approve apr_1`", "Was it sent?"}},
		{"/model", []string{"Each agent asks its own model.", "lab/large, lab/small"}},
		{"/model huge", []string{"no model named \"huge\""}},
		{"/model Small", []string{"ask lab/small"}},
		{"/model", []string{"ask lab/small."}},
		{"/status", []string{"the model lab/small"}},
		{"/model default", []string{"its own model"}},
		{"/agent", []string{"The controller chooses", "coder"}},
		{"/agent nobody", []string{"no agent named \"nobody\""}},
		{"/agent @coder", []string{"coder answers"}},
		{"/status", []string{"coder answers in it"}},
		{"/agent default", []string{"the controller chooses"}},
		{"/project", []string{"the project Payments", "There are: Payments"}},
		{"/project Nothing", []string{"no project named \"Nothing\""}},
		{"/thread", []string{"This is thread " + said.Thread}},
		{"/usage", []string{"This conversation: 1 calls, 700 tokens in, 30 out", "today (UTC): 1 calls"}},
		{"/memory bank", []string{"**bank**", "away on Sundays"}},
		{"/memory", []string{"**tea**", "**bank**"}},
		{"/memory moon", []string{"Nothing of that"}},
		{"/stopp", []string{"no command /stopp", "Did you mean /stop?", "//stopp"}},
		{"/mem", []string{"Did you mean /memory?"}},
		{"/usr/bin/env is away", []string{"no command /usr/bin/env", "There are: /new, /help"}},
		{"/", []string{"There are: /new"}},
	} {
		a := w.take(inbox.Message{Text: c.say, Thread: said.Thread})
		for _, want := range c.want {
			if !strings.Contains(a.Reply, want) {
				t.Errorf("%s is answered %q without %q", c.say, a.Reply, want)
			}
		}
		if a.Run != "" || a.Thread != said.Thread {
			t.Errorf("%s: %+v", c.say, a)
		}
	}
	if r, err := w.db.Runs.Run(t.Context(), run.ID(said.Run)); err != nil || r.State != run.Queued || decided.times != 0 {
		t.Errorf("%+v %v; %d decided", r, err, decided.times)
	}
}

func TestCommand_CommandsDecideMoveAndStop(t *testing.T) {
	t.Parallel()
	w, decided, project, said := talked(t)
	thread := w.record(desk.Thread, project, `{"title":"Retries"}`)
	w.take(inbox.Message{Text: "/approve apr_1 as agreed", Thread: said.Thread})
	if decided.answer.Choice != "approve" || decided.answer.Note != "as agreed" || decided.answer.Digest != "d1" || decided.by.Role != org.Editor || decided.by.AgentID != "agent:person/per_ann" {
		t.Errorf("%+v", decided)
	}
	w.take(inbox.Message{Text: "/deny apr_1", Thread: said.Thread})
	if decided.answer.Choice != "deny" {
		t.Errorf("%+v", decided)
	}

	next := w.take(inbox.Message{Text: "/new", Thread: said.Thread, Begun: true})
	if s, err := w.db.Conversations.Session(t.Context(), next.Thread); err != nil || next.Thread == said.Thread || s.Project != project || s.Title != "" {
		t.Errorf("%+v %v", s, err)
	}
	if got := <-w.left; got != said.Thread {
		t.Errorf("it is told that %s was left, not %s", got, said.Thread)
	}
	w.take(inbox.Message{Text: "//etc is full", Thread: next.Thread})
	if s, err := w.db.Conversations.Session(t.Context(), next.Thread); err != nil || s.Title != "/etc is full" {
		t.Errorf("the first words name it: %+v %v", s, err)
	}
	if a := w.take(inbox.Message{Text: "/thread retries", Thread: said.Thread}); a.Thread != thread {
		t.Errorf("%+v", a)
	}
	if a := w.take(inbox.Message{Text: "/stop", Thread: said.Thread}); !strings.Contains(a.Reply, said.Run) {
		t.Errorf("%+v", a)
	}
	if r, err := w.db.Runs.Run(t.Context(), run.ID(said.Run)); err != nil || r.State != run.Cancelled {
		t.Errorf("%+v %v", r, err)
	}
	if a := w.take(inbox.Message{Text: "/stop", Thread: said.Thread}); !strings.Contains(a.Reply, "Nothing works") {
		t.Errorf("%+v", a)
	}
}

func TestCommand_ACommandIsRefusedBeforeItDoesAnything(t *testing.T) {
	t.Parallel()
	w, decided := newWorld(t), new(answered)
	w.people()
	w.inbox = inbox.New(w.runs, w.db, w.db.ForInbox(), inbox.Options{Answers: decided})
	said := w.take(inbox.Message{Text: "Refund it"})
	w.asks(said, approval.Request{ID: "apr_1", Kind: approval.ToolCalls, Question: "May it?"})
	w.asks(said, approval.Request{ID: "apr_2", Kind: approval.OutcomeUnknown, Question: "Was it sent?", Choices: []string{"happened", "repeat"}})
	shut := w.take(inbox.Message{Text: "/new"})
	if err := w.inbox.Close(t.Context(), shut.Thread, org.Person{ID: "per_ann"}.Party()); err != nil {
		t.Fatal(err)
	}
	before := w.count("*")
	for i, c := range []struct {
		who, say, thread string
		kind             fault.Kind
		want             string
	}{
		{"per_vic", "/stop", said.Thread, fault.Denied, "needs the role editor"},
		{"per_vic", "/approve apr_1", said.Thread, fault.Denied, "needs the role editor"},
		{"per_ann", "/approve apr_9", said.Thread, fault.NotFound, "apr_9"},
		{"per_ann", "/approve apr_2", said.Thread, fault.Invalid, "one of: happened, repeat"},
		{"per_ann", "/approve apr_1", "thr_none", fault.NotFound, "thr_none"},
		{"per_ann", "/approve apr_1", shut.Thread, fault.Conflict, "is closed"},
	} {
		_, err := w.inbox.Take(t.Context(), inbox.Message{Text: c.say, Thread: c.thread, Begun: true, Key: fmt.Sprint(i), From: org.Person{ID: c.who}.Party()})
		if fault.KindOf(err) != c.kind || !strings.Contains(fault.TextOf(err), c.want) {
			t.Errorf("%s says %s in %s: %v", c.who, c.say, c.thread, err)
		}
	}
	if w.count("*") != before || decided.times != 0 {
		t.Error("something was recorded or decided")
	}
	if a := w.take(inbox.Message{Text: "/new", Thread: shut.Thread}); a.Thread == shut.Thread {
		t.Errorf("%+v", a)
	}
	if a, err := w.inbox.Take(t.Context(), inbox.Message{Text: "/help", From: org.Person{ID: "per_vic"}.Party()}); err != nil || strings.Contains(a.Reply, "/stop") {
		t.Errorf("what a viewer may say: %+v %v", a, err)
	}
}

func TestCommand_ACommandIsGivenOnce(t *testing.T) {
	t.Parallel()
	w, decided := newWorld(t), new(answered)
	w.people()
	w.inbox = inbox.New(w.runs, w.db, w.db.ForInbox(), inbox.Options{Answers: decided})
	said := w.take(inbox.Message{Text: "Refund it"})
	w.asks(said, approval.Request{ID: "apr_1", Kind: approval.ToolCalls, Question: "May it?"})
	first := w.take(inbox.Message{Text: "/approve apr_1", Thread: said.Thread, Key: "k"})
	again := w.take(inbox.Message{Text: "/approve apr_1", Thread: said.Thread, Key: "k"})
	if decided.times != 1 || !again.Again || again.Message != first.Message || again.Reply != first.Reply || again.Run != "" {
		t.Errorf("%d times; %+v, then %+v", decided.times, first, again)
	}
	messages, err := w.db.Conversations.Messages(t.Context(), said.Thread, 0, 10)
	if err != nil || len(messages) != 3 || messages[1].Role != session.Commanded {
		t.Errorf("%+v %v", messages, err)
	}
}

func TestCommand_TheListOfCommandsIsTheRoles(t *testing.T) {
	t.Parallel()
	names := func(role org.Role) (out []string) {
		for _, c := range inbox.Commands(role) {
			out = append(out, c.Name)
			if c.Help == "" || c.Role == "" {
				t.Errorf("%+v", c)
			}
		}
		return out
	}
	if all, few := names(org.Owner), names(org.Viewer); len(all) != 13 || len(few) != 8 || len(names("")) != 0 {
		t.Errorf("%v, %v", all, few)
	}
}

// none has the default agents without permissions.
func none([]string) []org.Permission { return nil }

// TestCommand_AProgramStaysInItsProject: who is bound to a project neither moves a conversation, nor answers what another one asks.
func TestCommand_AProgramStaysInItsProject(t *testing.T) {
	t.Parallel()
	w, decided := newWorld(t), new(answered)
	w.people()
	w.inbox = inbox.New(w.runs, w.db, w.db.ForInbox(), inbox.Options{Answers: decided})
	mine, other := w.record(desk.Project, "", `{"name":"Mine"}`), w.record(desk.Project, "", `{"name":"Other"}`)
	elsewhere := w.take(inbox.Message{Text: "Refund it", Project: other})
	w.asks(elsewhere, approval.Request{ID: "apr_1", Kind: approval.ToolCalls, Question: "May it?", Choices: []string{"approve", "deny"}})
	here := w.take(inbox.Message{Text: "Refund that", Project: mine, Bound: true})
	w.asks(here, approval.Request{ID: "apr_2", Kind: approval.ToolCalls, Question: "May this?", Choices: []string{"approve", "deny"}})
	for _, say := range []string{"/project Other", "use project Other", "/approve apr_1", "/deny apr_1"} {
		_, err := w.inbox.Take(t.Context(), inbox.Message{Text: say, Thread: here.Thread, Project: mine, Bound: true, From: org.Person{ID: "per_ann"}.Party()})
		if fault.KindOf(err) != fault.Denied || decided.times != 0 {
			t.Errorf("%s: %v, and %d questions are decided", say, err, decided.times)
		}
	}
	if a := w.take(inbox.Message{Text: "/project", Thread: here.Thread, Project: mine, Bound: true}); !strings.Contains(a.Reply, "Mine") || strings.Contains(a.Reply, "Other") {
		t.Errorf("the projects are told as %q", a.Reply)
	}
	if w.take(inbox.Message{Text: "/approve apr_2", Thread: here.Thread, Project: mine, Bound: true}); decided.times != 1 {
		t.Errorf("what the conversation asks is decided %d times", decided.times)
	}
}
