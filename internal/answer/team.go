package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/question"
)

// room answers who has room and who has too much.
func (c *computation) room() error {
	people, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	switch c.plan.State {
	case "away":
		c.away(people)
		return nil
	case "unique":
		c.unique(people)
		return nil
	}
	report := c.Report(c.now)
	var lines []capacity.Line
	for _, l := range report.Lines {
		r, ok := c.Find(l.ID)
		switch {
		case !ok || !slices.Contains(people, r):
		case c.plan.Person != "" && l.Name != c.plan.Person:
		case c.plan.State == "overloaded" && l.Load != capacity.Overloaded:
		case c.plan.State == "idle" && l.Load != capacity.Idle:
		case c.plan.State == "underutilized" && l.Load != capacity.Idle && l.Load != capacity.Underutilized:
		default:
			lines = append(lines, l)
			c.cite(r)
		}
	}
	if len(c.byKind[desk.Resource]) == 0 {
		c.none()
		return nil
	}
	if len(lines) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("Nobody of %s is %s.", c.nouns(len(people)), strings.ToLower(c.plan.State))
		if c.plan.State == "" {
			c.out.Sentence = "No person fits" + c.which() + "."
		}
		return nil
	}
	if c.plan.State == "busiest" {
		slices.SortStableFunc(lines, func(a, b capacity.Line) int { return cmp.Compare(loaded(b), loaded(a)) })
	}
	t := &Table{Columns: []string{"Name", "Role", "Hours a week", "Spare hours", "Allocated", "Open tickets", "Story points", "Load", "Estimated load"}, Total: len(lines)}
	estimated := 0
	for _, l := range lines {
		estimate := ""
		if l.Estimate != "" {
			estimated++
			estimate = l.Over() + num(l.EstimatedPct) + " %"
		}
		t.Rows = append(t.Rows, Row{ID: l.ID, Filter: fmt.Sprintf("owner:%q -status:DONE,CLOSED", l.Name), Cells: []string{
			l.Name, Word(l.Role), num(l.EffectiveHours), num(l.SpareHours), num(l.AllocatedPct) + " %", thousands(l.Tickets), num(l.AllocatedSP), Word(string(l.Load)), estimate,
		}})
	}
	t.Rows = t.Rows[:min(len(t.Rows), maxRows)]
	c.out.Table = t
	c.out.Sentence = c.roomSentence(lines)
	for _, l := range lines {
		if l.AwayDays > 0 {
			c.note("%s is away on %d of the next five working days, and has %s hours in them.", l.Name, l.AwayDays, num(l.EffectiveHours))
		}
	}
	if estimated > 0 {
		c.note("%s estimated, because open tickets have no share of their time; spare hours follow it.", counted(estimated, "load is", "loads are"))
	}
	return nil
}

func (c *computation) roomSentence(lines []capacity.Line) string {
	l := lines[0]
	switch {
	case c.plan.State == "total":
		hours, spare := 0.0, 0.0
		for _, l := range lines {
			hours, spare = hours+l.EffectiveHours, spare+l.SpareHours
		}
		return fmt.Sprintf("%s %s hours a week in all; %s of them are spare.", counted(len(lines), "person works", "people work"), num(hours), num(spare))
	case c.plan.State == "busiest":
		return fmt.Sprintf("%s has the most to do: %s, with %s.", l.Name, taken(l), counted(l.Tickets, "open ticket", "open tickets"))
	case c.plan.State != "":
		var names []string
		for _, l := range lines[:min(len(lines), 10)] {
			names = append(names, l.Name+" ("+taken(l)+")")
		}
		return fmt.Sprintf("%s %s: %s.", counted(len(lines), "person is", "people are"), c.plan.State, strings.Join(names, ", "))
	case c.plan.Person != "" && l.AwayDays > 0:
		return fmt.Sprintf("%s has %s hours in the next five working days and is away on %d of them; the load is %s, with %s.", l.Name, num(l.EffectiveHours), l.AwayDays, taken(l), counted(l.Tickets, "open ticket", "open tickets"))
	case c.plan.Person != "" && l.EffectiveHours == 0:
		return fmt.Sprintf("%s has no hours a week, and %s.", l.Name, counted(l.Tickets, "open ticket", "open tickets"))
	case c.plan.Person != "":
		return fmt.Sprintf("%s works %s hours a week; the load is %s, %s hours are spare, with %s.", l.Name, num(l.EffectiveHours), taken(l), num(l.SpareHours), counted(l.Tickets, "open ticket", "open tickets"))
	}
	if l.SpareHours <= 0 {
		return fmt.Sprintf("None of %s has room.", counted(len(lines), "person", "people"))
	}
	return fmt.Sprintf("%s has the most room: %s of %s hours, %s.", l.Name, num(l.SpareHours), num(l.EffectiveHours), counted(l.Tickets, "open ticket", "open tickets"))
}

