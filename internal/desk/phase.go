package desk

import (
	"fmt"
	"strings"
)

// PhaseStatus is where a phase stands.
type PhaseStatus string

// The statuses of phases that are at work, and over.
const (
	PhaseInProgress PhaseStatus = "IN_PROGRESS"
	PhaseCompleted  PhaseStatus = "COMPLETED"
)

// PhaseStatuses lists all values.
func PhaseStatuses() []PhaseStatus {
	return []PhaseStatus{"NOT_STARTED", "PENDING", "ACTIVE", PhaseInProgress, "BLOCKED", PhaseCompleted}
}

// Phase is the kind of stretches of a project.
const Phase Kind = "phase"

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
	// Imported are hashes of what the last import said, by field.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

// Check implements [Thing].
func (p *PhaseBody) Check() error {
	p.Name = named(p.Name)
	orDefault(&p.Status, "NOT_STARTED")
	return firstOf(required("name", p.Name), oneOf("status", p.Status, PhaseStatuses()), span(p.StartDate, p.EndDate))
}
func (p *PhaseBody) identity() string { return p.Name }
func (p *PhaseBody) title() string    { return p.Name }
func (p *PhaseBody) status() string   { return string(p.Status) }
func (p *PhaseBody) refs() []Ref {
	return append(refsTo("checklistIds", p.ChecklistIDs), refsTo("objectiveIds", p.ObjectiveIDs)...)
}

func (*PhaseBody) facets() facets {
	return facets{
		kind:    Phase,
		prefix:  "phs",
		word:    "phase",
		section: "PHASES",
		copied:  true,
		merged:  true,
		named:   "name",
		form: []Input{
			{Name: "name"}, {Name: "status"}, {Name: "startDate"}, {Name: "endDate"}, {Name: "sortOrder"}, {Name: "description", Long: true}, {Name: "entryCriteria"}, {Name: "exitCriteria"},
		},
		asked: Asked{
			Open: "-status:COMPLETED", Done: "status:COMPLETED", Overdue: "endDate:<today -status:COMPLETED", Day: "startDate", Titled: true,
			Columns: []string{"name", "status", "startDate", "endDate"},
		},
	}
}

func (p *PhaseBody) line(_ string) string {
	return fmt.Sprintf("%d. %s [%s]%s%s%s%s", p.SortOrder, p.Name, p.Status, opt(" start=", string(p.StartDate)), opt(" end=", string(p.EndDate)),
		opt(" entry=", strings.Join(p.EntryCriteria, "; ")), opt(" exit=", strings.Join(p.ExitCriteria, "; ")))
}
