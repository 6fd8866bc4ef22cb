package desk

import (
	"fmt"
	"slices"

	"chela/internal/fault"
)

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

// ChecklistTemplate is the kind of what checklists begin with.
const ChecklistTemplate Kind = "checklist_template"

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
	c.Name = named(c.Name)
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

func (*ChecklistTemplateBody) facets() facets {
	return facets{
		kind:   ChecklistTemplate,
		prefix: "clt",
		word:   "checklist template",
		copied: true,
		merged: true,
	}
}

// everywhere reports whether the template is one of all projects.
func (c *ChecklistTemplateBody) everywhere() bool { return c.Global }
