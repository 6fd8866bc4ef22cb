package clerk

import (
	"encoding/json"
	"fmt"

	"chela/internal/desk"
	"chela/internal/fault"
)

// Reconcile plans what somebody decided where a source and tickets were both changed: the
// tickets stay, or take over what the source says. at are the places of conflicts in the
// reconciliation; none means all that are open.
func (w *Work) Reconcile(id string, at []int, taken desk.Taken) (desk.Record, error) {
	r, err := w.Get(desk.Reconciliation, id)
	if err != nil {
		return r, err
	}
	b, err := desk.Open[desk.ReconciliationBody](r)
	if err != nil {
		return r, err
	}
	if len(at) == 0 {
		for i, c := range b.Conflicts {
			if c.Open() {
				at = append(at, i)
			}
		}
	}
	if len(at) == 0 {
		return r, fault.New(fault.Conflict, "Nothing of the reconciliation %s is left to decide.", id)
	}
	defer w.taking(r)()
	for _, i := range at {
		if i < 0 || i >= len(b.Conflicts) {
			return r, fault.BadField("conflicts", fmt.Sprintf("The reconciliation %s has %d conflicts, counted from 0.", id, len(b.Conflicts)))
		}
		c := &b.Conflicts[i]
		if !c.Open() {
			return r, fault.New(fault.Conflict, "The %s of %s is not to be decided: it was decided before, or nobody was asked.", c.Field, c.Title)
		}
		if taken == desk.Theirs {
			if err := w.takeSource(*c); err != nil {
				return r, err
			}
		}
		c.Taken, c.DecidedBy, c.DecidedAt = taken, w.at.From.AgentID, desk.DateOf(w.Now())
	}
	b.Status = desk.ReconciliationApplied
	for _, c := range b.Conflicts {
		if c.Open() {
			b.Status = desk.ReconciliationReviewed
		}
	}
	return Edit(w, desk.Reconciliation, id, func(now *desk.ReconciliationBody) { now.Conflicts, now.Status = b.Conflicts, b.Status })
}

// takeSource plans that a ticket takes over what a source says, if it still says what it did
// when somebody was asked.
func (w *Work) takeSource(c desk.Discord) error {
	if !json.Valid([]byte(c.Set)) {
		return fault.New(fault.Invalid, "The comparison of the %s of %s does not say what would be set. Change the ticket, and keep what it says here.", c.Field, c.Title)
	}
	r, err := w.store.Record(w.ctx, c.TicketID)
	if err != nil {
		return err
	}
	if r, err = w.Get(r.Kind, c.TicketID); err != nil { // as it is planned
		return err
	}
	if seen, err := desk.Seen(r.Body, c.Set); err != nil {
		return err
	} else if seen != c.Seen {
		return fault.New(fault.Conflict, "The %s of %s was changed since this was asked. Look at the %s, and change it there or keep it.", c.Field, c.Title, r.Kind.Word())
	}
	_, err = w.Patch(r.Kind, c.TicketID, json.RawMessage(c.Set))
	return err
}
