package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"reflect"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// A Hand is a call by which an agent changes schedules for a person, in a conversation of a project.
type Hand struct {
	By      event.Party // the person
	At      event.Place // of the task that calls
	Key     string      // the same for every attempt of the call
	Project string
}

// mostThrough is how many schedules that are not over agents keep for one person.
const mostThrough = 20

// id names what a call makes: the same in every attempt.
func (h Hand) id() ID {
	sum := sha256.Sum256([]byte(h.At.Run + "/" + h.Key))
	return ID("sch_" + hex.EncodeToString(sum[:13]))
}

// place is where a fact of the call belongs.
func (h Hand) place() event.Place {
	at := h.At
	at.Stream, at.From, at.Key = event.OrgStream, h.By, ""
	return at
}

// may refuses what the person may not do now.
func (h Hand) may(tx Tx) error {
	role, barred, err := tx.Plan().RoleOf(h.By)
	switch {
	case err != nil:
		return err
	case barred != "" || !role.AtLeast(org.Editor):
		return fault.New(fault.Denied, "Schedules take the role editor, which the person who asks does not have.")
	}
	return nil
}

// own returns a schedule of the person in the project, which alone an agent changes for them.
func (h Hand) own(tx Tx, id ID) (Schedule, error) {
	s, err := tx.Plan().Schedule(id)
	switch {
	case err != nil:
		return s, err
	case s.By.AgentID != h.By.AgentID:
		return s, fault.New(fault.Denied, "The schedule %s is not of the person who asks. They can change it on the page Schedules.", id)
	case s.Project != h.Project:
		return s, fault.New(fault.Denied, "The schedule %s is not for the project of this conversation. Ask in a conversation of its project, or on the page Schedules.", id)
	}
	return s, nil
}

// CreateThrough makes a schedule for a person, once for each call.
func (k *Editor) CreateThrough(ctx context.Context, h Hand, f Fields) (s Schedule, err error) {
	if f, err = f.Checked(); err != nil {
		return s, err
	}
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		if s, err = tx.Plan().Schedule(h.id()); err == nil {
			return nil // an attempt before made it
		}
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
		if err := h.may(tx); err != nil {
			return err
		}
		board, err := tx.Plan().Board()
		if err != nil {
			return err
		}
		kept := 0
		for _, o := range board.Schedules {
			if o.Through != "" && o.By.AgentID == h.By.AgentID && !o.Over(k.now()) {
				kept++
			}
		}
		if kept >= mostThrough {
			return fault.New(fault.Conflict, "Agents keep %d schedules for this person already, which is the most. Delete one first.", kept)
		}
		s, err = k.made(b, tx, h.place(), CreatedKind, Made{ID: h.id(), Version: 1, Fields: f}, nil)
		return err
	})
	return s, err
}

// ChangeThrough changes a schedule of a person. What changes nothing is not recorded.
func (k *Editor) ChangeThrough(ctx context.Context, h Hand, id ID, edit func(*Fields)) (s Schedule, err error) {
	err = k.write(ctx, func(b *run.Batch, tx Tx) error {
		if s, err = h.own(tx, id); err != nil {
			return err
		}
		if err := h.may(tx); err != nil {
			return err
		}
		s, err = k.changed(b, tx, h.place(), s, edit, true)
		return err
	})
	return s, err
}

// DeleteThrough deletes a schedule of a person.
func (k *Editor) DeleteThrough(ctx context.Context, h Hand, id ID) error {
	return k.write(ctx, func(b *run.Batch, tx Tx) error {
		if _, err := h.own(tx, id); err != nil {
			return err
		}
		if err := h.may(tx); err != nil {
			return err
		}
		if err := withdraw(b, tx, h.By, id, "The schedule was deleted."); err != nil {
			return err
		}
		_, err := b.Append(DeletedKind.Draft(h.place(), Deleted{ID: id}))
		return err
	})
}

// changed makes of a schedule what edit says.
func (k *Editor) changed(b *run.Batch, tx Tx, at event.Place, old Schedule, edit func(*Fields), ifOther bool) (Schedule, error) {
	f := old.Fields.clone()
	edit(&f)
	f, err := f.Checked()
	if err != nil || ifOther && reflect.DeepEqual(f, old.Fields) {
		return old, err
	}
	if err := withdraw(b, tx, at.From, old.ID, changed(old.Fields, f)); err != nil {
		return old, err
	}
	return k.made(b, tx, at, ChangedKind, Made{ID: old.ID, Version: old.Version + 1, Fields: f}, &old)
}
