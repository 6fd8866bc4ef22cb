package schedule_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/schedule"
)

// keep creates a record and returns its id.
func keep[B desk.Thing](r *room, k desk.Kind, body B) (id string) {
	r.t.Helper()
	r.plan(func(w *clerk.Work) error {
		rec, err := clerk.Add(w, k, body)
		id = rec.ID
		return err
	})
	return id
}

func (r *room) plan(fn func(*clerk.Work) error) {
	r.t.Helper()
	commit := func(d []event.Draft) error {
		_, err := r.db.Log.Append(r.t.Context(), d...)
		return err
	}
	if err := clerk.New(r.db.Desk).Do(r.t.Context(), r.place(""), r.project, commit, fn); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) patch(k desk.Kind, id, patch string) {
	r.t.Helper()
	r.plan(func(w *clerk.Work) error {
		_, err := w.Patch(k, id, json.RawMessage(patch))
		return err
	})
}

func (r *room) reminder(id string) desk.ReminderBody {
	r.t.Helper()
	rec, err := r.db.Desk.Record(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := desk.Open[desk.ReminderBody](rec)
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// remind lets clocks look at the same time, and returns when the last looks again.
func (r *room) remind(clocks ...*schedule.Clock) (next time.Time, weighing bool) {
	r.t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, c := range clocks {
		all.Go(func() {
			at, w, err := c.Remind(r.t.Context())
			mu.Lock()
			defer mu.Unlock()
			if next, weighing = at, w; err != nil {
				r.t.Error(err)
			}
		})
	}
	all.Wait()
	return next, weighing
}

// TestReminder_AConditionIsWeighedByManyClocks changes what a condition is about and lets clocks
// look, some at the same time, some after others died: it rings as often as it began to
// hold when somebody looked.
func TestReminder_AConditionIsWeighedByManyClocks(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		title := fmt.Sprintf("Refunds%d", n)
		ticket := keep(r, desk.Ticket, &desk.TicketBody{Title: title})
		id := keep(r, desk.Reminder, &desk.ReminderBody{Message: title, Type: desk.ByCondition, Condition: "kind:ticket status:BLOCKED title:" + title})
		blocked, held, rings := false, false, 0
		steps := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 8).Draw(t, "steps")
		for _, clocks := range steps {
			if clocks == 0 { // something changes
				blocked = !blocked
				r.patch(desk.Ticket, ticket, map[bool]string{true: `{"status":"BLOCKED"}`, false: `{"status":"TODO"}`}[blocked])
				continue
			}
			r.now = r.now.Add(time.Second)
			some := make([]*schedule.Clock, clocks) // new ones: what they know is in the store
			for i := range some {
				some[i] = r.clock(schedule.Options{})
			}
			if next, weighing := r.remind(some...); !weighing || !next.Equal(r.now.Add(time.Minute)) {
				t.Fatalf("it looks again at %s, %v", next, weighing)
			}
			if blocked && !held {
				rings++
			}
			held = blocked
			if b := r.reminder(id); b.Triggered != held {
				t.Fatalf("%v, and %+v", held, b)
			}
		}
		if got := r.rings(id); got != rings {
			t.Fatalf("it rang %d times, expected %d, in %v", got, rings, steps)
		}
		r.plan(func(w *clerk.Work) error {
			_, err := w.Remove(desk.Reminder, id)
			return err
		})
	})
}

// rings counts how often a reminder was triggered.
func (r *room) rings(id string) (n int) {
	r.t.Helper()
	list, _, err := r.db.Log.Events(r.t.Context(), 0, event.Filter{Type: "desk.reminder.updated", Limit: 100_000})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range list {
		var c struct {
			ID  string `json:"id"`
			Set struct {
				Triggered bool `json:"triggered"`
			} `json:"set"`
		}
		if err := json.Unmarshal(e.Message.Payload, &c); err != nil {
			r.t.Fatal(err)
		}
		if c.ID == id && c.Set.Triggered {
			n++
		}
	}
	return n
}

