package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// movedKey begins the keys under which notifications are settled of tickets that are not due then, or not theirs, any more.
const movedKey = "notify/moved/"

// mayEndDue reports whether a change may be by which a ticket is not due any more on the day that was told, or not somebody's: its day is
// moved or taken away, it is taken from somebody, or who does it goes by other names.
func mayEndDue(c desk.Change) bool {
	if c.Op != desk.Updated && c.Op != desk.Deleted && c.Op != desk.Merged {
		return false
	}
	switch {
	case c.Kind.Owned():
		return c.Op == desk.Updated && sets(c, "dueDate")
	case c.Kind.Owns():
		return c.Op != desk.Updated || sets(c, "name") || sets(c, "email") || sets(c, "aliases")
	}
	return c.Kind.Association()
}

// sets reports whether a change sets a field, or takes it away.
func sets(c desk.Change, field string) bool {
	var set map[string]json.RawMessage
	return json.Unmarshal(c.Set, &set) == nil && set[field] != nil
}

// wentBy settles what events between two positions made untrue of what people were told is due.
func (k *Keeper) wentBy(ctx context.Context, people []org.Person, from, end event.Seq) error {
	tickets, all := make(map[string]bool), false
	look := func(c desk.Change) error {
		switch {
		case !mayEndDue(c):
		case c.Kind.Owned():
			tickets[c.ID] = true
		case c.Kind.Owns():
			all = true
		default:
			r, err := k.Desk.Record(ctx, c.ID)
			if err != nil {
				return err
			}
			b, err := desk.Open[desk.AssignmentBody](r)
			tickets[b.TicketID] = true
			return err
		}
		return nil
	}
	types := []string{desk.EventType(desk.Ticket, desk.Updated)}
	for _, kind := range []desk.Kind{desk.Assignment, desk.Resource} {
		for _, op := range []desk.Op{desk.Updated, desk.Deleted, desk.Merged} {
			types = append(types, desk.EventType(kind, op))
		}
	}
	if err := k.changes(ctx, types, from, end, look); err != nil {
		return err
	}
	switch {
	case all:
		return k.settleDue(ctx, people, nil)
	case len(tickets) > 0:
		return k.settleDue(ctx, people, slices.Sorted(maps.Keys(tickets)))
	}
	return nil
}

// settleDue settles the open notifications of tickets, or of all when that is nil, that are not due any more on the day that was told, or
// not the person's. What a person makes new again stays so.
func (k *Keeper) settleDue(ctx context.Context, people []org.Person, tickets []string) error {
	open, err := k.Inbox.OpenDue(ctx, tickets)
	if err != nil {
		return fmt.Errorf("list what people were told is due: %w", err)
	}
	told := make(map[string][]string) // tickets by project
	for _, list := range open {
		for _, v := range list {
			told[v.Project] = append(told[v.Project], v.Record)
		}
	}
	known := make(map[string]held)
	for project, ids := range told {
		slices.Sort(ids)
		for some := range slices.Chunk(slices.Compact(ids), most) {
			if err := k.hold(ctx, project, some, known); err != nil {
				return err
			}
		}
	}
	over := make(map[string][]string)
	for _, p := range people {
		for _, v := range open[p.ID] {
			t, there := known[v.Record] // what is gone is over anyway
			if there && (!v.Tells(t.due) || !slices.ContainsFunc(t.owners, func(o desk.ResourceBody) bool { return is(p, o) })) {
				over[p.ID] = append(over[p.ID], v.ID)
			}
		}
	}
	return k.settle(ctx, over, movedKey)
}

// A held is when a ticket is due, and who does it.
type held struct {
	due    desk.Date
	owners []desk.ResourceBody
}

// hold reads into known when tickets of a project are due, and who does them.
func (k *Keeper) hold(ctx context.Context, project string, ids []string, known map[string]held) error {
	tickets, err := k.Desk.Records(ctx, clerk.Query{Project: project, Kind: desk.Ticket, IDs: ids, Limit: len(ids)})
	if err != nil {
		return err
	}
	owners, err := clerk.Owners(ctx, k.Desk, project, tickets.Records)
	if err != nil {
		return err
	}
	seen := make(map[string]desk.ResourceBody)
	for _, t := range tickets.Records {
		b, err := desk.Open[desk.TicketBody](t)
		if err != nil {
			return err
		}
		var out held
		if b.DueDate != "" {
			out.due = desk.DateOf(b.DueDate.Time())
		}
		for _, id := range owners[t.ID].ResourceIDs {
			who, err := k.resource(ctx, id, seen)
			if err != nil {
				return err
			}
			out.owners = append(out.owners, who)
		}
		known[t.ID] = out
	}
	return nil
}

// anew is the key of what is told of a ticket that is due: another one when what was told before was settled since it was not true any more.
func (k *Keeper) anew(ctx context.Context, c Concern) (string, error) {
	for {
		was, err := k.Log.ByKey(ctx, run.Chela().AgentID, raisedKey(c))
		if err == nil {
			var n Notification
			if n, _, err = RaisedKind.Open(was); err == nil {
				if _, err = k.Log.ByKey(ctx, run.Chela().AgentID, movedKey+n.ID); err == nil {
					c.key += "/again"
					continue
				}
			}
		}
		if fault.KindOf(err) == fault.NotFound {
			err = nil
		}
		return c.key, err
	}
}
