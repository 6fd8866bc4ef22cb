package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// left returns the words of which a plan has to make something and makes nothing: a negation, an "or", an exclusion, a
// comparison, a superlative. What is computed without them is the answer to another question.
func (r *reader) left(p Plan) []string {
	out := append(slices.Clone(r.lost), r.unsaid(p)...)
	out = append(out, r.elsewhere(p)...)
	if p.Measure != Origin && (p.Measure != Facts || r.has("not") != nil && r.has("kind") != nil && r.has("measure", "list", "count") != nil) { // what a record says is said whole: "is PAY-1 not done?"
		for i := range r.items {
			if it := &r.items[i]; r.matters(it, p) {
				out = append(out, r.raw(it))
			}
		}
	}
	for _, w := range r.guessed {
		if (p.many() || p.ofMinutes()) && !slices.ContainsFunc(out, func(o string) bool { return strings.HasSuffix(o, w) }) {
			out = append(out, w)
		}
	}
	return out
}

// elsewhere returns the words by which a question asks for what no plan is of: what will be, what comes after a record, what somebody changed or
// said, which of those before.
func (r *reader) elsewhere(p Plan) (out []string) {
	if at := r.foresees(); at >= 0 && p.many() {
		out = append(out, r.tokens[at].raw)
	}
	if it := r.has("named"); it != nil && p.Measure == Capacity && slices.ContainsFunc(it.values, inSprint) { // room in a sprint
		out = append(out, r.raw(it))
	}
	if it := r.beyond(p); it != nil {
		out = append(out, r.raw(it))
	}
	if it := r.has("verb", "updated"); it != nil && p.Measure == Facts && r.has("measure", "who") != nil { // by whom a record was changed
		out = append(out, r.raw(it))
	}
	if it := r.has("none", "nobody"); it != nil && p.many() && r.marked("but", it.at+it.n) { // nobody but Support
		out = append(out, r.raw(it))
	}
	for i, t := range r.tokens { // "which of them are Joe's": no answer knows the one before
		if p.many() && r.marked("of", i-1) && r.marked("them", i) && (i+1 == len(r.tokens) || r.marked("is", i+1) || r.marked("asks", i+1)) {
			out = append(out, t.raw)
		}
	}
	if it := r.has("topic"); it != nil && p.many() && fieldOf(p.Kind, "attendees") == "" && r.has("person") != nil && r.has("person").at < it.at && strings.HasPrefix(r.raw(it), "talk") { // what somebody talked about
		out = append(out, r.raw(it))
	}
	for i := range r.items { // "-3 points"
		if it := &r.items[i]; it.sort == "word" && it.hard && p.Measure != Origin {
			out = append(out, r.raw(it))
		}
	}
	return out
}

