package inbox_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

type world struct {
	left  chan string // conversations that somebody left
	t     *testing.T
	db    *store.DB
	runs  *run.Engine
	inbox *inbox.Inbox
}

// newWorld has an engine that never works its runs: what is queued stays so.
func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	idle := func(context.Context, *run.Segment) (run.Outcome, error) { return run.Outcome{}, nil }
	log := slog.New(slog.DiscardHandler)
	runs := run.New(db, db.Runs, local.New(db.Queue, nil, log), run.Options{Log: log})
	runs.Handle(session.ChatRun, idle)
	w := &world{t: t, db: db, runs: runs}
	w.inbox = inbox.New(runs, db, db.ForInbox(), inbox.Options{Threads: w})
	return w
}

// BeginThread implements [inbox.Threads].
func (w *world) BeginThread(ctx context.Context, _ event.Party, project, title string) (desk.Record, error) {
	return w.db.Desk.Record(ctx, w.record(desk.Thread, project, `{"title":"`+title+`"}`))
}

func (w *world) record(k desk.Kind, project, body string) string {
	w.t.Helper()
	id := ""
	at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	err := clerk.New(w.db.Desk).Do(w.t.Context(), at, project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		r, err := c.Create(k, []byte(body))
		id = r.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) take(m inbox.Message) inbox.Accepted {
	w.t.Helper()
	m.From = org.Person{ID: "per_ann"}.Party()
	a, err := w.inbox.Take(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) count(kind string) int {
	w.t.Helper()
	events, _, err := w.db.Log.Events(w.t.Context(), 0, event.Filter{Type: kind})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(events)
}

func TestInbox_AMessageBeginsOrJoins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.take(inbox.Message{Text: "One", Key: "k1"})
	if first.Run == "" || first.Joined || first.Again {
		t.Fatalf("%+v", first)
	}
	second := w.take(inbox.Message{Text: "Two", Thread: first.Thread, Key: "k2"})
	if second.Run != first.Run || !second.Joined {
		t.Errorf("the second joins: %+v", second)
	}
	again := w.take(inbox.Message{Text: "One", Key: "k1"})
	if !again.Again || again.Run != first.Run || again.Thread != first.Thread || again.Message != first.Message {
		t.Errorf("the same key: %+v", again)
	}
	other := w.take(inbox.Message{Text: "Three"})
	if other.Run == first.Run || other.Thread == first.Thread {
		t.Errorf("another conversation: %+v", other)
	}
	if w.count(event.ChatMessage) != 3 || w.count(run.QueuedKind.Name) != 2 || w.count(event.TaskRequest) != 2 {
		t.Errorf("%d messages, %d runs, %d requests", w.count(event.ChatMessage), w.count(run.QueuedKind.Name), w.count(event.TaskRequest))
	}
	r, err := w.db.Runs.Run(t.Context(), run.ID(first.Run))
	if err != nil || r.Title != "One" || r.By.AgentID != "agent:person/per_ann" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestInbox_WhatIsNoMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		text string
		kind fault.Kind
	}{"nothing": {" \n", fault.Invalid}, "a book": {strings.Repeat("x", 300_000), fault.TooLarge}} {
		if _, err := w.inbox.Take(t.Context(), inbox.Message{Text: c.text, From: org.Person{ID: "per_ann"}.Party()}); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.count("*") != 0 {
		t.Error("something was recorded")
	}
}

func TestInbox_CommandsNeedNoModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.people()
	project := w.record(desk.Project, "", `{"name":"Payments"}`)
	thread := w.record(desk.Thread, project, `{"title":"Retries"}`)
	said := func(m inbox.Message, want string) inbox.Accepted {
		t.Helper()
		a := w.take(m)
		if a.Run != "" || !strings.Contains(a.Reply, want) {
			t.Errorf("%q is answered %q, run %q", m.Text, a.Reply, a.Run)
		}
		return a
	}
	a := said(inbox.Message{Text: "Where am I?"}, "no project")
	said(inbox.Message{Text: "whereami", Project: project}, "the project Payments")
	said(inbox.Message{Text: "use thread Retries", Thread: a.Thread}, "belongs to no project")
	said(inbox.Message{Text: "use project Nothing", Thread: a.Thread}, "There are: Payments")
	said(inbox.Message{Text: "use project payments", Thread: a.Thread}, "about the project Payments")
	if got := said(inbox.Message{Text: "whereami", Thread: a.Thread}, "in the project Payments"); got.Thread != a.Thread {
		t.Errorf("%+v", got)
	}
	if got := said(inbox.Message{Text: "use thread Retries", Thread: a.Thread}, "Go on in the thread Retries"); got.Thread != thread {
		t.Errorf("it goes on in %s, not in %s", got.Thread, thread)
	}
	if got := said(inbox.Message{Text: "use thread New things", Thread: a.Thread}, "begins one"); got.Thread == a.Thread || got.Thread == thread {
		t.Errorf("%+v", got)
	}
	s, err := w.db.Conversations.Session(t.Context(), a.Thread)
	if err != nil || s.Project != project {
		t.Errorf("%+v %v", s, err)
	}
}
