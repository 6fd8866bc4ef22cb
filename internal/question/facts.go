package question

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// facts reads questions about one record: who, what, when, why.
func (r *reader) facts() []Plan {
	kind, said := r.kind()
	whole := r.has("title") != nil || r.has("key") != nil
	if !whole && (len(r.rest()) == 0 || r.has("topic", "about") != nil || r.has("in") != nil || r.has("by") != nil || r.has("measure", "share", "most", "oldest", "newest", "average", "median") != nil) {
		return nil
	}
	if !whole && (r.has("person") != nil || r.has("named") != nil || r.has("rel", "next") != nil) {
		return nil // of whom, and which, is not what a title says
	}
	fields := r.asked()
	if !whole && (len(fields) == 0 || r.exists() || r.has("or") != nil) {
		return nil
	}
	if it := r.has("kind"); it != nil && !whole && strings.HasSuffix(r.tokens[it.at].text, "s") && len(fields) < 2 && r.has("measure", "who", "when", "why") == nil && (r.has("measure", "list") != nil || r.has("measure") == nil) {
		return nil // which tickets …
	}
	of := kind
	if !said || whole {
		of = ""
	}
	before := slices.Clone(r.items)
	ids := r.record(of)
	if len(ids) == 0 {
		return nil
	}
	if !whole {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !r.told(id, fields) })
	}
	if !whole && (len(r.rest()) > 1 || len(ids) == 0) {
		r.items = before
		return nil
	}
	if len(fields) == 0 {
		fields = r.related(ids)
	}
	if len(fields) == 1 && fields[0] == "description" {
		fields = nil // everything
	}
	out := []Plan{{Measure: Facts, Records: ids, Fields: fields}}
	if len(ids) > 1 && len(ids) <= maxRecords {
		for _, id := range ids {
			out = append(out, Plan{Measure: Facts, Records: []string{id}, Fields: fields})
		}
	}
	return out
}

// told reports whether a record of which a question has some words has any of the fields that are asked for. When something is due is not told by
// when its record was made.
func (r *reader) told(id string, fields []string) bool {
	for _, h := range r.v.Key(id) {
		if slices.ContainsFunc(fields, func(f string) bool {
			name := fieldOf(h.Kind, f)
			if f == "status" && len(fields) > 1 { // beside what is asked for
				return false
			}
			return f == "why" || f == "description" || f == Duration && lasting(h.Kind) || f == Remaining && h.Kind.Asked().Day != "" || name != "" && (name != "created" || f == "created")
		}) {
			return true
		}
	}
	return false
}

// remaining reports whether a question asks how many days are left until something.
func (r *reader) remaining() bool {
	says := func(words ...string) bool {
		return slices.ContainsFunc(r.tokens, func(t token) bool { return slices.Contains(words, t.text) })
	}
	return (r.has("measure", "count") != nil && r.has("unit") != nil || r.has("concept", "duration") != nil) && says("until", "till", "left", "remain", "remaining", "bis", "noch", "verbleiben")
}

// exists reports whether a question asks whether there is something: "do we have a ticket for dark mode".
func (r *reader) exists() bool {
	if r.has("kind") == nil && r.has("type") == nil {
		return false
	}
	words := make([]string, min(3, len(r.tokens)))
	for i := range words {
		words[i] = r.tokens[i].text
	}
	begins := strings.Join(words, " ") + " "
	return slices.ContainsFunc([]string{"is there ", "are there ", "do we have ", "have we ", "gibt es ", "haben wir "}, func(s string) bool { return strings.HasPrefix(begins, s) })
}

// related returns the field that holds what a question calls by its kind: the phase of a milestone.
func (r *reader) related(ids []string) []string {
	for _, it := range r.all("kind") {
		for _, t := range r.items {
			for _, h := range t.hits {
				if h.ID != ids[0] || string(h.Kind) == it.value {
					continue
				}
				for _, name := range []string{it.value + "Id", it.value + "Ids"} {
					if fieldOf(h.Kind, name) != "" {
						return []string{name}
					}
				}
			}
		}
	}
	return nil
}

