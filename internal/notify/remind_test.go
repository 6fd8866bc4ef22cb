package notify_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// ring has a reminder ring in a conversation, as the clock does.
func (w *world) ring(id, thread string, at desk.Date) {
	w.t.Helper()
	place := event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_clock", Task: "task_clock", From: run.Chela()}
	w.do("per_ann", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Reminder, id, json.RawMessage(fmt.Sprintf(`{"lastTriggeredAt":%q}`, at)))
		return err
	})
	place.Key = desk.ReminderBody{Last: at}.RingKey(id)
	w.append(session.SaidKind.Draft(place, session.Said{Message: "Reminder: x"}))
}

// TestReminder_ThatRingsIsTold: who asked is told on the page, and in their chat where the reminder was not said in a chat; the next ring, and
// who has seen it, end what was told.
func TestReminder_ThatRingsIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for thread, chat := range map[string]*session.Chat{"thr_page": nil, "thr_group": {Channel: "team", Chat: "c1"}} {
		w.append(session.OpenedKind.Draft(event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_0", Task: "task_0", From: event.Party{AgentID: "agent:person/per_joe"}}, session.Opened{Channel: "page", Title: "T", Person: org.Person{ID: "per_joe"}.Party().AgentID, Chat: chat}))
	}
	page := w.make("per_joe", desk.Reminder, `{"message":"Call the bank","triggerAt":"2099-01-01"}`)
	chat := w.make("per_joe", desk.Reminder, `{"message":"Ask Ann","triggerAt":"2099-01-01"}`)
	w.make("per_joe", desk.Reminder, `{"message":"Later","triggerAt":"2099-01-01"}`)
	w.pass()
	w.expect("per_joe")
	w.ring(page, "thr_page", "2026-03-01T09:00:00Z")
	w.ring(chat, "thr_group", "2026-03-01T09:00:00Z")
	w.pass()
	w.expect("per_ann")
	list := w.open("per_joe")
	if len(list) != 2 {
		t.Fatalf("he was told %+v", list)
	}
	for _, v := range list {
		inChat := v.Record == chat
		if v.Reason != notify.Reminder || v.Thread == "" || v.Line() != "Reminder: "+v.Title || inChat != v.ChatAt.IsZero() {
			t.Errorf("he was told %+v", v)
		}
	}
	w.rewind(0)
	w.pass()
	if got := w.open("per_joe"); len(got) != 2 {
		t.Errorf("read again, he was told %+v", got)
	}
	time.Sleep(2 * time.Millisecond)
	w.ring(page, "thr_page", "2026-03-02T09:00:00Z")
	w.pass()
	if got := w.open("per_joe"); len(got) != 2 {
		t.Errorf("after it rang again there are %+v", got)
	}
	w.do("per_joe", func(c *clerk.Work) error {
		if _, err := c.Patch(desk.Reminder, page, json.RawMessage(`{"acknowledgedAt":"2026-03-02T09:05:00Z"}`)); err != nil {
			return err
		}
		_, err := c.Remove(desk.Reminder, chat)
		return err
	})
	w.pass()
	if got := w.open("per_joe"); len(got) > 0 {
		t.Errorf("when all is seen or gone there are %+v", got)
	}
}

// open are the open notifications of a person.
func (w *world) open(person string) []notify.View {
	w.t.Helper()
	list, err := w.db.Notifications.List(w.t.Context(), person, false, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}
