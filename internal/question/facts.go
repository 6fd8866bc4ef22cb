package question

import (
	"slices"
	"strings"
)

// facts reads questions about one record: who, what, when, why.
func (r *reader) facts() []Plan {
	kind, said := r.kind()
	whole := r.has("title") != nil || r.has("key") != nil
	if !whole && (len(r.rest()) == 0 || r.has("topic", "about") != nil && !r.theOne() || r.has("in") != nil || r.has("by") != nil || r.has("measure", "share", "most", "oldest", "newest", "average", "median") != nil) {
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
	out := []Plan{{Measure: Facts, Records: ids, Fields: r.lasting(fields)}}
	if len(ids) > 1 && len(ids) <= maxRecords {
		for _, id := range ids {
			out = append(out, Plan{Measure: Facts, Records: []string{id}, Fields: fields})
		}
	}
	return out
}

// lasting has the first and the last day in the place of how long something lasts that is not closed: a phase.
func (r *reader) lasting(fields []string) []string {
	closed := slices.ContainsFunc(r.items, func(it item) bool { return slices.ContainsFunc(it.hits, func(h Hit) bool { return lasting(h.Kind) }) })
	at := slices.Index(fields, Duration)
	if at < 0 || closed || len(fields) > 1 || r.has("title") == nil || fieldOf(r.has("title").hits[0].Kind, "ends") == "" {
		return fields
	}
	return []string{"starts", "ends"}
}

// theOne reports whether the question means one record by what it is about: "who wrote the ticket about dark mode".
func (r *reader) theOne() bool {
	it := r.has("topic", "about")
	kind := r.before(it)
	return kind != nil && kind.sort == "kind" && kind.at+kind.n == it.at && kind.at > 0 && !strings.HasSuffix(r.tokens[kind.at].text, "s") &&
		r.marked("the", kind.at-1) && r.has("measure", "who", "when") != nil
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
	return (r.has("unit") != nil && (r.has("measure", "count") != nil || r.items[0].sort == "unit") || r.has("concept", "duration") != nil) && r.marks("until")
}

// exists reports whether a question asks whether there is something: "do we have a ticket for dark mode".
func (r *reader) exists() bool {
	if r.has("kind") == nil && r.has("type") == nil {
		return false
	}
	for n := 2; n <= min(3, len(r.tokens)); n++ {
		if marked(r.in, "whether", r.text(&item{n: n})) {
			return true
		}
	}
	return false
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
