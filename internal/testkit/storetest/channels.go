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
	_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(inThread(thread), session.Opened{Channel: "webhook", Title: thread, Person: "agent:person/per_1", Chat: &at}))
	check(t, err)
}

// replied has an agent say something in a conversation, and returns its id.
func replied(t *testing.T, db *store.DB, thread, text string) string {
	t.Helper()
	at := inThread(thread)
	at.From = event.Party{AgentID: "agent:pm"}
	out, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: text}))
	check(t, err)
	return out[0].Message.ID
}

// due are the ids of what comes next in a channel.
func due(t *testing.T, db *store.DB, name string) []string {
	t.Helper()
	list, err := db.Outbox.Due(t.Context(), name)
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
	_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(inThread("thr_3"), session.Opened{Channel: "page", Title: "a page's"}))
	check(t, err)
	replied(t, db, "thr_3", "for the page alone")
	first, second, other := replied(t, db, "thr_1", "a"), replied(t, db, "thr_1", "b"), replied(t, db, "thr_2", "c")
	at := inThread("thr_1")
	at.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
	_, err = db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: "mine", Via: &session.Via{Message: "m1", Group: true}}))
	check(t, err)
	if got := due(t, db, "portal"); !slices.Equal(got, []string{first, other}) {
		t.Errorf("due: %v, want %v", got, []string{first, other})
	}
	if to, err := db.Outbox.AnswerTo(t.Context(), at.Run, "thr_1"); err != nil || to != "m1" {
		t.Errorf("it answers %q, %v", to, err)
	}
	step := func(id string, drafts ...event.Draft) channel.Delivery {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
		d, err := db.Outbox.Delivery(t.Context(), id)
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
	failed, err := db.Outbox.Deliveries(t.Context(), channel.Filter{Channel: "portal", State: channel.Done})
	if err != nil || len(failed) != 1 || failed[0].ID != first {
		t.Errorf("%+v, %v", failed, err)
	}
	if _, err := db.Outbox.Delivery(t.Context(), "msg_none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a delivery that is not there: %v", err)
	}
	ask := inThread("thr_2")
	out, err := db.Log.Append(t.Context(), approval.RequestedKind.Draft(ask, approval.Request{ID: "apr_1", Run: run.ID(ask.Run), Question: "May I?"}))
	check(t, err)
	if d, err := db.Outbox.Delivery(t.Context(), out[0].Message.ID); err != nil || d.Branch != "b" {
		t.Errorf("a question: %+v, %v", d, err)
	}
	same(t, db)
}

