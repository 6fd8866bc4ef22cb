package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// unsaid returns the words that ask for something which no plan tells: "10 % of the tickets", "the busiest month", "early February". Without
// them another question would be answered.
func (r *reader) unsaid(p Plan) (out []string) {
	out = r.apartDays(p)
	for i := range r.items {
		it := &r.items[i]
		next, b := r.after(it), r.before(it)
		lost := false
		switch it.sort {
		case "untold", "changed":
			lost = p.Measure == Facts
		case "cmp": // "at least high priority"
			lost = p.many() && it.number < 0 && !it.used && next != nil && next.sort == "value"
		case "period": // "at the beginning of February": how long that lasts
			before := r.beginnings(it.at)
			lost = p.many() && before > 0
			if lost {
				out = append(out, phraseOf(r.tokens[it.at-before:it.at]))
				continue
			}
		case "unit": // "the first week of March", "the busiest month"
			lost = !it.used && p.many() && it.at > 0 && (r.cal.nth(it.at-1) > 0 || r.marked("first", it.at-1) || next != nil && next.sort == "number" && next.at == it.at+it.n) || r.superlatives(b)
		case "measure":
			if words := r.unsaidMeasure(it, next, b, p); words != "" {
				out = append(out, words)
			}
		case "state": // "how complete is Sprint 24"
			if lost = p.many() && it.value == "done" && it.at > 0 && r.marked("how", it.at-1); lost {
				out = append(out, phraseOf(r.tokens[it.at-1:it.at+it.n]))
				continue
			}
		case "prep": // "how many days between the freeze and the launch"
			lost = p.Measure == Facts && it.value == "between"
		case "rel": // "in the last three sprints"
			if next != nil && next.sort == "number" {
				next = r.after(next)
			}
			lost = p.many() && !it.used && next != nil && next.sort == "field" && next.value == "sprint"
		case "title": // "tickets due within a week of the code freeze"
			lost = p.Measure == Facts && len(p.Fields) > 0 && !lasting(it.hits[0].Kind) && r.narrows(it)
		case "concept": // "how long has it been blocked"
			if much := r.has("measure", "count"); it.value == "overdue" && p.many() && much != nil && r.marked("much", much.at+much.n-1) { // "was it late, and by how much"
				out = append(out, r.raw(much))
			}
			if it.value == "overdue" && p.many() && it.at > 0 && r.marked("how", it.at-1) { // "how late is the oldest one"
				out = append(out, phraseOf(r.tokens[it.at-1:it.at+it.n]))
				continue
			}
			lost = p.Measure == Facts && it.value == "duration" && !slices.Contains(p.Fields, Entered) && (r.has("concept", "blocked", "unassigned") != nil || r.inStatus() && r.has("state") == nil)
		case "field": // "how many sprints": of what no kind of records is
			lost = p.many() && !it.used && r.has("kind") == nil && r.has("type") == nil && b != nil && b.sort == "measure" && b.value == "count" && it.value != "storyPoints" && strings.HasSuffix(r.tokens[it.at].text, "s") && next != nil
		case "word", "number": // "the 3rd ticket"
			w := r.tokens[it.at].text
			if b != nil && b.sort == "field" && b.value == "sprint" && p.many() && b.at+b.n == it.at { // of a sprint that is not there
				out = append(out, r.raw(b)+" "+r.raw(it))
				continue
			}
			if p.many() && it.sort == "number" && !it.used && r.has("measure", "list", "count") == nil && r.several(it) { // "is anybody on two critical tickets"
				out = append(out, r.raw(it))
				continue
			}
			lost = r.has("measure", "count", "sum", "average", "most") != nil && slices.Contains(costs, w) || p.many() && (next == nil || next.sort != "measure") && len(w) > 2 && w[0] <= '9' && slices.Contains([]string{"st", "nd", "rd", "th"}, strings.TrimLeft(w, "0123456789"))
		case "verb": // "who works on payments": what somebody can is not what they do
			lost = p.Measure == Facts && (it.value == "blocks" || it.value == "waits") || p.Kind != "" && fieldOf(p.Kind, "skills") != "" && it.value == "owned" && marked(r.in, "at-work", r.text(it)) && next != nil && (next.sort == "word" || next.sort == "named" && slices.ContainsFunc(next.values, func(v Value) bool { return v.Field == "skills" }))
		}
		if lost {
			out = append(out, r.raw(it))
		}
	}
	return out
}

