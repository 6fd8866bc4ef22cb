package answer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/query"
	"chela/internal/question"
)

// Sprint implements [question.Vocabulary].
func (s *Snapshot) Sprint(which question.WhichSprint, now time.Time) string {
	state := map[question.WhichSprint]flow.SprintState{question.ThisSprint: flow.SprintRunning, question.NextSprint: flow.SprintPlanned, question.LastSprint: flow.SprintOver}[which]
	order := func(a, b flow.Stated) int {
		switch which {
		case question.NextSprint:
			return cmp.Compare(a.Begin, b.Begin)
		case question.LastSprint:
			return cmp.Compare(b.End, a.End)
		default:
			return 0
		}
	}
	all := flow.StatedSprints(bodies[desk.ObjectiveBody](s, desk.Objective), bodies[desk.SprintPlanBody](s, desk.SprintPlan), now)
	all = slices.DeleteFunc(all, func(x flow.Stated) bool { return x.State != state })
	slices.SortStableFunc(all, order)
	if len(all) == 0 || len(all) > 1 && order(all[0], all[1]) == 0 {
		return ""
	}
	return all[0].Name
}

// LastSprints implements [question.Vocabulary].
func (s *Snapshot) LastSprints(n int, now time.Time) (out []string) {
	all := flow.StatedSprints(bodies[desk.ObjectiveBody](s, desk.Objective), bodies[desk.SprintPlanBody](s, desk.SprintPlan), now)
	all = slices.DeleteFunc(all, func(x flow.Stated) bool { return x.State != flow.SprintOver })
	slices.SortStableFunc(all, func(a, b flow.Stated) int { return cmp.Compare(b.End, a.End) })
	for _, x := range all[:min(n, len(all))] {
		out = append(out, x.Name)
	}
	return out
}

// sprintDay is the first or last day of a sprint, as objectives say; empty where none does.
func (c *computation) sprintDay(name, field string) string {
	for _, s := range flow.StatedSprints(bodies[desk.ObjectiveBody](c.Snapshot, desk.Objective), bodies[desk.SprintPlanBody](c.Snapshot, desk.SprintPlan), c.now) {
		switch {
		case !strings.EqualFold(s.Name, name):
		case field == "startDate":
			return string(s.Begin)
		case field == "endDate":
			return string(s.End)
		}
	}
	return ""
}

// bodies are those of the records of a kind.
func bodies[T any](s *Snapshot, k desk.Kind) (out []*T) {
	for _, r := range s.byKind[k] {
		if b, ok := any(r.Thing).(*T); ok {
			out = append(out, b)
		}
	}
	return out
}

// reported notes that who reported a ticket is what a tracker says, where no ticket is of whom the plan names.
func (c *computation) reported() {
	if !c.out.Nothing {
		return
	}
	for _, x := range c.conditions() {
		if t, ok := x.(query.Term); ok && t.Field.Name == "reporter" && t.Op == query.Is {
			c.note("The reporter is whom a tracker names. Who made a ticket here, its history says.")
			return
		}
	}
}

// sprintNow notes that what is done in a sprint is that of the tickets which are in it now, where its own view counts what was done within its days.
func (c *computation) sprintNow() {
	done, by := false, c.plan.By == "sprint" && c.plan.Measure == question.Group
	for _, x := range c.conditions() {
		t, ok := x.(query.Term)
		done = done || ok && t.Field.Name == "status" && t.Op == query.Is && slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == string(desk.Done) })
		by = by || ok && t.Field.Name == "sprint" && t.Op == query.Is
	}
	if done && by && !c.out.Nothing && len(c.byKind[desk.SprintPlan]) > 0 {
		c.note("Done are the tickets that have the sprint now, whenever they were finished; the sprint's own view counts what was done within its days.")
	}
}
