package answer

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/question"
)

// A delayed is a milestone or a phase that is late or will be, or that is called completed before its work is.
type delayed struct {
	*Record
	day, why, owner string
	cause           flow.Why
}

// delayed are the parts of the plan that are late or will be, the gravest first, as Today has them.
func (c *computation) delayed() (out []delayed) {
	var p flow.Plan
	var objectives []flow.Objective
	for _, k := range []desk.Kind{desk.Phase, desk.Milestone, desk.Checklist, desk.Objective} {
		for _, r := range c.byKind[k] {
			p.Add(r.ID, r.Thing)
			if b, ok := r.Thing.(*desk.ObjectiveBody); ok {
				objectives = append(objectives, flow.Objective{ID: r.ID, ObjectiveBody: *b})
			}
		}
	}
	if len(p.Phases)+len(p.Milestones) == 0 {
		return nil
	}
	tickets := make([]flow.Ticket, 0, len(c.byKind[desk.Ticket]))
	for _, r := range c.byKind[desk.Ticket] {
		if b, ok := r.Thing.(*desk.TicketBody); ok {
			tickets = append(tickets, flow.Ticket{ID: r.ID, TicketBody: b})
		}
	}
	for _, d := range p.Delays(objectives, tickets, c.now) {
		if r, ok := c.Find(d.ID); ok {
			out = append(out, delayed{r, string(d.Day), d.Said(), d.Owner, d.Why})
		}
	}
	return out
}

// planSlips answers which milestones or phases are late or will be: by their days, and those that somebody called at risk.
func (c *computation) planSlips() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	found := slices.DeleteFunc(c.delayed(), func(d delayed) bool { return !slices.Contains(all, d.Record) })
	for _, r := range all {
		b, ok := r.Thing.(*desk.MilestoneBody)
		if ok && b.Status == desk.MilestoneAtRisk && !slices.ContainsFunc(found, func(d delayed) bool { return d.Record == r }) {
			found = append(found, delayed{r, string(b.TargetDate), "somebody called it at risk", b.Owner, flow.AtRisk})
		}
	}
	if len(c.byKind[c.plan.Kind]) == 0 {
		c.none()
		return nil
	}
	if len(found) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("None of %s is late, near its day with open work, or called at risk.", c.nouns(len(all))+c.which())
		return nil
	}
	t := &Table{Columns: []string{"What", "Why", "Status", "Owner", "Day"}, Total: len(found)}
	for _, d := range found {
		c.cite(d.Record)
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: d.ID, Cells: []string{label(d.Record), d.why, Word(d.Status), d.owner, d.day}})
		}
	}
	c.out.Table = t
	c.out.Sentence = c.delaysSaid(found)
	return nil
}

// delayedFacts notes which of the records that are asked for are late or will be, where it is asked how they stand.
func (c *computation) delayedFacts() {
	if len(c.plan.Fields) > 0 && !slices.Contains(c.plan.Fields, "status") {
		return
	}
	for _, d := range c.delayed() {
		if slices.Contains(c.plan.Records, d.ID) {
			c.note("%s: %s.", label(d.Record), d.why)
		}
	}
}

// delaysSaid is a sentence about parts of the plan that are late or will be.
func (c *computation) delaysSaid(found []delayed) string {
	var said []string
	kinds := make(map[desk.Kind]int)
	for _, d := range found {
		kinds[d.Kind]++
		if len(said) < 5 {
			said = append(said, label(d.Record)+" ("+strings.ReplaceAll(d.why, "; ", ", ")+")")
		}
	}
	var many []string
	for _, k := range []desk.Kind{desk.Milestone, desk.Phase} {
		if n := kinds[k]; n > 0 {
			many = append(many, counted(n, k.Word(), question.Plural(k)))
		}
	}
	are := "are"
	if len(found) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s %s late or may be: %s.", strings.Join(many, " and "), are, andMore(said, len(found)))
}
