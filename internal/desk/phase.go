package desk

import (
	"strings"
)

// PhaseStatus is where a phase stands.
type PhaseStatus string

// PhaseStatuses lists all values.
func PhaseStatuses() []PhaseStatus {
	return []PhaseStatus{"NOT_STARTED", "PENDING", "ACTIVE", "IN_PROGRESS", "BLOCKED", "COMPLETED"}
}

// A PhaseBody is a stretch of the project's way, with what lets it begin and end.
type PhaseBody struct {
	Name          string      `json:"name"`
	Description   string      `json:"description,omitempty"`
	EntryCriteria []string    `json:"entryCriteria,omitempty"`
	ExitCriteria  []string    `json:"exitCriteria,omitempty"`
	ChecklistIDs  []string    `json:"checklistIds,omitempty"`
	ObjectiveIDs  []string    `json:"objectiveIds,omitempty"`
	Status        PhaseStatus `json:"status"`
	SortOrder     int         `json:"sortOrder,omitempty"` // phases are shown in this order
	StartDate     Date        `json:"startDate,omitempty"`
	EndDate       Date        `json:"endDate,omitempty"`
	Sources       []Source    `json:"sources,omitempty"`
}

// Check implements [Thing].
func (p *PhaseBody) Check() error {
	p.Name = strings.TrimSpace(p.Name)
	orDefault(&p.Status, "NOT_STARTED")
	return firstOf(required("name", p.Name), oneOf("status", p.Status, PhaseStatuses()), span(p.StartDate, p.EndDate))
}
func (p *PhaseBody) identity() string { return p.Name }
func (p *PhaseBody) title() string    { return p.Name }
func (p *PhaseBody) status() string   { return string(p.Status) }
func (p *PhaseBody) refs() []Ref {
	return append(refsTo("checklistIds", p.ChecklistIDs), refsTo("objectiveIds", p.ObjectiveIDs)...)
}
