package desk

import (
	"bytes"
	"encoding/json"
	"fmt"

	"chela/internal/event"
)

// inner is the member of a body that the desk keeps for itself: it is in the log and in the tables, and is not
// shown to people or programs.
const inner = "imported"

// Shown is a record as people and programs see it.
func Shown(r Record) (Record, error) {
	if !bytes.Contains(r.Body, []byte(`"`+inner+`"`)) {
		return r, nil
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return r, fmt.Errorf("read %s %s: %w", r.Kind, r.ID, err)
	}
	delete(body, inner)
	raw, err := json.Marshal(body)
	if err != nil {
		return r, fmt.Errorf("write %s %s: %w", r.Kind, r.ID, err)
	}
	r.Body, err = event.Canonical(raw)
	return r, err
}
