package question

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
)

// group reads what groups: "by priority", "per month", "who has the most".
func (r *reader) group(kind desk.Kind, p *Plan) bool {
	if r.lackers(kind, p) || r.bounded(kind, p) || r.slowest(kind, p) || r.periods(kind, p) || r.top(kind, p) || r.versus(kind, p) || r.values(kind, p) || r.eachPerson(kind, p) {
		return true
	}
	if r.sorts(kind, p) {
		return false
	}
	for _, by := range r.all("by") {
		if r.groupedBy(kind, by, p) {
			return p.By != ""
		}
	}
	if it := r.has("unit"); it != nil && (r.has("measure", "count") != nil || r.has("kind") != nil) && strings.HasSuffix(r.tokens[it.at].text, "ly") {
		it.used = true
		p.Measure, p.By, p.Per = Group, r.periodic(kind), it.value
		return p.By != ""
	}
	return r.trend(kind, p) || r.most(kind, p)
}

// trend reads "the trend of new bugs" and "bugs over time" as how many there are in each month, or in each week of a month or two.
func (r *reader) trend(kind desk.Kind, p *Plan) bool {
	it := r.has("trend")
	by := r.periodic(kind)
	if it == nil || by == "" || !lasting(kind) || r.has("state", "open") != nil || r.has("concept", "duration", "age") != nil || r.has("field", "storyPoints") != nil {
		return false
	}
	it.used, p.Measure, p.By, p.Per = true, Group, by, "month"
	if in := r.has("period"); in != nil && in.period.bounded() && in.period.to.Sub(in.period.from) <= 63*24*time.Hour {
		p.Per = "week"
	}
	return true
}

// eachPerson reads "what is everybody working on", and "wie viele Tickets hat jeder": who has how many.
func (r *reader) eachPerson(kind desk.Kind, p *Plan) bool {
	who := kind.Asked().Who
	if who == "" {
		return false
	}
	for _, it := range r.all("kind") {
		if r.everybody(it) {
			it.used, p.Measure, p.By = true, Group, who
			if r.has("state") == nil && r.has("kind", string(kind)) == nil {
				p.Filter = kind.Asked().Open
			}
			return true
		}
	}
	for _, by := range r.all("by") {
		if next := r.after(by); (next == nil || next.sort == "state") && r.marked("each-person", by.at) {
			by.used, p.Measure, p.By = true, Group, who
			return true
		}
	}
	return false
}

// groupedBy reads what follows "by", "per" or "each": false when records are not grouped by it. A period of which the records have no day leaves the
// plan without a field.
func (r *reader) groupedBy(kind desk.Kind, by *item, p *Plan) bool {
	next := r.after(by)
	if next == nil {
		return false
	}
	if next.sort == "period" && by.value == "each" { // in each of the last 3 months
		s, _ := r.sense(next.at + next.n - 1)
		if s.sort == "unit" && next.period.length {
			by.used, p.Measure, p.By, p.Per = true, Group, r.periodic(kind), s.value
			return true
		}
	}
	field := r.grouping(kind, next)
	if next.sort == "unit" {
		p.Per = next.value
	}
	if field == "" {
		return false
	}
	by.used, next.used = true, next.sort != "role" // tickets per engineer are those of engineers
	p.Measure, p.By = Group, field
	if other := r.after(next); other != nil && (other.sort == "field" || other.sort == "unit") && r.joined(next, other) { // by status and priority
		r.lost = append(r.lost, r.raw(other))
	}
	return true
}

// grouping is the field that an item behind "by" stands for.
func (r *reader) grouping(kind desk.Kind, it *item) string {
	switch it.sort {
	case "field":
		return fieldOf(kind, it.value)
	case "kind", "role":
		switch {
		case it.value == "resource" || it.sort == "role":
			return kind.Asked().Who
		case strings.HasPrefix(r.raw(it), "outcome") && lasting(kind):
			return fieldOf(kind, "outcome")
		case it.value == "objective":
			return fieldOf(kind, "objectiveIds")
		}
	case "unit":
		return r.periodic(kind)
	case "verb":
		return map[string]string{"reported": fieldOf(kind, "reporter"), "owned": kind.Asked().Who}[it.value]
	case "type":
		if parent := fieldOf(kind, "parentTicketId"); parent != "" && slices.Contains([]string{"EPIC", "INITIATIVE"}, it.value) { // stories per epic
			return parent
		}
		return "type"
	}
	return ""
}

