package answer

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/question"
)

// A slipping is a ticket that is late, or will be, with why.
type slipping struct {
	*Record
	cause flow.Cause
	why   string
}

// slipped are the tickets among some that are late, or will be, the gravest first, as Today has them; and how many there are of each cause.
func (c *computation) slipped(of []*Record) (out []slipping, many map[flow.Cause]int) {
	prospects := func() iter.Seq2[int, *flow.Prospect] {
		return func(yield func(int, *flow.Prospect) bool) {
			for i, r := range of {
				b, ok := r.Thing.(*desk.TicketBody)
				if !ok {
					continue
				}
				if p := flow.ProspectOf(b); !yield(i, &p) {
					return
				}
			}
		}
	}
	begun := func(place int) time.Time {
		if c.beyond.Begun == nil {
			return time.Time{}
		}
		return c.beyond.Begun(of[place].ID)
	}
	found, many := flow.Slips(prospects(), begun, c.beyond.Usual, c.now, len(of))
	for _, s := range found {
		out = append(out, slipping{of[s.At], s.Cause, c.slipsBecause(s)})
	}
	return out, many
}

// slipsBecause says why a ticket slips.
func (c *computation) slipsBecause(s flow.Slipping) string {
	days := counted(s.Days, "day", "days")
	switch s.Cause {
	case flow.Overdue:
		return "overdue for " + days
	case flow.Stuck:
		if s.Days == 0 {
			return "blocked"
		}
		return "blocked, in work for " + days
	case flow.DueSoon:
		if s.Days == 0 {
			return "due today, and not done"
		}
		return "due in " + days + ", and not done"
	default:
		return fmt.Sprintf("in work for %s, and 85 %% of the others took %s at most", days, counted(int(c.beyond.Usual+0.5), "day", "days"))
	}
}

// causes are the causes of slips in words, for a number of tickets.
var causes = map[flow.Cause]string{flow.Overdue: "overdue", flow.Stuck: "blocked", flow.DueSoon: "due within a week", flow.Ageing: "in work for long"}

// causesSaid is how many tickets slip for which cause: "2 overdue, 1 blocked".
func causesSaid(many map[flow.Cause]int) string {
	var out []string
	for _, cause := range flow.Causes() {
		if n := many[cause]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", thousands(n), causes[cause]))
		}
	}
	return strings.Join(out, ", ")
}

// slips answers which open tickets are late, or will be.
func (c *computation) slips() error {
	if !c.plan.Kind.Owned() {
		return c.planSlips()
	}
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	found, many := c.slipped(all)
	c.ageless()
	var plan []delayed
	if c.plan.State == question.Planned {
		plan = c.delayed()
	}
	sentence := fmt.Sprintf("None of %s is overdue, blocked, due within a week or in work for long.", c.nouns(len(all))+c.which())
	if c.out.Nothing = len(found)+len(plan) == 0; c.out.Nothing {
		c.out.Sentence = sentence
		return nil
	}
	head := "Ticket"
	if len(plan) > 0 {
		head = "What"
	}
	t := &Table{Columns: []string{head, "Why", "Status", "Priority", "Owner", "Due"}, Total: len(found) + len(plan)}
	for _, d := range plan[:min(len(plan), maxRows/2)] {
		t.Rows = append(t.Rows, Row{ID: d.ID, Cells: []string{label(d.Record), d.why, Word(d.Status), "", d.owner, d.day}})
	}
	var said []string
	var records []*Record
	for _, s := range found {
		records = append(records, s.Record)
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: s.ID, Cells: []string{label(s.Record), s.why, Word(s.Status), c.show(s.Record, "priority"), c.show(s.Record, "owner"), c.show(s.Record, "dueDate")}})
		}
		if len(said) < 5 {
			said = append(said, label(s.Record)+" ("+s.why+")")
		}
	}
	for _, d := range plan {
		c.cite(d.Record)
	}
	c.citeAll(records)
	c.out.Table = t
	if len(found) > 0 {
		sentence = fmt.Sprintf("%s late or may be: %s. %s.", counted(len(found), "open ticket is", "open tickets are"), causesSaid(many), andMore(said, len(found)))
	}
	c.out.Sentence = sentence
	if len(plan) > 0 {
		c.out.Sentence += " " + c.delaysSaid(plan)
	}
	return nil
}

// ageless notes that it is not known how long tickets are in work, where it is not.
func (c *computation) ageless() {
	if c.beyond.Begun == nil {
		c.note("How long tickets have been in work was not looked at.")
	}
}

// A risk is a line of what may go wrong.
type risk struct {
	*Record
	kind, grave, why string
	level            desk.Level
}