// newest is the newest message of each chat, whatever was said elsewhere in its conversation.
func newest(t *testing.T, open Opener) {
	db, _ := open(t)
	inChat(t, db, "thr_1", session.Chat{Channel: "portal", Chat: "c1"})
	inChat(t, db, "thr_2", session.Chat{Channel: "portal", Chat: "c1", Branch: "b"})
	inChat(t, db, "thr_3", session.Chat{Channel: "team", Chat: "c1"})
	said := func(thread, id, text string) {
		t.Helper()
		m := session.Said{Message: text}
		if id != "" {
			m.Via = &session.Via{Message: id, Sender: "ann", Group: thread == "thr_2"}
		}
		at := inThread(thread)
		at.From = org.Person{ID: "per_ann"}.Party()
		_, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, m))
		check(t, err)
	}
	said("thr_1", "m1", "one")
	said("thr_2", "m2", "two")
	said("thr_3", "m3", "three")
	said("thr_1", "m4", "four")
	said("thr_1", "", `on the page, of "via":{}`)
	replied(t, db, "thr_1", "an answer")
	got, err := db.Chats.NewestOf(t.Context(), "portal")
	want := []channel.Newest{{Address: channel.Address{Chat: "c1"}, ID: "m4"}, {Address: channel.Address{Chat: "c1", Branch: "b"}, ID: "m2", Group: true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	same(t, db)
}

// marks are kept by channel, over the end of a process.
func marks(t *testing.T, open Opener) {
	db, again := open(t)
	has := func(db *store.DB, name, want string) {
		t.Helper()
		if got, err := db.Platforms.MarkOf(t.Context(), name); err != nil || got != want {
			t.Errorf("%s stands at %q, %v", name, got, err)
		}
	}
	has(db, "portal", "")
	check(t, db.Platforms.Mark(t.Context(), "portal", "one"))
	check(t, db.Platforms.Mark(t.Context(), "team", "other"))
	check(t, db.Platforms.Mark(t.Context(), "portal", "two"))
	check(t, db.Close())
	db, err := again()
	check(t, err)
	has(db, "portal", "two")
	has(db, "team", "other")
	same(t, db)
	has(db, "portal", "two") // the log does not have it
	check(t, db.Close())
}

// receipts say of a part, by the platform's id, what became of its delivery; what was lost is
// begun anew where it was lost.
func receipts(t *testing.T, open Opener) {
	db, _ := open(t)
	inChat(t, db, "thr_1", session.Chat{Channel: "portal", Chat: "c1"})
	in := inThread("thr_1")
	sent := func(text string, ids ...string) string {
		t.Helper()
		id := replied(t, db, "thr_1", text)
		for i, part := range ids {
			_, err := db.Log.Append(t.Context(), channel.TriedKind.Draft(in, channel.Tried{Delivery: id, Part: i, Attempt: i + 1}), channel.SentKind.Draft(in, channel.Sent{Delivery: id, Part: i, Parts: len(ids), ID: part}))
			check(t, err)
		}
		return id
	}
	one, two := sent("a", "p1", "p2"), sent("b", "p3", "p4")
	if id, part, err := db.Outbox.PartOf(t.Context(), "portal", "c1", "p2"); err != nil || id != one || part != 1 {
		t.Errorf("p2 is part %d of %s: %v", part, id, err)
	}
	for _, other := range [][3]string{{"portal", "c2", "p2"}, {"team", "c1", "p2"}, {"portal", "c1", "p9"}} {
		if id, _, err := db.Outbox.PartOf(t.Context(), other[0], other[1], other[2]); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v is of %q: %v", other, id, err)
		}
	}
	doubt := func(want bool) {
		t.Helper()
		for chat, want := range map[string]bool{"c1": want, "c2": false} {
			if got, err := db.Outbox.InDoubt(t.Context(), "portal", chat); err != nil || got != want {
				t.Errorf("a part may be in %s: %v, %v", chat, got, err)
			}
		}
	}
	doubt(false)
	three := replied(t, db, "thr_1", "c")
	_, err := db.Log.Append(t.Context(), channel.TriedKind.Draft(in, channel.Tried{Delivery: three, Attempt: 1}))
	check(t, err)
	doubt(true)
	refuse := func(unknown bool) {
		t.Helper()
		_, err = db.Log.Append(t.Context(), channel.RefusedKind.Draft(in, channel.Refused{Delivery: three, Again: db.Mint().Now().Add(time.Minute), Unknown: unknown}))
		check(t, err)
		doubt(unknown)
	}
	refuse(true)
	_, err = db.Log.Append(t.Context(), channel.TriedKind.Draft(in, channel.Tried{Delivery: three, Attempt: 2}))
	check(t, err)
	doubt(true)
	refuse(false)
	_, err = db.Log.Append(t.Context(), channel.TriedKind.Draft(in, channel.Tried{Delivery: three, Attempt: 3}))
	check(t, err)
	_, err = db.Log.Append(t.Context(), channel.SentKind.Draft(in, channel.Sent{Delivery: three, Parts: 1, ID: "p5"}))
	check(t, err)
	doubt(false)
	got := func(id string, part int, fate channel.Fate) channel.Delivery {
		t.Helper()
		_, err := db.Log.Append(t.Context(), channel.ReceivedKind.Draft(in, channel.Received{Delivery: id, Part: part, Fate: fate, Why: "gone"}))
		check(t, err)
		d, err := db.Outbox.Delivery(t.Context(), id)
		check(t, err)
		return d
	}
	if d := got(one, 0, channel.Arrived); d.State != channel.Done {
		t.Errorf("when the first part arrived: %+v", d)
	}
	if d := got(one, 1, channel.Arrived); d.State != channel.Delivered || !d.Seen.IsZero() {
		t.Errorf("when the last part arrived: %+v", d)
	}
	if d := got(one, 1, channel.Seen); d.State != channel.Delivered || d.Seen.IsZero() {
		t.Errorf("when it was read: %+v", d)
	}
	if d := got(one, 1, channel.Lost); d.State != channel.Delivered {
		t.Errorf("what was delivered is lost: %+v", d)
	}
	if d := got(two, 1, channel.Lost); d.State != channel.Failed || d.Part != 1 || d.Why != "gone" {
		t.Errorf("when its last part was lost: %+v", d)
	}
	_, err = db.Log.Append(t.Context(), channel.AgainKind.Draft(in, channel.Again{Delivery: two}))
	check(t, err)
	if got := due(t, db, "portal"); !slices.Equal(got, []string{two}) {
		t.Errorf("due: %v", got)
	}
	same(t, db)
}

