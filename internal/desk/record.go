// Package desk holds the engineering manager's records: what they are made of, which
// values they take, and how an event changes them. [Apply] is the one function that
// makes a record of its events; the store's tables and every look back in time come
// from it. Each kind of record is a file: its struct, its rules and its facets, which say what the
// rest of the product makes of it; kind.go lists the kinds.
package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Record is one thing on the desk. Body is the canonical JSON of its kind's struct.
type Record struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Project    string    `json:"projectId"`
	Version    int64     `json:"version"` // from 1
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	CreatedBy  string    `json:"createdBy"`
	UpdatedBy  string    `json:"updatedBy"`
	Deleted    bool      `json:"deleted,omitempty"`
	MergedInto string    `json:"mergedInto,omitempty"`
	// Outside says that words of the record came from outside: by intake or import, or by an agent
	// that had seen such. It never becomes false again.
	Outside bool            `json:"outside,omitempty"`
	Body    json.RawMessage `json:"body"`
}

// An Op is what a change does.
type Op string

// The ops.
const (
	Created Op = "created"
	Updated Op = "updated"
	Deleted Op = "deleted"
	Merged  Op = "merged" // into another record of its kind
	// Restored brings back one that was deleted or merged.
	Restored Op = "restored"
)

// Ops lists the ops.
func Ops() []Op { return []Op{Created, Updated, Deleted, Merged, Restored} }

// A Change is the payload of every desk event.
type Change struct {
	ID      string `json:"id"`
	Kind    Kind   `json:"kind"`
	Project string `json:"projectId"`
	Op      Op     `json:"op"`
	Version int64  `json:"version"` // the one it makes
	// Set is a merge patch (RFC 7396) over the body; the whole body for Created.
	Set        json.RawMessage `json:"set,omitempty"`
	MergedInto string          `json:"mergedInto,omitempty"`
	Outside    bool            `json:"outside,omitempty"` // what it sets came from outside
}

// EventType names the event of a change: "desk.ticket.created".
func EventType(k Kind, op Op) string { return "desk." + string(k) + "." + string(op) }

// KindOfEvent is the kind of records of whose change a type of event tells, "" for any other type.
func KindOfEvent(typed string) Kind {
	rest, ok := strings.CutPrefix(typed, "desk.")
	at := strings.LastIndexByte(rest, '.')
	if !ok || at < 0 {
		return ""
	}
	return Kind(rest[:at])
}

// Draft returns the event of a change, in its project's stream.
func (c Change) Draft(at event.Place) event.Draft {
	at.Stream = StreamOf(c.Project)
	k := event.Kind[Change]{Name: EventType(c.Kind, c.Op), PayloadType: "desk.change.v1"}
	return k.Draft(at, c)
}

// StreamOf is the stream of a project's records; records of no project, such as
// global memories, belong to the organization.
func StreamOf(project string) string {
	if project == "" {
		return event.OrgStream
	}
	return event.ProjectStream(project)
}

// ChangeOf returns the change that a desk event carries.
func ChangeOf(e event.Event) (c Change, ok bool, err error) {
	if !strings.HasPrefix(e.Message.Type, "desk.") {
		return c, false, nil
	}
	if c, ok = readChange(e.Message.Payload); ok {
		return c, true, nil
	}
	err = json.Unmarshal(e.Message.Payload, &c)
	return c, true, err
}

// readChange reads a change as we write it; ok is false for any other, which the decoder of all JSON reads.
func readChange(payload []byte) (c Change, ok bool) {
	in, ok := event.Members(payload)
	if !ok {
		return c, false
	}
	texts := map[string]*string{"id": &c.ID, "kind": (*string)(&c.Kind), "projectId": &c.Project, "op": (*string)(&c.Op), "mergedInto": &c.MergedInto}
	for name, raw := range in {
		switch into := texts[name]; {
		case into != nil:
			if *into, ok = plainString(raw); !ok {
				return Change{}, false
			}
		case name == "version":
			n, err := strconv.ParseInt(string(raw), 10, 64)
			if err != nil {
				return Change{}, false
			}
			c.Version = n
		case name == "outside":
			c.Outside = string(raw) == "true"
		case name == "set":
			c.Set = raw
		default:
			return Change{}, false
		}
	}
	return c, true
}

// plainString is a JSON string without escapes; ok is false for any other.
func plainString(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return "", false
	}
	return string(raw[1 : len(raw)-1]), true
}

