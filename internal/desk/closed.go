package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// The day on which a ticket was closed follows from its changes: nobody writes it.

// closedOn is the field that has it.
const closedOn = "closedOn"

// closing is what of a ticket's body says when it was closed.
type closing struct {
	Status   TicketStatus `json:"status"`
	Resolved Date         `json:"externalResolved"`
	Closed   Date         `json:"closedOn"`
}

// day is the day on which a ticket was closed that was before as was says and is changed at a moment. A tracker's own day
// wins. A ticket that was there closed from the beginning has no day, unless a tracker says one.
func (c closing) day(was *closing, at time.Time) Date {
	switch {
	case c.Status.Open():
		return ""
	case c.Resolved != "":
		return c.Resolved
	case was == nil:
		return ""
	case !was.Status.Open():
		return was.Closed
	case at.IsZero(): // it is planned
		return ""
	}
	return DateOf(at.UTC())
}

// planned is a record after a change that is not recorded yet: a ticket that it closes has no day.
func planned(r Record, c Change) (Record, error) {
	next, err := Apply(r, c, time.Time{}, r.UpdatedBy)
	if err == nil {
		next.UpdatedAt = r.UpdatedAt
	}
	return next, err
}

// closed writes into the body of a ticket when it was closed.
func closed(before, after, set json.RawMessage, at time.Time) (json.RawMessage, error) {
	if before != nil && !bytes.Contains(set, []byte(`"status"`)) && !bytes.Contains(set, []byte(`"externalResolved"`)) && !bytes.Contains(set, []byte(`"`+closedOn+`"`)) {
		return after, nil
	}
	var was, is closing
	if err := json.Unmarshal(after, &is); err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	earlier := &was
	if before == nil {
		earlier = nil
	} else if err := json.Unmarshal(before, &was); err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	day := is.day(earlier, at)
	if day == is.Closed {
		return after, nil
	}
	set = []byte(`{"` + closedOn + `":null}`)
	if day != "" {
		var err error
		if set, err = json.Marshal(map[string]Date{closedOn: day}); err != nil {
			return nil, fmt.Errorf("write the day of closing: %w", err)
		}
	}
	return mergePatch(after, set)
}
