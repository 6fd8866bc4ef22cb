package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// limit takes the number of a question as how many records it asks for; false when it has none.
func (r *reader) limit(p *Plan) bool {
	n := r.has("number")
	if n == nil || n.number <= 0 || n.number > 100 {
		return false
	}
	p.Limit, n.used = n.number, true
	return true
}

// sorts reads "sorted by priority" and "by due date": an order, and no groups. What is urgent, large or late comes first, and the oldest of days.
func (r *reader) sorts(kind desk.Kind, p *Plan) bool {
	says := r.marks("sorted")
	for _, by := range r.all("by") {
		next := r.after(by)
		if next != nil && next.sort == "concept" && next.value == "age" && lasting(kind) && r.after(next) == nil && r.has("measure", "most", "least", "count", "average", "median", "sum", "top") == nil { // by age: the oldest first
			by.used, next.used, next.sort, p.Sort = true, true, "stop", fieldOf(kind, "created")
			r.heed("sorted")
			return true
		}
		if next == nil || next.sort != "field" || r.has("measure", "most", "least", "count", "average", "median", "sum", "top") != nil {
			continue
		}
		name := fieldOf(kind, next.value)
		f, ok := fieldNamed(kind, name)
		if !ok || !says && f.Type != query.Day {
			continue
		}
		down := f.Type == query.Set && name != "status" || f.Type == query.Number
		if r.marks("ascending") {
			down = false
		} else if r.marks("descending") {
			down = true
		}
		by.used, next.used, p.Sort = true, true, name
		r.heed("sorted")
		r.heed("ascending")
		r.heed("descending")
		if down {
			p.Sort = "-" + name
		}
		return true
	}
	return false
}

// fieldNamed is a field of a kind.
func fieldNamed(kind desk.Kind, name string) (query.Field, bool) {
	fields, err := desk.Fields(kind)
	if err != nil || name == "" {
		return query.Field{}, false
	}
	return fields.Find(name)
}

// firstly reads "the first ticket we closed" and "the first 5 bugs", which are first by the day of that, or of their creation.
func (r *reader) firstly(kind desk.Kind, p *Plan) bool {
	at := slices.IndexFunc(r.items, func(it item) bool {
		return it.sort == "stop" && r.marked("first", it.at+it.n-1)
	})
	if at < 0 || at+1 >= len(r.items) || r.has("period") != nil || p.Measure != List {
		return false
	}
	limit, next, word := 1, &r.items[at+1], &r.items[at]
	if next.sort == "number" && next.number > 0 && next.number <= 100 {
		limit, next.used = next.number, true
		if at+2 >= len(r.items) {
			return false
		}
		next = &r.items[at+2]
	}
	if !slices.Contains([]string{"kind", "type", "state", "value"}, next.sort) {
		return false
	}
	field := fieldOf(kind, "created")
	if !lasting(kind) {
		field = fieldOf(kind, "when")
	}
	for _, it := range append(r.all("verb"), r.all("state")...) {
		if it.value == "resolved" || it.value == "done" && !it.not {
			field, it.used = fieldOf(kind, "resolved"), it.sort == "verb"
		}
	}
	if field == "" {
		return false
	}
	word.used = true
	p.Sort, p.Limit = field, limit
	return true
}

// lastly reads "the last closed ticket" and "the last 5 created bugs", which are first by the day of that.
func (r *reader) lastly(kind desk.Kind, p *Plan) bool {
	last := r.has("rel", "last", "recently")
	if last == nil || last.used || r.has("period") != nil {
		return false
	}
	next := r.after(last)
	if last.value == "recently" {
		if next == nil || next.sort == "kind" { // "changed most recently"
			next = r.before(last)
		}
		p.Limit = ties
		r.limit(p)
	} else if next != nil && next.sort == "number" && next.number > 0 && next.number <= 100 {
		p.Limit, next.used = next.number, true
		next = r.after(next)
	}
	if next != nil && (next.sort == "kind" || next.sort == "type") { // "the last bug closed"
		if next = r.after(next); next != nil && next.sort == "person" { // "the last ticket Dana closed"
			next = r.after(next)
		}
	} else if next == nil { // "which bug was closed last"
		if next = r.before(last); next != nil && next.sort == "kind" { // "who closed a ticket last"
			next = r.before(next)
		}
	}
	field := ""
	switch {
	case next == nil:
	case next.sort == "state" && next.value == "done":
		field = fieldOf(kind, "resolved")
	case next.sort == "verb" && slices.Contains([]string{"created", "resolved", "updated", "reported"}, next.value):
		value := next.value
		if value == "reported" {
			value = "created"
		}
		field, next.used = fieldOf(kind, value), true
	}
	if field == "" {
		p.Limit = 0
		return false
	}
	last.used = true
	p.Sort, p.Limit = "-"+field, max(p.Limit, 1)
	return true
}

