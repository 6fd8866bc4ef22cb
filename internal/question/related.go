package question

import (
	"fmt"
	"slices"
	"strings"
)

// shared reads "owned by both Dana and Joe" and "tickets that Dana and Joe share": each of them has to be an owner.
func (r *reader) shared() {
	for _, it := range r.all("word") {
		if next := r.after(it); it.value == "both" && next != nil && next.sort == "named" && slices.ContainsFunc(next.values, func(v Value) bool { return v.Field == "labels" }) {
			it.sort, next.each = "stop", true // labelled both security and backend
			if and := r.after(next); and != nil && and.sort == "named" && r.listed(next, and) {
				and.each = true
			}
		}
	}
	for _, it := range r.all("word") {
		if next := r.after(it); it.value == "both" && next != nil && slices.Contains([]string{"value", "state", "concept"}, next.sort) && r.has("kind", "resource") == nil && r.has("measure", "who") == nil {
			it.sort = "stop" // both critical and blocked
		}
	}
	people := r.all("person")
	if len(people) < 2 {
		return
	}
	for i := range r.items {
		it := &r.items[i]
		last := it.at+it.n == len(r.tokens)
		switch {
		case it.sort == "word" && it.value == "both" && r.after(it) == people[0], it.sort == "measure" && it.value == "share" && last && r.raw(it) == "share":
			it.sort = "stop"
			for _, p := range people {
				p.each = true
			}
		}
	}
}

// cameOver reads "tickets in Sprint 2 that were in Sprint 1": those that were in another sprint before.
func (r *reader) cameOver() {
	sprints := slices.DeleteFunc(r.all("named"), func(it *item) bool { return !slices.ContainsFunc(it.values, inSprint) })
	if len(sprints) != 2 || sprints[1].at < 2 {
		return
	}
	if !marked(r.in, "earlier-sprint", r.text(&item{at: sprints[1].at - 2, n: 2})) {
		return
	}
	it := sprints[1]
	at := slices.IndexFunc(it.values, inSprint)
	v := it.values[at]
	v.Field = "earlierSprints"
	it.values = []Value{v}
}

// things reads "open items" as records of any kind, and not as what stands on a checklist.
func (r *reader) things() {
	for _, it := range r.all("field") {
		if r.marked("things", it.at) && it.n == 1 && !r.ofChecklist() {
			it.sort = "stop"
		}
	}
}

// moved reads "moved from Sprint 24 to Sprint 25" as what was in the one before, and is in the other.
func (r *reader) moved() {
	sprints := slices.DeleteFunc(r.all("named"), func(it *item) bool { return !slices.ContainsFunc(it.values, inSprint) })
	if len(sprints) != 2 || r.before(sprints[0]) == nil || r.before(sprints[1]) != sprints[0] {
		return
	}
	from, to := sprints[0], sprints[1]
	verb := r.before(from)
	if from.at == 0 || !r.marked("from", from.at-1) || !r.marked("toward", to.at-1) || verb.sort != "verb" || verb.value != "updated" && verb.value != "carried" {
		return
	}
	v := from.values[slices.IndexFunc(from.values, inSprint)]
	v.Field = "earlierSprints"
	from.values, verb.sort = []Value{v}, "stop"
}

// outcomes reads "what outcome does PAY-1 have" as how the ticket ended, and not as an objective.
func (r *reader) outcomes() {
	for _, it := range r.all("kind") {
		if key := r.has("key"); key != nil && strings.HasPrefix(r.raw(it), "outcome") && fieldOf(key.hits[0].Kind, "outcome") != "" && lasting(key.hits[0].Kind) {
			it.sense = sense{"field", "outcome"}
		}
	}
}

// members reads "subtasks of PAY-1" and "which milestones belong to the build phase": records of one kind that name one of another, or their
// parent.
func (r *reader) members() []Plan {
	kind, said := r.kind()
	of := r.has("key")
	if of == nil {
		of = r.has("title")
	}
	if of == nil || len(of.hits) != 1 || r.has("field") != nil || r.has("measure", "when", "why", "describe") != nil {
		return nil
	}
	hit := of.hits[0]
	who := r.has("measure", "who") != nil
	if name := fieldOf(kind, string(hit.Kind)+"Ids"); who && !said && name != "" && fieldOf(hit.Kind, "owner") == "" && r.has("verb", "owned") != nil && r.has("not") == nil {
		of.used = true // what is nobody's: who works on it has its tickets
		return []Plan{{Kind: kind, Measure: Group, By: kind.Asked().Who, Filter: name + ":" + hit.ID}}
	}
	if !said || who {
		return nil
	}
	if name := fieldOf(kind, "sprint"); plansSprint(*of) && name == "sprintName" && !r.marks("goal") {
		of.used = true
		return []Plan{{Kind: kind, Measure: List, Filter: fmt.Sprintf("%s:%q", name, hit.Title)}}
	}
	field := ""
	for _, name := range []string{string(hit.Kind) + "Id", string(hit.Kind) + "Ids"} {
		if name = fieldOf(kind, name); name != "" {
			field = name
		}
	}
	if sub := r.has("type"); hit.Kind == kind && sub != nil && sub.at < of.at && sub.value != "EPIC" {
		field = fieldOf(kind, "parentTicketId")
		if sub.value == "SUBTASK" {
			sub.used = true
		}
	}
	if field == "" || !r.inside(of) {
		return nil
	}
	of.used = true
	for _, it := range append(r.all("verb"), r.all("kind")...) {
		it.used = it.used || it.value == "serves" || it.value == "owned" || it.value == string(hit.Kind)
	}
	for _, it := range r.all("type") { // "of the epic Checkout"
		it.used = it.used || it.value == "EPIC"
	}
	p := Plan{Kind: kind, Measure: List, Filter: field + ":" + hit.ID}
	if r.take("measure", "count") != nil {
		p.Measure = Count
	}
	p.Filter = strings.TrimSpace(p.Filter + " " + strings.Join(r.conditions(kind), " "))
	return []Plan{p}
}

// inside reports whether the words before a record say that others are of it.
func (r *reader) inside(of *item) bool {
	if b, a := r.before(of), r.after(of); b != nil && b.sort == "verb" && b.value == "serves" || a != nil && a.sort == "verb" && r.marked("having", a.at) {
		return true
	}
	for at := of.at - 1; at >= 0; at-- {
		if r.marked("inside", at) {
			return true
		}
		if !r.marked("article", at) {
			return false
		}
	}
	return false
}
