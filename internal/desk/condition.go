package desk

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/fault"
	"chela/internal/query"
)

// A Condition is what a reminder waits for: that its project has a record of the kind
// for which the filter holds.
type Condition struct {
	Kind  Kind
	Where query.Expr // nil holds for every record
}

const kindPrefix = "kind:"

// ReadCondition reads a condition: a filter as lists have it (package query), after the
// kind of record that it is about: kind:ticket status:BLOCKED owner:"Joe". Times are
// relative to now.
func ReadCondition(text string, now time.Time) (Condition, error) {
	const form = `write the kind of record and then a filter as lists take it, such as kind:ticket status:BLOCKED owner:"Joe".`
	text = strings.TrimSpace(text)
	if text == "" {
		return Condition{}, fault.BadField("condition", "A reminder by condition needs the condition: "+form)
	}
	first, _, _ := strings.Cut(text, " ")
	first = strings.TrimRightFunc(first, unicode.IsSpace)
	if len(first) < len(kindPrefix) || !strings.EqualFold(first[:len(kindPrefix)], kindPrefix) {
		return Condition{}, fault.BadField("condition", "The condition cannot be read: "+form)
	}
	kind := Kind(strings.ToLower(first[len(kindPrefix):]))
	if !slices.Contains(conditionKinds(), string(kind)) {
		return Condition{}, fault.BadField("condition", "A condition cannot be about the kind "+string(kind)+".", conditionKinds()...)
	}
	fields, err := Fields(kind)
	if err != nil {
		return Condition{}, err
	}
	rest := strings.Repeat(" ", utf8.RuneCountInString(first)) + text[len(first):] // faults say where in the whole
	where, err := query.Parse(rest, fields, now)
	var bad *fault.Error
	if errors.As(err, &bad) && len(bad.Fields) > 0 {
		return Condition{}, fault.BadField("condition", "The condition cannot be read. "+bad.Fields[0].Text, bad.Fields[0].Allowed...)
	}
	return Condition{kind, where}, err
}

// conditionKinds are the kinds that a condition may be about.
func conditionKinds() []string {
	var out []string
	for _, k := range Kinds() {
		if !specs[k].unwatched {
			out = append(out, string(k))
		}
	}
	return out
}

// Met returns what a reminder by condition is from now on, when its condition holds or
// not; ok is false when that is as it was. It rings when the condition begins to hold, and
// waits again when it does not any more.
func (r ReminderBody) Met(holds bool, now time.Time) (next ReminderBody, ok bool) {
	if r.Type != ByCondition || holds == r.Triggered {
		return r, false
	}
	if r.Triggered = holds; holds {
		r.Last = Date(now.UTC().Format(time.RFC3339))
	}
	return r, true
}