// risks answers what may go wrong: blindspots that are open, by severity, what is blocked, overdue or due soon, milestones, phases and objectives
// that are late or will be, or that somebody called at risk, and what objectives name as their risks.
func (c *computation) risks() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	var found []risk
	seen := 0
	late := c.delayed()
	for _, r := range c.byKind[desk.Blindspot] {
		b, ok := r.Thing.(*desk.BlindspotBody)
		switch {
		case ok && b.Category == desk.MilestoneRisk && slices.ContainsFunc(late, func(d delayed) bool { return slices.Contains(b.RecordIDs, d.ID) }): // the milestone is told itself
		case ok && b.Status == "ACKNOWLEDGED":
			seen++
		case ok && b.Status == "OPEN":
			found = append(found, risk{r, "Blindspot", Word(string(b.Severity)), cmp.Or(clip(b.Description, 200), Word(b.Category)), b.Severity})
		}
	}
	blindspots := len(found)
	slips, many := c.slipped(all)
	for _, s := range slips {
		if b, ok := s.Thing.(*desk.TicketBody); ok && (s.cause == flow.Overdue || s.cause == flow.Stuck) {
			found = append(found, risk{s.Record, "Ticket", Word(string(b.Priority)), s.why, b.Priority})
		}
	}
	tickets := len(found) - blindspots
	found = append(found, c.plansAtRisk(late)...)
	plans := len(found) - tickets - blindspots
	order := desk.Levels()
	slices.SortStableFunc(found, func(a, b risk) int { return slices.Index(order, b.level) - slices.Index(order, a.level) })
	if seen > 0 {
		c.note("%s left out.", counted(seen, "acknowledged blindspot is", "acknowledged blindspots are"))
	}
	c.note("These are the risks that records name; what nobody has recorded is none of them.")
	if len(found) == 0 {
		c.out.Nothing = true
		c.out.Sentence = "No blindspot is open, no ticket is blocked or overdue, and no milestone, phase or objective is late or has a risk."
		return nil
	}
	c.risksSaid(found, blindspots, plans, many)
	return nil
}

func (c *computation) risksSaid(found []risk, blindspots, plans int, many map[flow.Cause]int) {
	total := len(found)
	if c.plan.Limit > 0 {
		found = found[:min(len(found), c.plan.Limit)]
	}
	t := &Table{Columns: []string{"Risk", "Kind", "Gravity", "Why"}, Total: len(found)}
	var said []string
	var records []*Record
	for _, f := range found {
		if !slices.Contains(records, f.Record) {
			records = append(records, f.Record)
		}
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: f.ID, Cells: []string{label(f.Record), f.kind, f.grave, f.why}})
		}
		if len(said) < 5 {
			why := f.why
			if f.kind == "Blindspot" {
				why = "blindspot, " + strings.ToLower(f.grave)
			}
			said = append(said, label(f.Record)+" ("+strings.TrimSuffix(why, ".")+")")
		}
	}
	c.citeAll(records)
	c.out.Table = t
	var parts []string
	if blindspots > 0 {
		parts = append(parts, counted(blindspots, "open blindspot", "open blindspots"))
	}
	delete(many, flow.DueSoon)
	delete(many, flow.Ageing)
	if text := causesSaid(many); text != "" {
		parts = append(parts, "tickets: "+text)
	}
	if plans > 0 {
		parts = append(parts, counted(plans, "milestone, phase or objective", "milestones, phases and objectives"))
	}
	c.out.Sentence = fmt.Sprintf("%s (%s): %s.", counted(total, "risk", "risks"), strings.Join(parts, "; "), andMore(said, total))
}

// plansAtRisk are the milestones and objectives that are late, that somebody called at risk, or that name risks, and what else of the plan is
// late or will be.
func (c *computation) plansAtRisk(late []delayed) (out []risk) {
	today := string(desk.DateOf(c.now))
	for _, r := range c.byKind[desk.Milestone] {
		b, ok := r.Thing.(*desk.MilestoneBody)
		switch {
		case !ok || b.Status == desk.MilestoneCompleted:
		case b.TargetDate != "" && string(b.TargetDate) < today:
			out = append(out, risk{r, "Milestone", "", "its day was " + string(b.TargetDate), desk.High})
		case b.Status == "AT_RISK" || b.Status == "MISSED":
			out = append(out, risk{r, "Milestone", "", strings.ToLower(Word(string(b.Status))), desk.High})
		}
	}
	for _, d := range late {
		if !slices.ContainsFunc(out, func(x risk) bool { return x.Record == d.Record }) {
			word := d.Kind.Word()
			out = append(out, risk{d.Record, strings.ToUpper(word[:1]) + word[1:], "", strings.ReplaceAll(d.why, "; ", ", "), desk.High})
		}
	}
	for _, r := range c.byKind[desk.Objective] {
		b, ok := r.Thing.(*desk.ObjectiveBody)
		if !ok {
			continue
		}
		if is, _ := c.Is(r, "open", c.now); !is {
			continue
		}
		for _, text := range b.Risks {
			out = append(out, risk{r, "Objective", "", "names the risk: " + clip(text, 200), desk.Medium})
		}
		if b.EndDate != "" && string(b.EndDate) < today {
			out = append(out, risk{r, "Objective", "", "its day was " + string(b.EndDate), desk.Medium})
		}
	}
	return out
}
