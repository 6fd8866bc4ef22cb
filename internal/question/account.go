package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// light returns the words that the tables call empty, and that change what is asked all the same where no rule has read them: "scheduled",
// "only", "first". The answer is computed without them, and says so.
func (r *reader) light() (out []string) {
	for i := range r.items {
		if it := &r.items[i]; !it.used && it.sort == "stop" && marked(r.in, "weighty", r.text(it)) && !r.harmless(i) {
			out = append(out, r.raw(it))
		} else if it.sort == "period" {
			out = append(out, r.swallowed(it)...)
		}
	}
	return out
}

// swallowed returns such words that stand before a period and are taken for part of it: "that could bite us this quarter".
func (r *reader) swallowed(period *item) (out []string) {
	for at := period.at; at < period.at+period.n; at++ {
		if r.marked("ought", at) || r.marked("must", at) && r.has("state", "open") == nil || r.marked("only", at) { // what Mei has to do yet
			out = append(out, r.tokens[at].raw)
		}
	}
	return out
}

// harmless reports whether such a word changes nothing where it stands.
func (r *reader) harmless(i int) bool {
	it := &r.items[i]
	next, before := r.after(it), r.before(it)
	switch {
	case r.marked("only", it.at):
		return r.narrowsTo(i)
	case r.marked("labour", it.at) && next != nil && next.sort == "cmp": // work less than 40 hours
		return true
	case r.marked("labour", it.at): // open work
		return before != nil && (slices.Contains([]string{"state", "value", "named"}, before.sort) || before.sort == "concept" && before.value != "unassigned")
	case r.marked("must", it.at): // what Mei has to do yet
		return r.has("state", "open") != nil
	case r.marked("hour", it.at): // the average time to close
		return r.has("concept", "duration", "capacity") != nil
	case r.marked("again", it.at):
		return it.at+it.n == len(r.tokens)
	case r.marked("planned", it.at): // planned for Sprint 25
		return slices.ContainsFunc(r.all("named"), func(x *item) bool { return slices.ContainsFunc(x.values, inSprint) })
	case r.marked("ought", it.at): // who should I talk to
		return r.has("concept", "skill") != nil && r.has("measure", "who") != nil
	case r.marked("pronoun", it.at):
		return r.has("person") != nil || r.has("title") != nil || r.has("key") != nil
	}
	return false
}

// exempt are the sorts of items that a measure needs no item of.
func (r *reader) exempt(p Plan) []string {
	switch p.Measure {
	case Capacity:
		return []string{"role", "named", "state", "none", "unit", "rel", "measure"}
	case Coverage, Deltas, Duplicates, Waits:
		return []string{"state", "none", "value", "kind", "word", "measure"}
	case Decisions, Actions, Questions:
		return []string{"state", "measure"}
	case Changes, Comments:
		return []string{"measure", "unit"}
	case List, Count, Group, Sum, Average, Median, Percentile, Share, Facts, Origin, Search, Forecast, Slips, Risks, Suggest, Summary:
	}
	if p.State != "" && p.State != without {
		return []string{"kind", "none", "title", "state"}
	}
	return nil
}

// further reports whether an item asks a second question, behind an "and": "the fastest one, and who did it".
func (r *reader) further(it *item, p Plan) bool {
	return p.many() && it.at > 1 && r.marked("and", it.at-1) && slices.Contains([]string{"who", "when", "why", "count"}, it.value) && (it.value != "who" || p.By == "")
}

// narrowsTo reports whether an "only" stands before or behind what narrows records anyway: "only bugs", "open ones only".
func (r *reader) narrowsTo(i int) bool {
	narrow := []string{"field", "kind", "type", "state", "value", "person", "named", "period", "concept", "role", "title", "word", "key"}
	next, before := r.after(&r.items[i]), r.before(&r.items[i])
	return next != nil && slices.Contains(narrow, next.sort) || next == nil && before != nil && slices.Contains(narrow, before.sort)
}

// describes reports whether a word that nothing else is made of says what records are about: it is quoted, the question asks for words, or it
// stands beside what the records are called: "refund tickets", "tickets for the pilot". Of other words, that texts have them is a guess.
func (r *reader) describes(i int) bool {
	if r.tokens[r.items[i].at].quoted || r.has("topic") != nil || r.has("in") != nil || r.has("kind", string(desk.Thread)) != nil && r.marks("discussed") {
		return true
	}
	return r.behindKind(i) || r.beforeKind(i)
}

