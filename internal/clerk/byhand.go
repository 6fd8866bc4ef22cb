package clerk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/fault"
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
		err = noNUL(raw)
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

// noNUL refuses fields with a text that has a NUL character.
func noNUL(fields json.RawMessage) error {
	if !bytes.Contains(fields, []byte(`\u0000`)) { // most have none
		return nil
	}
	var all map[string]any
	if err := json.Unmarshal(fields, &all); err != nil {
		return fmt.Errorf("read the fields: %w", err)
	}
	for name, value := range all {
		if hasNUL(value) {
			return fault.BadField(name, "The text has a NUL character, which no text has. Take it out.")
		}
	}
	return nil
}

func hasNUL(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		for _, one := range v {
			if hasNUL(one) {
				return true
			}
		}
	case map[string]any:
		for name, one := range v {
			if strings.ContainsRune(name, 0) || hasNUL(one) {
				return true
			}
		}
	}
	return false
}
