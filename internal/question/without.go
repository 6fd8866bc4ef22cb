package question

import (
	"slices"

	"chela/internal/desk"
)

// without is the value of [Plan.State] for the people who have none of the records.
const without = "without"

// havingNone reads "who has no critical tickets" and "which engineers haven't closed anything this week" as those who have none of the records that the
// rest of the question says.
func (r *reader) havingNone() {
	who := r.has("measure", "who")
	if who == nil {
		who = r.has("role")
	}
	if who == nil {
		who = r.has("kind", string(desk.Resource))
	}
	if who == nil && len(r.items) > 0 && r.marked("anybody", 0) {
		who = &r.items[0]
	}
	if who == nil || r.has("person") != nil || r.has("title") != nil || r.has("key") != nil || r.has("versus") != nil || r.has("concept", "idle", "underused", "unassigned", "away", "skill", "capacity", "decision", "action", "openquestion") != nil || r.has("field") != nil {
		return
	}
	if r.has("kind", "ticket") == nil && r.has("type") == nil && r.has("value") == nil && r.has("state", "done") == nil && r.has("verb", "resolved") == nil && r.has("concept", "unserved", "blocked", "overdue") == nil {
		return
	}
	none := r.noneOf(who)
	if none == nil || len(r.all("not"))+len(r.all("none")) > 1 {
		return
	}
	if none.sort == "concept" { // "no tickets"
		none.sense = sense{"kind", string(desk.Ticket)}
	} else {
		none.sort = "stop"
	}
	r.single()
	r.lacks, who.used = true, who.sort == "measure" || who.sort == "kind"
	if who.sort == "kind" {
		who.sort = "stop"
	}
	for _, it := range r.all("verb") { // "has" no tickets
		if it.value == "owned" && r.marked("having", it.at) {
			it.sort = "stop"
		}
	}
}

// noneOf returns what says behind an item that there is none: "no" before the records, "nothing", or the negation of what somebody did.
func (r *reader) noneOf(who *item) *item {
	for i := range r.items {
		it := &r.items[i]
		if it.at < who.at {
			continue
		}
		next := r.after(it)
		switch {
		case it.sort == "none" && it.value == "nothing":
			return it
		case it.sort == "none" && it.value == "no" && next != nil && slices.Contains([]string{"kind", "type", "value", "state", "concept"}, next.sort) && (next.sort != "concept" || next.value == "blocked" || next.value == "overdue") && (next.sort != "kind" || next.value == string(desk.Ticket)):
			return it
		case it.sort == "concept" && it.value == "unserved" && r.has("kind", string(desk.Objective)) == nil:
			return it
		case it.sort == "not" && it.value == "not" && next != nil && (next.sort == "verb" && next.value == "owned" && r.marked("having", next.at) && next.n == 1 || next.sort == "state" && next.value == "done" || next.sort == "verb" && next.value == "resolved"):
			return it
		}
	}
	return nil
}

// lackers groups the records by those who have them, where those are asked for who have none.
func (r *reader) lackers(kind desk.Kind, p *Plan) bool {
	if !r.lacks || !lasting(kind) {
		return false
	}
	p.Measure, p.By, p.State = Group, kind.Asked().Who, without
	return true
}

// single drops the "single" of "not a single ticket" and "what single fix".
func (r *reader) single() {
	for _, it := range r.all("word") {
		if r.marked("single", it.at) {
			it.sort = "stop"
		}
	}
}
