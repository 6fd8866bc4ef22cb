package desk

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// ObjectiveStatus is where an objective stands.
type ObjectiveStatus string

// Proposed is the status of an objective that nobody has accepted yet. It counts for nothing.
const Proposed ObjectiveStatus = "PROPOSED"

// Wanted reports whether somebody wants the outcome: a person made the objective or accepted it. What a
// rule read out of a text is a proposal until then, and a finding about it would be noise.
func (o *ObjectiveBody) Wanted() bool {
	return o.Status != Proposed || !slices.ContainsFunc(o.Sources, func(s Source) bool { return strings.HasPrefix(s.By, "rule:") })
}

// ObjectiveStatuses lists all values.
func ObjectiveStatuses() []ObjectiveStatus {
	return []ObjectiveStatus{Proposed, "COMMITTED", "AT_RISK", "ACHIEVED", "MISSED", "DROPPED"}
}

// Objective is the kind of outcomes that somebody wants by a time.
const Objective Kind = "objective"

// An ObjectiveBody is an outcome somebody wants by a time.
type ObjectiveBody struct {
	SprintName string          `json:"sprintName,omitempty"`
	Outcome    string          `json:"outcome"`
	Signal     string          `json:"measurableSignal,omitempty"`
	Risks      []string        `json:"risks,omitempty"`
	ThreadIDs  []string        `json:"threadIds,omitempty"`
	TicketIDs  []string        `json:"ticketIds,omitempty"`
	Coverage   float64         `json:"coveragePercent"` // computed by flow
	Status     ObjectiveStatus `json:"status"`
	StartDate  Date            `json:"startDate,omitempty"`
	EndDate    Date            `json:"endDate,omitempty"`
	Sources    []Source        `json:"sources,omitempty"`
}

// Check implements [Thing].
func (o *ObjectiveBody) Check() error {
	o.Outcome = named(o.Outcome)
	orDefault(&o.Status, Proposed)
	if o.Coverage < 0 || o.Coverage > 100 {
		return fault.BadField("coveragePercent", "Coverage is between 0 and 100.")
	}
	return firstOf(required("outcome", o.Outcome), oneOf("status", o.Status, ObjectiveStatuses()), o.StartDate.check("startDate"), o.EndDate.check("endDate"))
}
func (o *ObjectiveBody) identity() string { return o.SprintName + " | " + o.Outcome }
func (o *ObjectiveBody) title() string    { return o.Outcome }
func (o *ObjectiveBody) status() string   { return string(o.Status) }
func (o *ObjectiveBody) refs() []Ref {
	return append(refsTo("threadIds", o.ThreadIDs), refsTo("ticketIds", o.TicketIDs)...)
}

func (*ObjectiveBody) facets() facets {
	return facets{
		kind:     Objective,
		prefix:   "obj",
		word:     "objective",
		section:  "OBJECTIVES",
		computed: "coveragePercent",
		weight:   4,
		copied:   true,
		merged:   true,
		named:    "outcome",
		form: []Input{
			{Name: "outcome", Long: true}, {Name: "status"}, {Name: "sprintName"}, {Name: "startDate"}, {Name: "endDate"}, {Name: "measurableSignal"}, {Name: "risks"}, {Name: "ticketIds", Of: Ticket},
		},
		asked: Asked{
			Open: "-status:ACHIEVED,MISSED,DROPPED", Done: "status:ACHIEVED", Overdue: "endDate:<today -status:ACHIEVED,MISSED,DROPPED", Day: "endDate", Titled: true,
			Columns: []string{"outcome", "status", "endDate"}, Values: []string{"sprintName"},
		},
	}
}

func (o *ObjectiveBody) line(_ string) string {
	return fmt.Sprintf("%s%s [%s] coverage=%s%%%s%s%s", opt("", o.SprintName+": "), o.Outcome, o.Status, num(o.Coverage), opt(" signal=", o.Signal), opt(" end=", string(o.EndDate)), opt(" risks=", strings.Join(o.Risks, "; ")))
}
