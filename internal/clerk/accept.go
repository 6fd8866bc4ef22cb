package clerk

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
)

// accept plans what a delta suggests, with what the verdict adds to it, and returns the record that
// changes; "" when the suggestion is nothing that can be done here. A fault.Invalid asks for what is missing.
func (w *Work) accept(d desk.Delta, v Verdict) (changed string, err error) {
	a, err := w.side(d.SourceA)
	if err != nil || a.ID == "" {
		return "", err
	}
	b, err := w.side(d.SourceB)
	if err != nil {
		return "", err
	}
	switch {
	case d.Type == desk.AbsenceSaid && b.Kind.Owns():
		return b.ID, w.link(b, "away", d.ValueA, "Say when: a day, or the first and the last")
	case d.Type == "DUPLICATE_ENTRY" && b.ID != "":
		return a.ID, w.Merge(a.Kind, a.ID, []string{b.ID})
	case d.Type == "DEPENDENCY_MISMATCH" && b.ID != "":
		return a.ID, w.unblock(a, b.ID)
	case d.Type == "STATUS_MISMATCH" && d.Field == "status" && !a.Kind.Owned() && b.Kind.Owned():
		return w.takeOver(d, SideA) // minutes have no status to take over
	case d.Type == "STATUS_MISMATCH" && d.Field == "status" && b.ID == "" && d.ValueB != "":
		return w.takeOver(d, SideB) // a rule says what it would be
	case d.Field != "" && b.ID != "" && d.ValueA != "" && d.ValueB != "":
		return "", fault.BadField("take", fmt.Sprintf("Say whose value holds: %q (A) or %q (B); or accept it without a change (only).", d.ValueA, d.ValueB), "A", "B")
	case d.Type == "DATE_DRIFT" && d.Field != "":
		return a.ID, w.setTo(a, d.Field, v.Value, "Give the new date, such as 2026-03-31")
	case d.Type == "ORPHANED_WORK":
		return a.ID, w.link(a, "objectiveIds", v.Value, "Name the objective that it serves by its id")
	case d.Type == "COVERAGE_GAP":
		return a.ID, w.link(a, "ticketIds", v.Value, "Name a ticket that delivers it by its id")
	case d.Type == "STALE_ARTIFACT":
		s, err := desk.Summarize(a)
		if err != nil {
			return "", err
		}
		at := w.Now().Add(24 * time.Hour)
		r, err := Add(w, desk.Reminder, &desk.ReminderBody{Message: "Ask how it stands: " + s.Title, TriggerAt: desk.Date(at.Format(time.RFC3339)), Person: w.at.From.AgentID})
		return r.ID, err
	}
	return "", nil
}

// side is the record that a side of a delta is, none when it is something else.
func (w *Work) side(id string) (desk.Record, error) {
	r, err := w.store.Record(w.ctx, id)
	if id == "" || fault.KindOf(err) == fault.NotFound && err != nil {
		return desk.Record{}, nil
	}
	if err != nil {
		return r, err
	}
	return w.Get(r.Kind, id)
}

// missing asks for what a suggestion needs.
func missing(ask string) error {
	return fault.BadField("value", ask+"; or accept the delta without a change (only).")
}

// setTo plans that a field of a record has a value.
func (w *Work) setTo(r desk.Record, field, value, ask string) error {
	if value == "" {
		return missing(ask)
	}
	patch, err := json.Marshal(map[string]string{field: value})
	if err != nil {
		return fmt.Errorf("encode the %s of %s: %w", field, r.ID, err)
	}
	_, err = w.Patch(r.Kind, r.ID, patch)
	return err
}

// link plans that a list of a record has an id, too.
func (w *Work) link(r desk.Record, field, id, ask string) error {
	if id == "" {
		return missing(ask)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return fmt.Errorf("read %s: %w", r.ID, err)
	}
	var list []string
	if raw := body[field]; raw != nil {
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("read the %s of %s: %w", field, r.ID, err)
		}
	}
	patch, err := json.Marshal(map[string][]string{field: union(list, []string{id})})
	if err != nil {
		return fmt.Errorf("encode the %s of %s: %w", field, r.ID, err)
	}
	_, err = w.Patch(r.Kind, r.ID, patch)
	return err
}

// unblock plans that a ticket is not blocked by another any more.
func (w *Work) unblock(r desk.Record, by string) error {
	_, err := Edit(w, r.Kind, r.ID, func(b *desk.TicketBody) {
		b.BlockedBy = slices.DeleteFunc(b.BlockedBy, func(id string) bool { return id == by })
		if b.Status == desk.Blocked && len(b.BlockedBy) == 0 {
			b.Status = desk.Todo
		}
	})
	return err
}
