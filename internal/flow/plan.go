package flow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"chela/internal/desk"
)

// A Phase is a phase with its id.
type Phase struct {
	ID string
	desk.PhaseBody
}

// A Milestone is a milestone with its id.
type Milestone struct {
	ID string
	desk.MilestoneBody
}

// A Checklist is a checklist with its id.
type Checklist struct {
	ID string
	desk.ChecklistBody
}

// Progress is how far a checklist is.
type Progress struct {
	ID         string               `json:"checklistId"`
	Name       string               `json:"title"`
	Status     desk.ChecklistStatus `json:"status"`
	PhaseID    string               `json:"phaseId,omitempty"`
	Complete   int                  `json:"complete"`
	Total      int                  `json:"total"`
	Percent    float64              `json:"percentDone"`     // one decimal; 0 without items
	Unassigned int                  `json:"unassignedItems"` // not checked, and nobody has them
}

// ProgressOf computes how far c is.
func ProgressOf(c Checklist) Progress {
	out := Progress{ID: c.ID, Name: c.Name, Status: c.Status, PhaseID: c.PhaseID, Complete: c.Checked(), Total: len(c.Items)}
	if out.Total > 0 {
		out.Percent = math.Round(float64(out.Complete)/float64(out.Total)*1000) / 10
	}
	for _, i := range c.Items {
		if !i.Checked && strings.TrimSpace(i.Assignee) == "" {
			out.Unassigned++
		}
	}
	return out
}

// InOrder sorts phases as the project goes through them and milestones by their day,
// those without one last.
func InOrder(phases []Phase, milestones []Milestone) {
	slices.SortStableFunc(phases, func(a, b Phase) int {
		return cmp.Or(cmp.Compare(a.SortOrder, b.SortOrder), a.StartDate.Time().Compare(b.StartDate.Time()))
	})
	slices.SortStableFunc(milestones, func(a, b Milestone) int {
		if (a.TargetDate == "") != (b.TargetDate == "") {
			return cmp.Compare(b.TargetDate, a.TargetDate) // the empty one is last
		}
		return a.TargetDate.Time().Compare(b.TargetDate.Time())
	})
}

// Outline writes the plan as Markdown: the phases in their order with their criteria,
// and, when timeline is wanted, a table of the milestones.
func Outline(phases []Phase, milestones []Milestone, timeline bool) string {
	var b strings.Builder
	b.WriteString("# Plan\n")
	if len(phases) == 0 {
		b.WriteString("\nNo phases are recorded.\n")
	}
	names := make(map[string]string)
	for i, p := range phases {
		names[p.ID] = p.Name
		fmt.Fprintf(&b, "\n## %d. %s\n\nStatus: %s%s\n", i+1, flat(p.Name), p.Status, days(p.StartDate, p.EndDate))
		if p.Description != "" {
			fmt.Fprintf(&b, "\n%s\n", p.Description)
		}
		criteria(&b, "To begin", p.EntryCriteria)
		criteria(&b, "To end", p.ExitCriteria)
	}
	if !timeline {
		return b.String()
	}
	b.WriteString("\n## Milestones\n\n")
	if len(milestones) == 0 {
		b.WriteString("No milestones are recorded.\n")
		return b.String()
	}
	b.WriteString("| Day | Milestone | Status | Phase | Owner |\n|---|---|---|---|---|\n")
	for _, m := range milestones {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cmp.Or(string(m.TargetDate), "open"), cell(m.Name), m.Status, cell(names[m.PhaseID]), cell(m.Owner))
	}
	return b.String()
}

func days(start, end desk.Date) string {
	if start == "" && end == "" {
		return ""
	}
	return fmt.Sprintf(", %s to %s", cmp.Or(string(start), "open"), cmp.Or(string(end), "open"))
}

func criteria(b *strings.Builder, head string, in []string) {
	if len(in) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", head)
	for _, c := range in {
		fmt.Fprintf(b, "- %s\n", flat(c))
	}
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func cell(s string) string { return strings.ReplaceAll(flat(s), "|", `\|`) }
