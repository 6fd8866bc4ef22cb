package clerk

import (
	"slices"
	"time"

	"chela/internal/report"
)

// Status is what a report takes of the board and the plan at a moment.
func (b *Board) Status(plan Plan, at time.Time) report.State {
	owners := make(map[string][]string)
	for t, p := range b.Owners() {
		if p.Name != "" && !slices.Contains(owners[t.ID], p.Name) {
			owners[t.ID] = append(owners[t.ID], p.Name)
		}
	}
	return report.State{Tickets: b.Tickets(), Owners: owners, Objectives: b.Objectives(), Milestones: plan.Milestones, Capacity: b.Report(at)}
}
