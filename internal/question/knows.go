package question

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
)

// knowers reads "who should I talk to about checkout", where nobody has that as a skill, as who has the most tickets with the word.
func (r *reader) knowers() []Plan {
	skill := r.has("concept", "skill")
	rest := r.rest()
	if skill == nil || r.has("measure", "who") == nil || r.has("person") != nil || r.has("named") != nil || r.has("kind") != nil || r.has("type") != nil || r.has("not") != nil || r.has("none") != nil || r.has("or") != nil || r.has("in") != nil ||
		len(rest) == 0 || len(rest) > 4 || len(r.out.Unknown) > 0 {
		return nil
	}
	p := Plan{Kind: desk.Ticket, Measure: Group, By: desk.Ticket.Asked().Who, Sort: "-count"}
	var conditions []string
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "word" || it.used || !slices.Contains(rest, r.tokens[it.at].text) {
			continue
		}
		it.used = true
		var forms []string
		for _, w := range r.forms(r.tokens[it.at].text) {
			forms = append(forms, fmt.Sprintf("%q", w))
		}
		conditions = append(conditions, strings.Join(forms, " OR "))
		if len(forms) > 1 {
			conditions[len(conditions)-1] = "(" + conditions[len(conditions)-1] + ")"
		}
	}
	r.take("measure", "most")
	p.Filter, skill.used = strings.Join(conditions, " "), true
	if more := r.conditions(desk.Ticket); len(more) > 0 {
		p.Filter += " " + strings.Join(more, " ")
	}
	return []Plan{p}
}

// uniques reads "which skills would we lose if Priya left" as those that nobody else has.
func (r *reader) uniques() []Plan {
	p := Plan{Kind: desk.Resource, Measure: Capacity, State: "unique", Person: r.person()}
	for i := range r.items {
		r.items[i].used = true
	}
	return []Plan{p}
}
