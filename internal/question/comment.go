package question

import (
	"slices"
	"strings"
)

// remarks makes words of texts of "comments" where the question asks for records about them. Elsewhere who writes or adds comments is who comments.
func (r *reader) remarks() {
	it := r.has("concept", "comment")
	if it == nil {
		return
	}
	if b := r.before(it); b != nil && b.sort == "topic" {
		it.sense = sense{"word", r.tokens[it.at].text}
		return
	}
	for i := range r.items {
		if verb := &r.items[i]; slices.Contains([]string{"verb", "word", "stop"}, verb.sort) && r.marked("writes", verb.at) {
			verb.sense, verb.used = sense{"stop", "x"}, true
		}
	}
}

// commented reads questions about comments: who said what on records, on which there are none, and on which there are the most.
func (r *reader) commented() []Plan {
	it := r.has("concept", "comment")
	said := r.has("measure", "say")
	named := r.has("title") != nil || r.has("key") != nil
	switch {
	case it != nil:
		it.used = true
	case said != nil && named && r.has("person") != nil && r.has("measure", "who") == nil: // "what did Tom say on PAY-1"
		said.used = true
	default:
		return nil
	}
	kind, isSaid := r.kind()
	p := Plan{Measure: Comments}
	denied := r.take("none") != nil || r.take("not") != nil
	most, who := r.take("measure", "most"), r.take("measure", "who")
	least := r.has("measure", "least") != nil || r.has("number") != nil || r.has("cmp") != nil
	switch {
	case !named && (least || most != nil && who != nil && isSaid): // of how many comments, and on how many tickets
		r.lost = append(r.lost, r.raw(it))
		return []Plan{r.search()}
	case denied && !named || isSaid && who == nil && most == nil && !named && r.asksRecords(it):
		p = Plan{Measure: List, Kind: kind, State: Commented}
		if denied {
			p.State = Uncommented
		}
		if r.take("measure", "count") != nil {
			p.Measure = Count
		}
		if it := r.has("person"); it != nil && !it.used && r.speaks(it) {
			it.used, p.Person = true, it.names[0].Name
		}
		r.days(&p)
		p.Filter = strings.TrimSpace(strings.Join(r.conditions(kind), " "))
		if lasting(kind) && !strings.Contains(p.Filter, "status") {
			p.Filter = strings.TrimSpace(p.Filter + " " + kind.Asked().Open)
		}
		return []Plan{p}
	case denied:
		return []Plan{r.search()}
	case most != nil && who != nil:
		p.By = byAuthor
	case most != nil:
		p.By = byRecord
	case who != nil && !r.newest():
		p.By = byAuthor
	}
	r.take("measure", "count")
	if named {
		p.Records = r.whole("")
	}
	p.Person = r.person()
	r.days(&p)
	if !named && isSaid {
		p.Kind, p.Filter = kind, strings.Join(r.conditions(kind), " ")
	}
	if r.newest() && p.From == "" {
		r.take("rel", "last", "recently")
		r.take("measure", "newest")
		p.Limit, p.By = 1, ""
	}
	p.Words = strings.Join(r.topic(), " ")
	return []Plan{p}
}

// newest reports whether the question asks for the last of what it is about.
func (r *reader) newest() bool {
	return r.has("rel", "last", "recently") != nil || r.has("measure", "newest") != nil
}

// asksRecords reports whether a question about comments asks for the records that have them: "which tickets have comments", "tickets commented by Tom".
func (r *reader) asksRecords(comment *item) bool {
	for i := range r.items {
		if it := &r.items[i]; it.sort == "kind" || it.sort == "type" {
			return comment != nil && it.at < comment.at
		}
	}
	return false
}

// speaks reports whether somebody is named as who comments, and not as whose the records are.
func (r *reader) speaks(person *item) bool {
	raw := r.raw(person)
	return !strings.HasSuffix(raw, "s") || !strings.ContainsAny(raw, "'’")
}

// remarked is what a plan of comments asks for, in words.
func (p Plan) remarked() string {
	switch {
	case p.ByRecord():
		return "the records with the most comments"
	case p.By != "":
		return "who wrote comments"
	case p.Limit == 1:
		return "the last comment"
	}
	return "comments"
}
