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
	"chela/internal/query"
)

// movedTypes are the events by which a ticket may come due during a day, and givenTypes those by which one may come to somebody, beside
// assignments that are created, which are heard anyway. Of a ticket that is created its assignments tell.
func movedTypes() []string {
	return []string{desk.EventType(desk.Ticket, desk.Updated), desk.EventType(desk.Ticket, desk.Restored)}
}

// assignedType is that of the events by which a ticket is given to somebody.
func assignedType() string { return desk.EventType(desk.Assignment, desk.Created) }

func givenTypes() []string {
	return []string{desk.EventType(desk.Assignment, desk.Updated), desk.EventType(desk.Assignment, desk.Restored)}
}

// movedTo reports whether a change moves a record to be due on a day.
func movedTo(c desk.Change, day desk.Date) bool {
	due, _ := changed(c)
	return due != nil && desk.DateOf(due.Time()) == day
}

// changed is what a change sets of the day and the status that a ticket has; nil for what it leaves.
func changed(c desk.Change) (due *desk.Date, status *desk.TicketStatus) {
	var set struct {
		Due    *desk.Date         `json:"dueDate"`
		Status *desk.TicketStatus `json:"status"`
	}
	if c.Op != desk.Updated || json.Unmarshal(c.Set, &set) != nil {
		return nil, nil
	}
	return set.Due, set.Status
}

// endedBy reports whether a change may end what concerned people: it closes, settles or removes a record.
func endedBy(c desk.Change) bool {
	_, status := changed(c)
	return c.Op == desk.Deleted || c.Op == desk.Merged || status != nil && slices.Contains(Ends(), string(*status))
}

// Ends are the statuses that end what was told of a ticket or a finding.
func Ends() []string {
	return append([]string{string(desk.Done), string(desk.Closed)}, desk.SettledStatuses()...)
}

// mayBeDue reports whether a change of a ticket may be by which it is due on a day: it is moved to that day, opened again or restored.
func mayBeDue(c desk.Change, day desk.Date) bool {
	due, status := changed(c)
	switch {
	case c.Op == desk.Restored:
		return true
	case due != nil:
		return movedTo(c, day)
	}
	return status != nil && status.Open()
}

// today is the day whose tickets are due, in UTC as in the list of tickets.
func (k *Keeper) today() desk.Date { return desk.DateOf(k.Log.Mint().Now().UTC()) }

// due tells, once a day, of tickets that have come due.
func (k *Keeper) due(ctx context.Context, people []org.Person) error {
	day := k.today()
	if day == k.day {
		return nil
	}
	projects, err := k.Projects(ctx)
	if err != nil {
		return fmt.Errorf("list the projects: %w", err)
	}
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		return err
	}
	where, err := query.Parse("due:"+string(day)+" -status:DONE,CLOSED", fields, day.Time())
	if err != nil {
		return err
	}
	var out []Concern
	for _, p := range projects {
		tickets, err := k.Desk.Records(ctx, clerk.Query{Project: p.ID, Kind: desk.Ticket, Where: where, Limit: most})
		if err != nil {
			return fmt.Errorf("list what is due: %w", err)
		}
		for _, t := range tickets.Records {
			more, err := k.dueOf(ctx, people, t, day)
			if err != nil {
				return err
			}
			out = append(out, more...)
		}
	}
	if err := k.raise(ctx, out); err != nil {
		return err
	}
	if err := k.settleDue(ctx, people, nil); err != nil { // what was told under a name that somebody has no more, or before this was looked at
		return err
	}
	k.day = day
	return nil
}

// cameDue tells of the tickets that were assigned, or that events between two positions made due today. It reads those tickets alone.
func (k *Keeper) cameDue(ctx context.Context, people []org.Person, assigned []string, from, end event.Seq) error {
	day := k.today()
	tickets, resources := make(map[string]bool), make(map[string]desk.ResourceBody)
	for _, id := range assigned {
		tickets[id] = true
	}
	moved := func(c desk.Change) error {
		if mayBeDue(c, day) {
			tickets[c.ID] = true
		}
		return nil
	}
	given := func(c desk.Change) error {
		id, err := k.given(ctx, c, people, resources)
		tickets[id] = true
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		return err
	}
	if err := k.changes(ctx, movedTypes(), from, end, moved); err != nil {
		return err
	}
	if err := k.changes(ctx, givenTypes(), from, end, given); err != nil {
		return err
	}
	delete(tickets, "") // assigned to nobody here, or gone again
	var out []Concern
	for _, id := range slices.Sorted(maps.Keys(tickets)) {
		t, err := k.Desk.Record(ctx, id)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			continue // it is gone again
		}
		if err != nil {
			return err
		}
		more, err := k.dueOf(ctx, people, t, day)
		if err != nil {
			return err
		}
		for _, c := range more {
			if c.key, err = k.anew(ctx, c); err != nil {
				return err
			}
			out = append(out, c)
		}
	}
	return k.raise(ctx, out)
}

// changes calls fn with the changes of records by events of some types between two positions.
func (k *Keeper) changes(ctx context.Context, types []string, from, end event.Seq, fn func(desk.Change) error) error {
	for _, kind := range types {
		err := k.each(ctx, kind, from, end, func(e event.Event) error {
			c, ok, err := desk.ChangeOf(e)
			if err != nil || !ok {
				return err
			}
			return fn(c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// given is the ticket of a change of an assignment; "" when nobody here has it, as of most that an import brings.
func (k *Keeper) given(ctx context.Context, c desk.Change, people []org.Person, seen map[string]desk.ResourceBody) (string, error) {
	r := desk.Record{ID: c.ID, Kind: c.Kind, Body: c.Set}
	if c.Op != desk.Created { // of one that was restored the change says nothing more
		var err error
		if r, err = k.Desk.Record(ctx, c.ID); err != nil || r.Deleted || r.MergedInto != "" {
			return "", err
		}
	}
	b, err := desk.Open[desk.AssignmentBody](r)
	if err != nil {
		return "", err
	}
	who, err := k.resource(ctx, b.ResourceID, seen)
	if err != nil || !slices.ContainsFunc(people, func(p org.Person) bool { return is(p, who) }) {
		return "", err
	}
	return b.TicketID, nil
}

// dueOf is who is told that a ticket is due on a day: those who do it, where it is open and due then. Each is told once a day.
func (k *Keeper) dueOf(ctx context.Context, people []org.Person, t desk.Record, day desk.Date) ([]Concern, error) {
	b, err := desk.Open[desk.TicketBody](t)
	if err != nil || t.Deleted || t.MergedInto != "" || !b.Status.Open() || b.DueDate == "" || desk.DateOf(b.DueDate.Time()) != day {
		return nil, err
	}
	owners, err := k.owners(ctx, t)
	if err != nil {
		return nil, err
	}
	var out []Concern
	for _, who := range people {
		if who.Enabled && slices.ContainsFunc(owners, func(o desk.ResourceBody) bool { return is(who, o) }) {
			out = append(out, Concern{Person: who.ID, key: t.ID + "/" + string(day), Notification: Notification{Reason: Due, Title: b.Title, Text: "Due today.", Project: t.Project, Record: t.ID, Day: day}})
		}
	}
	return out, nil
}
