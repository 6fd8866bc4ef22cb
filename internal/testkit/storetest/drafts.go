package storetest

import (
	"testing"

	"chela/internal/approval"
	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// drafts are what the next text of their run becomes, once, in the chat where they are.
func drafts(t *testing.T, open Opener) {
	db, _ := open(t)
	chat := session.Chat{Channel: "portal", Chat: "c1"}
	inChat(t, db, "thr_1", chat)
	at := inThread("thr_1")
	at.Run = "run_that_grows"
	here := channel.Address{Chat: "c1"}
	want := func(what string, want channel.Draft) {
		t.Helper()
		got, err := db.Outbox.Draft(t.Context(), at.Run, "portal", here)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
		}
	}
	want("before", channel.Draft{})
	drafted := func(number int, id string) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), channel.DraftedKind.Draft(at, channel.Drafted{Run: at.Run, Number: number, Channel: "portal", Address: here, ID: id}))
		check(t, err)
	}
	drafted(0, "p0")
	drafted(0, "p0 again")
	want("drafted", channel.Draft{ID: "p0", Number: 1})
	for name, there := range map[string]channel.Address{"team": here, "portal": {Chat: "c1", Branch: "b"}} {
		if d, err := db.Outbox.Draft(t.Context(), at.Run, name, there); err != nil || d.ID != "" {
			t.Errorf("in another chat: %+v, %v", d, err)
		}
	}
	other := replied(t, db, "thr_1", "of another run")
	want("while a text waits", channel.Draft{ID: "p0", Number: 1, Waits: true})
	sent(t, db, other, "p1")
	want("after another run's text", channel.Draft{ID: "p0", Number: 1})
	inChat(t, db, "thr_2", session.Chat{Channel: "portal", Chat: "c2"})
	elsewhere := inThread("thr_2")
	elsewhere.Run, elsewhere.From = at.Run, event.Party{AgentID: "agent:pm"}
	there, err := db.Log.Append(t.Context(), session.SaidKind.Draft(elsewhere, session.Said{Message: "for another chat"}))
	check(t, err)
	sent(t, db, there[0].Message.ID, "q1")
	want("after the run's text for another chat", channel.Draft{ID: "p0", Number: 1})
	said := at
	said.From = event.Party{AgentID: "agent:pm"}
	out, err := db.Log.Append(t.Context(), session.SaidKind.Draft(said, session.Said{Message: "of this run"}))
	check(t, err)
	sent(t, db, out[0].Message.ID, "p0")
	want("used", channel.Draft{Number: 1})
	drafted(1, "p2")
	want("the next", channel.Draft{ID: "p2", Number: 2})
	same(t, db)
}

// sent records that a delivery of one part was made.
func sent(t *testing.T, db *store.DB, delivery, id string) {
	t.Helper()
	in := inThread("thr_1")
	_, err := db.Log.Append(t.Context(), channel.TriedKind.Draft(in, channel.Tried{Delivery: delivery, Attempt: 1}), channel.SentKind.Draft(in, channel.Sent{Delivery: delivery, Parts: 1, ID: id}))
	check(t, err)
}

// outcomes are on their way when a question that went to a chat was answered or lapsed.
func outcomes(t *testing.T, open Opener) {
	db, _ := open(t)
	inChat(t, db, "thr_1", session.Chat{Channel: "portal", Chat: "c1", Branch: "b"})
	_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(inThread("thr_2"), session.Opened{Channel: "page", Title: "a page's"}))
	check(t, err)
	ask := func(thread, id string) (at event.Place, asked string) {
		t.Helper()
		at = inThread(thread)
		at.Run = "run_of_" + id
		out, err := db.Log.Append(t.Context(), approval.RequestedKind.Draft(at, approval.Request{ID: id, Run: run.ID(at.Run), Question: "May I?"}))
		check(t, err)
		return at, out[0].Message.ID
	}
	first, one := ask("thr_1", "apr_1")
	second, two := ask("thr_1", "apr_2")
	page, _ := ask("thr_2", "apr_3")
	answer := func(at event.Place, id string) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), approval.AnsweredKind.Draft(at, approval.Answer{ID: id, Choice: approval.Approve}))
		check(t, err)
	}
	answer(first, "apr_1")
	answer(first, "apr_1")
	answer(page, "apr_3")
	_, err = db.Log.Append(t.Context(), run.FinishedKind.Draft(second, run.Finished{State: run.Cancelled}), run.FinishedKind.Draft(first, run.Finished{State: run.Done}))
	check(t, err)
	list, err := db.Outbox.Deliveries(t.Context(), channel.Filter{Channel: "portal"})
	check(t, err)
	got := make(map[string]channel.Delivery)
	for _, d := range list {
		got[d.ID] = d
	}
	for _, id := range []string{one, two} {
		if d, ok := got[id+channel.OutcomeSuffix]; !ok || d.State != channel.Queued || d.Chat != "c1" || d.Branch != "b" || d.Run != got[id].Run || d.Run == "" {
			t.Errorf("of %s: %+v", id, d)
		}
	}
	if len(got) != 4 {
		t.Errorf("%d deliveries", len(got))
	}
	if next := due(t, db, "portal"); len(next) != 1 || next[0] != one {
		t.Errorf("due: %v", next)
	}
	if a, err := db.Questions.Approval(t.Context(), "apr_2"); err != nil || a.Status != approval.Lapsed {
		t.Errorf("%+v, %v", a, err)
	}
	same(t, db)
}
