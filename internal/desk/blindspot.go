package desk

import (
	"fmt"
)

// BlindspotCategories lists all categories.
func BlindspotCategories() []string {
	return []string{
		"ORPHANED_TICKET", "UNCOVERED_OBJECTIVE", "EMPTY_PHASE", "UNASSIGNED_WORK", "MISSING_OWNER", "DEPENDENCY_RISK",
		"CAPACITY_GAP", "SCOPE_OVERLAP", "MISSING_TEST_SIGNAL", "STALE_ARTIFACT", MilestoneRisk, "RISK",
	}
}

// MilestoneRisk is the category of milestones that are late, or will be.
const MilestoneRisk = "MILESTONE_RISK"

// BlindspotStatuses lists all statuses; people correct them, so each may follow each.
func BlindspotStatuses() []string { return []string{"OPEN", "ACKNOWLEDGED", "RESOLVED", "DISMISSED"} }

// SettledStatuses are those of blindspots that nobody has to look at any more.
func SettledStatuses() []string { return []string{"RESOLVED", "DISMISSED"} }

// Blindspot is the kind of things that nobody looks at.
const Blindspot Kind = "blindspot"

// A BlindspotBody is something nobody looks at.
type BlindspotBody struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category"`
	Severity    Level    `json:"severity"`
	Status      string   `json:"status"`
	Owner       string   `json:"owner,omitempty"`
	RecordIDs   []string `json:"recordIds,omitempty"`
	DeltaPackID string   `json:"deltaPackId,omitempty"`
	RunID       string   `json:"runId,omitempty"` // that found it
	ResolvedAt  Date     `json:"resolvedAt,omitempty"`
	Sources     []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (b *BlindspotBody) Check() error {
	b.Title = named(b.Title)
	orDefault(&b.Status, "OPEN")
	orDefault(&b.Severity, Medium)
	return firstOf(required("title", b.Title), oneOf("category", b.Category, BlindspotCategories()), oneOf("severity", b.Severity, Levels()),
		oneOf("status", b.Status, BlindspotStatuses()), b.ResolvedAt.check("resolvedAt"))
}
func (b *BlindspotBody) identity() string { return b.Title }
func (b *BlindspotBody) title() string    { return b.Title }
func (b *BlindspotBody) status() string   { return b.Status }
func (b *BlindspotBody) refs() []Ref {
	return append(refsTo("recordIds", b.RecordIDs), Ref{"deltaPackId", b.DeltaPackID})
}

func (*BlindspotBody) facets() facets {
	return facets{
		kind:    Blindspot,
		prefix:  "bsp",
		word:    "blindspot",
		derived: true,
		section: "BLINDSPOTS",
		weight:  2,
		merged:  true,
		form: []Input{
			{Name: "title"}, {Name: "severity"}, {Name: "status"}, {Name: "owner"}, {Name: "description", Long: true},
		},
		asked: Asked{
			Open: "status:OPEN", Done: "status:RESOLVED", Day: "created", Who: "owner", Of: "owner:~%s", Titled: true,
			Columns: []string{"title", "severity", "status", "owner"}, Names: []string{"owner"},
		},
	}
}

func (b *BlindspotBody) line(_ string) string {
	return fmt.Sprintf("%s [%s] severity=%s category=%s %.200s", b.Title, b.Status, b.Severity, b.Category, b.Description)
}

// end dates a blindspot that is resolved.
func (b *BlindspotBody) end(day Date) bool {
	if b.Status != "RESOLVED" || b.ResolvedAt != "" {
		return false
	}
	b.ResolvedAt = day
	return true
}
