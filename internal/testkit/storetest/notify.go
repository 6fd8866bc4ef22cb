package storetest

import (
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/notify"
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
