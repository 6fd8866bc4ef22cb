package desk

import (
	"fmt"
	"strconv"
	"strings"

	"chela/internal/fault"
)

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

// Checklist is the kind of lists of what has to be checked.
const Checklist Kind = "checklist"

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
	// Imported are hashes of what the last import said: of the list's name, and of its items.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

// Check implements [Thing].
func (c *ChecklistBody) Check() error {
	c.Name = named(c.Name)
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

func (*ChecklistBody) facets() facets {
	return facets{
		kind:    Checklist,
		prefix:  "chk",
		word:    "checklist",
		section: "CHECKLISTS",
		copied:  true,
		merged:  true,
		form: []Input{
			{Name: "name"}, {Name: "phaseId", Of: Phase}, {Name: "ticketIds", Of: Ticket},
		},
		asked: Asked{
			Open: "-status:COMPLETED,TEMPLATE", Done: "status:COMPLETED", Day: "created", Who: "items.assignee", Of: "items.assignee:~%s", Titled: true,
			Columns: []string{"name", "status"}, Names: []string{"items.assignee"},
		},
	}
}

func (c *ChecklistBody) line(_ string) string {
	var open []string
	for _, i := range c.Items {
		if !i.Checked {
			open = append(open, i.Text+whose(i))
		}
	}
	return fmt.Sprintf("%s [%s] items=%d checked=%d%s", c.Name, c.Status, len(c.Items), c.Checked(), opt(" open=", strings.Join(open, "; ")))
}

// begin makes a checklist one of which nothing is done yet.
func (c *ChecklistBody) begin() {
	for i := range c.Items {
		c.Items[i].Checked, c.Items[i].Notes, c.Items[i].Assignee = false, "", ""
	}
}

func whose(i Item) string {
	if i.Assignee == "" {
		return ""
	}
	return " (" + i.Assignee + ")"
}