// Apply returns r after c. r is the zero Record when c creates it. A change made on
// another version than r's is a fault.Conflict.
func Apply(r Record, c Change, at time.Time, by string) (Record, error) {
	if c.Version != r.Version+1 {
		return r, fault.New(fault.Conflict, "The %s %s was changed by somebody else meanwhile (version %d, not %d).", c.Kind.Word(), c.ID, r.Version, c.Version-1)
	}
	next := r
	next.Version, next.UpdatedAt, next.UpdatedBy, next.Outside = c.Version, at, by, r.Outside || c.Outside
	switch c.Op {
	case Created:
		next.ID, next.Kind, next.Project, next.CreatedAt, next.CreatedBy = c.ID, c.Kind, c.Project, at, by
		next.Body = c.Set
		return next.dated(nil, c, at)
	case Deleted:
		next.Deleted = true
		return next, nil
	case Merged:
		next.MergedInto = c.MergedInto
	case Restored:
		next.Deleted, next.MergedInto = false, ""
	case Updated:
	default:
		return r, fmt.Errorf("a change of %s has the unknown op %q", c.ID, c.Op)
	}
	if len(c.Set) > 0 {
		body, err := mergePatch(r.Body, c.Set)
		if err != nil {
			return r, err
		}
		next.Body = body
		return next.dated(r.Body, c, at)
	}
	return next, nil
}

// dated says of a ticket when it was closed.
func (r Record) dated(before json.RawMessage, c Change, at time.Time) (Record, error) {
	if r.Kind != Ticket {
		return r, nil
	}
	body, err := closed(before, r.Body, c.Set, at)
	r.Body = body
	return r, err
}

// mergePatch applies one level of RFC 7396: bodies are flat, their lists and objects
// are replaced whole.
func mergePatch(body, patch json.RawMessage) (json.RawMessage, error) {
	old, err := membersOf(body)
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	var set map[string]json.RawMessage
	if err := json.Unmarshal(patch, &set); err != nil {
		return nil, fmt.Errorf("read change: %w", err)
	}
	for k, v := range set {
		if string(v) == "null" {
			delete(old, k)
			continue
		}
		if old[k], err = event.Canonical(v); err != nil {
			return nil, fmt.Errorf("read change: %w", err)
		}
	}
	return objectOf(old)
}

// membersOf returns the members of an object: as they are written where it is in canonical form.
func membersOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if out, ok := event.Members(raw); ok {
		return out, nil
	}
	out := make(map[string]json.RawMessage)
	err := json.Unmarshal(raw, &out)
	return out, err
}

// objectOf writes an object in canonical form of members that are in it, as they are.
func objectOf(members map[string]json.RawMessage) (json.RawMessage, error) {
	size := 2
	for name, value := range members {
		if size += len(name) + len(value) + 4; !isPlain(name) {
			raw, err := json.Marshal(members)
			if err != nil {
				return nil, fmt.Errorf("write body: %w", err)
			}
			return event.Canonical(raw)
		}
	}
	out := append(make([]byte, 0, size), '{')
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(append(append(out, '"'), name...), '"', ':')
		out = append(append(out, members[name]...), ',')
	}
	return append(bytes.TrimSuffix(out, []byte(",")), '}'), nil
}

// isPlain reports whether a name is letters and digits, which any order of characters sorts alike.
func isPlain(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Parse decodes the body of a new record of a kind strictly.
func Parse(k Kind, body json.RawMessage) (Thing, error) {
	s, err := k.spec()
	if err != nil {
		return nil, err
	}
	thing := s.make()
	return thing, event.DecodeStrict(body, thing)
}

// admit refuses what a record may not become from now on, though one that was recorded before such a rule may be so. old is what it
// was, nil for a new one.
func admit(old, thing Thing) error {
	if a, ok := thing.(interface{ admit(old Thing) error }); ok {
		return a.admit(old)
	}
	return nil
}

// New checks a thing, fills in its defaults, and returns the change that creates the
// record and the record as it will stand. Its id is of the mint.
func New(mint *event.Mint, k Kind, project string, thing Thing) (Change, Record, error) {
	s, err := k.spec()
	if err != nil {
		return Change{}, Record{}, err
	}
	raw, err := normal(thing)
	if err == nil {
		err = admit(nil, thing)
	}
	if err != nil {
		return Change{}, Record{}, err
	}
	c := Change{ID: mint.ID(s.prefix), Kind: k, Project: project, Op: Created, Version: 1, Set: raw}
	if k == Project {
		c.Project = c.ID
	}
	r, err := Apply(Record{}, c, time.Time{}, "")
	return c, r, err
}

// normal checks a filled-in struct and returns its canonical JSON.
func normal(thing Thing) (json.RawMessage, error) {
	if err := thing.Check(); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(thing)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", thing, err)
	}
	return event.Canonical(raw)
}

