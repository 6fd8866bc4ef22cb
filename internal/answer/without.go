package answer

import (
	"fmt"
	"slices"

	"chela/internal/desk"
	"chela/internal/query"
)

// without answers who has none of some tickets, among the people whom the filter names, or all.
func (c *computation) without(all []*Record) {
	has := make(map[string]bool)
	for _, r := range all {
		for _, name := range r.Owners {
			has[name] = true
		}
	}
	named, t := c.ownersNamed(), &Table{Columns: []string{"Name", "Role"}}
	var who, said []string
	for _, r := range c.byKind[desk.Resource] {
		b, ok := r.Thing.(*desk.ResourceBody)
		if !ok || len(named) > 0 && !slices.Contains(named, r.Title) {
			continue
		}
		who = append(who, r.Title)
		if has[r.Title] {
			continue
		}
		c.cite(r)
		said = append(said, r.Title)
		if t.Total++; len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{r.Title, Word(b.Role)}})
		}
	}
	if len(said) == 0 {
		c.out.Nothing = true
		each := fmt.Sprintf("Each of %d people has", len(who))
		if len(who) == 1 {
			each = who[0] + " has"
		}
		c.out.Sentence = fmt.Sprintf("%s some of %s%s.", each, c.nouns(len(all)), c.which())
		return
	}
	c.out.Table = t
	if len(all) == 0 {
		c.out.Sentence = fmt.Sprintf("0 of %s%s, so none of %s has one.", c.nouns(len(c.byKind[c.plan.Kind])), c.which(), counted(len(who), "person", "people"))
		return
	}
	c.out.Sentence = fmt.Sprintf("%s of %s none of %s%s: %s.", thousands(len(said)), counted(len(who), "person has", "people have"), c.nouns(len(all)), c.which(), andMore(said[:min(len(said), 8)], len(said)))
}

// ownersNamed are the people whom the plan's filter names as owners, nil for none.
func (c *computation) ownersNamed() (out []string) {
	for _, x := range c.conditions() {
		if t, ok := x.(query.Term); ok && t.Field.Name == c.plan.By && t.Op == query.Is {
			for _, v := range t.Values {
				out = append(out, v.Text)
			}
		}
	}
	return out
}
