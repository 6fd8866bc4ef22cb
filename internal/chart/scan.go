package chart

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"chela/internal/desk"
	"chela/internal/event"
)

// A change is a desk.Change, as far as it counts.
type change struct {
	ID   string    `json:"id"`
	Kind desk.Kind `json:"kind"`
	Op   desk.Op   `json:"op"`
	Set  patch     `json:"set"`
}

// changeOf reads a change. Most of one is texts that do not count, so that it is cut into its members, which costs a
// fraction of decoding it. Where that is not plain, it is decoded.
func changeOf(payload []byte) (change, error) {
	var c change
	if c.cut(payload) {
		return c, nil
	}
	c = change{}
	err := json.Unmarshal(payload, &c)
	return c, err
}

// cut takes over the members of a change in canonical form. It is not ok when it is not sure of one.
func (c *change) cut(payload []byte) bool {
	return event.EachMember(payload, func(name, raw []byte) (ok bool) {
		switch string(name) {
		case "id":
			c.ID, ok = value(raw).plain()
		case "kind":
			var s string
			s, ok = value(raw).plain()
			c.Kind = desk.Kind(s)
		case "op":
			var s string
			s, ok = value(raw).plain()
			c.Op = desk.Op(s)
		case "set":
			ok = c.Set.cut(raw)
		default:
			ok = !folds(name, changed)
		}
		return ok
	})
}

// cut takes over the members of a body that count.
func (p *patch) cut(body []byte) bool {
	return event.EachMember(body, func(name, raw []byte) bool {
		if to := patched[string(name)]; to != nil {
			*to(p) = raw
			return true
		}
		return !folds(name, folded)
	})
}

// folds reports whether the decoder of all JSON may take a name for one of some, which are in lower case.
func folds(name []byte, of map[string]bool) bool {
	var low [32]byte
	for i, c := range name {
		if c >= utf8.RuneSelf {
			return true
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if i < len(low) {
			low[i] = c
		}
	}
	return len(name) <= len(low) && of[string(low[:len(name)])]
}

// changed are the members of a change.
var changed = map[string]bool{"id": true, "kind": true, "op": true, "set": true} //nolint:gochecknoglobals // a table

// patched are the members of a patch, by their names.
var patched = map[string]func(p *patch) *value{ //nolint:gochecknoglobals // a table
	"status":           func(p *patch) *value { return &p.Status },
	"storyPoints":      func(p *patch) *value { return &p.Points },
	"sprint":           func(p *patch) *value { return &p.Sprint },
	"dueDate":          func(p *patch) *value { return &p.Due },
	"externalCreated":  func(p *patch) *value { return &p.Created },
	"externalResolved": func(p *patch) *value { return &p.Resolved },
	"objectiveIds":     func(p *patch) *value { return &p.Objectives },
	"resourceId":       func(p *patch) *value { return &p.Person },
	"ticketId":         func(p *patch) *value { return &p.Ticket },
	"outcome":          func(p *patch) *value { return &p.Outcome },
	"ticketIds":        func(p *patch) *value { return &p.Tickets },
	"name":             func(p *patch) *value { return &p.Name },
	"title":            func(p *patch) *value { return &p.Title },
	"sprintName":       func(p *patch) *value { return &p.SprintName },
	"startDate":        func(p *patch) *value { return &p.Start },
	"endDate":          func(p *patch) *value { return &p.End },
	"targetDate":       func(p *patch) *value { return &p.Target },
	"actualDate":       func(p *patch) *value { return &p.Actual },
	"created":          func(p *patch) *value { return &p.Made },
}

// folded are the names of [patched] in lower case.
var folded = func() map[string]bool { //nolint:gochecknoglobals // a table
	out := make(map[string]bool, len(patched))
	for name := range patched {
		out[strings.ToLower(name)] = true
	}
	return out
}()

// plain returns the text that a value is, when nothing in it is escaped or broken.
func (v value) plain() (string, bool) {
	if len(v) < 2 || v[0] != '"' || bytes.IndexByte(v, '\\') >= 0 || !utf8.Valid(v) {
		return "", false
	}
	return string(v[1 : len(v)-1]), true
}
