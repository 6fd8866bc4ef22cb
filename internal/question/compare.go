package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// ranges reads numbers of points: "3 to 5 points", "between 3 and 5 points", "2-3 points", "3 or 5 points", "13 points" and
// "8 points or more".
func (r *reader) ranges() {
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "cmp" && it.number < 0 {
			r.trailing(it)
		}
		if it.sort == "word" && i+1 < len(r.items) && r.items[i+1].sort == "field" {
			if from, to, ok := strings.Cut(it.value, "-"); ok {
				a, err := strconv.Atoi(from)
				b, err2 := strconv.Atoi(to)
				if err == nil && err2 == nil {
					r.ranged(it, &r.items[i+1], a, b)
				}
			}
			r.measured(i)
		}
		if it.sort == "field" && i+4 < len(r.items) && r.points(i) != nil { // points between 3 and 5
			between, a, b := &r.items[i+1], &r.items[i+2], &r.items[i+4]
			if between.sort == "prep" && between.value == "between" && a.sort == "number" && b.sort == "number" && r.marked("and", r.items[i+3].at) && a.number <= b.number {
				r.ranged(a, it, a.number, b.number)
				r.items[i+3].sort, b.sort = "stop", "stop"
			}
		}
		if it.sort != "number" {
			continue
		}
		points := r.points(i + 1)
		if points != nil {
			r.ranged(it, points, it.number, it.number)
			continue
		}
		if i+2 >= len(r.items) || r.items[i+2].sort != "number" {
			continue
		}
		points, joint := r.points(i+3), r.items[i+1].at
		between := i > 0 && r.items[i-1].sort == "prep" && r.items[i-1].value == "between"
		switch {
		case points == nil:
		case r.marked("up-to", joint) || between && r.marked("and", joint):
			r.items[i+1].sort, r.items[i+2].sort = "stop", "stop"
			r.ranged(it, points, it.number, r.items[i+2].number)
		case r.items[i+1].sort == "or" || r.marked("and", joint):
			it.sort, it.least, it.most = "range", float64(it.number), float64(it.number)
		}
	}
}

// fraction reads a number with a fraction, 2.5 or 2,5, as filters have it.
func (r *reader) fraction(at int) (string, bool) {
	if at >= len(r.tokens) {
		return "", false
	}
	whole, part, ok := strings.Cut(strings.Replace(r.tokens[at].text, ",", ".", 1), ".")
	if !ok || whole == "" || part == "" || len(part) > 2 || strings.Trim(whole+part, "0123456789") != "" {
		return "", false // 1,000 may be a thousand
	}
	return whole + "." + part, true
}

// measured reads the word before a field as its number: "0.5 points". What begins like a number and is none makes the question a
// search: "-3 points", "3x points".
func (r *reader) measured(i int) {
	it := &r.items[i]
	if it.sort != "word" || strings.Trim(it.value[:1], "-0123456789") != "" {
		return
	}
	if exact, ok := r.fraction(it.at); ok && r.points(i+1) != nil && (i < 2 || r.items[i-2].sort != "number") {
		n, err := strconv.ParseFloat(exact, 64)
		if err == nil {
			it.sort, it.least, it.most, r.items[i+1].sort = "range", n, n, "stop"
			return
		}
	}
	it.hard = true
}

// points returns the field of points at a place, nil when there is another item.
func (r *reader) points(i int) *item {
	if i < len(r.items) && r.items[i].sort == "field" && r.items[i].value == "storyPoints" {
		return &r.items[i]
	}
	return nil
}

// ranged makes a range of an item and takes the field of points that follows.
func (r *reader) ranged(it, points *item, from, to int) {
	if points.value == "storyPoints" && from <= to {
		it.sort, it.least, it.most, points.sort = "range", float64(from), float64(to), "stop"
	}
}

// trailing reads the number before "or more", with or without the name of its field.
func (r *reader) trailing(it *item) {
	b := r.before(it)
	if b != nil && b.sort == "field" {
		it.field, b = b.value, r.before(b)
	}
	switch {
	case !r.marked("joint", it.at) || b == nil:
		it.field = ""
	case b.sort == "range" && b.least == b.most: // "8 points" was read before
		it.field, it.number, b.sort = "storyPoints", int(b.least), "stop"
	case b.sort == "number":
		it.number, b.used = b.number, true
	}
}

