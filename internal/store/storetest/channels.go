package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"chela/internal/approval"
	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// inThread is where a fact of a conversation belongs.
func inThread(id string) event.Place {
	at := place(event.ThreadStream(id))
	at.Thread = id
	return at
}

// inChat begins a conversation in a chat of a platform.
func inChat(t *testing.T, db *store.DB, thread string, at session.Chat) {
	t.Helper()
	_, err := db.Append(t.Context(), session.OpenedKind.Draft(inThread(thread), session.Opened{Channel: "webhook", Title: thread, Person: "agent:person/per_1", Chat: &at}))
	check(t, err)
}

// replied has an agent say something in a conversation, and returns its id.
func replied(t *testing.T, db *store.DB, thread, text string) string {
	t.Helper()
	at := inThread(thread)
	at.From = event.Party{AgentID: "agent:pm"}
	out, err := db.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: text}))
	check(t, err)
	return out[0].Message.ID
}

// due are the ids of what comes next in a channel.
func due(t *testing.T, db *store.DB, name string) []string {
	t.Helper()
	list, err := db.Due(t.Context(), name)
	check(t, err)
	ids := []string{}
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return ids
}

// deliveries begin with what agents say in a chat of a platform, and of each chat the oldest
// that is open comes next.
func deliveries(t *testing.T, open Opener) {
	db, _ := open(t)
	one, two := session.Chat{Channel: "portal", Chat: "c1"}, session.Chat{Channel: "portal", Chat: "c1", Branch: "b"}
	inChat(t, db, "thr_1", one)
	inChat(t, db, "thr_2", two)
	_, err := db.Append(t.Context(), session.OpenedKind.Draft(inThread("thr_3"), session.Opened{Channel: "page", Title: "a page's"}))
	check(t, err)
	replied(t, db, "thr_3", "for the page alone")
	first, second, other := replied(t, db, "thr_1", "a"), replied(t, db, "thr_1", "b"), replied(t, db, "thr_2", "c")
	at := inThread("thr_1")
	at.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
	_, err = db.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: "mine", Via: &session.Via{Message: "m1", Group: true}}))
	check(t, err)
	if got := due(t, db, "portal"); !slices.Equal(got, []string{first, other}) {
		t.Errorf("due: %v, want %v", got, []string{first, other})
	}
	if to, err := db.AnswerTo(t.Context(), at.Run); err != nil || to != "m1" {
		t.Errorf("it answers %q, %v", to, err)
	}
	step := func(id string, drafts ...event.Draft) channel.Delivery {
		t.Helper()
		_, err := db.Append(t.Context(), drafts...)
		check(t, err)
		d, err := db.Delivery(t.Context(), id)
		check(t, err)
		return d
	}
	in := inThread("thr_1")
	if d := step(first, channel.TriedKind.Draft(in, channel.Tried{Delivery: first, Attempt: 1, Node: "n"})); d.State != channel.Sending || d.Attempts != 1 || d.Node != "n" || d.Thread != "thr_1" {
		t.Errorf("tried: %+v", d)
	}
	later := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	if d := step(first, channel.RefusedKind.Draft(in, channel.Refused{Delivery: first, Why: "busy", Again: later, Unknown: true})); d.State != channel.Queued || !d.Next.Equal(later) || !d.Unknown || d.Why != "busy" {
		t.Errorf("refused: %+v", d)
	}
	step(first, channel.TriedKind.Draft(in, channel.Tried{Delivery: first, Attempt: 2}))
	if d := step(first, channel.SentKind.Draft(in, channel.Sent{Delivery: first, Part: 0, Parts: 2, ID: "p1"})); d.State != channel.Queued || d.Part != 1 || d.Parts != 2 || d.Unknown || !d.Next.IsZero() {
		t.Errorf("half sent: %+v", d)
	}
	step(first, channel.TriedKind.Draft(in, channel.Tried{Delivery: first, Part: 1, Attempt: 3}))
	if d := step(first, channel.SentKind.Draft(in, channel.Sent{Delivery: first, Part: 1, Parts: 2, ID: "p2"})); d.State != channel.Done || !slices.Equal(d.Sent, []string{"p1", "p2"}) {
		t.Errorf("sent: %+v", d)
	}
	if d := step(first, channel.TriedKind.Draft(in, channel.Tried{Delivery: first, Attempt: 4}), channel.RefusedKind.Draft(in, channel.Refused{Delivery: first, Why: "late"})); d.State != channel.Done || d.Attempts != 3 {
		t.Errorf("what was sent moved: %+v", d)
	}
	step(second, channel.TriedKind.Draft(in, channel.Tried{Delivery: second, Attempt: 1}))
	if d := step(second, channel.RefusedKind.Draft(in, channel.Refused{Delivery: second, Why: "never"})); d.State != channel.Failed || len(due(t, db, "portal")) != 1 {
		t.Errorf("failed: %+v, %v", d, due(t, db, "portal"))
	}
	if d := step(second, channel.AgainKind.Draft(in, channel.Again{Delivery: second})); d.State != channel.Queued || len(due(t, db, "portal")) != 2 {
		t.Errorf("again: %+v", d)
	}
	failed, err := db.Deliveries(t.Context(), channel.Filter{Channel: "portal", State: channel.Done})
	if err != nil || len(failed) != 1 || failed[0].ID != first {
		t.Errorf("%+v, %v", failed, err)
	}
	if _, err := db.Delivery(t.Context(), "msg_none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a delivery that is not there: %v", err)
	}
	ask := inThread("thr_2")
	out, err := db.Append(t.Context(), approval.RequestedKind.Draft(ask, approval.Request{ID: "apr_1", Run: run.ID(ask.Run), Question: "May I?"}))
	check(t, err)
	if d, err := db.Delivery(t.Context(), out[0].Message.ID); err != nil || d.Branch != "b" {
		t.Errorf("a question: %+v, %v", d, err)
	}
	same(t, db)
}

