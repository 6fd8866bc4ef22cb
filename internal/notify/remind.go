package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// A reminder that rings is said in the conversation in which it was asked for, by the clock. Here its person is told of it as of anything else
// that concerns them; in their chat only where that conversation is on the page.

// rings reports whether a change says that a reminder rang, or that somebody has seen it: nothing else has these fields.
func rings(c desk.Change) bool {
	return c.Op == desk.Updated && (sets(c, "lastTriggeredAt") || sets(c, "acknowledgedAt"))
}

// rangKey begins the keys under which notifications are settled of reminders that rang again, or that somebody has seen.
const rangKey = "notify/rang/"

// rang tells of the reminders that rang between two positions, and settles what was told of those that rang again or were seen.
func (k *Keeper) rang(ctx context.Context, people []org.Person, from, end event.Seq) error {
	last := make(map[string]bool)
	err := k.changes(ctx, []string{desk.EventType(desk.Reminder, desk.Updated)}, from, end, func(c desk.Change) error {
		if rings(c) {
			last[c.ID] = true
		}
		return nil
	})
	if err != nil || len(last) == 0 {
		return err
	}
	ids := slices.Sorted(maps.Keys(last))
	open, err := k.Inbox.OpenReminders(ctx, ids)
	if err != nil {
		return fmt.Errorf("list what people were told of reminders: %w", err)
	}
	over := make(map[string][]string)
	var out []Concern
	for _, id := range ids {
		c, seen, err := k.ringing(ctx, people, id)
		if err != nil {
			return err
		}
		for person, list := range open {
			for _, v := range list {
				if v.Record == id && (seen || c.Person != "" && v.At.Before(c.at)) {
					over[person] = append(over[person], v.ID)
				}
			}
		}
		if c.Person != "" && !seen {
			out = append(out, c.Concern)
		}
	}
	if err := k.raise(ctx, out); err != nil {
		return err
	}
	return k.settle(ctx, over, rangKey)
}

// A ringing is what somebody is told of a reminder that rang, and when it did.
type ringing struct {
	Concern
	at time.Time
}

// ringing is who is told of a reminder that rang last, and what; nobody when it is gone, or nobody asked for it. seen says that somebody said
// that they have seen it.
func (k *Keeper) ringing(ctx context.Context, people []org.Person, id string) (out ringing, seen bool, err error) {
	r, err := k.Desk.Record(ctx, id)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && (r.Deleted || r.MergedInto != "") {
		return out, false, nil // what was told of it is over anyway
	}
	if err != nil {
		return out, false, err
	}
	b, err := desk.Open[desk.ReminderBody](r)
	if err != nil {
		return out, false, err
	}
	seen = b.Heard != "" && !b.Heard.Time().Before(b.Last.Time())
	rang, err := k.Log.ByKey(ctx, run.Chela().AgentID, b.RingKey(id))
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return out, seen, nil
	}
	if err != nil {
		return out, seen, err
	}
	out.at = rang.At
	if out.Person = personOf(people, b.Asker(r.CreatedBy)); out.Person == "" {
		return out, seen, nil
	}
	out.key = id + "/" + string(b.Last)
	out.Notification = Notification{Reason: Reminder, Title: short(b.Message, 300), Project: r.Project, Record: id, Thread: rang.Message.ThreadID}
	out.told, err = k.Inbox.InChat(ctx, rang.Message.ThreadID)
	return out, seen, err
}