// loaded is how much of somebody's time is taken, in percent.
func loaded(l capacity.Line) float64 {
	if l.Estimate != "" {
		return l.EstimatedPct
	}
	return l.AllocatedPct
}

// taken is how much of somebody's time is given to tickets, or estimated.
func taken(l capacity.Line) string {
	if l.EffectiveHours == 0 {
		return "no hours for " + counted(l.Tickets, "open ticket", "open tickets")
	}
	if l.Estimate != "" {
		return l.Over() + num(l.EstimatedPct) + " % by estimate"
	}
	return num(l.AllocatedPct) + " % allocated"
}

// coverageOf computes how far an objective's tickets are.
func (c *computation) coverageOf(r *Record) flow.Coverage {
	b, ok := r.Thing.(*desk.ObjectiveBody)
	if !ok {
		return flow.Coverage{}
	}
	var tickets []flow.Ticket
	for _, t := range c.serving()[r.ID] {
		if body, ok := t.Thing.(*desk.TicketBody); ok {
			tickets = append(tickets, flow.Ticket{ID: t.ID, TicketBody: body})
		}
	}
	return flow.Cover(flow.Objective{ID: r.ID, ObjectiveBody: *b}, tickets)
}

// objectives are those that the plan is of, in its order.
func (c *computation) objectives() []*Record {
	out := slices.Clone(c.byKind[desk.Objective])
	if all, err := c.found(c.plan.Filter); err == nil && c.plan.Filter != "" {
		out = all
	}
	if len(c.plan.Records) > 0 {
		out = slices.DeleteFunc(out, func(r *Record) bool { return !slices.Contains(c.plan.Records, r.ID) })
	}
	if c.plan.Sort != "" {
		percent := make(map[string]float64, len(out))
		for _, r := range out {
			percent[r.ID] = c.coverageOf(r).Percent
		}
		slices.SortStableFunc(out, func(a, b *Record) int {
			if strings.HasPrefix(c.plan.Sort, "-") {
				a, b = b, a
			}
			return cmp.Compare(percent[a.ID], percent[b.ID])
		})
	}
	return out
}

// coverage answers how far objectives are.
func (c *computation) coverage() {
	t := &Table{Columns: []string{"Objective", "Status", "Coverage", "Done", "In progress", "Open", "Tickets"}}
	var said []string
	for _, r := range c.objectives() {
		o := c.coverageOf(r)
		if c.plan.State == "unserved" && len(o.TicketIDs) > 0 {
			continue
		}
		c.cite(r)
		t.Total++
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: r.ID, Filter: "objectiveIds:" + r.ID, Cells: []string{r.Title, Word(r.Status), num(o.Percent) + " %", thousands(o.Done), thousands(o.InProgress), thousands(o.Open), thousands(len(o.TicketIDs))}})
		}
		if len(said) < 8 {
			said = append(said, fmt.Sprintf("%s %s %%", r.Title, num(o.Percent)))
		}
		if len(c.plan.Records) == 1 {
			c.out.Sentence = fmt.Sprintf("%s: %s %% covered; of %s, %d done, %d in progress, %d open.", r.Title, num(o.Percent), counted(len(o.TicketIDs), "ticket", "tickets"), o.Done, o.InProgress, o.Open)
		}
	}
	switch {
	case len(c.byKind[desk.Objective]) == 0:
		c.out.Nothing, c.out.Sentence = true, "The project has no objectives."
		return
	case t.Total == 0:
		c.out.Nothing, c.out.Sentence = true, "Every objective has tickets."
		return
	case c.plan.State == "unserved":
		names := make([]string, 0, len(t.Rows))
		for _, r := range t.Rows[:min(len(t.Rows), 8)] {
			names = append(names, r.Cells[0])
		}
		c.out.Sentence = fmt.Sprintf("%s no tickets: %s.", counted(t.Total, "objective has", "objectives have"), strings.Join(names, ", "))
	case c.plan.Sort != "":
		most := map[bool]string{true: "most", false: "least"}[strings.HasPrefix(c.plan.Sort, "-")]
		c.out.Sentence = fmt.Sprintf("%s is covered %s of %s: %s.", t.Rows[0].Cells[0], most, counted(t.Total, "objective", "objectives"), t.Rows[0].Cells[2])
		if ties := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Cells[2] != t.Rows[0].Cells[2] }); ties > 1 {
			c.out.Sentence = fmt.Sprintf("%s are covered %s of %s: %s each.", firstCells(&Table{Rows: t.Rows[:ties], Total: ties}), most, counted(t.Total, "objective", "objectives"), t.Rows[0].Cells[2])
		}
	case len(c.plan.Records) != 1:
		c.out.Sentence = "Coverage of objectives: " + strings.Join(said, ", ") + "."
	}
	c.out.Table = t
}

