package answer

import (
	"fmt"
	"strings"

	"chela/internal/desk"
)

// Bounds of who works on what: people whose names stand in a sentence, and titles of one of them.
const (
	namesSaid  = 12
	titlesSaid = 5
)

// someLabels are the titles of the first of some tickets, and how many more there are.
func someLabels(all []*Record) string {
	out := make([]string, 0, titlesSaid)
	for _, r := range all[:min(len(all), titlesSaid)] {
		out = append(out, label(r))
	}
	return andMore(out, len(all))
}

// titled answers who has which tickets: each person with the titles of theirs.
func (c *computation) titled(all []*Record) {
	members := make(map[string][]*Record)
	count := make(map[string]float64)
	for _, r := range all {
		owners := r.Owners
		if len(owners) == 0 {
			owners = []string{""}
		}
		for _, o := range owners {
			members[o] = append(members[o], r)
			count[o]++
		}
	}
	t := &Table{Columns: []string{"Owner", "Tickets", "Titles"}, Total: len(members)}
	var said []string
	_, field, _ := c.reads("owner")
	for _, k := range sortedKeys(count) {
		name, titles := c.groupName(k), someLabels(members[k])
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: c.ownerID(members[k], k), Filter: c.groupFilter(k, field), Cells: []string{name, thousands(len(members[k])), titles}})
		}
		if len(said) < namesSaid {
			said = append(said, name+": "+titles)
		}
	}
	c.citeAll(all)
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("%s%s. %s.", c.nouns(len(all)), c.which(), strings.Join(said, "; "))
	if more := t.Total - len(said); more > 0 {
		c.out.Sentence = strings.TrimSuffix(c.out.Sentence, ".") + fmt.Sprintf("; and %s.", counted(more, "more person", "more people"))
	}
	c.workless(members)
}

// workless notes who has open tickets and none of those of the plan.
func (c *computation) workless(members map[string][]*Record) {
	open := make(map[string]bool)
	var others []string
	for _, r := range c.byKind[desk.Ticket] {
		if !desk.TicketStatus(r.Status).Open() {
			continue
		}
		for _, o := range r.Owners {
			if !open[o] && members[o] == nil {
				others = append(others, o)
			}
			open[o] = true
		}
	}
	if len(others) > 0 {
		c.note("%s none of these.", andMore(others[:min(len(others), namesSaid)], len(others))+map[bool]string{true: " has open tickets, but", false: " have open tickets, but"}[len(others) == 1])
	}
}
