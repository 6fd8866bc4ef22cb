package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// urgent reads "the most important tickets": those that are open, by their priority. Where records are counted, those are meant that have
// the highest one.
func (r *reader) urgent(kind desk.Kind, p *Plan) bool {
	it := r.has("measure", "urgent")
	switch {
	case it == nil || setField(kind, "CRITICAL") == "":
		return false
	case p.Measure != List || r.has("measure", "count", "share", "sum", "why", "when") != nil:
		it.sense = sense{"value", "CRITICAL"}
		return false
	}
	it.used = true
	r.foremost(kind, p)
	return true
}

// advice reads "what should I work on next" and "which ticket should Dana do first": what is open and waits for nothing, by its priority.
func (r *reader) advice(kind desk.Kind, p *Plan) bool {
	status := setField(kind, "BLOCKED")
	when := r.has("period")
	today := when != nil && when.period.now(r.cal.today()) // what should I do today
	if status == "" || when != nil && !today || r.has("measure", "list") == nil || !r.marks("should") || !r.marks("begin") && !(today && r.has("verb", "due", "resolved") == nil && r.has("state") == nil) {
		return false
	}
	if today {
		when.used = true
	}
	r.take("rel", "next")
	r.heed("should")
	r.heed("begin")
	r.heed("to-do")
	for _, it := range r.all("verb") {
		it.used = it.used || slices.Contains([]string{"owned", "starts", "resolved"}, it.value)
	}
	r.foremost(kind, p)
	if r.has("concept", "blocked") == nil {
		p.Filter = strings.TrimSpace(p.Filter + " -" + status + ":BLOCKED")
	}
	return true
}

// foremost makes a plan of the records that come first by their priority: of open ones, where the question says nothing else.
func (r *reader) foremost(kind desk.Kind, p *Plan) {
	verb := r.has("verb", "resolved", "created")
	if r.has("state") == nil && (verb == nil || verb.used) {
		p.Filter = kind.Asked().Open
	}
	p.Sort, p.Limit = "-"+setField(kind, "CRITICAL"), ties
	r.limit(p)
}
