package clerk

import (
	"context"
	"fmt"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// A Roster knows who is a person; a [Store] may be one.
type Roster interface {
	IsPerson(ctx context.Context, id string) (bool, error)
}

// asks refuses a reminder of somebody who is no person. before is what it was, nil for a new one; what a reminder had before stays.
func (w *Work) asks(before *desk.Record, thing desk.Thing) error {
	b, ok := thing.(*desk.ReminderBody)
	if !ok || b.Person == "" || b.Person == w.at.From.AgentID || b.Person == w.behalf {
		return nil
	}
	if before != nil {
		if was, err := desk.Open[desk.ReminderBody](*before); err != nil || was.Person == b.Person {
			return err
		}
	}
	id := org.PersonOf(event.Party{AgentID: b.Person})
	is := id != ""
	if roster, knows := w.store.(Roster); is && knows {
		var err error
		if is, err = roster.IsPerson(w.ctx, id); err != nil {
			return err
		}
	}
	if !is {
		return fault.BadField("person", fmt.Sprintf("%q is no person here. Give who asked as agent:person/ID, with an id of `chela person list`, or leave the field empty for whoever makes the reminder.", b.Person))
	}
	return nil
}
