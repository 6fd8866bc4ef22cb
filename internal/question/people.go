package question

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// people reads questions about who has room, and what is written of a person.
func (r *reader) people() []Plan {
	if r.team() {
		return []Plan{{Kind: desk.Resource, Measure: List}}
	}
	if r.has("concept", "away") != nil {
		return r.absences()
	}
	if r.has("concept", "unique") != nil && len(r.rest()) == 0 && len(r.all("person")) < 2 && r.alone("concept", "person", "measure", "field", "kind", "verb", "untold", "number", "state") {
		return r.uniques()
	}
	p := Plan{Kind: desk.Resource, Measure: Capacity}
	who := r.has("person")
	if it := r.has("field", "email", "skills", "role"); it != nil && who != nil && who.names[0].ID != "" && len(r.rest()) == 0 {
		return []Plan{{Measure: Facts, Records: idsOf(who.names), Fields: r.asked()}}
	}
	if who != nil && who.names[0].ID != "" && r.has("measure", "list", "who") != nil {
		switch skill := r.has("concept", "skill"); {
		case skill != nil && (r.raw(skill) != "can" || r.marked("do", len(r.tokens)-1)) && r.alone("person", "measure", "concept"): // "what is Tom good at"
			return []Plan{{Measure: Facts, Records: idsOf(who.names), Fields: []string{"skills"}}}
		case r.has("measure", "who") != nil && r.alone("person", "measure"): // "who is Lena Vogt"
			return []Plan{{Measure: Facts, Records: idsOf(who.names)}}
		}
	}
	roles := r.all("role")
	about := r.has("concept", "capacity", "load", "hours") != nil || r.has("concept", "overloaded", "idle", "underused") != nil
	if !about || r.has("kind", "ticket") != nil || r.has("kind", "resource") != nil && slices.ContainsFunc(r.all("cmp"), func(it *item) bool { return it.number > 0 && r.after(it) != nil && r.after(it).value == "hours" }) {
		return nil
	}
	if len(r.rest()) > 0 {
		return nil
	}
	if it := r.has("period"); it != nil && it.period.now(r.cal.today()) {
		it.used = true
	}
	if it := r.has("concept", "idle", "underused"); it != nil && r.has("concept", "overloaded") != nil {
		r.lost = append(r.lost, r.raw(it)) // two questions
	}
	if r.has("concept", "overloaded") != nil {
		p.State = "overloaded"
	} else if it := r.has("concept", "load"); who == nil && it != nil && (marked(r.in, "busiest", r.text(it)) || r.take("measure", "most") != nil) {
		p.State = "busiest"
	} else if r.has("concept", "idle") != nil {
		p.State = "idle"
	} else if r.has("concept", "underused") != nil {
		p.State = "underutilized"
	}
	if who != nil {
		p.Person = who.names[0].Name
	} else if r.has("concept", "hours") != nil && r.has("concept", "capacity") != nil && r.marks("team") || r.has("concept", "hours") != nil && r.has("measure", "count", "sum") != nil || r.has("concept", "capacity") != nil && r.has("measure", "sum") != nil {
		p.State = "total"
	}
	filters := &conjunction{}
	for _, it := range roles {
		filters.set(0, "role", it.value, it.not)
		it.used = true
	}
	for _, it := range r.all("named") {
		for _, v := range it.values {
			if v.Kind == desk.Resource {
				filters.set(it.group, v.Field, fmt.Sprintf("%q", v.Text), it.not)
				it.used = true
				break
			}
		}
	}
	p.Filter = strings.Join(filters.all(), " ")
	return []Plan{p}
}

// vacations reads "tickets about vacation" as those with the word, where a question is of other records than people.
func (r *reader) vacations() {
	kind := r.has("kind")
	if r.has("topic") == nil && r.has("type") == nil && r.has("field", "labels") == nil && (kind == nil || kind.value == "resource") {
		return
	}
	for _, it := range r.all("concept") {
		if it.value == "away" && it.n == 1 {
			it.sense = sense{"word", r.tokens[it.at].text}
		}
	}
}

// absences reads "who is away next week" and "is Kofi on leave": whose days away lie in a time, which is today where the question names none.
func (r *reader) absences() []Plan {
	if r.has("kind", "ticket") != nil || r.has("type") != nil || len(r.rest()) > 0 || len(r.all("person")) > 1 || r.has("not") != nil {
		return nil
	}
	r.take("concept", "away")
	p := Plan{Kind: desk.Resource, Measure: Capacity, State: "away", Person: r.person(), From: day(r.cal.today()), To: day(r.cal.today())}
	if it := r.has("period"); it != nil {
		if p.From, p.To = "", ""; !r.past(it) {
			it.period = it.period.ahead(r.cal.today())
		}
		r.days(&p)
	} else if r.has("measure", "when") != nil {
		p.To = ""
	}
	filters := &conjunction{}
	for _, it := range r.all("role") {
		filters.set(0, "role", it.value, it.not)
		it.used = true
	}
	for i := range r.items { // "and what is due in that time"
		if it := &r.items[i]; !it.used && slices.Contains([]string{"concept", "verb", "state", "value", "field", "named", "title", "key"}, it.sort) {
			r.lost = append(r.lost, r.raw(it))
		}
	}
	p.Filter = strings.Join(filters.all(), " ")
	return []Plan{p}
}

// alone reports whether the question has nothing but items of some sorts, and words that mean nothing.
func (r *reader) alone(sorts ...string) bool {
	return !slices.ContainsFunc(r.items, func(it item) bool { return it.sort != "stop" && it.sort != "prep" && !slices.Contains(sorts, it.sort) })
}

// team reports whether a question asks who is on the team, and nothing else.
func (r *reader) team() bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return t.text == "team" }) && r.has("measure", "who", "list") != nil &&
		!slices.ContainsFunc(r.items, func(it item) bool {
			return !slices.Contains([]string{"stop", "prep", "measure"}, it.sort) && r.raw(&it) != "is on"
		})
}

func idsOf(names []Name) (out []string) {
	for _, n := range names {
		if n.ID != "" {
			out = append(out, n.ID)
		}
	}
	return out
}
