package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// changes reads questions about what became of records: "who moved the due date of PAY-1", "when was PAY-1 put in review", "what did Tom change
// last week".
func (r *reader) changes() []Plan {
	if r.has("not") != nil || r.has("none") != nil || r.has("or") != nil || r.has("by") != nil || r.has("measure", "why", "share", "average", "median", "most", "least", "longest") != nil || r.marks("will") || r.marks("ought") {
		return nil
	}
	p := Plan{Measure: Changes}
	named := r.has("title") != nil || r.has("key") != nil
	if !(named && r.spent(&p) || r.became(&p, named) || r.edited(&p, named)) {
		return nil
	}
	for _, it := range r.all("measure") {
		it.used = it.used || slices.Contains([]string{"who", "when", "list", "count"}, it.value)
	}
	if r.newest() {
		r.take("rel", "last", "recently")
		r.take("measure", "newest")
		p.Limit = 1
	}
	if named {
		p.Records = r.whole("")
		r.days(&p)
		return []Plan{p}
	}
	kind, said := r.kind()
	r.days(&p)
	if said || len(p.Fields) > 0 {
		p.Kind, p.Filter = kind, strings.Join(r.conditions(kind), " ")
		for _, it := range r.all("kind") {
			it.used = it.used || it.value == string(kind)
		}
	}
	return []Plan{p}
}

// spent reads how long a ticket was in a status.
func (r *reader) spent(p *Plan) bool {
	it := r.has("concept", "duration")
	if it == nil || !r.inOneStatus() || !r.once() || r.has("state") != nil || r.has("period") != nil {
		return false
	}
	it.used = true
	p.Fields, p.Of, p.State = []string{"status"}, Duration, r.status()
	return true
}

// status is the status of tickets that the question names, "" for none.
func (r *reader) status() string {
	for _, it := range r.all("value") {
		if setField(desk.Ticket, it.value) == "status" {
			it.used = true
			return it.value
		}
	}
	if r.take("concept", "blocked") != nil {
		return string(desk.Blocked)
	}
	return ""
}

// became reads when tickets came to a status, or to other hands, and who brought them there.
func (r *reader) became(p *Plan, named bool) bool {
	who, when := r.has("measure", "who"), r.has("measure", "when")
	bounded := named || r.has("period") != nil
	switch {
	case bounded && r.take("changed", "reopened") != nil:
		p.Fields, p.State = []string{"status"}, "open"
		return true
	case bounded && r.take("changed", "hands") != nil:
		p.Fields = []string{"owner"}
		return true
	case !named || who == nil && when == nil || when != nil && r.sinceWhen(when):
		return false
	}
	if it := r.has("verb", "owned"); it != nil && r.marked("assigns", it.at) && (when != nil || who.at+who.n == it.at) && r.has("field") == nil {
		it.used, p.Fields = true, []string{"owner"}
		return true
	}
	if who != nil && r.has("field") == nil && r.has("value") == nil && (r.has("state", "done") != nil || r.has("verb", "resolved") != nil) && r.has("verb", "owned", "reported", "created") == nil {
		r.take("state", "done")
		r.take("verb", "resolved")
		p.Fields, p.State = []string{"status"}, "closed"
		return true
	}
	if r.inOneStatus() && r.has("field") == nil && r.has("verb", "owned", "waits", "blocks") == nil {
		p.Fields, p.State = []string{"status"}, r.status()
		r.take("verb", "updated")
		r.heed("puts")
		return true
	}
	if it := r.rated(); it != nil && r.marks("puts") {
		it.used, p.Fields = true, []string{setField(desk.Ticket, it.value)}
		r.heed("puts")
		return true
	}
	if it := r.has("verb", "starts"); it != nil && slices.ContainsFunc(r.items, func(x item) bool {
		return slices.ContainsFunc(x.hits, func(h Hit) bool { return lasting(h.Kind) })
	}) {
		it.used, p.Fields, p.State = true, []string{"status"}, string(desk.InProgress)
		return true
	}
	return false
}

// rated is the one value of a ticket's priority that the question names, nil for none.
func (r *reader) rated() *item {
	all := r.all("value")
	if len(all) == 1 && setField(desk.Ticket, all[0].value) == "priority" {
		return all[0]
	}
	return nil
}

// edited reads who changed records, what was changed of them, and when a field was.
func (r *reader) edited(p *Plan, named bool) bool {
	history := r.has("concept", "history")
	verb := r.has("verb", "updated")
	if named && history != nil {
		history.used = true
		return true
	}
	if verb == nil || r.marked("activity", verb.at) {
		return false
	}
	who, what := r.has("measure", "who") != nil, r.has("measure", "list") != nil
	fields := r.changedFields(verb)
	if !named { // "stories with high priority updated last week" asks for records
		fields = slices.DeleteFunc(fields, func(it *item) bool {
			b := r.before(it)
			first := r.before(verb) == it && (b == nil || b.sort == "measure") // and not "tickets with a due date updated last week"
			return it.sort != "field" || !first && r.after(verb) != it
		})
		if it := r.has("measure", "who"); it != nil {
			who = r.after(it) == verb || r.marked("and", it.at-1)
		}
	}
	person := r.changer(verb)
	switch {
	case named && (len(fields) > 0 || who || what && r.has("kind") == nil):
	case !named && r.has("period") != nil && (len(fields) > 0 || person != nil || who && r.has("person") == nil):
	default:
		return false
	}
	for _, it := range fields {
		it.used = true
		name := map[string]string{"due": "dueDate", string(desk.Milestone): "dueDate"}[it.value]
		if name == "" {
			name = it.value
		}
		p.Fields = append(p.Fields, name)
	}
	if person != nil {
		person.used, p.Person = true, person.names[0].Name
	}
	verb.used = true
	return true
}

// changedFields are the items that say which fields were changed.
func (r *reader) changedFields(verb *item) (out []*item) {
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.sort == "field" && slices.Contains([]string{"owner", "dueDate", "targetDate", "priority", "severity", "status", "sprint", "storyPoints", "labels", "description", "type"}, it.value):
		case it.sort == "verb" && it.value == "due" && it != verb:
		case it.sort == "kind" && it.value == string(desk.Milestone) && r.marked("deadline", it.at):
		default:
			continue
		}
		if len(out) < maxFields {
			out = append(out, it)
		}
	}
	return out
}

// changer is the person who did what a verb says: "what did Tom change", "changed by Tom"; nil for none, and for whose records are asked for.
func (r *reader) changer(verb *item) *item {
	for _, it := range r.all("person") {
		own := strings.HasSuffix(r.raw(it), "s") && strings.ContainsAny(r.raw(it), "'’")
		acts := r.after(it) == verb && (r.marked("past", it.at-1) || r.marked("having", it.at-1))
		if !own && (acts || r.byWhom(verb) || r.out.Language == "de" && r.before(it) == verb) {
			return it
		}
	}
	return nil
}

// changed is what a plan of changes asks for, in words.
func (p Plan) changed() string {
	words := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		words[i] = FieldWord(f)
	}
	what := "what was changed, by whom"
	if len(words) > 0 {
		what = "changes of " + strings.Join(words, ", ")
	}
	switch {
	case p.Of == Duration:
		what = "how long it was " + Word(p.State)
	case p.State == "open":
		what += ": opened again"
	case p.State != "":
		what += " to " + Word(p.State)
	}
	if p.Limit == 1 {
		what += ", the last"
	}
	return what
}
