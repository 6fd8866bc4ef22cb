package answer

import (
	"cmp"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/flow"
)

// sprintsStated are the sprints of which records say when they are, by their names.
func (c *computation) sprintsStated() map[string]flow.Stated {
	out := make(map[string]flow.Stated)
	for _, s := range flow.StatedSprints(bodies[desk.ObjectiveBody](c.Snapshot, desk.Objective), bodies[desk.SprintPlanBody](c.Snapshot, desk.SprintPlan), c.now) {
		out[strings.ToLower(s.Name)] = s
	}
	return out
}

// inTime sorts the names of sprints by when they begin. Those of which that is not known come first, by their names; what is in no sprint is last.
func (c *computation) inTime(keys []string) {
	stated := c.sprintsStated()
	begin := func(k string) string {
		s := stated[strings.ToLower(k)]
		return string(cmp.Or(s.Begin, s.End))
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		if (a == "") != (b == "") {
			return cmp.Compare(b, a)
		}
		return cmp.Or(cmp.Compare(begin(a), begin(b)), natural(a, b))
	})
}

// natural compares names in which numbers count as such: "Sprint 9" is before "Sprint 10".
func natural(a, b string) int {
	return cmp.Or(cmp.Compare(len(strings.TrimRight(a, "0123456789")), len(strings.TrimRight(b, "0123456789"))), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// sprintsWhole marks the sprints of a table that are not over, and notes what the others have on average.
func (c *computation) sprintsWhole(t *Table, parts, keys []string, amount map[string]float64) {
	stated := c.sprintsStated()
	words := map[flow.SprintState]string{flow.SprintOver: "over", flow.SprintRunning: "running, so far", flow.SprintPlanned: "planned"}
	t.Columns = append(t.Columns, "Sprint is")
	whole, sum, unknown := 0, 0.0, 0
	for i, k := range keys {
		s, known := stated[strings.ToLower(k)]
		state := ""
		if known {
			state = words[s.State]
		}
		if i < len(t.Rows) {
			t.Rows[i].Cells = append(t.Rows[i].Cells, state)
		}
		if i < len(parts) && known && s.State == flow.SprintRunning {
			parts[i] += " so far, as it is running"
		}
		switch {
		case known && s.State == flow.SprintOver:
			whole, sum = whole+1, sum+amount[k]
		case k != "" && !known:
			unknown++
		}
	}
	if whole > 0 {
		c.note("%s over: %s a sprint on average.", counted(whole, "sprint is", "sprints are"), num(sum/float64(whole)))
	}
	if unknown > 0 {
		c.note("Of %s no record says when; they stand first.", counted(unknown, "sprint", "sprints"))
	}
}