// matters reports whether a plan has to make something of an item and makes nothing.
func (r *reader) matters(it *item, p Plan) bool {
	unused := !it.used
	for _, x := range it.about {
		unused = unused || !x.used
	}
	matters := false
	switch it.sort {
	case "not", "or":
		matters = true
		unused = unused || p.Not == "" && slices.Contains([]Measure{Facts, Coverage, Decisions, Actions, Questions, Waits, Duplicates, Deltas}, p.Measure)
	case "by": // "action items per person": nothing groups them
		next := r.after(it)
		matters = slices.Contains([]Measure{Decisions, Actions, Questions}, p.Measure) && next != nil && slices.Contains([]string{"kind", "field", "unit"}, next.sort)
		if p.many() && next != nil && next.sort == "word" && marked(r.in, "per", r.text(it)) {
			unused, matters = true, true // of what groups there is no field
		}
	case "in", "range", "trend", "versus", "untold", "changed", "chain", "through":
		matters = true
	case "field": // "changed owner": of when a field changed no record tells
		if p.Measure != Changes && r.changing(it) {
			unused, matters = true, true
		}
	case "verb":
		unused, matters = true, r.divided(it)
	case "prep": // "after it started", "before the release": no day is known
		next := r.after(it)
		matters = p.many() && slices.Contains([]string{"after", "before", "since", "until"}, it.value) && (next == nil || next.sort != "cmp")
	case "value":
		matters = p.many()
	case "none":
		matters = p.State != "unserved" && p.State != "unmapped"
	case "concept":
		matters = r.conceptMatters(it, p)
	case "cmp":
		matters = it.number >= 0 || it.n > 1
	case "period":
		matters = it.hard
	case "number": // how many of something a record has, no filter says: "two labels"
		next := r.after(it)
		matters = next != nil && (next.sort == "field" || next.sort == "word" || next.sort == "kind" && next.value != string(p.Kind)) && next.at == it.at+it.n
	case "measure": // "how many were created, and how many were resolved" is two questions
		matters = it.value == "compare" || it.value == "count" && it != r.has("measure", "count") || slices.Contains([]string{"most", "least", "top", "urgent", "biggest", "smallest", "oldest", "newest", "longest", "shortest", "openlongest", "average", "median", "percentile"}, it.value) &&
			(p.Measure != Capacity || it.value != "most")
	}
	return matters && unused
}

// conceptMatters reports whether a plan has to make something of a word for a state of work.
func (r *reader) conceptMatters(it *item, p Plan) bool {
	switch it.value {
	case "reach", "coveredleast", "coveredmost", "parentclosed", "childrenclosed":
		return true
	case "duplicate":
		return r.multiple(it)
	case "overdue":
		return p.Measure == Waits || p.many() && !it.used
	case "unassigned", "unestimated", "nodue":
		return p.Measure == Waits || p.State == ""
	case "unserved", "unmapped", "assigned", "unplanned", "backlog":
		return p.State == ""
	}
	return false
}

// divided reports whether a verb asks for a second number, or for what no record says: "opened and closed in February", "updated by Tom".
func (r *reader) divided(it *item) bool {
	if r.byWhom(it) || it.value == "updated" && r.tokens[0].text == "how" && (r.marked("past", 1) || r.marked("is", 1)) { // how something changed
		return true
	}
	if it.value != "created" || r.has("period") == nil {
		return false
	}
	other := r.has("state", "done")
	if other == nil {
		other = r.has("verb", "resolved")
	}
	return other != nil && !other.not && r.joined(it, other)
}

// joined reports whether an "and" alone stands between two items, whichever comes first.
func (r *reader) joined(a, b *item) bool {
	if a.at > b.at {
		a, b = b, a
	}
	between := r.tokens[a.at+a.n : b.at]
	return len(between) == 1 && marked(r.in, "and", between[0].text)
}

// changing reports whether a question asks when a field changed: "changed owner last week", "whose status changed".
func (r *reader) changing(field *item) bool {
	is := func(x *item) bool {
		return x != nil && x.sort == "verb" && x.value == "updated" && r.tokens[x.at].text != "activity" && (x.at+x.n == field.at || field.at+field.n == x.at)
	}
	return is(r.before(field)) || is(r.after(field))
}

// foresees returns the word by which a question asks what will become of the work, or should: "can we ship on Friday", "which tickets should be
// closed". Records tell what was. It is -1 when there is none.
func (r *reader) foresees() int {
	if r.has("verb", "resolved", "ends") == nil && r.has("state", "done") == nil && r.has("value", "MISSED", "ACHIEVED", "COMPLETED") == nil {
		return -1
	}
	for i := range r.tokens {
		asks := r.marked("speaker", i+1) // "can you show me"
		if !asks && r.marked("foresees", i) {
			return i
		}
	}
	return -1
}

// beyond returns the "after" or "before" of a question that asks for what comes after a record, or before it, and not for the record: nil when
// there is none.
func (r *reader) beyond(p Plan) *item {
	if p.Measure != Facts {
		return nil
	}
	for _, it := range r.all("prep") {
		next := r.after(it)
		if (it.value == "after" || it.value == "before") && next != nil && (next.sort == "title" || next.sort == "key") {
			return it
		}
	}
	return nil
}

