package question

import (
	"cmp"
	"fmt"
	"slices"

	"chela/internal/desk"
)

// A bound is how many records somebody or something has to have.
type bound struct {
	op string
	n  int
	by *item  // what says who or what has them
	of string // the number of theirs that is added up; empty counts them
}

// thresholds reads "who has more than 5 open tickets" and "labels with fewer than three bugs" as groups of so many records.
func (r *reader) thresholds() {
	if r.has("not") != nil || r.has("none") != nil || r.has("by") != nil || r.has("measure", "most", "least", "count", "average", "sum") != nil || r.lacks {
		return
	}
	for _, it := range r.all("cmp") {
		if it.number < 0 || it.exact != "" {
			continue
		}
		by, of := r.havers(it), ""
		if points := r.after(it); points != nil && points.sort == "field" && points.value == "storyPoints" && by != nil && r.has("kind", "ticket") == nil && r.has("type") == nil {
			points.used, of = true, points.value // "who has more than 20 points"
		} else if !r.several(it) {
			continue
		}
		if by == nil {
			continue
		}
		r.bound = &bound{it.value, it.number, by, of}
		it.used, it.sort, by.used = true, "stop", by.sort != "role" // tickets of engineers are those of engineers
		if by.sort == "kind" {
			by.sort = "stop"
		}
		for _, verb := range r.all("verb") { // "has" them
			if verb.value == "owned" && r.marked("having", verb.at) {
				verb.sort = "stop"
			}
		}
		return
	}
}

// havers is the item before a comparison that says who or what has the records; nil when none does.
func (r *reader) havers(compared *item) (by *item) {
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.at >= compared.at:
			return by
		case it.sort == "person" || it.sort == "title" || it.sort == "key":
			return nil
		case it.sort == "measure" && it.value == "who", it.sort == "role", it.sort == "kind" && slices.Contains([]string{"resource", "objective"}, it.value),
			it.sort == "field" && it.value != "storyPoints" && r.havenBy(it) != "":
			by = it
		}
	}
	return by
}

// havenBy is the field of tickets by which those are grouped that an item says.
func (r *reader) havenBy(it *item) string {
	if it.sort == "measure" {
		if r.has("verb", "reported") != nil {
			return fieldOf(desk.Ticket, "reporter")
		}
		return desk.Ticket.Asked().Who
	}
	return r.grouping(desk.Ticket, &item{sense: sense{cmp.Or(map[bool]string{true: "kind"}[it.sort == "stop"], it.sort), it.value}, at: it.at, n: it.n})
}

// bounded groups the records by what has them, where that is asked for which has so many.
func (r *reader) bounded(kind desk.Kind, p *Plan) bool {
	if r.bound == nil || !lasting(kind) {
		return false
	}
	p.Of = r.bound.of
	p.Measure, p.By, p.Sort, p.Having = Group, r.havenBy(r.bound.by), "-count", fmt.Sprintf("%s%d", r.bound.op, r.bound.n)
	return true
}
