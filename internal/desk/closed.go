package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"chela/internal/event"
)

// The day on which a ticket was closed follows from its changes: nobody writes it.

// closedOn is the field that has it.
const closedOn = "closedOn"

// AddsByItself reports whether [Apply] writes a field of a body that the event does not set.
func AddsByItself(field string) bool { return field == closedOn }

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

// ClosedDay returns the day on which a ticket was closed that has a status and a tracker's day of resolution after a
// change at a moment. was and day are its status and its day before; a ticket that is new has the status "". It is
// empty for an open ticket, and for one that came closed without a tracker's day.
func ClosedDay(status TicketStatus, resolved Date, was TicketStatus, day Date, at time.Time) Date {
	c := closing{Status: status, Resolved: resolved}
	if was == "" {
		return c.day(nil, at)
	}
	return c.day(&closing{Status: was, Closed: day}, at)
}

// planned is a record after a change that is not recorded yet: a ticket that it closes has no day.
func planned(r Record, c Change) (Record, error) {
	next, err := Apply(r, c, time.Time{}, r.UpdatedBy)
	if err == nil {
		next.UpdatedAt = r.UpdatedAt
	}
	return next, err
}

// closingOf reads it out of a body.
func closingOf(body json.RawMessage) (c closing, err error) {
	in, _ := event.Members(body)
	status, ok := plainString(in["status"])
	if ok && in["externalResolved"] == nil && in[closedOn] == nil { // as most are
		return closing{Status: TicketStatus(status)}, nil
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("read body: %w", err)
	}
	return c, nil
}

// closed writes into the body of a ticket when it was closed.
func closed(before, after, set json.RawMessage, at time.Time) (json.RawMessage, error) {
	if before != nil && !bytes.Contains(set, []byte(`"status"`)) && !bytes.Contains(set, []byte(`"externalResolved"`)) && !bytes.Contains(set, []byte(`"`+closedOn+`"`)) {
		return after, nil
	}
	is, err := closingOf(after)
	if err != nil {
		return nil, err
	}
	var earlier *closing
	if before != nil {
		was, err := closingOf(before)
		if err != nil {
			return nil, err
		}
		earlier = &was
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