// asked returns the fields that a question about one record asks for: names of fields, or what the
// kind of the record makes of "when", "who", "start", "end" and "resolved".
func (r *reader) asked() (out []string) {
	add := func(name string) {
		if !slices.Contains(out, name) && len(out) < maxFields {
			out = append(out, name)
		}
	}
	when, who := r.has("measure", "when") != nil, r.has("measure", "who") != nil
	for _, it := range r.all("field") {
		if it.value == "sprint" && r.mentions("before", "previously", "earlier", "vorher", "davor") {
			add("earlierSprints")
			continue
		}
		if it.value == "coverage" || (when || who) && (it.value == "status" || it.value == "tags") {
			continue
		}
		add(it.value)
	}
	for _, it := range r.all("verb") {
		switch it.value {
		case "created":
			if who { // by whom
				add("reporter")
				continue
			}
			add(it.value)
		case "due", "resolved", "updated", "reported", "starts", "ends", "owned":
			if it.value == "updated" && who { // by whom it was changed no field says
				r.lost = append(r.lost, r.raw(it))
			}
			if it.value == "owned" && slices.Contains(having, r.tokens[it.at].text) && len(r.all("verb")) > 1 { // who has reported it
				continue
			}
			if it.value != "owned" || who || r.has("measure") == nil && !(r.has("concept", "duration") != nil && slices.Contains(having, r.tokens[it.at].text)) {
				add(it.value)
			}
		}
	}
	if r.has("concept", "overdue") != nil && !when {
		add("status")
		add("due")
	}
	if (when || r.has("concept", "duration") != nil) && r.mentions("will", "wird") { // by when it is to be
		return []string{"status", "due"}
	}
	if (when || r.has("concept", "duration") != nil) && r.has("state", "done") != nil {
		add("resolved")
	}
	if r.remaining() {
		return []string{"when", Remaining}
	}
	if r.has("concept", "duration") != nil {
		add(Duration)
	}
	if who && len(out) == 0 {
		add("owned")
	}
	if it := r.has("measure", "when"); when && (strings.HasPrefix(r.raw(it), "since") || strings.HasPrefix(strings.ToLower(r.raw(it)), "seit")) && r.has("state", "open") != nil {
		add("created")
		add(Duration)
	}
	if when && len(out) == 0 {
		add("when")
	}
	if r.has("measure", "urgent") != nil {
		add("priority")
	}
	for _, it := range r.all("value") {
		if f := setField(desk.Ticket, it.value); f != "" && f != "status" && r.has("measure") == nil { // is it critical
			add(f)
		}
	}
	if r.has("measure", "why") != nil {
		add("why")
	}
	if r.has("measure", "describe", "say") != nil {
		add("description")
	}
	if r.has("kind", "checklist") != nil && r.has("state") != nil {
		add("status")
		add("items")
	}
	if r.has("concept", "blocked") != nil && r.has("measure") == nil { // it may wait for a ticket and have another status
		add("status")
		add("blockers")
	}
	if len(out) == 0 && (r.has("state") != nil || r.has("value") != nil || r.has("concept", "blocked", "overdue") != nil) && (r.has("measure", "list", "count") == nil || len(r.all("key"))+len(r.all("title")) > 1) {
		add("status")
	}
	return out
}

// people reads questions about who has room, and what is written of a person.
func (r *reader) people() []Plan {
	if r.team() {
		return []Plan{{Kind: desk.Resource, Measure: List}}
	}
	p := Plan{Kind: desk.Resource, Measure: Capacity}
	who := r.has("person")
	if it := r.has("field", "email", "skills", "role"); it != nil && who != nil && who.names[0].ID != "" && len(r.rest()) == 0 {
		return []Plan{{Measure: Facts, Records: idsOf(who.names), Fields: r.asked()}}
	}
	if who != nil && who.names[0].ID != "" && r.has("measure", "list", "who") != nil {
		switch skill := r.has("concept", "skill"); {
		case skill != nil && r.raw(skill) != "can" && r.alone("person", "measure", "concept"): // "what is Tom good at"
			return []Plan{{Measure: Facts, Records: idsOf(who.names), Fields: []string{"skills"}}}
		case r.has("measure", "who") != nil && r.alone("person", "measure"): // "who is Lena Vogt"
			return []Plan{{Measure: Facts, Records: idsOf(who.names)}}
		}
	}
	roles := r.all("role")
	about := r.has("concept", "capacity", "load", "hours") != nil || r.has("concept", "overloaded", "idle") != nil
	if !about || r.has("kind", "ticket") != nil {
		return nil
	}
	if len(r.rest()) > 0 {
		return nil
	}
	if r.has("concept", "overloaded") != nil {
		p.State = "overloaded"
	} else if it := r.has("concept", "load"); who == nil && it != nil && (strings.HasSuffix(r.raw(it), "busiest") || strings.HasSuffix(r.raw(it), "most to do") || strings.HasSuffix(r.raw(it), "meisten zu tun") || r.take("measure", "most") != nil) {
		p.State = "busiest"
	} else if r.has("concept", "idle") != nil {
		p.State = "idle"
	}
	if who != nil {
		p.Person = who.names[0].Name
	} else if r.has("concept", "hours") != nil && r.has("measure", "count", "sum") != nil || r.has("concept", "capacity") != nil && r.has("measure", "sum") != nil {
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
