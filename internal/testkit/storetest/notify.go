package storetest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/session"
)

// toChats looks at what goes to people's chats, when they want it otherwise meanwhile.
func toChats(t *testing.T, open Opener) {
	db, _ := open(t)
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	dana, joe := place(event.PersonStream("per_dana")), place(event.PersonStream("per_joe"))
	now := db.Mint().Now()
	night := now.Add(8 * time.Hour) // when it is no more quiet
	raise := func(at event.Place, id string, r notify.Reason, when time.Time) {
		add(notify.RaisedKind.Draft(at, notify.Notification{ID: id, Reason: r, Title: id, ChatAt: when}))
	}
	raise(dana, "ntf_mention", notify.Mention, night)
	raise(dana, "ntf_comment", notify.Comment, night)
	raise(dana, "ntf_read", notify.Mention, night)
	raise(dana, "ntf_went", notify.Mention, night)
	raise(joe, "ntf_joe", notify.Mention, night)
	add(notify.SettledKind.Draft(dana, notify.Settled{IDs: []string{"ntf_read"}, State: notify.Read}), notify.ToldKind.Draft(dana, notify.Told{IDs: []string{"ntf_went"}}))
	due := func(when string, at time.Time, except []string, want ...string) {
		t.Helper()
		all, err := db.Notifications.ForChats(t.Context(), at, except)
		check(t, err)
		var got []string
		for _, list := range all {
			for _, v := range list {
				got = append(got, v.ID)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q goes to chats, want %q", when, got, want)
		}
	}
	due("in quiet hours", now.Add(time.Minute), nil)
	due("at their end", night, nil, "ntf_comment", "ntf_joe", "ntf_mention")
	due("at their end, but of one not", night, []string{"per_dana", "per_x"}, "ntf_joe")
	prefer := func(p notify.Preferences) {
		t.Helper()
		check(t, p.Check())
		add(notify.PreferencesKind.Draft(dana, p))
	}
	prefer(notify.Preferences{Chat: []notify.Reason{notify.Mention}})
	due("without quiet hours, of one reason", now.Add(time.Minute), nil, "ntf_mention")
	hour := func(in time.Duration) string { return now.Add(in).UTC().Format("15:04") }
	prefer(notify.Preferences{Chat: notify.Reasons(), Quiet: hour(-time.Hour) + "-" + hour(2*time.Hour)})
	due("in other quiet hours", now.Add(time.Minute), nil)
	due("at the end of those", now.Add(2*time.Hour), nil, "ntf_mention")
	list, err := db.Notifications.List(t.Context(), "per_dana", false, 10)
	check(t, err)
	for _, v := range list {
		if v.ID == "ntf_mention" && (!v.ChatAt.After(now.Add(time.Hour)) || v.ChatAt.After(now.Add(3*time.Hour))) {
			t.Errorf("it is said to go at %s", v.ChatAt)
		}
	}
	zone, err := db.Notifications.ZoneOf(t.Context(), "per_dana")
	if err != nil || zone != "" {
		t.Errorf("she is in %q: %v", zone, err)
	}
	prefer(notify.Preferences{Off: []notify.Reason{notify.Mention}, Chat: notify.Reasons(), Zone: "Asia/Tokyo"})
	due("of a reason that is off", now.Add(48*time.Hour), nil, "ntf_joe")
	if zone, err = db.Notifications.ZoneOf(t.Context(), "per_dana"); err != nil || zone != "Asia/Tokyo" {
		t.Errorf("she is in %q: %v", zone, err)
	}
}

// over looks at what people were told that needs nobody any more, since its record ended in one way or another.
func over(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	made := make(map[string]string)
	do := func(plan func(w *clerk.Work) error) {
		t.Helper()
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), plan))
	}
	do(func(w *clerk.Work) error {
		for _, name := range []string{"kept", "done", "closed", "gone", "merged", "told"} {
			r, err := w.Create(desk.Ticket, json.RawMessage(`{"title":"over `+name+`"}`))
			if err != nil {
				return err
			}
			made[name] = r.ID
		}
		for _, name := range []string{"open", "resolved", "dismissed"} {
			r, err := w.Create(desk.Blindspot, json.RawMessage(`{"title":"over `+name+`","severity":"HIGH","category":"MISSING_OWNER","status":"OPEN"}`))
			if err != nil {
				return err
			}
			made[name] = r.ID
		}
		return nil
	})
	dana := place(event.PersonStream("per_dana"))
	raise := func(name string, r notify.Reason) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), notify.RaisedKind.Draft(dana, notify.Notification{ID: "ntf_" + name, Reason: r, Title: name, Record: made[name]}))
		check(t, err)
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		reason := notify.Due
		switch name {
		case "open", "resolved", "dismissed":
			reason = notify.Finding
		case "told":
			reason = notify.Mention
		}
		raise(name, reason)
	}
	is := func(when string, want ...string) {
		t.Helper()
		got, err := db.Notifications.Over(t.Context())
		check(t, err)
		slices.Sort(got["per_dana"])
		if !slices.Equal(got["per_dana"], want) {
			t.Errorf("%s: %q are over, want %q", when, got["per_dana"], want)
		}
	}
	is("before anything ended")
	do(func(w *clerk.Work) error {
		for name, set := range map[string]string{"done": "DONE", "closed": "CLOSED", "told": "DONE", "kept": "REVIEW"} {
			if _, err := w.Patch(desk.Ticket, made[name], json.RawMessage(`{"status":"`+set+`"}`)); err != nil {
				return err
			}
		}
		for name, set := range map[string]string{"resolved": "RESOLVED", "dismissed": "DISMISSED", "open": "ACKNOWLEDGED"} {
			if _, err := w.Patch(desk.Blindspot, made[name], json.RawMessage(`{"status":"`+set+`"}`)); err != nil {
				return err
			}
		}
		if _, err := w.Remove(desk.Ticket, made["gone"]); err != nil {
			return err
		}
		return w.Merge(desk.Ticket, made["kept"], []string{made["merged"]})
	})
	is("afterwards", "ntf_closed", "ntf_dismissed", "ntf_done", "ntf_gone", "ntf_merged", "ntf_resolved")
	_, err := db.Log.Append(t.Context(), notify.SettledKind.Draft(dana, notify.Settled{IDs: []string{"ntf_closed", "ntf_dismissed", "ntf_done", "ntf_gone"}, State: notify.Done}))
	check(t, err)
	is("when most are settled", "ntf_merged", "ntf_resolved")
}

