package question

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/desk"
)

// meetings reads "the last meeting" and "the first meeting" as the day of it. What came "since" it is of that day, and later.
func (r *reader) meetings() {
	for i := range r.items {
		kind := &r.items[i]
		if i == 0 || kind.sort != "kind" || kind.value != string(desk.Thread) || strings.HasSuffix(r.tokens[kind.at].text, "s") {
			continue
		}
		which := &r.items[i-1]
		first, last := r.v.Meetings(desk.DateOf(r.now))
		on := ""
		switch {
		case which.sort == "rel" && which.value == "last", which.sort == "measure" && which.value == "newest":
			on = last
		case which.sort == "measure" && which.value == "oldest", slices.Contains([]string{"first", "erste", "ersten", "erster"}, r.tokens[which.at].text):
			on = first
		}
		from, err := time.Parse(time.DateOnly, on)
		if err != nil {
			continue
		}
		which.sense, which.period = sense{"period", ""}, period{from: from, to: from.AddDate(0, 0, 1)}
		prep := i - 2
		for prep >= 0 && r.items[prep].sort == "stop" {
			prep--
		}
		if prep >= 0 && r.items[prep].sort == "prep" && slices.Contains([]string{"since", "after", "before", "until"}, r.items[prep].value) {
			which.period, kind.sort = r.cal.bounded(r.items[prep].value, which.period), "stop"
		} else if r.take("measure", "when") != nil {
			kind.used = true // the answer has the day
		}
	}
}

// attendance reads who was at which meetings, and how many people were.
func (r *reader) attendance() []Plan {
	who := r.has("measure", "who")
	most := r.has("measure", "most", "least")
	if r.has("title") != nil || r.has("key") != nil || r.has("kind", "ticket") != nil {
		return nil
	}
	if r.has("value", "MISSED") != nil && r.has("kind", string(desk.Thread)) != nil {
		return []Plan{r.search()} // who was not there
	}
	if p, ok := r.stranger(); ok {
		return []Plan{p}
	}
	if r.has("person") != nil {
		return nil
	}
	field := r.has("field", "attendees")
	switch {
	case field != nil && (who != nil || r.has("kind", "resource") != nil || r.marks("attendees") && r.has("kind", "thread") == nil):
		field.used = true
	case field == nil && who != nil && r.there():
	default:
		return nil
	}
	if r.has("not") != nil {
		return []Plan{r.search()} // minutes say who was there, and seldom who was not
	}
	p := Plan{Kind: desk.Thread, Measure: Group, By: "attendees"}
	if most != nil {
		p.Sort, most.used = "-count", true
		if most.value == "least" {
			p.Sort = "count"
		}
	}
	for _, it := range slices.Concat(r.all("measure"), r.all("kind")) {
		it.used = it.used || slices.Contains([]string{"who", "count", "list", string(desk.Resource), string(desk.Thread)}, it.value)
	}
	p.Filter = strings.TrimSpace("has:attendees " + strings.Join(r.conditions(desk.Thread), " "))
	p.Filter = strings.TrimSpace(p.Filter + " " + r.texts(desk.Thread))
	return []Plan{p}
}

// stranger reads "was Dora Fix at the last meeting?" of somebody whom no record names as a person: attendees are asked for the
// name, and not texts, which say who was not there, too.
func (r *reader) stranger() (p Plan, ok bool) {
	if !r.marked("was", 0) || r.has("not") != nil {
		return p, false
	}
	var name []string
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.sort == "word" && it.at == len(name)+1 && unicode.IsUpper([]rune(r.tokens[it.at].raw)[0]):
			name = append(name, it.value)
		case slices.Contains([]string{"stop", "prep", "period"}, it.sort), it.sort == "kind" && it.value == string(desk.Thread), it.sort == "field" && it.value == "attendees":
		default:
			return p, false
		}
	}
	if len(name) == 0 || r.has("kind", string(desk.Thread)) == nil && r.has("field", "attendees") == nil {
		return p, false
	}
	for i := range r.items {
		it := &r.items[i]
		it.used = it.used || it.sort == "word" || it.sort == "field"
	}
	filter := append(r.conditions(desk.Thread), fmt.Sprintf("attendees:~%q", strings.Join(name, " ")))
	return Plan{Kind: desk.Thread, Measure: List, Filter: strings.Join(filter, " ")}, true
}

// there reports whether the question says no more than that somebody was at a meeting, or there on a day.
func (r *reader) there() bool {
	if !r.marks("was") || r.marks("out") {
		return false
	}
	for _, it := range r.items {
		switch {
		case slices.Contains([]string{"stop", "prep", "period"}, it.sort), it.sort == "measure" && it.value == "who", it.sort == "kind" && it.value == string(desk.Thread):
		default:
			return false
		}
	}
	return r.has("kind", string(desk.Thread)) != nil || r.has("period") != nil && r.marks("there")
}

// speech reads what somebody said: lines of texts, which no record has as its own.
func (r *reader) speech() []Plan {
	if r.has("measure", "say") == nil || r.has("person") == nil || r.has("title") != nil || r.has("key") != nil {
		return nil
	}
	var about []token
	for _, it := range r.items {
		if it.sort != "topic" && it.value != "owned" {
			about = append(about, r.tokens[it.at:it.at+it.n]...)
		}
	}
	return []Plan{{Measure: Search, Words: strings.Join(r.words(about), " ")}}
}
