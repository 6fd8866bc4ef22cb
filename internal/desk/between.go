package desk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Diff is what became of one record between two moments.
type Diff struct {
	ID      string      `json:"id"`
	Kind    Kind        `json:"kind"`
	Key     string      `json:"key,omitempty"` // by which people know it, where it has one
	Title   string      `json:"title"`         // at the later moment; of a deleted one, the last
	Op      Op          `json:"op"`            // created, updated, deleted, merged or restored
	Fields  []FieldDiff `json:"fields,omitempty"`
	Changes int         `json:"changes"` // how many events
	By      []string    `json:"by"`      // who made them
	At      time.Time   `json:"at"`      // of the last
}

// A FieldDiff is a field that is different; a value that is not there is empty.
type FieldDiff struct {
	Field string          `json:"field"`
	From  json.RawMessage `json:"from,omitempty"`
	To    json.RawMessage `json:"to,omitempty"`
}

// TicketID returns the ticket that a change is of: itself, or the one that an assignment is of. Changes of other
// kinds are of none.
func (d Diff) TicketID() string {
	if d.Kind == Assignment {
		id, _, _ := strings.Cut(d.Title, " ") // the identity of an assignment begins with its ticket
		return id
	}
	if d.Kind == Ticket {
		return d.ID
	}
	return ""
}

// DiffOf returns what an edit makes different; false means nothing.
func DiffOf(before, after Record) (Diff, bool, error) {
	d := Diff{ID: after.ID, Kind: after.Kind, Changes: 1, By: []string{}, At: after.UpdatedAt}
	changed, err := d.compare(before, after)
	return d, changed, err
}

// compare fills d in; false means that nothing is different in the end.
func (d *Diff) compare(then, now Record) (bool, error) {
	s, err := Summarize(now)
	if err != nil {
		return false, err
	}
	d.Title = s.Title
	var known struct {
		Key string `json:"externalRef"`
	}
	if err := json.Unmarshal(now.Body, &known); err != nil {
		return false, fmt.Errorf("read the key of %s: %w", now.ID, err)
	}
	d.Key = known.Key
	switch {
	case then.ID == "" && now.Deleted:
		return false, nil // came and went
	case now.Deleted:
		d.Op = Deleted
	case now.MergedInto != "" && then.MergedInto == "":
		d.Op = Merged
	case then.ID == "":
		d.Op = Created
	case then.Deleted || then.MergedInto != "" && now.MergedInto == "":
		d.Op = Restored
	default:
		d.Op = Updated
	}
	if d.Op == Deleted {
		return true, nil
	}
	if d.Fields, err = fieldDiffs(then.Body, now.Body); err != nil {
		return false, err
	}
	return d.Op != Updated || len(d.Fields) > 0, nil
}

func fieldDiffs(then, now json.RawMessage) ([]FieldDiff, error) {
	var a map[string]json.RawMessage
	var err error
	if len(then) > 0 {
		if a, err = membersOf(then); err != nil {
			return nil, err
		}
	}
	b, err := membersOf(now)
	if err != nil {
		return nil, err
	}
	fields := maps.Clone(b)
	maps.Copy(fields, a)
	delete(fields, inner)
	delete(fields, closedOn) // it follows from what else is different
	var out []FieldDiff
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if string(a[f]) != string(b[f]) {
			out = append(out, FieldDiff{f, a[f], b[f]})
		}
	}
	return out, nil
}
