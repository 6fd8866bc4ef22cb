package test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
)

// TestReminder_RemindersAreTriggered lets the time of some come, of one while no daemon works.
func TestReminder_RemindersAreTriggered(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t) // it begins nothing by the clock
		path := "/api/projects/" + newProject(t, d) + "/reminders"
		type reminder struct {
			ID   string `json:"id"`
			Body struct {
				At        time.Time `json:"triggerAt"`
				Triggered bool      `json:"triggered"`
				Last      time.Time `json:"lastTriggeredAt"`
			} `json:"body"`
		}
		keep := func(body map[string]any) (id string) {
			t.Helper()
			var r reminder
			d.must(t, "POST", path, body, &r)
			return r.ID
		}
		get := func(id string) (r reminder) {
			t.Helper()
			d.must(t, "GET", path+"/"+id, nil, &r)
			return r
		}
		begin := time.Now().UTC().Truncate(time.Second).Add(-90 * time.Minute)
		past := keep(map[string]any{"message": "Call Bob", "triggerAt": time.Now().UTC()}) // by the time that a clock looks
		if err := d.try("POST", path, map[string]any{"message": "Call Bob again", "triggerAt": begin}, nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "has passed") {
			t.Errorf("one for the past: %v", err)
		}
		hourly := keep(map[string]any{"message": "Look at the queue", "triggerAt": begin, "recurring": true, "intervalSeconds": 3600})
		d.stop()
		s.clock = true
		d = s.running(t)
		until(t, "the one of the past", func() bool { return get(past).Body.Triggered })
		until(t, "the one that recurs", func() bool { return !get(hourly).Body.Last.IsZero() })
		if b := get(hourly).Body; b.Triggered || !b.At.Equal(begin.Add(2*time.Hour)) {
			t.Errorf("it waits again: %+v", b)
		}
		soon := keep(map[string]any{"message": "Now", "triggerAt": time.Now().UTC().Add(time.Second)})
		until(t, "the one of soon", func() bool { return get(soon).Body.Triggered })
		if b := get(soon).Body; b.Last.Before(b.At.Truncate(time.Second)) {
			t.Errorf("too early: %+v", b)
		}
		var page struct {
			Events []any `json:"events"`
		}
		if d.must(t, "GET", "/api/log?type=desk.reminder.updated", nil, &page); len(page.Events) != 3 {
			t.Errorf("%d changes of three reminders", len(page.Events))
		}
		d.stop()
		s.verified(t)
	})
}

// TestReminder_RemindersByConditionAreTriggered lets a condition begin to hold while daemons work,
// again after it did not, and while none works after one was killed.
func TestReminder_RemindersByConditionAreTriggered(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		s.clock = true
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		var ticket, made struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", base+"/tickets", map[string]any{"title": "Refunds", "owner": "Joe"}, &ticket)
		if err := d.try("POST", base+"/reminders", map[string]any{"message": "m", "type": "CONDITION_BASED", "condition": "the build is red"}, nil); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "kind:ticket status:BLOCKED") {
			t.Errorf("a condition that nobody can read: %v", err)
		}
		d.must(t, "POST", base+"/reminders", map[string]any{"message": "Joe is blocked", "type": "CONDITION_BASED", "condition": `kind:ticket status:BLOCKED owner:"Joe"`}, &made)
		triggered := func() bool {
			var r struct {
				Body struct {
					Triggered bool `json:"triggered"`
				} `json:"body"`
			}
			d.must(t, "GET", base+"/reminders/"+made.ID, nil, &r)
			return r.Body.Triggered
		}
		becomes := func(status string, want bool) {
			t.Helper()
			d.must(t, "PATCH", base+"/tickets/"+ticket.ID, map[string]any{"status": status}, nil)
			begin := time.Now()
			until(t, "the reminder is "+status, func() bool { return triggered() == want })
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("a change wakes the clock, not the minute: %s", took)
			}
		}
		if triggered() {
			t.Error("nothing is blocked")
		}
		becomes("BLOCKED", true)
		d.kill()
		d = s.running(t)
		becomes("TODO", false)
		d.must(t, "PATCH", base+"/tickets/"+ticket.ID, map[string]any{"status": "BLOCKED"}, nil)
		d.kill()
		d = s.running(t)
		until(t, "what happened before it died", triggered)
		becomes("DONE", false)
		becomes("BLOCKED", true)
		var page struct{ Events []json.RawMessage }
		rang := 0
		d.must(t, "GET", "/api/log?type=desk.reminder.updated", nil, &page)
		for _, e := range page.Events {
			if strings.Contains(string(e), `"triggered":true`) {
				rang++
			}
		}
		if rang != 3 {
			t.Errorf("it rang %d times of 3; %d changes", rang, len(page.Events))
		}
		d.stop()
		s.verified(t)
	})
}
