package schedule_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/clerk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/store"
)

// member adds a person and returns them as a sender.
func (r *room) member(id string, role org.Role) event.Party {
	r.t.Helper()
	r.add(org.PersonAddedKind.Draft(r.place(event.OrgStream), org.PersonAdded{ID: id, Name: id, Role: role}))
	return org.Person{ID: id}.Party()
}

// converse opens a conversation, held in a chat when it is given.
func (r *room) converse(thread string, chat *session.Chat) {
	r.t.Helper()
	at := r.place(event.ThreadStream(thread))
	at.Thread = thread
	r.add(session.OpenedKind.Draft(at, session.Opened{Channel: "page", Title: "Team", Chat: chat}))
}

// answers has the run of the only execution that is under way end with an answer.
func (r *room) answers(text string) schedule.Execution {
	r.t.Helper()
	open, err := r.db.Plan.Executions(r.t.Context(), schedule.Filter{State: schedule.Running})
	if err != nil || len(open) != 1 {
		r.t.Fatalf("%+v %v", open, err)
	}
	e := open[0]
	queued, err := r.db.Runs.Run(r.t.Context(), e.Run)
	if err != nil {
		r.t.Fatal(err)
	}
	at := event.Place{Stream: event.ThreadStream(queued.Thread), Thread: queued.Thread, Run: string(e.Run), Task: run.RootTask(e.Run), From: event.Party{AgentID: string(e.Agent), Role: "agent"}}
	r.add(session.SaidKind.Draft(at, session.Said{Message: text, Origins: []string{"records"}}), run.FinishedKind.Draft(at, run.Finished{State: run.Done}))
	return e
}