// byWhom reports whether a question asks who changed or assigned records, which no field says: "updated by Tom".
func (r *reader) byWhom(verb *item) bool {
	by := r.after(verb)
	return (verb.value == "updated" || strings.HasPrefix(r.raw(verb), "assigned")) && by != nil && r.raw(by) == "by" && by.at == verb.at+verb.n && r.after(by) != nil && r.after(by).sort == "person"
}

// multiple reports whether "twice" says how often or how much, and not that records are there twice.
func (r *reader) multiple(it *item) bool {
	return r.marked("twice", it.at) && (r.has("verb", "updated", "untouched", "created", "resolved", "carried") != nil || r.has("field") != nil || r.has("key") != nil)
}

// raw is an item as it was written.
func (r *reader) raw(it *item) string {
	return phraseOf(r.tokens[it.at : it.at+it.n])
}

// sprintOf adds the sprint that a title is the plan of to what its words mean, for a sprint in which no ticket is any more.
// stands says that a ticket is in it.
func sprintOf(title item, values []Value, n int) (all []Value, words int, stands bool) {
	if n == title.n && slices.ContainsFunc(values, inSprint) {
		return values, n, true
	}
	if n > title.n || !plansSprint(title) {
		return values, n, false
	}
	if n < title.n {
		values = nil
	}
	return append(slices.Clone(values), Value{Kind: desk.Ticket, Field: "sprint", Text: title.hits[0].Title}), title.n, false
}

// inSprint reports whether a value is the sprint of a ticket.
func inSprint(v Value) bool { return v.Kind == desk.Ticket && v.Field == "sprint" }

// plansSprint reports whether a title is that of plans of sprints alone.
func plansSprint(title item) bool {
	return !slices.ContainsFunc(title.hits, func(h Hit) bool { return h.Kind != desk.SprintPlan })
}

// sprint reports whether a title is meant as the sprint of tickets: they have its words as their sprint, and the question
// does not ask when the sprint begins or ends, for its goal, or how it stands.
// Where no ticket stands in the sprint any more, the question has to name tickets.
func (r *reader) sprint(title item, values []Value, n int, stands bool) bool {
	if n != title.n || !slices.ContainsFunc(values, inSprint) {
		return false
	}
	if !plansSprint(title) {
		return false
	}
	own := false
	for i := 0; i < len(r.tokens); {
		s, k := r.sense(i)
		switch {
		case s.sort == "kind" && s.value == "ticket" || s.sort == "type" || s.sort == "by", s.sort == "field" && s.value == "storyPoints":
			return true
		case s.sort == "verb" && (s.value == "starts" || s.value == "ends"), s.sort == "measure" && s.value == "when", s.sort == "field" && s.value == "status", s.sort == "kind" && s.value == "objective":
			own = true
		case s.sort == "unit" && (s.value == "day" || s.value == "week"): // "how many days are left in"
			own = own || i == 0 || r.marked("how", 0)
		case s.sort == "measure" && (s.value == "describe" || s.value == "say") && r.tokens[i].text != "what":
			own = true
		}
		i += max(k, 1)
	}
	return stands && !own
}

// shown are the fields that a list of records has as its columns, whether a question names them or not.
var shown = []string{"status", "priority", "owner", "dueDate"}

// ofMinutes reports whether a plan computes what was agreed on or asked in minutes.
func (p Plan) ofMinutes() bool {
	return slices.Contains([]Measure{Decisions, Actions, Questions}, p.Measure)
}

// many reports whether a plan computes something over many records by their fields.
func (p Plan) many() bool {
	return slices.Contains([]Measure{List, Count, Group, Sum, Average, Median, Percentile, Share}, p.Measure)
}
