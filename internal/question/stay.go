package question

import (
	"slices"

	"chela/internal/desk"
)

// stays reads "in review for longer than two weeks" and "blocked the longest": how long tickets have had their status, which no filter says.
func (r *reader) stays(kind desk.Kind, p *Plan) {
	if !lasting(kind) || p.State != "" || p.Measure != List && p.Measure != Count || !r.inOneStatus() || r.has("field", "status") != nil || r.has("by") != nil || r.has("verb", "untouched", "updated", "created", "resolved", "due") != nil || r.once() {
		return
	}
	if it := r.has("measure", "longest", "openlongest"); it != nil && !it.used && r.has("concept", "duration") == nil {
		it.used, p.State, p.Limit = true, held, 1
		r.limit(p)
		return
	}
	for _, it := range r.all("cmp") {
		unit := r.after(it)
		if it.used || it.number <= 0 || unit == nil || unit.sort != "unit" || it.exact != "" || r.marked("age", it.at) {
			continue
		}
		since := move(r.cal.today(), unit.value, -min(it.number, 1000))
		it.used, unit.used, p.State = true, true, held
		r.take("measure", "who") // the list says whose they are
		if it.value == "<" || it.value == "<=" {
			p.From = day(since)
		} else {
			p.To = day(since.AddDate(0, 0, -1))
		}
		return
	}
}

// inOneStatus reports whether a question names one status of tickets, and denies nothing of it.
func (r *reader) inOneStatus() bool {
	n := 0
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.sort == "value" && setField(desk.Ticket, it.value) == "status" || it.sort == "concept" && it.value == "blocked":
			if it.not {
				return false
			}
			n++
		case it.sort == "state", it.sort == "concept" && slices.Contains([]string{"overdue", "unassigned"}, it.value):
			return false
		}
	}
	return n == 1
}

// once reports whether a question asks how something was, and not how it is: "which ticket was blocked the longest". "Was" is German, too.
func (r *reader) once() bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return marked(r.in[:1], "lasted", t.text) }) && (r.in[0].name != "de" || !r.marked("lasted", 0))
}