// compared is the condition of "more than 8 points". It is "" when the number is not one of the records: "more than 3
// tickets".
func (r *reader) compared(kind desk.Kind, it *item) string {
	if it.number < 0 {
		return ""
	}
	next, before := r.after(it), r.before(it)
	if next != nil && next.sort == "unit" && it.exact == "" {
		c := r.aged(kind, it, next)
		next.used = next.used || c != ""
		return c
	}
	name := it.field
	switch {
	case name != "":
	case next != nil && next.sort == "cmp" && next.number >= 0: // "more than 5 and less than 13 points"
		if f := r.after(next); f != nil && f.sort == "field" {
			name = f.value
		}
	case next != nil && next.sort == "concept" && next.value == "hours" && fieldOf(kind, "capacity") != "":
		next.used = true
		return fmt.Sprintf("capacity:%s%s", it.value, cmp.Or(it.exact, strconv.Itoa(it.number)))
	case next != nil && next.sort == "field":
		name, next.used = next.value, true
	case before != nil && before.sort == "field":
		name, before.used = before.value, true
	}
	if name = fieldOf(kind, name); name == "" {
		return ""
	}
	fields, err := desk.Fields(kind)
	if f, ok := fields.Find(name); err != nil || !ok || f.Type != query.Number {
		return ""
	}
	return fmt.Sprintf("%s:%s%s", name, it.value, cmp.Or(it.exact, strconv.Itoa(it.number)))
}

// within is the condition that a ticket has some points; no points are not set.
func (r *reader) within(kind desk.Kind, it *item) string {
	switch {
	case fieldOf(kind, "storyPoints") == "":
		return ""
	case it.most == 0:
		return "storyPoints:none"
	case it.least == it.most:
		return fmt.Sprintf("storyPoints:%g", it.most)
	}
	return fmt.Sprintf("storyPoints:>=%g storyPoints:<=%g", it.least, it.most)
}

// aged is the condition of "open for more than 30 days", of "resolved more than 30 days ago" and of "overdue by more than 5
// days". How long a ticket took, or has had another status, no filter says: "".
func (r *reader) aged(kind desk.Kind, it, unit *item) string {
	since := move(r.cal.today(), unit.value, -min(it.number, 1000))
	less := it.value == "<" || it.value == "<="
	after := r.after(unit)
	ago := false
	if k := unit.at + unit.n; k < len(r.tokens) {
		s, _ := r.sense(k)
		ago = s.sort == "prep" && s.value == "ago"
	}
	state := func(x *item) bool {
		return x != nil && (x.sort == "value" || x.sort == "concept" && x.value != "overdue" && x.value != "duration")
	}
	old := r.marked("older", it.at) // since it was created, whatever else the question says
	switch {
	case r.has("concept", "overdue") != nil && kind.Asked().Day != "" && !less && !old:
		return kind.Asked().Day + ":<" + day(since) + openOf(kind.Asked())
	case r.has("verb", "due") != nil || r.has("field", "dueDate") != nil || r.has("concept", "overdue", "duration") != nil && !old:
		return ""
	case !old && r.has("verb", "untouched") != nil:
		r.take("verb", "untouched")
		if r.has("state") != nil || less {
			return bounds("updated", less, day(since))
		}
		return bounds("updated", less, day(since)) + openOf(kind.Asked())
	case !old && r.take("verb", "updated") != nil:
		return bounds("updated", less, day(since))
	case r.resolving():
		if name := fieldOf(kind, "resolved"); ago && name != "" {
			return bounds(name, less, day(since))
		}
		return ""
	case !ago && (state(r.before(it)) || state(after)) && !r.marked("age", it.at):
		return ""
	}
	name := fieldOf(kind, "created")
	if some, _ := r.v.Dated(); kind == desk.Ticket && !some {
		name = "created"
	}
	if name == "" {
		return ""
	}
	return bounds(name, less, day(since))
}

// lasts reports whether a question compares a length of time: "more than 30 days".
func (r *reader) lasts() bool {
	return slices.ContainsFunc(r.all("cmp"), func(it *item) bool { next := r.after(it); return it.number >= 0 && next != nil && next.sort == "unit" })
}

func bounds(field string, less bool, day string) string {
	if less {
		return field + ":>=" + day
	}
	return field + ":<" + day
}

// resolving reports whether the question is about tickets that were resolved.
func (r *reader) resolving() bool {
	for i := range r.items {
		if it := &r.items[i]; !it.not && (it.sort == "verb" && it.value == "resolved" || it.sort == "state" && it.value == "done") {
			return true
		}
	}
	return false
}
