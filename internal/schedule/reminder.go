package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
)

// Remind triggers the reminders whose time has come, and returns when the next one's
// comes: the zero time when none waits. A reminder is a record like any other; that it was
// triggered is a change of it.
func (c *Clock) Remind(ctx context.Context) (next time.Time, err error) {
	all, err := c.store.Reminders(ctx)
	if err != nil {
		return next, fmt.Errorf("read the reminders: %w", err)
	}
	now := c.opts.Now()
	for _, r := range all {
		b, err := desk.Open[desk.ReminderBody](r)
		if err != nil {
			return next, err
		}
		if at := b.TriggerAt.Time(); at.After(now) {
			next = earliest(next, at)
			continue
		}
		if err := c.trigger(ctx, r, now); err != nil { // the others' time has come all the same
			c.opts.Log.Warn("trigger a reminder; it is tried again at the next change", "reminder", r.ID, "err", err)
		}
	}
	return next, nil
}

// trigger changes a reminder, unless another clock did meanwhile. That wakes the clock,
// which then finds when one that recurs comes again.
func (c *Clock) trigger(ctx context.Context, r desk.Record, now time.Time) error {
	commit := func(drafts []event.Draft) error {
		return c.runs.Write(ctx, func(b *run.Batch) error {
			_, err := b.Append(drafts...)
			return err
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
		then, due := b.Trigger(now)
		if !due {
			return nil
		}
		patch, err := json.Marshal(struct {
			TriggerAt desk.Date `json:"triggerAt"`
			Triggered bool      `json:"triggered"`
			Last      desk.Date `json:"lastTriggeredAt"`
		}{then.TriggerAt, then.Triggered, then.Last})
		if err != nil {
			return fmt.Errorf("encode the reminder: %w", err)
		}
		_, err = w.Patch(desk.Reminder, r.ID, patch)
		return err
	})
}

// earliest is the earlier of two times; the zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
