package question

import (
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// recordDays reads "due before the code freeze" and "between the freeze and the beta" as before, and between, the days of these records.
func (r *reader) recordDays() {
	if r.has("measure", "when") != nil || !r.ofMany() {
		return
	}
	for i := range r.items {
		prep := &r.items[i]
		name := prep.value
		switch {
		case prep.sort == "by" && r.raw(prep) == "by":
			name = "until"
		case prep.sort == "prep" && r.marked("during", prep.at):
			name = "in"
		case prep.sort != "prep" || !slices.Contains([]string{"before", "after", "until", "since", "between"}, name):
			continue
		}
		if slices.ContainsFunc(r.items[:i], func(it item) bool { return it.sort == "title" || it.sort == "key" }) {
			return // the question is about another record
		}
		first, next := r.datedAt(i + 1)
		if first == nil {
			continue
		}
		if name == "between" {
			second, _ := r.datedAt(next)
			if second == nil || !r.marked("and", r.items[next].at) {
				continue
			}
			first.become(period{from: first.period.from, to: second.period.to})
			second.sense, second.hits = sense{"stop", "x"}, nil
		} else {
			first.become(r.cal.bounded(name, first.period))
		}
		prep.sense, prep.used = sense{"stop", "x"}, true
		return
	}
}

// ofMany reports whether a question is about records of which some condition holds, and not about one.
func (r *reader) ofMany() bool {
	return r.has("verb", "due", "resolved", "created", "reported", "updated") != nil || r.has("kind", "ticket") != nil || r.has("type") != nil || r.has("concept", "action", "decision", "overdue", "blocked") != nil
}

// become makes a period of an item.
func (it *item) become(p period) {
	it.sense, it.period, it.hits, it.values, it.names = sense{"period", ""}, p, nil, nil, nil
}

// datedAt returns the item from a place on that names a record with days, behind articles and "the end of", and the place after it. The item has
// the days as its period then.
func (r *reader) datedAt(i int) (target *item, next int) {
	ends := false
	for ; i < len(r.items) && (r.items[i].sort == "stop" || r.endOf(i)); i++ {
		ends = ends || r.items[i].sort != "stop"
	}
	if i >= len(r.items) {
		return nil, i
	}
	id, n := r.datedRecord(i)
	if id == "" {
		return nil, i
	}
	from, to := r.v.Days(id)
	first, err := time.Parse(time.DateOnly, string(from))
	last, err2 := time.Parse(time.DateOnly, string(to))
	if err != nil || err2 != nil {
		return nil, i
	}
	if ends || i+n < len(r.items) && r.items[i+n].sort == "verb" && r.items[i+n].value == "ends" { // "after Sprint 24 ends"
		first = last
	}
	target = &r.items[i]
	target.period = period{from: first, to: last.AddDate(0, 0, 1)}
	words := make([]string, 0, n)
	for k := i; k < i+n; k++ {
		words = append(words, r.raw(&r.items[k]))
		if k > i {
			r.items[k].sense, r.items[k].hits = sense{"stop", "x"}, nil
		}
	}
	if i+n < len(r.items) && (r.items[i+n].sort == "verb" && (r.items[i+n].value == "ends" || r.items[i+n].value == "starts") || r.items[i+n].sort == "kind" && r.items[i+n].value == string(desk.Milestone)) {
		r.items[i+n].sense = sense{"stop", "x"} // "the beta milestone"
		n++
	}
	day := string(to)
	if from != to && first != last {
		day = string(from) + " to " + day
	}
	r.out.Spelled = append(r.out.Spelled, strings.Join(words, " ")+": "+day)
	return target, i + n
}

// endOf reports whether an item says "the end of" before a record: in German without an "of".
func (r *reader) endOf(i int) bool {
	it := &r.items[i]
	return it.sort == "prep" && it.value == "end" || it.sort == "verb" && it.value == "ends" && i+1 < len(r.items) && slices.Contains([]string{"title", "named", "stop"}, r.items[i+1].sort)
}

// datedRecord is the record that the items from a place on name, and how many items do: by its title, or by words that one milestone alone has.
func (r *reader) datedRecord(i int) (id string, n int) {
	it := &r.items[i]
	if it.sort == "title" || it.sort == "key" {
		return it.hits[0].ID, 1
	}
	if it.sort == "named" && slices.ContainsFunc(it.values, inSprint) {
		return r.planOf(it.value), 1
	}
	if it.sort == "field" && it.value == "sprint" && i+1 < len(r.items) && r.items[i+1].sort == "verb" { // "after the sprint ends": the one that is named, or the one that runs
		name := r.v.Sprint(ThisSprint, r.now)
		for _, other := range r.all("named") {
			if slices.ContainsFunc(other.values, inSprint) {
				name = other.value
			}
		}
		return r.planOf(name), 1
	}
	var words []string
	for ; i+n < len(r.items) && r.items[i+n].sort == "word"; n++ {
		words = append(words, r.tokens[r.items[i+n].at].text)
	}
	if hits := r.v.Named(words, desk.Milestone); len(words) > 0 && len(hits) > 0 && hits[0].Share > 0.99 && (len(hits) == 1 || hits[1].Share < hits[0].Share-0.01) {
		return hits[0].ID, n
	}
	return "", 0
}

// planOf is the plan of a sprint, "" where there is none.
func (r *reader) planOf(sprint string) string {
	words, _ := tokenize(sprint)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	for _, h := range r.v.Titled(texts) {
		if plansSprint(item{hits: []Hit{h}}) && h.Words == len(words) {
			return h.ID
		}
	}
	return ""
}
