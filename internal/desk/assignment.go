package desk

import (
	"chela/internal/fault"
)

// Assignment is the kind of who does which ticket.
const Assignment Kind = "assignment"

// An AssignmentBody says that somebody does a ticket: the one truth about it.
type AssignmentBody struct {
	ResourceID string   `json:"resourceId"`
	TicketID   string   `json:"ticketId"`
	Percent    float64  `json:"percentageAllocation,omitempty"` // of their time; 0 when not said
	Sources    []Source `json:"sources,omitempty"`
}

// Check implements [Thing].
func (a *AssignmentBody) Check() error {
	if a.Percent < 0 || a.Percent > 100 {
		return fault.BadField("percentageAllocation", "An allocation is between 0 and 100 percent.")
	}
	return firstOf(required("resourceId", a.ResourceID), required("ticketId", a.TicketID))
}
func (a *AssignmentBody) identity() string { return a.TicketID + " " + a.ResourceID }
func (a *AssignmentBody) title() string    { return a.identity() }
func (a *AssignmentBody) status() string   { return "" }
func (a *AssignmentBody) refs() []Ref {
	return []Ref{{"resourceId", a.ResourceID}, {"ticketId", a.TicketID}}
}

func (*AssignmentBody) facets() facets {
	return facets{
		once:        true,
		kind:        Assignment,
		prefix:      "asg",
		word:        "assignment",
		association: true,
	}
}
