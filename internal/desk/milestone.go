package desk

import (
	"fmt"
)

// MilestoneStatus is where a milestone stands.
type MilestoneStatus string

// The statuses of milestones that somebody sees in danger, and of those for which nobody waits: one was reached, or was not and is given up.
const (
	MilestoneAtRisk    MilestoneStatus = "AT_RISK"
	MilestoneCompleted MilestoneStatus = "COMPLETED"
	MilestoneMissed    MilestoneStatus = "MISSED"
)

// MilestoneStatuses lists all values.
func MilestoneStatuses() []MilestoneStatus {
	return []MilestoneStatus{"UPCOMING", "ON_TRACK", MilestoneAtRisk, MilestoneMissed, MilestoneCompleted}
}

// Milestone is the kind of days by which something is there.
const Milestone Kind = "milestone"

// A MilestoneBody is a day by which something is there.
type MilestoneBody struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	TargetDate   Date            `json:"targetDate,omitempty"`
	ActualDate   Date            `json:"actualDate,omitempty"`
	Status       MilestoneStatus `json:"status"`
	PhaseID      string          `json:"phaseId,omitempty"`
	ObjectiveIDs []string        `json:"objectiveIds,omitempty"`
	TicketIDs    []string        `json:"ticketIds,omitempty"`
	Owner        string          `json:"owner,omitempty"`
	Dependencies []string        `json:"dependencies,omitempty"` // other milestones
	Sources      []Source        `json:"sources,omitempty"`
	// Imported are hashes of what the last import said, by field.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

// Check implements [Thing].
func (m *MilestoneBody) Check() error {
	m.Name = named(m.Name)
	orDefault(&m.Status, "UPCOMING")
	return firstOf(required("name", m.Name), m.TargetDate.check("targetDate"), m.ActualDate.check("actualDate"), oneOf("status", m.Status, MilestoneStatuses()))
}
func (m *MilestoneBody) identity() string { return m.Name }
func (m *MilestoneBody) title() string    { return m.Name }
func (m *MilestoneBody) status() string   { return string(m.Status) }
func (m *MilestoneBody) refs() []Ref {
	out := append(refsTo("objectiveIds", m.ObjectiveIDs), refsTo("ticketIds", m.TicketIDs)...)
	return append(append(out, refsTo("dependencies", m.Dependencies)...), Ref{"phaseId", m.PhaseID})
}

func (*MilestoneBody) facets() facets {
	return facets{
		kind:    Milestone,
		prefix:  "mls",
		word:    "milestone",
		section: "MILESTONES",
		copied:  true,
		merged:  true,
		named:   "name",
		form: []Input{
			{Name: "name"}, {Name: "status"}, {Name: "targetDate"}, {Name: "actualDate"}, {Name: "owner"}, {Name: "phaseId", Of: Phase}, {Name: "description", Long: true}, {Name: "ticketIds", Of: Ticket},
		},
		asked: Asked{
			Open: "-status:COMPLETED", Done: "status:COMPLETED", Overdue: "targetDate:<today -status:COMPLETED", Day: "targetDate", Who: "owner", Of: "owner:~%s", Titled: true,
			Columns: []string{"name", "status", "targetDate", "owner"}, Names: []string{"owner"},
		},
	}
}

func (m *MilestoneBody) line(_ string) string {
	return fmt.Sprintf("%s [%s]%s%s%s tickets=%d", m.Name, m.Status, opt(" target=", string(m.TargetDate)), opt(" actual=", string(m.ActualDate)), opt(" owner=", m.Owner), len(m.TicketIDs))
}

// end dates a milestone that is completed.
func (m *MilestoneBody) end(day Date) bool {
	if m.Status != "COMPLETED" || m.ActualDate != "" {
		return false
	}
	m.ActualDate = day
	return true
}