// unsaidMeasure returns the words of a measure that ask for something which no plan tells, "" for none. next and before stand beside it.
func (r *reader) unsaidMeasure(it, next, before *item, p Plan) string {
	switch it.value {
	case "share": // "which 10 % of the tickets"
		if p.Measure == Share && before != nil && before.sort == "number" && before.at+before.n == it.at {
			return r.raw(before) + " " + r.raw(it)
		}
	case "who": // "who should review it"
		if at := slices.IndexFunc(r.tokens, func(t token) bool { return marked(r.in, "ought", t.text) }); p.Measure == Facts && at > it.at {
			return r.tokens[at].raw
		}
	case "count": // "when is the freeze, and how many tickets are open"
		if p.Measure == Facts && it.at > 0 && r.marked("and", it.at-1) && !r.remaining() {
			return r.raw(it)
		}
	case "list": // "which features miss the code freeze"
		if p.Measure == Facts && it.at == 0 && r.marked("which-of", 0) && next != nil && next.sort == "word" && r.items[len(r.items)-1].sort == "title" {
			return r.raw(next)
		}
	}
	return ""
}

// apartDays returns a period that narrows the same day as another one that it has no day in common with: "closed this month compared to last month".
func (r *reader) apartDays(p Plan) (out []string) {
	all := r.all("period")
	for i, b := range all {
		for _, a := range all[:i] {
			if !p.many() || !a.used || !b.used || a.group != 0 || b.group != 0 || a.not || b.not || !a.period.bounded() || !b.period.bounded() || a.period.from.Before(b.period.to) && b.period.from.Before(a.period.to) {
				continue
			}
			if slices.ContainsFunc([]string{"closedOn", "externalCreated", "updated", "date"}, func(f string) bool {
				return strings.Contains(p.Filter, a.period.filter(f)) && strings.Contains(p.Filter, b.period.filter(f))
			}) {
				out = append(out, r.raw(b))
			}
		}
	}
	return out
}

// several reports whether a number says of how many tickets a question is.
func (r *reader) several(number *item) bool {
	next := r.after(number)
	for next != nil && slices.Contains([]string{"value", "state", "concept"}, next.sort) {
		next = r.after(next)
	}
	return next != nil && (next.sort == "kind" || next.sort == "type")
}

// narrows reports whether a record stands in a question only to narrow tickets by a day: "tickets due after the code freeze".
func (r *reader) narrows(title *item) bool {
	kind := r.has("kind", string(desk.Ticket))
	return kind != nil && kind.at < title.at && strings.HasSuffix(r.tokens[kind.at].text, "s") && r.has("verb", "due", "resolved", "created", "updated") != nil
}

// superlatives reports whether an item says that what follows is the one with the most work.
func (r *reader) superlatives(it *item) bool {
	return it != nil && it.sort == "concept" && it.value == "load" && marked(r.in, "busiest", r.text(it))
}

// beginnings is how many words before a place say "the beginning of", and are no part of the period that stands there.
func (r *reader) beginnings(at int) int {
	for n := 2; n > 0; n-- {
		if at < n {
			continue
		}
		if marked(r.in, "begin-of", phrase(r.tokens[at-n:at])) || marked(r.in, "begin-of", phrase(r.tokens[at-n:at+1])) { // the period has the "of"
			return n
		}
	}
	return 0
}

// phraseOf is tokens as they were written.
func phraseOf(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.raw
	}
	return strings.Join(words, " ")
}

// apart returns the words of a question about a record that neither name it nor ask for a field of it: "is the code freeze before the beta".
func (r *reader) apart(p Plan) (out []string) {
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "person" && slices.ContainsFunc(it.names, func(n Name) bool { return slices.Contains(p.Records, n.ID) }) {
			continue
		}
		dayless := len(p.Fields) > 0 && !slices.ContainsFunc(p.Fields, func(f string) bool {
			return slices.Contains([]string{"updated", "resolved", "created", "due", "when", "starts", "ends", Duration, Remaining}, f)
		})
		if !it.used && (it.sort == "period" && dayless && !it.period.now(r.cal.today()) || it.sort == "word" && len(it.value) > 2 || it.sort == "person" || it.sort == "cmp" && it.number >= 0) {
			out = append(out, r.raw(it))
		}
	}
	return out
}