// Edit sets and clears fields of r: a merge patch whose nulls clear. It returns the
// change and the record as it will stand; ok is false when nothing is different.
func Edit(r Record, patch json.RawMessage) (c Change, next Record, ok bool, err error) {
	s, err := r.Kind.spec()
	if err != nil {
		return c, r, false, err
	}
	if r.Deleted || r.MergedInto != "" {
		return c, r, false, fault.New(fault.Conflict, "The %s %s is deleted or merged and cannot be changed.", r.Kind.Word(), r.ID)
	}
	if err := event.DecodeStrict(patch, s.make()); err != nil {
		return c, r, false, err
	}
	merged, err := mergePatch(r.Body, patch)
	if err != nil {
		return c, r, false, err
	}
	old, thing := s.make(), s.make()
	if err := json.Unmarshal(r.Body, old); err != nil {
		return c, r, false, fmt.Errorf("read body: %w", err)
	}
	if err := json.Unmarshal(merged, thing); err != nil {
		return c, r, false, fmt.Errorf("read body: %w", err)
	}
	if again, ok := thing.(interface{ renew(old Thing) }); ok {
		again.renew(old)
	}
	after, err := normal(thing)
	if err == nil {
		err = admit(old, thing)
	}
	if err != nil {
		return c, r, false, err
	}
	if s.follow != nil {
		if err := s.follow(old, thing); err != nil { // with the defaults in place of what was cleared
			return c, r, false, err
		}
	}
	set, err := Difference(r.Body, after)
	if err != nil || set == nil {
		return c, r, false, err
	}
	c = Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: Updated, Version: r.Version + 1, Set: set}
	next, err = planned(r, c)
	return c, next, err == nil, err
}

// Difference returns the merge patch that makes the body after of the body before, nil
// when they are equal.
func Difference(before, after json.RawMessage) (json.RawMessage, error) {
	a, err := membersOf(before)
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	b, err := membersOf(after)
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	set := make(map[string]json.RawMessage)
	for k, v := range b {
		if string(a[k]) != string(v) {
			set[k] = v
		}
	}
	for k := range a {
		if _, ok := b[k]; !ok {
			set[k] = json.RawMessage("null")
		}
	}
	if len(set) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("write change: %w", err)
	}
	return event.Canonical(raw)
}

// Remove returns the change that deletes r.
func Remove(r Record) Change {
	return Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: Deleted, Version: r.Version + 1}
}

// Restore returns the change that brings back r, which is deleted or merged, and the record as it
// will stand.
func Restore(r Record) (Change, Record, error) {
	c := Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: Restored, Version: r.Version + 1}
	next, err := planned(r, c)
	return c, next, err
}

// Revert sets and clears fields of r as [Edit] does, also where the kind's states do not lead back: it
// takes back what was.
func Revert(r Record, patch json.RawMessage) (c Change, next Record, err error) {
	s, err := r.Kind.spec()
	if err != nil {
		return c, r, err
	}
	merged, err := mergePatch(r.Body, patch)
	if err != nil {
		return c, r, err
	}
	thing := s.make()
	if err := json.Unmarshal(merged, thing); err != nil {
		return c, r, fmt.Errorf("read body: %w", err)
	}
	after, err := normal(thing)
	if err != nil {
		return c, r, err
	}
	set, err := Difference(r.Body, after)
	if err != nil || set == nil {
		return c, r, err
	}
	c = Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: Updated, Version: r.Version + 1, Set: set}
	next, err = planned(r, c)
	return c, next, err
}

// Undone is the body of an account, now, that says that the act was taken back which made it after what it was
// before; nil when it has nothing to say of that.
func Undone(before, after, now Record) (Thing, error) {
	s, err := now.Kind.spec()
	if err != nil || s.undone == nil {
		return nil, err
	}
	var bodies [3]Thing
	for i, r := range []Record{before, after, now} {
		if len(r.Body) == 0 { // it was not there
			continue
		}
		if bodies[i], err = Decode(r); err != nil {
			return nil, err
		}
	}
	if !s.undone(bodies[0], bodies[1], bodies[2]) {
		return nil, nil
	}
	return bodies[2], nil
}

// Open decodes a record's body.
func Open[T any](r Record) (T, error) {
	var t T
	if err := json.Unmarshal(r.Body, &t); err != nil {
		return t, fmt.Errorf("read %s %s: %w", r.Kind, r.ID, err)
	}
	return t, nil
}

func decode(r Record, into Thing) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("read %s %s: %w", r.Kind, r.ID, err)
	}
	return nil
}