// plainTitle is a record's title by which duplicates are found: neither case nor blanks tell titles apart.
func plainTitle(r *Record) string { return strings.ToLower(strings.Join(strings.Fields(r.Title), " ")) }

// duplicatesOf tells which tickets are the same as those of the plan: by their titles, or because somebody closed one as a duplicate.
func (c *computation) duplicatesOf() {
	of := func(r *Record) string {
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok {
			return ""
		}
		return b.DuplicateOf
	}
	var all []*Record
	var said []string
	for _, id := range c.plan.Records {
		r, ok := c.Find(id)
		if !ok {
			continue
		}
		all = append(all, r)
		for _, other := range c.byKind[desk.Ticket] {
			how := ""
			switch {
			case other == r, len(c.plan.Records) > 1 && !slices.Contains(c.plan.Records, other.ID):
				continue
			case of(other) == r.ID:
				how = "%[2]s is a duplicate of %[1]s"
			case of(r) == other.ID:
				how = "%[1]s is a duplicate of %[2]s"
			case plainTitle(other) == plainTitle(r):
				how = "%[1]s has the title of %[2]s"
			default:
				continue
			}
			said, all = append(said, fmt.Sprintf(how, label(r), label(other))), append(all, other)
		}
	}
	c.citeAll(all)
	if len(said) == 0 {
		c.out.Nothing, c.out.Sentence = true, fmt.Sprintf("No ticket is recorded as the same as %s, and none has the title.", labels(all[:min(len(all), 3)]))
		return
	}
	c.out.Table = c.tabled(all)
	c.out.Sentence = strings.Join(said[:min(len(said), 5)], "; ") + "."
}

// duplicates lists open tickets whose titles are those of others.
func (c *computation) duplicates() {
	if len(c.plan.Records) > 0 {
		c.duplicatesOf()
		return
	}
	groups := make(map[string][]*Record)
	var order []string
	for _, r := range c.byKind[desk.Ticket] {
		key := plainTitle(r)
		if groups[key] = append(groups[key], r); len(groups[key]) == 2 {
			order = append(order, key)
		}
	}
	c.plan.Kind = desk.Ticket
	var all []*Record
	pairs := 0
	for _, key := range order {
		if slices.ContainsFunc(groups[key], func(r *Record) bool { return desk.TicketStatus(r.Status).Open() }) {
			pairs++
			all = append(all, groups[key]...)
		}
	}
	if pairs == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("No two of %s have the same title with one of them open.", counted(len(c.byKind[desk.Ticket]), "ticket", "tickets"))
		return
	}
	c.citeAll(all)
	c.out.Table = c.tabled(all)
	c.out.Sentence = fmt.Sprintf("%s stands on more than one ticket: %s.", counted(pairs, "title", "titles"), labels(all[:min(len(all), 4)]))
	if pairs > 1 {
		c.out.Sentence = strings.Replace(c.out.Sentence, "stands", "stand", 1)
	}
}