func (r *room) said(thread string) []session.Message {
	r.t.Helper()
	list, err := r.db.Conversations.Messages(r.t.Context(), thread, 0, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func (r *room) last(id schedule.ID) schedule.Attempt {
	r.t.Helper()
	list, _, err := r.db.Plan.Attempts(r.t.Context(), schedule.Filter{Schedule: id, Limit: 1})
	if err != nil || len(list) != 1 {
		r.t.Fatalf("%+v %v", list, err)
	}
	return list[0]
}

func report(to schedule.Delivery) schedule.Fields {
	f := daily()
	f.Message, f.Deliver = "Write a status report.", to
	return f
}

// TestDeliver_ToAConversation asks what the schedule says, and says the answer where it says, once however many clocks there are.
func TestDeliver_ToAConversation(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ann := r.member("per_ann", org.Editor)
	chat := session.Chat{Channel: "team", Chat: "C1"}
	r.add(channel.ConfiguredKind.Draft(r.place(event.OrgStream), channel.Options{Name: "team", Kind: "webhook"}))
	r.converse("thr_team", &chat)
	s, err := r.editor.Create(t.Context(), ann, report(schedule.Delivery{To: schedule.ToConversation, Thread: "thr_team"}))
	if err != nil {
		t.Fatal(err)
	}
	r.pass(r.clock(schedule.Options{}))
	r.now = r.now.Add(time.Hour)
	r.pass(r.clock(schedule.Options{}))
	e := r.answers("All is well.")
	queued, err := r.db.Runs.Run(t.Context(), e.Run)
	if err != nil {
		t.Fatal(err)
	}
	if asked := r.said(queued.Thread)[0]; !strings.HasPrefix(asked.Message, "Write a status report.\n") || asked.Role != session.FromPerson {
		t.Errorf("the agent is asked %+v", asked)
	}
	r.failing(t)
	if n := len(r.said("thr_team")); n != 0 {
		t.Fatalf("%d were said by a clock that ended in the middle", n)
	}
	var all sync.WaitGroup
	for range 6 {
		c := r.clock(schedule.Options{})
		all.Go(func() {
			if _, _, err := c.Pass(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	there := r.said("thr_team")
	if len(there) != 1 || there[0].Message != "All is well." || there[0].Role != session.FromAgent || there[0].Run != string(e.Run) || len(there[0].Origins) != 1 {
		t.Fatalf("%+v", there)
	}
	due, err := r.db.Outbox.Due(t.Context(), "team")
	if err != nil || len(due) != 1 || due[0].Chat != "C1" {
		t.Errorf("%+v %v", due, err)
	}
	if a := r.last(s.ID); a.Result != schedule.Success || a.Error != "" || a.Summary != "All is well." {
		t.Errorf("%+v", a)
	}
}

// failing passes with a store that ends before it commits, as a process that is killed.
func (r *room) failing(t *testing.T) {
	t.Helper()
	gone := errors.New("the process is gone")
	c := schedule.NewClock(dying{r.db, gone}, r.db.ForClock(), clerk.New(r.db.Desk), r.runs, inbox.New(r.runs, r.db, r.db.ForInbox(), inbox.Options{}), schedule.Options{Now: func() time.Time { return r.now }})
	if _, _, err := c.Pass(t.Context()); !errors.Is(err, gone) {
		t.Fatalf("it went on: %v", err)
	}
}

type dying struct {
	*store.DB
	err error
}

func (d dying) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return d.DB.Write(ctx, func(tx *store.Tx) error { return errors.Join(fn(tx), d.err) })
}

// TestDeliver_WhoMayNotAnyMore: what may not be said is not, and it is said that it is not.
func TestDeliver_WhoMayNotAnyMore(t *testing.T) {
	t.Parallel()
	viewer, off := org.Viewer, false
	for name, c := range map[string]struct {
		change func(r *room)
		why    string
	}{
		"a viewer now": {func(r *room) {
			r.add(org.PersonChangedKind.Draft(r.place(event.OrgStream), org.PersonChanged{ID: "per_ann", Role: &viewer}))
		}, "editor"},
		"disabled": {func(r *room) {
			r.add(org.PersonChangedKind.Draft(r.place(event.OrgStream), org.PersonChanged{ID: "per_ann", Enabled: &off}))
		}, "disabled"},
		"closed": {func(r *room) {
			at := r.place(event.ThreadStream("thr_team"))
			at.Thread = "thr_team"
			r.add(session.ClosedKind.Draft(at, session.Moved{}))
		}, "closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			ann := r.member("per_ann", org.Editor)
			r.converse("thr_team", nil)
			s, err := r.editor.Create(t.Context(), ann, report(schedule.Delivery{To: schedule.ToConversation, Thread: "thr_team"}))
			if err != nil {
				t.Fatal(err)
			}
			r.pass(r.clock(schedule.Options{}))
			r.now = r.now.Add(time.Hour)
			r.pass(r.clock(schedule.Options{}))
			r.answers("All is well.")
			c.change(r)
			r.pass(r.clock(schedule.Options{}))
			if a := r.last(s.ID); a.Result != schedule.Success || !strings.HasPrefix(a.Error, "The answer was not delivered: ") || !strings.Contains(a.Error, c.why) {
				t.Errorf("%+v", a)
			}
			if said := r.said("thr_team"); len(said) != 0 {
				t.Errorf("it was said all the same: %+v", said)
			}
			if how := r.ended(); !how.Kept || how.Tells == nil || how.Tells.Person != "per_ann" {
				t.Errorf("%+v", how)
			}
		})
	}
}

// ended is the last end of an execution.
func (r *room) ended() schedule.Ended {
	r.t.Helper()
	list, _, err := r.db.Log.Events(r.t.Context(), 0, event.Filter{Type: schedule.EndedKind.Name})
	if err != nil || len(list) == 0 {
		r.t.Fatalf("%v %v", list, err)
	}
	p, _, err := schedule.EndedKind.Open(list[len(list)-1].Event)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// TestDeliver_ToAChat opens a conversation where none is held yet, and refuses a chat that nobody knows.
func TestDeliver_ToAChat(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ann := r.member("per_ann", org.Editor)
	r.add(channel.ConfiguredKind.Draft(r.place(event.OrgStream), channel.Options{Name: "team", Kind: "webhook", Chats: []string{"C7"}}))
	for _, to := range []schedule.Delivery{
		{To: schedule.ToChat, Channel: "team", Chat: "C8"}, {To: schedule.ToChat, Channel: "team"}, {To: schedule.ToConversation, Thread: "thr_none"}, {To: "SKY"},
	} {
		if _, err := r.editor.Create(t.Context(), ann, report(to)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", to, err)
		}
	}
	if _, err := r.editor.Create(t.Context(), run.Chela(), report(schedule.Delivery{To: schedule.ToInbox})); fault.KindOf(err) != fault.Invalid {
		t.Errorf("nobody's inbox: %v", err)
	}
	if _, err := r.editor.Create(t.Context(), ann, report(schedule.Delivery{To: schedule.ToChat, Channel: "team", Chat: "C7"})); err != nil {
		t.Fatal(err)
	}
	r.pass(r.clock(schedule.Options{}))
	for range 2 {
		r.now = r.now.Add(24 * time.Hour)
		r.now = time.Date(r.now.Year(), r.now.Month(), r.now.Day(), 9, 0, 1, 0, time.UTC)
		r.pass(r.clock(schedule.Options{}))
		r.answers("All is well.")
		r.pass(r.clock(schedule.Options{}))
	}
	due, err := r.db.Outbox.Deliveries(t.Context(), channel.Filter{Channel: "team"})
	if err != nil || len(due) != 2 || due[0].Chat != "C7" || due[0].Thread != due[1].Thread {
		t.Fatalf("two reports go to one conversation in the chat: %+v %v", due, err)
	}
	if n := r.events(session.OpenedKind.Name); n != 3 {
		t.Errorf("%d conversations, want one of each run and one in the chat", n)
	}
}