// TestReminder_AConditionOfTimeHoldsByItself becomes true though nothing changes.
func TestReminder_AConditionOfTimeHoldsByItself(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	keep(r, desk.Milestone, &desk.MilestoneBody{Name: "Beta", TargetDate: "2026-03-04"})
	id := keep(r, desk.Reminder, &desk.ReminderBody{Message: "Beta is near", Type: desk.ByCondition, Condition: "kind:milestone targetDate:<=+1d"})
	c := r.clock(schedule.Options{})
	if r.remind(c); r.reminder(id).Triggered {
		t.Error("it is two days away")
	}
	r.now = r.now.Add(24 * time.Hour)
	if r.remind(c); !r.reminder(id).Triggered || r.reminder(id).Last.Time() != r.now {
		t.Errorf("it is tomorrow: %+v", r.reminder(id))
	}
	r.patch(desk.Project, r.project, `{"status":"ARCHIVED"}`)
	if _, weighing := r.remind(c); weighing {
		t.Error("the reminders of an archived project rest")
	}
}

// TestReminder_OneFromBeforeTheBoundsRingsEachMinute: reminders that recur each second, or of nobody, were taken once; they are read, ring at
// most once a minute and stop by an edit.
func TestReminder_OneFromBeforeTheBoundsRingsEachMinute(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	set, err := json.Marshal(desk.ReminderBody{Message: "Stretch", Type: desk.ByTime, TriggerAt: desk.Date(r.now.UTC().Format(time.RFC3339)), Recurring: true, Interval: 1, Person: "per_nobody"})
	if err != nil {
		t.Fatal(err)
	}
	r.add(desk.Change{ID: "rem_old", Kind: desk.Reminder, Project: r.project, Op: desk.Created, Version: 1, Set: set}.Draft(r.place("")))
	for range 3 {
		r.remind(r.clock(schedule.Options{}))
		got := r.reminder("rem_old")
		if next := got.TriggerAt.Time(); got.Last.Time().Unix() != r.now.Unix() || next.Sub(r.now) != time.Minute {
			t.Errorf("at %s it rang at %s, and comes again at %s", r.now, got.Last, got.TriggerAt)
		}
		r.now = r.now.Add(time.Second)
		if next, _ := r.remind(r.clock(schedule.Options{})); !next.Equal(got.TriggerAt.Time()) {
			t.Errorf("a second later it looks again at %s, want %s", next, got.TriggerAt)
		}
		r.now = got.TriggerAt.Time()
	}
	r.patch(desk.Reminder, "rem_old", `{"recurring":false,"intervalSeconds":null,"person":null}`)
}

// TestReminder_ADayIsThatOfWhoAsked: the clock looks again when it is 9 there, and rings then.
func TestReminder_ADayIsThatOfWhoAsked(t *testing.T) {
	t.Parallel()
	r := newRoom(t) // on 2 March, at half past 8
	r.add(org.PersonAddedKind.Draft(r.place(event.OrgStream), org.PersonAdded{ID: "per_dana", Name: "Dana", Role: org.Editor}))
	r.add(notify.PreferencesKind.Draft(r.place(event.PersonStream("per_dana")), notify.Preferences{Zone: "America/New_York"}))
	for name, c := range map[string]struct {
		body desk.ReminderBody
		at   time.Time
	}{
		"of somebody in New York": {desk.ReminderBody{Person: "agent:person/per_dana"}, time.Date(2026, 3, 3, 14, 0, 0, 0, time.UTC)},
		"of nobody":               {desk.ReminderBody{}, time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)},
		"in another zone":         {desk.ReminderBody{Person: "agent:person/per_dana", Timezone: "Asia/Tokyo"}, time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)},
	} {
		r.now = time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)
		c.body.Message, c.body.Type, c.body.TriggerAt = name, desk.ByTime, "2026-03-03"
		id := keep(r, desk.Reminder, &c.body)
		clock := r.clock(schedule.Options{})
		if next, _ := r.remind(clock); !next.Equal(c.at) {
			t.Errorf("%s: it looks again at %s, want %s", name, next, c.at)
		}
		r.now = c.at.Add(-time.Second)
		if r.remind(clock); r.reminder(id).Triggered {
			t.Errorf("%s: it rings too early", name)
		}
		r.now = c.at
		if r.remind(clock); !r.reminder(id).Triggered {
			t.Errorf("%s: it does not ring", name)
		}
	}
}
