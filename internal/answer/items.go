package answer

import (
	"cmp"
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/question"
)

// checkItems answers which items are on checklists: those that the plan's words and person say, of its records or of all.
func (c *computation) checkItems() {
	t := &Table{Columns: []string{"Item", "Checklist", "Assignee", "Checked"}}
	of, lists := 0, 0
	var said []string
	for _, r := range c.byKind[c.plan.Kind] {
		b, ok := r.Thing.(*desk.ChecklistBody)
		if !ok || len(c.plan.Records) > 0 && !slices.Contains(c.plan.Records, r.ID) {
			continue
		}
		fits := 0
		for _, i := range b.Items {
			of++
			who := i.Assignee
			switch {
			case c.plan.Person == question.Nobody && who != "", c.plan.Person != "" && c.plan.Person != question.Nobody && !c.says(who, c.plan.Person),
				c.plan.Words == "open" && i.Checked, c.plan.Words == "done" && !i.Checked:
				continue
			}
			fits++
			said = append(said, i.Text)
			if t.Total++; len(t.Rows) < maxRows {
				t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{i.Text, r.Title, cmp.Or(who, "nobody"), map[bool]string{true: "yes", false: "no"}[i.Checked]}})
			}
		}
		if fits > 0 {
			c.cite(r)
			lists++
		}
	}
	which := ""
	if c.plan.Words != "" {
		which = c.plan.Words + " "
	}
	whose := ""
	if c.plan.Person != "" {
		whose = " of " + c.plan.Person
	}
	if t.Total == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("0 of %s on checklists are %sitems%s.", counted(of, "item", "items"), which, whose)
		return
	}
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("%s%s on %s: %s.", counted(t.Total, which+"item", which+"items"), whose, counted(lists, "checklist", "checklists"), andMore(said[:min(len(said), 6)], len(said)))
}
