package desk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/fault"
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

// span checks two dates of which the second may not lie before the first.
func span(start, end Date) error {
	if err := firstOf(start.check("startDate"), end.check("endDate")); err != nil {
		return err
	}
	if start != "" && end != "" && end.Time().Before(start.Time()) {
		return fault.BadField("endDate", "The end, "+string(end)+", lies before the start, "+string(start)+".")
	}
	return nil
}

// MilestoneStatus is where a milestone stands.
type MilestoneStatus string

// MilestoneStatuses lists all values.
func MilestoneStatuses() []MilestoneStatus {
	return []MilestoneStatus{"UPCOMING", "ON_TRACK", "AT_RISK", "MISSED", "COMPLETED"}
}

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
}

// Check implements [Thing].
func (m *MilestoneBody) Check() error {
	m.Name = strings.TrimSpace(m.Name)
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

// ChecklistStatus is where a checklist stands.
type ChecklistStatus string

// The values of ChecklistStatus. The items decide between the last two.
const (
	ChecklistAsTemplate ChecklistStatus = "TEMPLATE"
	ChecklistPending    ChecklistStatus = "PENDING"
	ChecklistOpen       ChecklistStatus = "IN_PROGRESS"
	ChecklistDone       ChecklistStatus = "COMPLETED"
)

// ChecklistStatuses lists all values.
func ChecklistStatuses() []ChecklistStatus {
	return []ChecklistStatus{ChecklistAsTemplate, ChecklistPending, ChecklistOpen, ChecklistDone}
}

// An Item is one thing to check.
type Item struct {
	ID       string `json:"itemId,omitempty"` // within its checklist; made up when empty
	Text     string `json:"text"`
	Assignee string `json:"assignee,omitempty"`
	Checked  bool   `json:"checked,omitempty"`
	Notes    string `json:"notes,omitempty"`
	TicketID string `json:"linkedTicketId,omitempty"`
}

// A ChecklistBody is what has to be checked before something may happen.
type ChecklistBody struct {
	Name       string          `json:"name"`
	TemplateID string          `json:"templateId,omitempty"`
	PhaseID    string          `json:"phaseId,omitempty"`
	TicketIDs  []string        `json:"ticketIds,omitempty"`
	Items      []Item          `json:"items"`
	Status     ChecklistStatus `json:"status"`
	ThreadID   string          `json:"sourceThreadId,omitempty"`
	Sources    []Source        `json:"sources,omitempty"`
}

// Check implements [Thing].
func (c *ChecklistBody) Check() error {
	c.Name = strings.TrimSpace(c.Name)
	if c.Items == nil {
		c.Items = []Item{}
	}
	used := make(map[string]bool)
	for i, item := range c.Items {
		if err := required(fmt.Sprintf("items.%d.text", i), item.Text); err != nil {
			return err
		}
		if item.ID != "" && used[item.ID] {
			return fault.BadField(fmt.Sprintf("items.%d.itemId", i), "Two items have the id "+item.ID+".")
		}
		used[item.ID] = true
	}
	next := 1
	for i := range c.Items {
		for c.Items[i].ID == "" {
			if id := strconv.Itoa(next); !used[id] {
				c.Items[i].ID = id
			}
			next++
		}
	}
	orDefault(&c.Status, ChecklistOpen)
	if c.Status == ChecklistOpen || c.Status == ChecklistDone {
		c.Status = c.reached()
	}
	return firstOf(required("name", c.Name), oneOf("status", c.Status, ChecklistStatuses()))
}

// reached is what the items say.
func (c *ChecklistBody) reached() ChecklistStatus {
	if len(c.Items) > 0 && c.Checked() == len(c.Items) {
		return ChecklistDone
	}
	return ChecklistOpen
}

// Checked counts the items that are checked.
func (c *ChecklistBody) Checked() int {
	n := 0
	for _, i := range c.Items {
		if i.Checked {
			n++
		}
	}
	return n
}
func (c *ChecklistBody) identity() string { return c.Name }
func (c *ChecklistBody) title() string    { return c.Name }
func (c *ChecklistBody) status() string   { return string(c.Status) }
func (c *ChecklistBody) refs() []Ref {
	out := append(refsTo("ticketIds", c.TicketIDs), Ref{"templateId", c.TemplateID}, Ref{"phaseId", c.PhaseID}, Ref{"sourceThreadId", c.ThreadID})
	for _, i := range c.Items {
		out = append(out, Ref{"items.linkedTicketId", i.TicketID})
	}
	return out
}

// TemplateCategories lists what a checklist's template may be for.
func TemplateCategories() []string {
	return []string{"ORR", "RELEASE_READINESS", "ONBOARDING", "SPRINT_CLOSE", "DEPLOYMENT", "ROLLBACK", "CUSTOM"}
}

// A TemplateItem is one thing that a checklist of the template begins with.
type TemplateItem struct {
	Text      string `json:"text"`
	Role      string `json:"defaultAssigneeRole,omitempty"`
	Required  bool   `json:"required,omitempty"`
	SortOrder int    `json:"sortOrder,omitempty"` // from 1; made up when 0
}

// A ChecklistTemplateBody is what checklists of a sort begin with.
type ChecklistTemplateBody struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Category    string         `json:"category"`
	Items       []TemplateItem `json:"items"`
	Global      bool           `json:"global,omitempty"` // of all projects; said when it is created
}

// Check implements [Thing].
func (c *ChecklistTemplateBody) Check() error {
	c.Name = strings.TrimSpace(c.Name)
	orDefault(&c.Category, "CUSTOM")
	if len(c.Items) == 0 {
		return fault.BadField("items", "A template has at least one item.")
	}
	for i := range c.Items {
		if err := required(fmt.Sprintf("items.%d.text", i), c.Items[i].Text); err != nil {
			return err
		}
		orDefault(&c.Items[i].SortOrder, i+1)
	}
	slices.SortStableFunc(c.Items, func(a, b TemplateItem) int { return a.SortOrder - b.SortOrder })
	return firstOf(required("name", c.Name), oneOf("category", c.Category, TemplateCategories()))
}
func (c *ChecklistTemplateBody) identity() string { return c.Name }
func (c *ChecklistTemplateBody) title() string    { return c.Name }
func (c *ChecklistTemplateBody) status() string   { return c.Category }
func (c *ChecklistTemplateBody) refs() []Ref      { return nil }