// chats lead to their newest open conversation.
func chats(t *testing.T, open Opener) {
	db, _ := open(t)
	at := session.Chat{Channel: "portal", Chat: "c1"}
	if _, err := db.ChatThread(t.Context(), at); fault.KindOf(err) != fault.NotFound {
		t.Errorf("before anything was said: %v", err)
	}
	inChat(t, db, "thr_1", at)
	inChat(t, db, "thr_2", at)
	inChat(t, db, "thr_3", session.Chat{Channel: "portal", Chat: "c2"})
	if th, err := db.ChatThread(t.Context(), at); err != nil || th.ID != "thr_2" || th.Chat == nil || *th.Chat != at {
		t.Errorf("%+v, %v", th, err)
	}
	_, err := db.Append(t.Context(), session.ClosedKind.Draft(inThread("thr_2"), session.Moved{}))
	check(t, err)
	if th, err := db.ChatThread(t.Context(), at); err != nil || th.ID != "thr_1" {
		t.Errorf("after it was closed: %+v, %v", th, err)
	}
	_, err = db.Append(t.Context(), session.ChangedKind.Draft(inThread("thr_3"), session.Changed{Chat: &at}))
	check(t, err)
	if th, err := db.ChatThread(t.Context(), at); err != nil || th.ID != "thr_3" {
		t.Errorf("after another was taken up here: %+v, %v", th, err)
	}
	same(t, db)
}

// knocks of one sender count once, whoever takes them, and not of somebody who was let in.
func knocks(t *testing.T, open Opener) {
	db, _ := open(t)
	now := db.Mint().Now()
	knock := func(sender, code string, until time.Time) bool {
		t.Helper()
		k := channel.Knock{Channel: "portal", Sender: sender, Code: code, Until: until, Address: channel.Address{Chat: sender}}
		ok, err := db.Knock(t.Context(), k, 3, channel.KnockedKind.Draft(place(event.ChannelStream("portal")), k))
		check(t, err)
		return ok
	}
	var wg sync.WaitGroup
	recorded := make([]bool, 4)
	for i := range recorded {
		wg.Go(func() { recorded[i] = knock("u1", fmt.Sprint("CODE", i), now.Add(time.Hour)) })
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(recorded, func(ok bool) bool { return !ok })); n != 1 {
		t.Errorf("%d of four knocks of one sender are recorded", n)
	}
	if !knock("u0", "GONE", now.Add(-time.Hour)) || !knock("u2", "TWO", now.Add(time.Hour)) || !knock("u3", "THREE", now.Add(time.Hour)) || knock("u4", "FOUR", now.Add(time.Hour)) {
		t.Error("not as many knocks as may count at the same time")
	}
	if got := due(t, db, "portal"); len(got) != 4 {
		t.Errorf("%d codes are on their way", len(got))
	}
	_, err := db.Append(t.Context(), org.LinkedKind.Draft(place(event.OrgStream), org.Identity{Person: "per_1", Identity: "portal:u2"}))
	check(t, err)
	list, err := db.Knocks(t.Context(), now)
	check(t, err)
	names := []string{}
	for _, k := range list {
		names = append(names, k.Sender)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"u1", "u3"}) {
		t.Errorf("who waits: %v", names)
	}
	same(t, db)
}

// configured lists the channels as they are configured now.
func configured(t *testing.T, open Opener) {
	db, _ := open(t)
	woken, leave := db.Outgoing()
	defer leave()
	set := func(o channel.Options) {
		t.Helper()
		_, err := db.Append(t.Context(), channel.ConfiguredKind.Draft(place(event.OrgStream), o))
		check(t, err)
	}
	set(channel.Options{Name: "b", Kind: "webhook"})
	set(channel.Options{Name: "a", Kind: "webhook"})
	set(channel.Options{Name: "b", Kind: "webhook", Off: true, Settings: map[string]string{"url": "http://x"}})
	<-woken
	list, err := db.Channels(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "a" || !list[1].Off || list[1].Settings["url"] != "http://x" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = db.Append(t.Context(), channel.RemovedKind.Draft(place(event.OrgStream), channel.Removed{Name: "a"}))
	check(t, err)
	if list, err = db.Channels(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	same(t, db)
}
