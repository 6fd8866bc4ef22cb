package chart

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"chela/internal/desk"
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

// cut takes over the members of a change that is JSON. It is not ok when it is not sure of one.
func (c *change) cut(payload []byte) bool {
	var id, kind, op, set value
	if !members(payload, func(name string) *value {
		switch name {
		case "id":
			return &id
		case "kind":
			return &kind
		case "op":
			return &op
		case "set":
			return &set
		}
		return nil
	}) {
		return false
	}
	for _, m := range []struct {
		from value
		to   *string
	}{{id, &c.ID}, {kind, (*string)(&c.Kind)}, {op, (*string)(&c.Op)}} {
		var plain bool
		if *m.to, plain = m.from.plain(); m.from != nil && !plain {
			return false
		}
	}
	return set == nil || members(set, c.Set.member)
}

// member returns where a member of a patch is, nil for one that does not count.
func (p *patch) member(name string) *value {
	switch name {
	case "status":
		return &p.Status
	case "storypoints":
		return &p.Points
	case "sprint":
		return &p.Sprint
	case "duedate":
		return &p.Due
	case "externalcreated":
		return &p.Created
	case "externalresolved":
		return &p.Resolved
	case "objectiveids":
		return &p.Objectives
	case "resourceid":
		return &p.Person
	case "ticketid":
		return &p.Ticket
	case "outcome":
		return &p.Outcome
	case "ticketids":
		return &p.Tickets
	case "name":
		return &p.Name
	case "title":
		return &p.Title
	case "sprintname":
		return &p.SprintName
	case "startdate":
		return &p.Start
	case "enddate":
		return &p.End
	case "targetdate":
		return &p.Target
	case "actualdate":
		return &p.Actual
	case "created":
		return &p.Made
	}
	return nil
}

// members cuts a JSON object into its members and puts those that of wants, by their names in lower case, where it says. It
// is not ok when it is no object, or has a member twice that is wanted, or a name that is not plain letters.
func members(raw []byte, of func(name string) *value) bool {
	i := blank(raw, 0)
	if i == len(raw) || raw[i] != '{' {
		return false
	}
	if i = blank(raw, i+1); i < len(raw) && raw[i] == '}' {
		return true
	}
	for i < len(raw) && raw[i] == '"' {
		end := afterText(raw, i)
		if end < 0 {
			return false
		}
		name, plain := value(raw[i:end]).plain()
		i = blank(raw, end)
		if !plain || strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) || i == len(raw) || raw[i] != ':' {
			return false
		}
		i = blank(raw, i+1)
		if end = afterValue(raw, i); end < 0 {
			return false
		}
		if to := of(strings.ToLower(name)); to != nil {
			if *to != nil {
				return false
			}
			*to = raw[i:end:end]
		}
		switch i = blank(raw, end); {
		case i == len(raw):
			return false
		case raw[i] == '}':
			return true
		case raw[i] != ',':
			return false
		}
		i = blank(raw, i+1)
	}
	return false
}

// blank returns where the blanks after a place end.
func blank(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// afterText returns where the text that begins at a place has ended; -1 when it does not.
func afterText(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		n := bytes.IndexAny(raw[i:], `"\`)
		if n < 0 {
			return -1
		}
		if i += n; raw[i] == '"' {
			return i + 1
		}
		i++ // what is escaped
	}
	return -1
}

// afterValue returns where the value that begins at a place has ended; -1 when it does not.
func afterValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			if i = afterText(raw, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 { // of the object around a number
				return i
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}

// plain returns the text that a value is, when nothing in it is escaped or broken.
func (v value) plain() (string, bool) {
	if len(v) < 2 || v[0] != '"' || bytes.IndexByte(v, '\\') >= 0 || !utf8.Valid(v) {
		return "", false
	}
	return string(v[1 : len(v)-1]), true
}