// openDue looks at what people were told is due and have not settled: of some tickets, and of all.
func openDue(t *testing.T, open Opener) {
	db, _ := open(t)
	raise := func(person, id string, r notify.Reason, record string, day desk.Date) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), notify.RaisedKind.Draft(place(event.PersonStream(person)), notify.Notification{ID: id, Reason: r, Title: id, Record: record, Day: day}))
		check(t, err)
	}
	raise("per_dana", "ntf_1", notify.Due, "tkt_1", "2026-03-02")
	raise("per_joe", "ntf_2", notify.Due, "tkt_1", "2026-03-02")
	raise("per_dana", "ntf_3", notify.Due, "tkt_2", "")
	raise("per_dana", "ntf_4", notify.Assigned, "tkt_1", "")
	raise("per_dana", "ntf_5", notify.Due, "tkt_3", "2026-03-03")
	_, err := db.Log.Append(t.Context(), notify.SettledKind.Draft(place(event.PersonStream("per_dana")), notify.Settled{IDs: []string{"ntf_5"}, State: notify.Done}))
	check(t, err)
	is := func(tickets []string, want ...string) {
		t.Helper()
		all, err := db.Notifications.OpenDue(t.Context(), tickets)
		check(t, err)
		got := []string{}
		for person, list := range all {
			for _, v := range list {
				got = append(got, person+" "+v.ID+" "+string(v.Day))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("of %q there are %q, want %q", tickets, got, want)
		}
	}
	is(nil, "per_dana ntf_1 2026-03-02", "per_dana ntf_3 ", "per_joe ntf_2 2026-03-02")
	is([]string{"tkt_1", "tkt_3"}, "per_dana ntf_1 2026-03-02", "per_joe ntf_2 2026-03-02")
	is([]string{"tkt_9"}, []string{}...)
	raise("per_dana", "ntf_6", notify.Reminder, "rem_1", "")
	is(nil, "per_dana ntf_1 2026-03-02", "per_dana ntf_3 ", "per_joe ntf_2 2026-03-02")
	if got, err := db.Notifications.OpenReminders(t.Context(), []string{"rem_1", "tkt_1"}); err != nil || len(got) != 1 || len(got["per_dana"]) != 1 || got["per_dana"][0].ID != "ntf_6" {
		t.Errorf("of reminders there are %v (%v)", got, err)
	}
	for thread, chat := range map[string]*session.Chat{"thr_page": nil, "thr_chat": {Channel: "team", Chat: "c1"}} {
		_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_0", Task: "task_0", From: event.Party{AgentID: "agent:person/per_dana"}}, session.Opened{Channel: "page", Title: "T", Person: "agent:person/per_dana", Chat: chat}))
		check(t, err)
		if in, err := db.Notifications.InChat(t.Context(), thread); err != nil || in != (chat != nil) {
			t.Errorf("%s is in a chat: %v (%v)", thread, in, err)
		}
	}
}