// behindKind reports whether nothing but articles, prepositions and other such words stand between what the records are called and an item: "tickets
// for the pilot".
func (r *reader) behindKind(i int) bool {
	for i--; i >= 0; i-- {
		switch it := &r.items[i]; it.sort {
		case "kind", "type":
			return true
		case "word", "prep", "or", "not", "named", "number":
		case "stop":
			if !slices.ContainsFunc([]string{"article", "joint", "having", "of"}, func(mark string) bool { return r.marked(mark, it.at) }) {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// beforeKind reports whether what the records are called follows an item: "refund tickets".
func (r *reader) beforeKind(i int) bool {
	for i++; i < len(r.items); i++ {
		switch r.items[i].sort {
		case "kind", "type":
			return true
		case "word", "named", "value", "state", "concept", "or":
		default:
			return false
		}
	}
	return false
}

// untoldOf returns the words of a question about records that none of the fields which it is answered with tells: "who closed PAY-1" is
// no question after an owner alone.
func (r *reader) untoldOf(p Plan) (out []string) {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(p.Fields, n) })
	}
	whole := len(p.Fields) == 0 || has("description")
	for i := range r.items {
		it := &r.items[i]
		lost := false
		switch it.sort {
		case "value", "state", "none":
			lost = (!whole || it.sort == "state" && r.has("measure", "list", "count") != nil) && !has("status", "resolved", "items", "why", "blockers", "due", Remaining, Duration, "created") && !has(setField(desk.Ticket, it.value))
		case "type":
			lost = i == 0 || i == 1 && r.items[0].sort == "measure" && r.items[0].value == "list"
		case "role", "versus", "trend", "range", "in", "rel", "number":
			lost = true
		case "verb": // "no progress on PAY-1"
			lost = slices.Contains([]string{"untouched", "into", "carried", "serves"}, it.value) && !has("updated", "earlierSprints")
		case "concept":
			lost = !whole && !map[string]bool{"reach": has("status"), "duration": has(Duration, Entered, Remaining, "starts", "ends"), "overdue": has("due", Remaining), "blocked": has("status", "blockers", "why"), "skill": has("skills")}[it.value]
		case "measure":
			lost = slices.Contains([]string{"average", "median", "percentile", "most", "least", "oldest", "newest", "longest", "shortest", "biggest", "smallest", "share", "compare", "top", "sum"}, it.value) || it.value == "who" && !r.asksWhose(p) ||
				it.value == "when" && !whole && !has("when", "created", "due", "resolved", "starts", "ends", "updated", "dueDate", "targetDate", "why", Duration, Remaining, Entered) || it.value == "count" && !has(Remaining, Duration, "items", "storyPoints", "description")
		case "kind":
			lost = !r.calls(it, p) && !has("goal") && !has(it.value+"Id", it.value+"Ids")
		case "stop": // "is everything from the review done", "who pays for it"
			lost = r.marked("whole", it.at) && i+1 < len(r.items) && r.items[i+1].sort == "prep" || r.marked("it", it.at) && r.has("title") == nil && r.has("key") == nil
		case "not":
			lost = it.value == "except"
		case "by":
			lost = it.value != "by"
		}
		if lost && (!it.used || it.sort == "not") {
			out = append(out, r.raw(it))
		}
	}
	return out
}

// asksWhose reports whether the question says what somebody is to a record: who has it, or is its owner. Who "pays" for it is another question.
func (r *reader) asksWhose(p Plan) bool {
	met := slices.ContainsFunc(p.Records, func(id string) bool { // who was in it
		return slices.ContainsFunc(r.v.Key(id), func(h Hit) bool { return fieldOf(h.Kind, "attendees") != "" })
	})
	return met || !slices.Equal(p.Fields, []string{"owned"}) || r.has("verb", "owned") != nil || r.has("field") != nil || r.alone("measure", "title", "key")
}

// calls reports whether a kind is that of a record of the plan, as in "the ticket PAY-1".
func (r *reader) calls(kind *item, p Plan) bool {
	for _, id := range p.Records {
		if slices.ContainsFunc(r.v.Key(id), func(h Hit) bool { return string(h.Kind) == kind.value }) {
			return true
		}
	}
	return false
}

// traces are what a plan over records has in its filter, its groups or its order, in small letters, where it makes something of a verb or of a word
// for a state of work: names of fields, or parts of them.
var traces = map[string][]string{
	"owned": {"owner", "assignee", "attendees", "decidedby"}, "created": {"created", "reporter", "status:new", "date"}, "reported": {"reporter", "created"},
	"resolved": {"closedon", "status", "outcome", "resolved", "lifecycle", Duration}, "due": {"date", "triggerat"}, "updated": {"updated"}, "untouched": {"updated", "status:new"},
	"into": {"earliersprints"}, "carried": {"earliersprints"}, "starts": {"date", "created", "in_progress"}, "ends": {"date", "closedon"},
	"duration": {Duration, Age, "closedon"}, "age": {Age, "created"}, "blocked": {"blocked"}, "overdue": {"date", "triggerat"}, "unassigned": {"owner", "assignee", "decidedby"}, "assigned": {"owner"},
	"unestimated": {"storypoints"}, "estimated": {"storypoints"}, "nodue": {"date"}, "unplanned": {"sprint"}, "backlog": {"sprint"}, "skill": {"skills"}, "ahead": {"date", "triggerat"},
}

// explained reports whether a plan over records has a trace of a verb, or of a word for a state of work. "Does" and "have" before another verb say
// nothing.
func (r *reader) explained(it *item, p Plan) bool {
	switch it.value {
	case "serves":
		return !lasting(p.Kind) && p.State == "" || p.State != "" || r.has("person") != nil || r.has("none", "nobody") != nil
	case "unmapped", "unserved":
		return p.State != ""
	case "owned":
		if r.marked("having", it.at+it.n-1) || r.marked("asks", it.at) || fieldOf(p.Kind, "skills") != "" || p.State != "" {
			return true
		}
	}
	made := strings.ToLower(strings.Join([]string{p.Filter, p.Base, p.By, p.Sort, p.Of}, " "))
	return slices.ContainsFunc(traces[it.value], func(t string) bool { return strings.Contains(made, t) })
}
