package answer

import (
	"cmp"
	"slices"
	"strings"

	"chela/internal/desk"
)

// A span is a sprint as its plan says, or else the objectives that are for it.
type span struct {
	name       string
	begin, end desk.Date
	status     desk.SprintPlanStatus
	planned    bool // its plan has days
}

// spans are the sprints that have days or a status.
func (s *Snapshot) spans() (out []span) {
	at := make(map[string]int)
	add := func(x span) {
		key := strings.ToLower(x.name)
		i, is := at[key]
		switch {
		case key == "":
		case !is:
			at[key], out = len(out), append(out, x)
		case out[i].planned:
		case out[i].begin == "" || x.begin != "" && x.begin < out[i].begin:
			out[i].begin, out[i].end = x.begin, max(out[i].end, x.end)
		default:
			out[i].end = max(out[i].end, x.end)
		}
	}
	for _, r := range s.byKind[desk.SprintPlan] {
		if b, ok := r.Thing.(*desk.SprintPlanBody); ok {
			add(span{b.Name, dayOf(b.StartDate), dayOf(b.EndDate), b.Status, b.StartDate != "" || b.EndDate != ""})
		}
	}
	for _, r := range s.byKind[desk.Objective] {
		if b, ok := r.Thing.(*desk.ObjectiveBody); ok {
			add(span{b.SprintName, dayOf(b.StartDate), dayOf(b.EndDate), "", false})
		}
	}
	return out
}

// dayOf is the day of a date, empty for none.
func dayOf(d desk.Date) desk.Date {
	if d == "" {
		return ""
	}
	return desk.DateOf(d.Time())
}

// Sprint implements [question.Vocabulary]. The days of a sprint say whether it is on; without any, its tracker does.
func (s *Snapshot) Sprint(which string, at desk.Date) string {
	var on, later, earlier []span
	for _, x := range s.spans() {
		dated := x.begin != "" || x.end != ""
		switch {
		case dated && x.end != "" && x.end < at, !dated && x.status == "CLOSED":
			earlier = append(earlier, x)
		case dated && x.begin > at, !dated && x.status == "PLANNED":
			later = append(later, x)
		case dated && x.begin != "", x.status == "ACTIVE":
			on = append(on, x)
		}
	}
	switch which {
	case "this":
		return only(on, func(_, _ span) int { return 0 })
	case "next":
		return only(later, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	case "last":
		return only(earlier, func(a, b span) int { return cmp.Compare(b.end, a.end) })
	}
	return ""
}

// only is the name of the first sprint in an order, unless another is as early.
func only(all []span, order func(a, b span) int) string {
	slices.SortStableFunc(all, order)
	if len(all) == 0 || len(all) > 1 && order(all[0], all[1]) == 0 {
		return ""
	}
	return all[0].name
}
