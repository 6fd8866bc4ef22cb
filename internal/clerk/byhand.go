package clerk

import (
	"encoding/json"

	"chela/internal/desk"
	"chela/internal/event"
)

// ByHand says that what is planned from now on is given by a person or an agent just now: a text has no NUL characters, and no reminder
// is for the past. What an import, an undo or a copy brings is taken as it is.
func (w *Work) ByHand() { w.byHand = true }

// given refuses what nobody may make a record be. before is what it was, nil for a new one.
func (w *Work) given(before *desk.Record, thing desk.Thing) error {
	if err := w.asks(before, thing); err != nil || !w.byHand {
		return err
	}
	raw, err := json.Marshal(thing)
	if err == nil && before != nil {
		raw, err = desk.Difference(before.Body, raw)
	}
	if err == nil {
		err = event.CheckKeys(raw, nil)
	}
	b, ok := thing.(*desk.ReminderBody)
	if err != nil || !ok {
		return err
	}
	var was desk.ReminderBody
	if before != nil {
		if was, err = desk.Open[desk.ReminderBody](*before); err != nil {
			return err
		}
	}
	return b.Ahead(was, w.Now())
}
