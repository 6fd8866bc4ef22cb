package clerk

import (
	"chela/internal/desk"
	"chela/internal/fault"
)

// alone refuses a new record that says again what another says: that a person has a ticket, or when a sprint is.
func (w *Work) alone(k desk.Kind, thing desk.Thing) error {
	switch b := thing.(type) {
	case *desk.AssignmentBody:
		return w.sole("", *b)
	case *desk.SprintPlanBody:
		if other, ok, err := w.Find(k, desk.Identity(b)); err != nil || ok {
			return orConflict(err, "There is a plan of the sprint %q already: %s. Change that one.", b.Name, other.ID)
		}
	}
	return nil
}

// sole refuses that a person has a ticket whom another assignment than id gives it already.
func (w *Work) sole(id string, b desk.AssignmentBody) error {
	others, err := w.shares(b.TicketID)
	if err != nil {
		return err
	}
	for _, o := range others {
		if x, err := desk.Open[desk.AssignmentBody](o); err != nil || o.ID != id && x.TicketID == b.TicketID && x.ResourceID == b.ResourceID {
			return orConflict(err, "The person has the ticket already: %s. Change that assignment.", o.ID)
		}
	}
	return nil
}

// doubled leaves gone the assignments that came back by which a person would have a ticket twice.
func (u *undo) doubled(act []desk.Revision) error {
	for _, r := range act {
		now := u.now[r.After.ID]
		if !went(r) || now.Kind != desk.Assignment || gone(now) {
			continue
		}
		b, err := desk.Open[desk.AssignmentBody](now)
		if err != nil {
			return err
		}
		if ticket, ok := u.first[b.TicketID]; ok && gone(ticket) {
			continue // nobody could have it meanwhile
		}
		err = u.sole(now.ID, b)
		if fault.KindOf(err) == fault.Conflict && err != nil {
			u.drop(now)
			err = u.keep(now, "", fault.TextOf(err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func orConflict(err error, format string, args ...any) error {
	if err == nil {
		err = fault.New(fault.Conflict, format, args...)
	}
	return err
}

// mostParents bounds how many tickets one stands below.
const mostParents = 100

// unlooped refuses an edit by which a record refers to itself, or a ticket stands below itself. What did so before may stay.
func (w *Work) unlooped(r desk.Record, next desk.Summary) error {
	before, err := refsOf(r)
	if err != nil {
		return err
	}
	had := make(map[desk.Ref]bool, len(before))
	for _, ref := range before {
		had[ref] = true
	}
	for _, ref := range next.Refs {
		switch {
		case ref.ID == "" || had[ref]:
		case ref.ID == r.ID:
			return fault.BadField(ref.Field, "The "+r.Kind.Word()+" cannot refer to itself.")
		case ref.Field == "parentTicketId":
			if err := w.below(r.ID, ref.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// below refuses that a ticket gets a parent that stands below it.
func (w *Work) below(ticket, parent string) error {
	for range mostParents {
		r, err := w.Get(desk.Ticket, parent)
		if err != nil {
			return err
		}
		b, err := desk.Open[desk.TicketBody](r)
		if err != nil || b.ParentID == "" {
			return err
		}
		if b.ParentID == ticket {
			return fault.BadField("parentTicketId", "The ticket "+parent+" stands below this one, so it cannot be its parent.")
		}
		parent = b.ParentID
	}
	return fault.BadField("parentTicketId", "Too many tickets stand above that one.")
}
