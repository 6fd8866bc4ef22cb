package tracker

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Shape names the members of an issue that the import reads, each with what stands there when the issue has nothing:
// a table of one issue has the same columns as one of all. Of a member that is an object the members that stand there are
// kept, of a list of objects those of the one that stands in it.
type Shape map[string]json.RawMessage

// Of keeps of an issue what the shape names.
func (s Shape) Of(issue map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(s))
	for name, none := range s {
		out[name] = like(none, issue[name])
	}
	return out
}

// like keeps of a value what a pattern has.
func like(pattern, value json.RawMessage) json.RawMessage {
	if len(value) == 0 || string(value) == "null" {
		if len(pattern) > 0 && pattern[0] == '[' {
			return json.RawMessage(`[]`)
		}
		return pattern
	}
	var members, has map[string]json.RawMessage
	if json.Unmarshal(pattern, &members) == nil && len(members) > 0 && json.Unmarshal(value, &has) == nil {
		return encoded(Shape(members).Of(has), value)
	}
	var one, list []json.RawMessage
	if json.Unmarshal(pattern, &one) == nil && len(one) == 1 && json.Unmarshal(value, &list) == nil {
		for n := range list {
			list[n] = like(one[0], list[n])
		}
		return encoded(list, value)
	}
	return value
}

// encoded encodes what was decoded before; else is kept where that cannot be.
func encoded(v any, otherwise json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return raw
}

// Record encodes an issue as it is kept.
func Record(members any) (json.RawMessage, error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("encode an issue: %w", err)
	}
	return raw, nil
}

// Bounds of what a tracker says that is more than a text.
const (
	maxKey  = 200
	layout2 = "2006-01-02T15:04:05.999-0700" // as Jira writes times
)

// Named reads what every issue has: a key, and when it was changed.
func Named(key, updated string) (Issue, bool) {
	at, err := time.Parse(time.RFC3339Nano, updated)
	if err != nil {
		at, err = time.Parse(layout2, updated)
	}
	return Issue{Key: key, Updated: at.UTC()}, err == nil && key != "" && len(key) <= maxKey
}

// A Stretch names a page of what a tracker tells in the order of change: the nth of what changed since a time. A page that
// follows begins where the one before ended in time, not in number: what changes meanwhile moves to the end, and all
// behind it one place up.
type Stretch struct {
	Since time.Time
	Nth   int // from 1
}

// StretchOf is the page that next names, the first since from when it names none.
func StretchOf(from time.Time, next string) Stretch {
	stamp, number, _ := strings.Cut(next, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	n, nerr := strconv.Atoi(number)
	if err != nil || nerr != nil || n < 1 {
		return Stretch{from, 1}
	}
	return Stretch{at, n}
}

// After names the page that follows a full one.
func (s Stretch) After(issues []Issue) string {
	next := Stretch{s.Since, s.Nth + 1} // many changed at one moment
	for _, i := range issues {
		if i.Updated.After(next.Since) {
			next = Stretch{i.Updated, 1}
		}
	}
	return next.Since.UTC().Format(time.RFC3339Nano) + " " + strconv.Itoa(next.Nth)
}