// revised messages are shown as they are now, with what people think of them.
func revised(t *testing.T, open Opener) {
	db, _ := open(t)
	inChat(t, db, "thr_1", session.Chat{Channel: "portal", Chat: "c1"})
	at := inThread("thr_1")
	at.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
	out, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: "Tusday", Via: &session.Via{Message: "m1"}}))
	check(t, err)
	mine := out[0].Message.ID
	theirs := replied(t, db, "thr_1", "Noted.")
	now := func(drafts ...event.Draft) []session.Message {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
		all, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 10)
		check(t, err)
		return all
	}
	if all := now(session.EditedKind.Draft(at, session.Edited{Message: mine, Text: "Tuesday"})); all[0].Message != "Tuesday" || !all[0].Edited || all[0].Via == nil || all[1].Edited {
		t.Errorf("edited: %+v", all)
	}
	react := func(by, sign string) event.Draft {
		from := at
		from.From.AgentID = by
		return session.ReactedKind.Draft(from, session.Reacted{Message: theirs, Sign: sign})
	}
	if all := now(react("agent:person/per_1", "👍"), react("agent:person/per_2", "👎")); len(all[1].Reactions) != 2 || all[1].Reactions[0] != (session.Reaction{By: "agent:person/per_1", Sign: "👍"}) {
		t.Errorf("reactions: %+v", all[1])
	}
	if all := now(react("agent:person/per_1", "🎉"), react("agent:person/per_2", "")); len(all[1].Reactions) != 1 || all[1].Reactions[0].Sign != "🎉" {
		t.Errorf("reactions changed: %+v", all[1])
	}
	if all := now(session.DeletedKind.Draft(at, session.Deleted{Message: mine})); all[0].Message != "" || !all[0].Deleted || len(all) != 2 {
		t.Errorf("deleted: %+v", all)
	}
	if all := now(session.EditedKind.Draft(at, session.Edited{Message: "msg_none", Text: "x"})); len(all) != 2 || all[1].Message != "Noted." {
		t.Errorf("what is not there was edited: %+v", all)
	}
	same(t, db)
}

// chats lead to their newest open conversation.
func chats(t *testing.T, open Opener) {
	db, _ := open(t)
	at := session.Chat{Channel: "portal", Chat: "c1"}
	if _, err := db.Chats.ChatThread(t.Context(), at); fault.KindOf(err) != fault.NotFound {
		t.Errorf("before anything was said: %v", err)
	}
	inChat(t, db, "thr_1", at)
	inChat(t, db, "thr_2", at)
	inChat(t, db, "thr_3", session.Chat{Channel: "portal", Chat: "c2"})
	if th, err := db.Chats.ChatThread(t.Context(), at); err != nil || th.ID != "thr_2" || th.Chat == nil || *th.Chat != at {
		t.Errorf("%+v, %v", th, err)
	}
	_, err := db.Log.Append(t.Context(), session.ClosedKind.Draft(inThread("thr_2"), session.Moved{}))
	check(t, err)
	if th, err := db.Chats.ChatThread(t.Context(), at); err != nil || th.ID != "thr_1" {
		t.Errorf("after it was closed: %+v, %v", th, err)
	}
	_, err = db.Log.Append(t.Context(), session.ChangedKind.Draft(inThread("thr_3"), session.Changed{Chat: &at}))
	check(t, err)
	if th, err := db.Chats.ChatThread(t.Context(), at); err != nil || th.ID != "thr_3" {
		t.Errorf("after another was taken up here: %+v, %v", th, err)
	}
	same(t, db)
}

// pairing requests of one sender count once, whoever takes them, and not of somebody who was let in.
func requests(t *testing.T, open Opener) {
	db, _ := open(t)
	now := db.Mint().Now()
	ask := func(sender, code string, until time.Time) bool {
		t.Helper()
		k := channel.PairingRequest{Channel: "portal", Sender: sender, Code: code, Until: until, Address: channel.Address{Chat: sender}}
		ok, err := db.Platforms.RequestPairing(t.Context(), k, 3, channel.PairingRequestedKind.Draft(place(event.ChannelStream("portal")), k))
		check(t, err)
		return ok
	}
	var wg sync.WaitGroup
	recorded := make([]bool, 4)
	for i := range recorded {
		wg.Go(func() { recorded[i] = ask("u1", fmt.Sprint("CODE", i), now.Add(time.Hour)) })
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(recorded, func(ok bool) bool { return !ok })); n != 1 {
		t.Errorf("%d of four pairing requests of one sender are recorded", n)
	}
	if !ask("u0", "GONE", now.Add(-time.Hour)) || !ask("u2", "TWO", now.Add(time.Hour)) || !ask("u3", "THREE", now.Add(time.Hour)) || ask("u4", "FOUR", now.Add(time.Hour)) {
		t.Error("not as many pairing requests as may count at the same time")
	}
	if got := due(t, db, "portal"); len(got) != 4 {
		t.Errorf("%d codes are on their way", len(got))
	}
	_, err := db.Log.Append(t.Context(), org.LinkedKind.Draft(place(event.OrgStream), org.Identity{Person: "per_1", Identity: "portal:u2"}))
	check(t, err)
	list, err := db.Platforms.PairingRequests(t.Context(), now)
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
	woken, leave := db.Subscribe(event.DeliveriesDue)
	defer leave()
	set := func(o channel.Options) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), channel.ConfiguredKind.Draft(place(event.OrgStream), o))
		check(t, err)
	}
	set(channel.Options{Name: "b", Kind: "webhook"})
	set(channel.Options{Name: "a", Kind: "webhook"})
	set(channel.Options{Name: "b", Kind: "webhook", Off: true, Settings: map[string]string{"url": "http://x"}})
	<-woken
	list, err := db.Platforms.Channels(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "a" || !list[1].Off || list[1].Settings["url"] != "http://x" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = db.Log.Append(t.Context(), channel.RemovedKind.Draft(place(event.OrgStream), channel.Removed{Name: "a"}))
	check(t, err)
	if list, err = db.Platforms.Channels(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	same(t, db)
}
