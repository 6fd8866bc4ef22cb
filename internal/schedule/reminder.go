package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// weighed is how long after a condition was looked at it is looked at again: what holds may
// depend on the time alone.
const weighed = time.Minute

// Remind triggers the reminders whose time has come or whose condition holds, and returns
// when to look again: the zero time when none waits. A reminder is a record like any other;
// that it was triggered is a change of it. weighing says that changes of records count.
func (c *Clock) Remind(ctx context.Context) (next time.Time, weighing bool, err error) {
	all, err := c.store.Plan.Reminders(ctx)
	if err != nil {
		return next, false, fmt.Errorf("read the reminders: %w", err)
	}
	now := c.opts.Now()
	homes := make(map[string]*time.Location) // of who asked
	for _, r := range all {
		b, err := desk.Open[desk.ReminderBody](r)
		if err != nil {
			return next, false, err
		}
		if b.Type == desk.ByCondition {
			weighing, next = true, earliest(next, now.Add(weighed))
			_, due, err := c.due(ctx, r, b, now)
			if err == nil && due {
				err = c.trigger(ctx, r, now)
			}
			if err != nil {
				c.opts.Log.Warn("weigh the condition of a reminder; it is tried again", "reminder", r.ID, "err", err)
			}
			continue
		}
		home := homes[b.Asker(r.CreatedBy)]
		if home == nil && b.OnDay() {
			if home, err = c.home(ctx, r, b); err != nil {
				return next, false, err
			}
			if b.Timezone == "" {
				homes[b.Asker(r.CreatedBy)] = home
			}
		}
		if at := b.At(cmp.Or(home, time.UTC)); at.After(now) {
			next = earliest(next, at)
			continue
		}
		if err := c.trigger(ctx, r, now); err != nil { // the others' time has come all the same
			c.opts.Log.Warn("trigger a reminder; it is tried again at the next change", "reminder", r.ID, "err", err)
		}
	}
	return next, weighing, nil
}

// home is where a day is meant that a reminder names: where who asked has their notifications, else UTC.
func (c *Clock) home(ctx context.Context, r desk.Record, b desk.ReminderBody) (*time.Location, error) {
	person := org.PersonOf(event.Party{AgentID: b.Asker(r.CreatedBy)})
	if person == "" || !b.OnDay() || b.Timezone != "" || c.store.Zones == nil {
		return time.UTC, nil
	}
	name, err := c.store.Zones.ZoneOf(ctx, person)
	if err != nil {
		return nil, fmt.Errorf("read the time zone of %s: %w", person, err)
	}
	loc, err := desk.Zone(name)
	if err != nil { // they named none
		return time.UTC, nil //nolint:nilerr // which is no error
	}
	return loc, nil
}

// due returns what a reminder is from now on, and whether that is something else than it was.
func (c *Clock) due(ctx context.Context, r desk.Record, b desk.ReminderBody, now time.Time) (desk.ReminderBody, bool, error) {
	if b.Type != desk.ByCondition {
		home, err := c.home(ctx, r, b)
		if err != nil {
			return b, false, err
		}
		next, due := b.Trigger(now, home)
		return next, due, nil
	}
	cond, err := desk.ReadCondition(b.Condition, now)
	if err != nil {
		return b, false, err
	}
	found, err := c.clerk.Store().Records(ctx, clerk.Query{Project: r.Project, Shared: cond.Kind.Shared(), Kind: cond.Kind, Where: cond.Where, Limit: 1})
	if err != nil {
		return b, false, fmt.Errorf("look for what the condition names: %w", err)
	}
	next, due := b.Met(len(found.Records) > 0, now)
	return next, due, nil
}

// trigger changes a reminder, unless another clock did meanwhile. That wakes the clock,
// which then finds when one that recurs comes again.
func (c *Clock) trigger(ctx context.Context, r desk.Record, now time.Time) error {
	var told *desk.ReminderBody // what rings with the change
	commit := func(drafts []event.Draft) error {
		return c.write(ctx, func(b *run.Batch, tx Tx) error {
			if _, err := b.Append(drafts...); err != nil || told == nil || len(drafts) == 0 {
				return err
			}
			return ring(b, tx, r, *told)
		})
	}
	at := orgPlace(c.runs.Mint(), run.Chela())
	at.Stream = ""
	return c.clerk.Do(ctx, at, r.Project, commit, func(w *clerk.Work) error {
		found, err := w.Get(desk.Reminder, r.ID)
		if err != nil {
			return err
		}
		b, err := desk.Open[desk.ReminderBody](found)
		if err != nil {
			return err
		}
		// A condition is weighed after the reminder was read: if another clock triggers it
		// meanwhile, this change is refused and weighed anew.
		then, due, err := c.due(ctx, r, b, now)
		if err != nil || !due {
			return err
		}
		if then.Last != b.Last { // a condition that ceases to hold rings nobody
			told = &then
		}
		patch, err := json.Marshal(struct {
			TriggerAt desk.Date `json:"triggerAt,omitempty"`
			Triggered bool      `json:"triggered"`
			Last      desk.Date `json:"lastTriggeredAt,omitempty"`
		}{then.TriggerAt, then.Triggered, then.Last})
		if err != nil {
			return fmt.Errorf("encode the reminder: %w", err)
		}
		_, err = w.Patch(desk.Reminder, r.ID, patch)
		return err
	})
}

// ring tells who asked for a reminder that its time has come: in the conversation in which they asked,
// on whatever platform that is, or in one of theirs for reminders. Each time is told once.
func ring(b *run.Batch, tx Tx, r desk.Record, rem desk.ReminderBody) error {
	asker := rem.Asker(r.CreatedBy)
	live, err := tx.Conversations().Session(rem.SessionID)
	if ignoring(err, fault.NotFound) != nil {
		return err
	}
	var drafts []event.Draft
	if err != nil || live.Closed {
		if asker == "" {
			return nil // nobody asked who could be told; the record says that it rang
		}
		person := asker[strings.LastIndexByte(asker, '/')+1:]
		live = session.Thread{ID: "thr_reminders_" + person}
		if _, err := tx.Conversations().Session(live.ID); fault.KindOf(err) == fault.NotFound && err != nil {
			drafts = append(drafts, session.OpenedKind.Draft(placeIn(b, live.ID), session.Opened{Channel: "page", Title: "Reminders", Person: asker}))
		} else if err != nil {
			return err
		}
	}
	at := placeIn(b, live.ID)
	if at.Key = rem.RingKey(r.ID); asker != "" {
		at.To = []event.Party{{AgentID: asker, Role: "person"}}
	}
	tx.Hold(at.Stream)
	said := session.Said{Message: "Reminder: " + rem.Message, Origins: []string{tool.FromRecords}}
	if r.Outside {
		said.Origins = []string{tool.FromImports}
	}
	_, err = b.Append(append(drafts, session.SaidKind.Draft(at, said))...)
	return err
}

// placeIn is where what Chela says in a conversation belongs.
func placeIn(b *run.Batch, thread string) event.Place {
	at := orgPlace(b.Mint(), run.Chela())
	at.Stream, at.Thread = event.ThreadStream(thread), thread
	return at
}

// earliest is the earlier of two times; the zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
