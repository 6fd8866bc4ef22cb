package answer

import (
	"cmp"
	"slices"

	"chela/internal/desk"
)

// Sprint implements [question.Vocabulary]. A sprint that its tracker calls active is on whatever its days say, where no other is on by its days.
func (s *Snapshot) Sprint(which string, at desk.Date) string {
	var on, active, later, earlier []*desk.SprintPlanBody
	for _, r := range s.byKind[desk.SprintPlan] {
		b, ok := r.Thing.(*desk.SprintPlanBody)
		if !ok {
			continue
		}
		begin, end := desk.DateOf(b.StartDate.Time()), desk.DateOf(b.EndDate.Time())
		switch {
		case b.Status == "CLOSED" || b.EndDate != "" && end < at && b.Status != "ACTIVE":
			earlier = append(earlier, b)
		case b.StartDate != "" && begin <= at && at <= end:
			on = append(on, b)
		case b.Status == "ACTIVE":
			active = append(active, b)
		case b.StartDate != "" && begin > at || b.Status == "PLANNED":
			later = append(later, b)
		}
	}
	byStart := func(a, b *desk.SprintPlanBody) int { return cmp.Compare(a.StartDate, b.StartDate) }
	byEnd := func(a, b *desk.SprintPlanBody) int { return cmp.Compare(b.EndDate, a.EndDate) }
	switch which {
	case "this":
		if len(on) == 0 {
			on = active
		}
		return only(on, func(*desk.SprintPlanBody, *desk.SprintPlanBody) int { return 0 })
	case "next":
		return only(later, byStart)
	case "last":
		return only(earlier, byEnd)
	}
	return ""
}

// only is the name of the first sprint in an order, unless another is as early.
func only(plans []*desk.SprintPlanBody, order func(a, b *desk.SprintPlanBody) int) string {
	slices.SortStableFunc(plans, order)
	if len(plans) == 0 || len(plans) > 1 && order(plans[0], plans[1]) == 0 {
		return ""
	}
	return plans[0].Name
}