// most reads who has the most of the records, or the fewest, or what has.
func (r *reader) most(kind desk.Kind, p *Plan) bool {
	most := r.has("measure", "most", "least")
	if most == nil {
		return false
	}
	if late := r.has("concept", "overdue"); late != nil && r.has("measure", "who") == nil && r.has("field") == nil && kind.Asked().Day != "" {
		most.used = true
		p.Sort, p.Limit = kind.Asked().Day, 1
		return false
	}
	if r.busiest(kind, most, p) {
		return true
	}
	if r.superlative(kind, most, p) {
		return false
	}
	p.By = kind.Asked().Who
	if it := r.has("field"); it != nil && it.value != "storyPoints" && fieldOf(kind, it.value) != "" {
		p.By, it.used = fieldOf(kind, it.value), true
	} else if r.has("verb", "reported") != nil || r.has("verb", "created") != nil && r.has("verb", "owned") == nil {
		p.By = cmp.Or(fieldOf(kind, "reporter"), p.By)
		if r.marks("among") { // "who found the most among Sven and Priya": whose tickets they are is not asked
			for _, it := range r.all("person") {
				r.lost = append(r.lost, r.raw(it))
			}
		}
	}
	if p.By == "" {
		return false
	}
	most.used = true
	p.Measure, p.Sort = Group, "-count"
	if most.value == "least" {
		p.Sort = "count"
	}
	return true
}

// lasting reports whether the records of a kind are closed on a day, so that they have an age and last.
func lasting(kind desk.Kind) bool { return fieldOf(kind, "resolved") == "closedOn" }

// slowest reads "which priority has the longest resolution time": the group whose tickets take the most days, or the fewest.
func (r *reader) slowest(kind desk.Kind, p *Plan) bool {
	it, who := r.has("measure", "longest", "shortest"), r.has("measure", "who")
	closes := it != nil && who != nil && who.at < it.at && (r.has("verb", "resolved") != nil || r.has("state", "done") != nil || r.alone("measure")) // "who closes bugs fastest"
	if it == nil || !lasting(kind) || r.has("concept", "duration") == nil && !closes || r.has("kind") != nil && r.has("measure", "who") == nil {
		return false
	}
	by := r.has("field")
	switch {
	case by != nil && by.at < it.at && by.value != "storyPoints" && fieldOf(kind, by.value) != "":
		by.used, p.By = true, fieldOf(kind, by.value)
	case by == nil && r.has("measure", "who") != nil:
		p.By = kind.Asked().Who
	default:
		return false
	}
	it.used, p.Measure, p.Sort = true, Group, "-count"
	if closes {
		p.Of, p.Each = Duration, Average
		r.take("measure", "average")
	}
	if it.value == "shortest" {
		p.Sort = "count"
	}
	return true
}

// values reads "list all labels" and "which sprints are there": the values that a field has, with how many records.
func (r *reader) values(kind desk.Kind, p *Plan) bool {
	it := r.has("field")
	if it == nil || len(r.all("field")) != 1 || !strings.HasSuffix(r.tokens[it.at+it.n-1].text, "s") || !r.alone("field", "measure") || r.has("measure", "count", "most", "least") != nil {
		return false
	}
	name := fieldOf(kind, it.value)
	if f, ok := fieldNamed(kind, name); !ok || f.Type != query.Set && f.Type != query.Text && f.Type != query.Person || name == "description" || name == "risks" || it.value == "status" && r.raw(it) == "status" {
		return false
	}
	it.used, p.Measure, p.By = true, Group, name
	return true
}

// busiest reads "which month had the most new bugs": the period with the most records. Which had the fewest no group tells: those without any have none.
func (r *reader) busiest(kind desk.Kind, most *item, p *Plan) bool {
	it := r.has("unit")
	if it == nil || most.value != "most" || it.at > most.at || !r.marked("which", it.at-1) || r.has("field") != nil {
		return false
	}
	by := r.periodic(kind)
	if by == "" {
		return false
	}
	it.used, most.used = true, true
	p.Measure, p.By, p.Per, p.Sort = Group, by, it.value, "-count"
	return true
}

// top reads "the top 5 reporters": the groups with the most records.
func (r *reader) top(kind desk.Kind, p *Plan) bool {
	it := r.has("measure", "top")
	if it == nil {
		return false
	}
	next, limit := r.after(it), 0
	if next != nil && next.sort == "number" && next.number > 0 && next.number <= 100 {
		limit = next.number
		next = r.after(next)
	}
	if next == nil || next.sort != "field" || next.value == "storyPoints" || fieldOf(kind, next.value) == "" {
		return false
	}
	if n := r.after(it); n != next {
		n.used = true
	}
	it.used, next.used, p.By = true, true, fieldOf(kind, next.value)
	p.Measure, p.Sort, p.Limit = Group, "-count", limit
	return true
}

