package question

import (
	"slices"

	"chela/internal/desk"
)

// unitOf is the unit of the calendar that a period is one of, "" when it is none.
func unitOf(p period) string {
	for _, unit := range []string{"day", "week", "month", "quarter", "year"} {
		if p.bounded() && !p.length && first(p.from, unit).Equal(p.from) && move(p.from, unit, 1).Equal(p.to) {
			return unit
		}
	}
	return ""
}

// weekBefore reads "than the week before" as the week before the one that the question names.
func (r *reader) weekBefore() {
	of := r.has("period")
	if of == nil || r.has("versus") == nil && r.has("measure", "compare") == nil {
		return
	}
	unit := unitOf(of.period)
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "unit" || it.value != unit || i+1 >= len(r.items) || it.at < of.at {
			continue
		}
		if before := &r.items[i+1]; before.sort == "prep" && before.value == "before" && (i+2 == len(r.items) || r.after(before) == nil) {
			it.sense, before.sort = sense{"period", ""}, "stop"
			it.period = period{from: move(of.period.from, unit, -1), to: of.period.from}
		}
	}
}

// periods reads "did we close more last week than the week before" and "compare March and February": how many there are in each.
func (r *reader) periods(kind desk.Kind, p *Plan) bool {
	versus := r.has("versus")
	if versus == nil {
		versus = r.has("measure", "compare")
	}
	all := r.all("period")
	if r.has("verb", "created", "resolved", "due", "reported") == nil && r.has("state", "done") == nil { // what was so at two moments
		return false
	}
	if versus == nil || len(all) != 2 || !lasting(kind) || r.has("by") != nil || r.has("not") != nil || len(r.all("person")) > 1 {
		return false
	}
	a, b := all[0], all[1]
	unit := unitOf(a.period)
	if unit == "" || unitOf(b.period) != unit || a.group != b.group || slices.Contains([]bool{a.used, b.used}, true) {
		return false
	}
	if a.group == 0 {
		a.group, b.group = comparedPeriods, comparedPeriods
	}
	versus.used = true
	p.Measure, p.By, p.Per = Group, r.periodic(kind), unit
	return true
}

// comparedPeriods is the group of two periods that are compared.
const comparedPeriods = -2
