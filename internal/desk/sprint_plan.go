package desk

import (
	"fmt"
)

// SprintPlanStatus is where a sprint stands, as its tracker says.
type SprintPlanStatus string

// SprintPlanStatuses lists all values.
func SprintPlanStatuses() []SprintPlanStatus {
	return []SprintPlanStatus{"PLANNED", "ACTIVE", "CLOSED"}
}

// SprintPlan is the kind of what sprints are planned to be: tickets name a sprint, and
// its plan says when it is and what for.
const SprintPlan Kind = "sprint_plan"

// A SprintPlanBody is when a sprint is, and what for.
type SprintPlanBody struct {
	Name      string           `json:"name"` // as tickets say it
	Goal      string           `json:"goal,omitempty"`
	StartDate Date             `json:"startDate,omitempty"`
	EndDate   Date             `json:"endDate,omitempty"`
	Status    SprintPlanStatus `json:"status,omitempty"` // empty where nobody says
	Sources   []Source         `json:"sources,omitempty"`
	// Imported are hashes of what the last import said, by field.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

// Check implements [Thing].
func (s *SprintPlanBody) Check() error {
	s.Name = named(s.Name)
	if s.Status != "" {
		if err := oneOf("status", s.Status, SprintPlanStatuses()); err != nil {
			return err
		}
	}
	return firstOf(required("name", s.Name), span(s.StartDate, s.EndDate))
}
func (s *SprintPlanBody) identity() string { return s.Name }
func (s *SprintPlanBody) title() string    { return s.Name }
func (s *SprintPlanBody) status() string   { return string(s.Status) }
func (*SprintPlanBody) refs() []Ref        { return nil }

func (*SprintPlanBody) facets() facets {
	return facets{
		kind:    SprintPlan,
		prefix:  "spr",
		word:    "sprint plan",
		section: "SPRINTS",
		merged:  true,
		once:    true,
		named:   "name",
		form: []Input{
			{Name: "name"}, {Name: "status"}, {Name: "startDate"}, {Name: "endDate"}, {Name: "goal", Long: true},
		},
		asked: Asked{
			Open: "-status:CLOSED", Done: "status:CLOSED", Overdue: "endDate:<today -status:CLOSED", Day: "endDate", Titled: true,
			Columns: []string{"name", "status", "startDate", "endDate", "goal"},
		},
	}
}

func (s *SprintPlanBody) line(_ string) string {
	return fmt.Sprintf("%s%s%s%s%s", s.Name, opt(" status=", string(s.Status)), opt(" start=", string(s.StartDate)), opt(" end=", string(s.EndDate)), opt(" goal=", s.Goal))
}
