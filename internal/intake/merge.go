package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/extract"
)

// A newer export is merged three ways: what the last import said, what the ticket says now,
// and what the export says. A ticket keeps hashes of what the last import said.

// A choice is what becomes of a field.
type choice int

const (
	keeps choice = iota // the ticket stays as it is
	takes               // the ticket says what the export says
	asks                // both changed; a person decides
)

// becomes notes what was chosen, and reports whether there is something to say.
func (c *FieldChange) becomes(what choice) bool {
	c.Conflict = what == asks
	return what != keeps
}

// digest is a short hash of what an export says of a field.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// choose decides about a field that has one value. base is the hash of what the last import
// said, "" when none said anything; free says that no person wrote the ticket's value.
func choose(base, mine, theirs string, free bool) choice {
	switch {
	case mine == theirs, base == digest(theirs):
		return keeps
	case base == digest(mine), base == "" && free:
		return takes
	}
	return asks
}

// digests are the hashes of a list.
func digests(items []string) string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = digest(x)
	}
	return strings.Join(out, ",")
}

// merged is a list of the ticket with what the export added since the last import and
// without what it dropped.
func merged(base string, mine, theirs []string) []string {
	had := strings.Split(base, ",")
	var out []string
	for _, x := range mine {
		if slices.Contains(theirs, x) || !slices.Contains(had, digest(x)) {
			out = append(out, x)
		}
	}
	for _, x := range theirs {
		if !slices.Contains(out, x) && !slices.Contains(had, digest(x)) {
			out = append(out, x)
		}
	}
	return out
}

// free reports a ticket that no person wrote: it was taken in, and is as it came.
func free(r desk.Record) bool { return r.Version == 1 && r.Outside }

// plain is a ticket of which nothing is said but its title.
func plain(title string) *desk.TicketBody {
	return &desk.TicketBody{Title: title, Status: desk.Todo, Priority: desk.Medium}
}

// difference compares a field of a ticket with what an export says; ok is false where the
// ticket stays as it is.
func (f compared) difference(h *held, was, now *desk.TicketBody) (c FieldChange, ok bool) {
	next := *was
	f.take(&next, now, was.Imported[f.name])
	c = FieldChange{Field: f.name, Before: f.text(was), After: f.text(&next)}
	if f.list != nil {
		return c, c.Before != c.After
	}
	ok = c.becomes(choose(was.Imported[f.name], c.Before, c.After, h.free || c.Before == f.text(plain(was.Title))))
	return c, ok
}

// said are the hashes of what an export says of a ticket's fields, with those of earlier
// imports for the fields that it does not tell.
func said(before map[string]string, now *desk.TicketBody, row extract.TicketRow, t *export) map[string]string {
	out := maps.Clone(before)
	if out == nil {
		out = make(map[string]string)
	}
	if issue := issueOf(row); issue != "" {
		out["id"] = issue
	}
	for _, f := range comparedFields {
		switch {
		case !t.tells(row, f):
		case f.list != nil:
			out[f.name] = digests(f.list(now))
		default:
			out[f.name] = digest(f.text(now))
		}
	}
	return out
}

// ownerSaid is what is kept of an owner's cell and of whom it gave the ticket to.
func ownerSaid(cell string, people []string) string {
	people = slices.Sorted(slices.Values(people))
	return digest(cell) + " " + digest(strings.Join(slices.Compact(people), " "))
}

// ownerChoice decides who does a ticket.
func ownerChoice(h *held, base, cell string, come, gone []string) choice {
	if len(come)+len(gone) == 0 {
		return keeps
	}
	var people []string
	byHand := false
	for _, x := range h.shares {
		people = append(people, x.resource)
		byHand = byHand || !x.imported
	}
	source, ours, known := strings.Cut(base, " ")
	_, now, _ := strings.Cut(ownerSaid(cell, people), " ")
	switch {
	case known && source == digest(cell):
		return keeps
	case known && ours == now, !known && (len(people) == 0 || h.free && !byHand):
		return takes
	}
	return asks
}

// patchOf is the merge patch by which a ticket takes over what an export says of a field.
func patchOf(field string, row extract.TicketRow, now *desk.TicketBody) (string, error) {
	set := make(map[string]json.RawMessage)
	if field == "owner" {
		raw, err := json.Marshal(strings.Join(owners(row.Owner), ", "))
		if err != nil {
			return "", fmt.Errorf("encode the owner: %w", err)
		}
		set["owner"] = raw
		if row.Owner == "" {
			set["owner"] = json.RawMessage("null")
		}
	} else {
		raw, err := json.Marshal(now)
		if err != nil {
			return "", fmt.Errorf("encode what the export says: %w", err)
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal(raw, &body); err != nil {
			return "", fmt.Errorf("read what the export says: %w", err)
		}
		for _, name := range membersOf(field) {
			set[name] = json.RawMessage("null")
			if v := body[name]; v != nil {
				set[name] = v
			}
		}
	}
	raw, err := json.Marshal(set)
	if err != nil {
		return "", fmt.Errorf("encode what the export says: %w", err)
	}
	return string(raw), nil
}

// membersOf are the members of a ticket that a field is.
func membersOf(field string) []string {
	if field == "status" {
		return []string{"status", "outcome"}
	}
	return []string{field}
}