// order reads superlatives: the oldest, the five newest, what took longest.
func (r *reader) order(kind desk.Kind, p *Plan) {
	if p.Measure != List || p.Sort != "" {
		return
	}
	if r.advice(kind, p) {
		return
	}
	if next := r.has("rel", "next"); next != nil && kind.Asked().Day != "" && r.has("period") == nil {
		next.used = true
		field := kind.Asked().Day
		if it := r.has("verb", "ends", "starts"); it != nil && fieldOf(kind, it.value) != "" { // "which phase ends next"
			field, it.used = fieldOf(kind, it.value), true
		}
		p.Sort, p.Limit, p.Filter = field, 1, field+":>="+day(r.cal.today())
		r.limit(p)
		return
	}
	if r.lastly(kind, p) || r.urgent(kind, p) || r.firstly(kind, p) {
		return
	}
	if r.sized(kind, p) {
		return
	}
	if top := r.has("measure", "top"); top != nil && r.has("measure", "longest", "shortest", "oldest", "newest", "openlongest") != nil && r.has("number") != nil {
		top.used = true // the top 5 slowest
	}
	it := r.has("measure", "oldest", "newest", "longest", "shortest", "openlongest")
	if it == nil || r.untold(kind, it) {
		return
	}
	it.used = true
	if it.value == "openlongest" && r.has("state") == nil {
		p.Filter = kind.Asked().Open
	}
	created := fieldOf(kind, "created")
	p.Sort = map[string]string{"oldest": created, "openlongest": created, "newest": "-" + created, "longest": "-" + Duration, "shortest": Duration}[it.value]
	if r.limit(p) {
		return
	}
	p.Limit = 1
	for _, k := range r.all("kind") {
		if strings.HasSuffix(r.tokens[k.at].text, "s") {
			p.Limit = 10
		}
	}
}

// sized reads "the biggest ticket" by its story points.
func (r *reader) sized(kind desk.Kind, p *Plan) bool {
	it := r.has("measure", "biggest", "smallest")
	if it == nil || fieldOf(kind, "storyPoints") == "" {
		return false
	}
	if next := r.after(it); next == nil && r.has("kind", "ticket") == nil && r.has("type") == nil || next != nil && !slices.Contains([]string{"kind", "type", "state", "value", "number"}, next.sort) {
		return false
	}
	it.used = true
	p.Sort, p.Limit = "-storyPoints", ties
	if it.value == "smallest" {
		p.Sort = "storyPoints"
	}
	r.limit(p)
	return true
}

// untold reports whether no plan tells what is longest: which ticket "was" open longest, closed or not, or which has the
// longest title.
func (r *reader) untold(kind desk.Kind, it *item) bool {
	if (it.value == "longest" || it.value == "shortest") && !lasting(kind) {
		return true
	}
	if next := r.after(it); next != nil && (next.sort == "field" || next.sort == "in") {
		return true
	}
	if it.value == "longest" && (r.has("concept", "blocked", "overdue", "unassigned") != nil || r.has("value", "BLOCKED", "IN_PROGRESS", "REVIEW") != nil) {
		return true // since when a ticket is that, no record tells
	}
	if it.value != "openlongest" {
		return false
	}
	return slices.ContainsFunc(r.tokens, func(t token) bool { return marked(r.in[:1], "lasted", t.text) }) // "was" is German, too
}
