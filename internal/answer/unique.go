package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// unique answers which skills one person alone has.
func (c *computation) unique(people []*Record) {
	holders, skills := make(map[string][]*Record), 0
	for _, r := range c.byKind[desk.Resource] {
		b, ok := r.Thing.(*desk.ResourceBody)
		if !ok {
			continue
		}
		for _, s := range b.Skills {
			key := strings.ToLower(strings.TrimSpace(s))
			if !slices.Contains(holders[key], r) {
				holders[key] = append(holders[key], r)
			}
		}
	}
	t := &Table{Columns: []string{"Skill", "Name"}}
	var said []string
	for skill, who := range holders {
		if skills++; len(who) == 1 && slices.Contains(people, who[0]) && (c.plan.Person == "" || who[0].Title == c.plan.Person) {
			t.Rows = append(t.Rows, Row{ID: who[0].ID, Cells: []string{skill, who[0].Title}})
		}
	}
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Cells[1], b.Cells[1]), cmp.Compare(a.Cells[0], b.Cells[0]))
	})
	for _, row := range t.Rows {
		if r, ok := c.Find(row.ID); ok {
			c.cite(r)
		}
		said = append(said, fmt.Sprintf("%s (%s)", row.Cells[0], row.Cells[1]))
	}
	if len(said) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("No skill is one that %s alone has; %s on the record.", cmp.Or(c.plan.Person, "one person"), counted(skills, "skill is", "skills are"))
		return
	}
	t.Total = len(t.Rows)
	t.Rows = t.Rows[:min(len(t.Rows), maxRows)]
	c.out.Table = t
	have := "skills are ones"
	if len(said) == 1 {
		have = "skill is one"
	}
	c.out.Sentence = fmt.Sprintf("%d of %d %s that one person alone has: %s.", len(said), skills, have, andMore(said[:min(len(said), 8)], len(said)))
}
