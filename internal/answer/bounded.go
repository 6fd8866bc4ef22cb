package answer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// emptyToo adds the groups that may have no record, where few are asked for: all people, or all values that some record of the kind has.
func (c *computation) emptyToo(members map[string][]*Record, read func(*Record) []value, f query.Field) {
	if op, _, ok := c.plan.Bound(); !ok || strings.HasPrefix(op, ">") {
		return
	}
	if c.plan.By == c.plan.Kind.Asked().Who {
		named := c.ownersNamed()
		for _, r := range c.byKind[desk.Resource] {
			if len(named) == 0 || slices.Contains(named, r.Title) {
				members[r.Title] = nil
			}
		}
		return
	}
	for _, r := range c.byKind[c.plan.Kind] {
		for _, k := range c.keys(read(r), f) {
			members[k] = nil
		}
	}
}

// bounded answers which groups have as many records as the plan says. What is not set is no group.
func (c *computation) bounded(all []*Record, members map[string][]*Record, amount map[string]float64, f query.Field, op string, n float64) {
	delete(members, "")
	maps.DeleteFunc(members, func(k string, _ []*Record) bool {
		x := amount[k]
		return !map[string]bool{">": x > n, ">=": x >= n, "<": x < n, "<=": x <= n, "=": x == n}[op]
	})
	maps.DeleteFunc(amount, func(k string, _ float64) bool { _, ok := members[k]; return !ok })
	what := map[string]string{">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most", "=": "just"}[op] + " " + figure(n)
	if c.plan.Of != "" {
		what += " " + question.FieldWord(c.plan.Of)
	}
	what += fmt.Sprintf(" of %s%s", c.nouns(len(all)), c.which())
	one := singular(question.FieldWord(c.plan.By))
	if len(members) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("No %s has %s.", one, what)
		c.lacking()
		return
	}
	c.grouped(all, members, amount, f)
	var parts []string
	for i, row := range c.out.Table.Rows {
		if i < 8 {
			parts = append(parts, row.Cells[0]+" "+row.Cells[1])
		}
	}
	verb := "have"
	if len(members) == 1 {
		verb = "has"
	}
	c.out.Sentence = c.Labelled(fmt.Sprintf("%s %s %s: %s.", counted(len(members), one, strings.TrimSuffix(one, "y")+map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(one, "y")]), verb, what, andMore(parts, len(members))))
}

// singular is the word of a field that has several values, for one of them.
func singular(field string) string {
	if field == "status" {
		return field
	}
	return strings.TrimSuffix(field, "s")
}