// waits answers what waits for a person, for a ticket, or at all.
func (c *computation) waits() {
	if c.dependencies() {
		return
	}
	t := &Table{Columns: []string{"Ticket", "Status", "Owner", "Waits for", "Owner of that", "Status of that"}}
	for _, r := range c.byKind[desk.Ticket] {
		b, ok := r.Thing.(*desk.TicketBody)
		if !ok || !b.Status.Open() {
			continue
		}
		for _, id := range b.BlockedBy {
			other, ok := c.Find(id)
			if !ok || !c.asked(r, other) {
				continue
			}
			c.cite(r)
			if c.plan.State == "of" {
				c.cite(other)
			}
			t.Total++
			if len(t.Rows) < maxRows {
				t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{label(r), Word(r.Status), c.show(r, "owner"), label(other), c.show(other, "owner"), Word(other.Status)}})
			}
		}
	}
	if t.Total > 0 {
		c.out.Table = t
		var said []string
		for _, r := range t.Rows[:min(len(t.Rows), 5)] {
			said = append(said, fmt.Sprintf("%s waits for %s (%s, %s)", r.Cells[0], r.Cells[3], r.Cells[4], strings.ToLower(r.Cells[5])))
		}
		c.out.Sentence = strings.Join(said, "; ") + "."
		return
	}
	c.out.Nothing = true
	if c.plan.State == "of" && c.plan.Person != "" {
		c.out.Sentence = fmt.Sprintf("No open ticket of %s waits for another.", c.plan.Person)
		return
	}
	if c.plan.State == "of" { // nothing is named: what its text says
		c.plan.Fields = []string{"why"}
		c.facts()
		if c.out.Table != nil {
			c.note("No ticket is recorded that it waits for.")
		}
		return
	}
	c.out.Sentence = "No open ticket waits for " + c.forWhom() + "."
}

func (c *computation) forWhom() string {
	if c.plan.Person != "" {
		return "a ticket of " + c.plan.Person
	}
	for _, id := range c.plan.Records {
		if r, ok := c.Find(id); ok {
			c.cite(r)
			return label(r)
		}
	}
	return "another"
}

// asked reports whether the plan asks for what waits and what it waits for.
func (c *computation) asked(waiting, other *Record) bool {
	open := desk.TicketStatus(other.Status).Open()
	switch {
	case c.plan.State == "of" && c.plan.Person != "":
		return open && owns(waiting, c.plan.Person)
	case c.plan.State == "of":
		return slices.Contains(c.plan.Records, waiting.ID)
	case c.plan.State == "through":
		return open && slices.Contains(c.plan.Records, other.ID)
	case c.plan.State == "for":
		return slices.Contains(c.plan.Records, other.ID)
	case c.plan.Person != "":
		return open && owns(other, c.plan.Person)
	}
	return open
}

// owns reports whether a record has a person as its owner.
func owns(r *Record, person string) bool {
	return slices.ContainsFunc(r.Owners, func(o string) bool { return question.SamePerson(o, person) })
}

// deltas lists the findings of delta packs.
func (c *computation) deltas() {
	t := &Table{Columns: []string{"Finding", "Kind", "Severity", "Decision", "Delta pack"}}
	for _, r := range c.byKind[desk.DeltaPack] {
		b, ok := r.Thing.(*desk.DeltaPackBody)
		if !ok || b.Status == desk.PackSuperseded && c.plan.State == "open" {
			continue
		}
		for _, d := range b.Deltas {
			if c.plan.State == "open" && d.Decision != "" {
				continue
			}
			c.cite(r)
			t.Total++
			decision := "open"
			if d.Decision != "" {
				decision = Word(string(d.Decision))
			}
			if len(t.Rows) < maxRows {
				t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{d.Title, Word(string(d.Type)), Word(string(d.Severity)), decision, r.Title}})
			}
		}
	}
	if t.Total == 0 {
		c.out.Nothing, c.out.Sentence = true, "No delta pack has findings that are open."
		return
	}
	c.out.Table = t
	c.out.Sentence = fmt.Sprintf("%s: %s.", counted(t.Total, "finding", "findings"), firstCells(t))
}

// firstCells names the first rows of a table.
func firstCells(t *Table) string {
	var out []string
	for _, r := range t.Rows[:min(len(t.Rows), 4)] {
		out = append(out, r.Cells[0])
	}
	if more := t.Total - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}