// superlative reads "which ticket has the most points", which asks for records and not for groups. It reports whether the
// question asks for records, or for periods; one that asks for the most of something else leaves the word unused.
func (r *reader) superlative(kind desk.Kind, most *item, p *Plan) bool {
	if r.has("measure", "who") != nil {
		return false
	}
	list := r.has("measure", "list")
	for i := range r.items {
		it := &r.items[i]
		if list != nil && it.at < list.at || !slices.Contains([]string{"kind", "type", "field", "role", "person", "unit"}, it.sort) {
			continue
		}
		switch {
		case it.sort == "unit":
			return true
		case it.at > most.at && r.after(most) != nil && r.after(most).sort == "value":
			return list != nil // "the most urgent ticket"
		case it.at > most.at || it.sort != "kind" && it.sort != "type" || it.value == string(desk.Resource):
			return false
		}
		break
	}
	next := r.after(most)
	if next == nil || next.sort == "kind" || next.sort == "state" {
		return list != nil
	}
	if next.sort == "field" && next.value == "storyPoints" && fieldOf(kind, next.value) != "" {
		most.used, next.used = true, true
		p.Sort, p.Limit = "-storyPoints", ties
		if most.value == "least" {
			p.Sort = "storyPoints"
		}
		r.limit(p)
	}
	return true
}

// ties is how many records are shown where several may have the most.
const ties = 10

// periodic is the field of days that is counted per period.
func (r *reader) periodic(kind desk.Kind) string {
	for _, it := range r.items {
		if it.sort == "verb" && slices.Contains([]string{"created", "resolved", "due", "updated", "reported"}, it.value) {
			if it.value == "reported" {
				return fieldOf(kind, "created")
			}
			return fieldOf(kind, it.value)
		}
		if it.sort == "state" && it.value == "done" || it.sort == "concept" && it.value == "duration" && lasting(kind) || it.sort == "value" && setField(kind, it.value) == "outcome" {
			return fieldOf(kind, "resolved")
		}
	}
	return fieldOf(kind, "created")
}

// numbers reads what is added up or averaged.
func (r *reader) numbers(kind desk.Kind, p *Plan) {
	points, lasts := r.has("field", "storyPoints"), r.has("concept", "duration")
	if fieldOf(kind, "storyPoints") == "" {
		points = nil
	}
	of := ""
	switch {
	case points != nil && points.used:
	case points != nil && r.before(points) != nil && r.before(points).sort == "cmp":
	case points != nil && r.after(points) != nil && r.after(points).sort == "cmp":
	case points != nil:
		of, points.used = "storyPoints", true
	case lasting(kind) && r.ages(lasts):
		of = Age
		if r.has("state") == nil {
			p.Filter = kind.Asked().Open
		}
	case lasts != nil && lasting(kind):
		of = Duration
	}
	if of == "" {
		if p.Per != "" && r.take("measure", "average") != nil {
			p.Each = Average
		}
		return
	}
	if p.Measure == Group {
		p.Of = of
		if r.take("measure", "median") != nil {
			p.Each = Median
		} else if r.take("measure", "average") != nil || Reckoned(of) {
			p.Each = Average
		}
		return
	}
	measure := Measure("")
	switch {
	case r.take("measure", "median") != nil:
		measure = Median
	case r.take("measure", "percentile") != nil:
		measure, p.Percent = Percentile, 90
		if it := r.take("number"); it != nil && it.number > 0 && it.number <= 100 {
			p.Percent = float64(it.number)
		}
	case r.take("measure", "average") != nil || Reckoned(of) && r.has("measure", "longest", "shortest", "most", "list") == nil:
		measure = Average
	case of == "storyPoints":
		r.take("measure", "count", "sum")
		measure = Sum
	}
	if measure != "" {
		p.Measure, p.Of = measure, of
	}
}

// ages reports whether the question asks how old tickets are: it says so, or asks how long open ones last.
func (r *reader) ages(lasts *item) bool {
	open, old := r.has("state", "open"), r.has("verb", "created")
	if old != nil && old.n > 1 && r.has("measure", "average", "median", "percentile") != nil { // how old they are, on average
		old.used = true
		return true
	}
	return r.take("concept", "age") != nil || lasts != nil && open != nil && !open.not && open.group == 0 && r.has("state", "done") == nil
}
