package clerk

import (
	"slices"

	"chela/internal/desk"
	"chela/internal/fault"
)

// alone refuses that a record says again what another says: that a person has a ticket, or when a sprint is. id is that of the record, ""
// of a new one.
func (w *Work) alone(k desk.Kind, id string, thing desk.Thing) error {
	if !k.Once() {
		return nil
	}
	if err := thing.Check(); err != nil { // it is said as it will be kept
		return err
	}
	if b, ok := thing.(*desk.AssignmentBody); ok {
		return w.sole(id, *b)
	}
	s := desk.SummaryOf(thing)
	other, ok, err := w.Find(k, s.Identity)
	if err == nil && ok && other.ID != id {
		err = fault.New(fault.Conflict, "There is a %s of %q already: %s. Change that one.", k.Word(), s.Title, other.ID)
	}
	return err
}

// sole refuses that a person has a ticket whom another assignment than id gives it already.
func (w *Work) sole(id string, b desk.AssignmentBody) error {
	others, err := w.shares(b.TicketID)
	if err != nil {
		return err
	}
	for _, o := range others {
		x, err := desk.Open[desk.AssignmentBody](o)
		if err != nil {
			return err
		}
		if o.ID != id && x.TicketID == b.TicketID && x.ResourceID == b.ResourceID {
			return fault.New(fault.Conflict, "The person has the ticket already: %s. Change that assignment.", o.ID)
		}
	}
	return nil
}

// doubled leaves gone what came back and would say again what another record says.
func (u *undo) doubled(act []desk.Revision) error {
	for _, r := range act {
		now := u.now[r.After.ID]
		if !went(r) || !now.Kind.Once() || gone(now) || u.nobodyHad(now) {
			continue
		}
		thing, err := desk.Decode(now)
		if err != nil {
			return err
		}
		err = u.alone(now.Kind, now.ID, thing)
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

// nobodyHad reports whether a record refers to one that was gone until now, so that nobody could say the same meanwhile.
func (u *undo) nobodyHad(r desk.Record) bool {
	refs, err := refsOf(r)
	return err == nil && slices.ContainsFunc(refs, func(ref desk.Ref) bool {
		was, ok := u.first[ref.ID]
		return ok && gone(was)
	})
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
