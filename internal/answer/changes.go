package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/question"
)

// A change is what one event made of one field of a record.
type change struct {
	of          *Record
	at          time.Time
	seq         int64
	run         string // the act that it was part of
	who         string
	field       string            // as people read it
	before, was string            // the value before, and what it became
	made        bool              // the record came here with it
	from, to    desk.TicketStatus // the ticket's status before and after, where that is the field
}

// mostRead is of how many records the history is read for one answer.
const mostRead = 200

// changes answers what became of records, and who did it: of those that the plan names, or of those that its filter finds and that have changed
// since the plan's first day.
func (c *computation) changes() error {
	records, err := c.subjects()
	if err != nil {
		return err
	}
	if len(records) == 0 {
		c.out.Nothing, c.out.Sentence = true, "No record that fits was changed"+c.between()+"."
		return nil
	}
	if c.beyond.History == nil {
		c.out.Nothing, c.out.Sentence = true, "What became of records is not known here."
		return nil
	}
	var all []change
	var lasted []string
	for _, r := range records {
		of, err := c.changesOf(r)
		if err != nil {
			return err
		}
		if c.plan.Of == question.Duration {
			lasted = append(lasted, c.spells(r, of))
			continue
		}
		all = append(all, slices.DeleteFunc(of, func(x change) bool { return !c.wants(x) })...)
	}
	if c.plan.Of == question.Duration {
		c.lasted(lasted)
		return nil
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.seq, a.seq)) })
	c.changed(all, records)
	return nil
}

// subjects are the records whose changes are asked for.
func (c *computation) subjects() (out []*Record, err error) {
	if len(c.plan.Records) > 0 {
		for _, id := range c.plan.Records {
			if r, ok := c.Find(id); ok {
				out = append(out, r)
			}
		}
		return out, nil
	}
	if c.plan.Kind == "" { // what people work on, and not what a machine keeps of an intake
		for _, r := range c.all {
			if len(r.Kind.Asked().Columns) > 0 {
				out = append(out, r)
			}
		}
	} else if out, err = c.found(c.plan.Filter); err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(r *Record) bool {
		return c.plan.From != "" && r.UpdatedAt.UTC().Format(time.DateOnly) < c.plan.From
	})
	slices.SortStableFunc(out, func(a, b *Record) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	if len(out) > mostRead {
		c.note("Read are the %d records that changed last, of %s.", mostRead, thousands(len(out)))
		out = out[:mostRead]
	}
	return out, nil
}

// changesOf reads what became of a record, oldest first; who has a ticket is part of that.
func (c *computation) changesOf(r *Record) (out []change, err error) {
	revised, err := c.beyond.History(r.ID)
	if err != nil {
		return nil, err
	}
	made := ""
	for _, x := range revised {
		if x.Op == desk.Created {
			made = x.RunID
		}
		who := c.called(strings.Join(x.By, ", "))
		if x.Op != desk.Updated && x.Op != desk.Created {
			out = append(out, change{of: r, at: x.At, seq: int64(x.Seq), run: x.RunID, who: who, field: "record", was: string(x.Op)})
		}
		for _, f := range x.Fields {
			if hidden(f.Field) {
				continue
			}
			one := change{
				of: r, at: x.At, seq: int64(x.Seq), run: x.RunID, who: who, field: question.FieldWord(f.Field), before: c.worded(f.From), was: c.worded(f.To),
				made: x.Op == desk.Created,
			}
			if f.Field == "status" {
				one.from, one.to = statusOf(f.From), statusOf(f.To)
			}
			out = append(out, one)
		}
	}
	if _, ticket := r.Thing.(*desk.TicketBody); ticket && c.beyond.Held != nil && (len(c.plan.Records) > 0 || slices.Contains(c.plan.Fields, "owner")) {
		for _, id := range c.beyond.Held(r.ID) {
			of, err := c.handed(r, id, made)
			if err != nil {
				return nil, err
			}
			out = append(out, of...)
		}
		out = passedOn(out)
	}
	slices.SortStableFunc(out, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
	return out, nil
}

// handed is what an assignment says of who had a ticket, which came here by an act.
func (c *computation) handed(ticket *Record, assignment, act string) (out []change, err error) {
	revised, err := c.beyond.History(assignment)
	if err != nil {
		return nil, err
	}
	had := ""
	for _, x := range revised {
		is := had
		for _, f := range x.Fields {
			if f.Field == "resourceId" {
				is = c.worded(f.To)
			}
		}
		if x.Op == desk.Deleted || x.Op == desk.Merged {
			is = ""
		}
		if is == had {
			continue
		}
		out = append(out, change{
			of: ticket, at: x.At, seq: int64(x.Seq), run: x.RunID, who: c.called(strings.Join(x.By, ", ")), field: "owner", before: had, was: is,
			made: x.Op == desk.Created && x.RunID == act,
		})
		had = is
	}
	return out, nil
}

// passedOn makes one change of two of one act by which a ticket went from one person to another.
func passedOn(all []change) (out []change) {
	for _, x := range all {
		i := slices.IndexFunc(out, func(o change) bool {
			return x.field == "owner" && o.field == "owner" && o.run == x.run && (o.was == "" && o.before != "" && x.before == "" || o.before == "" && x.was == "" && !o.made)
		})
		if i < 0 {
			out = append(out, x)
			continue
		}
		out[i].before, out[i].was = cmp.Or(out[i].before, x.before), cmp.Or(out[i].was, x.was)
	}
	return out
}

// hidden reports whether people are not told of a field: they see what it follows from.
func hidden(field string) bool {
	return strings.HasPrefix(field, "source") || strings.HasPrefix(field, "imported") || slices.Contains([]string{"evidence", "lastImport", "set"}, field)
}

// statusOf is the status that a value is, "" for none.
func statusOf(raw json.RawMessage) (out desk.TicketStatus) {
	if len(raw) == 0 || json.Unmarshal(raw, &out) != nil {
		return ""
	}
	return out
}

// worded is a value of a body as people read it.
func (c *computation) worded(raw json.RawMessage) string {
	var one string
	var many []json.RawMessage
	var parts map[string]json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &one) == nil:
		if r, ok := c.Find(one); ok {
			return label(r)
		}
		return clip(Word(one), 200)
	case json.Unmarshal(raw, &many) == nil:
		if len(many) > 0 && json.Unmarshal(many[0], &parts) == nil {
			return counted(len(many), "entry", "entries")
		}
		words := make([]string, 0, len(many))
		for _, m := range many[:min(len(many), 20)] {
			words = append(words, c.worded(m))
		}
		return clip(strings.Join(words, ", "), 200)
	}
	return clip(string(raw), 200)
}

// wants reports whether the plan asks for a change.
func (c *computation) wants(x change) bool {
	day := x.at.UTC().Format(time.DateOnly)
	if c.plan.From != "" && day < c.plan.From || c.plan.To != "" && day > c.plan.To {
		return false
	}
	if c.plan.Person != "" && !c.says(x.who, c.plan.Person) {
		return false
	}
	if len(c.plan.Fields) > 0 && !slices.ContainsFunc(c.plan.Fields, func(f string) bool {
		return question.FieldWord(cmp.Or(question.FieldOf(x.of.Kind, f), f)) == x.field || f == x.field
	}) {
		return false
	}
	switch c.plan.State {
	case "":
		return !x.made
	case "open": // again
		return x.to != "" && x.to.Open() && x.from != "" && !x.from.Open()
	case "closed":
		return x.to != "" && !x.to.Open() && (x.from == "" || x.from.Open())
	}
	return string(x.to) == c.plan.State
}

// changed says what was changed, the newest first.
func (c *computation) changed(all []change, of []*Record) {
	if len(all) == 0 {
		c.unchanged(of)
		return
	}
	all = c.firstActs(all)
	t := &Table{Columns: []string{"Record", "Day", "Who", "Field", "Before", "After"}, Total: len(all)}
	records := make(map[string]bool)
	var said []string
	for i, x := range all {
		c.cite(x.of)
		records[x.of.ID] = true
		if i < maxRows {
			t.Rows = append(t.Rows, Row{ID: x.of.ID, Cells: []string{label(x.of), x.at.UTC().Format(time.DateOnly), x.who, x.field, x.before, x.was}})
		}
		if i < 4 {
			said = append(said, x.sentence())
		}
	}
	c.out.Table = t
	if len(all) == 1 {
		c.out.Sentence = fmt.Sprintf("%s: %s.", label(all[0].of), said[0])
		return
	}
	if len(records) == 1 {
		c.out.Sentence = fmt.Sprintf("%s: %s, the newest first: %s.", label(all[0].of), counted(len(all), "change", "changes"), andMore(said, len(all)))
		return
	}
	for i := range said {
		said[i] = label(all[i].of) + ": " + said[i]
	}
	c.out.Sentence = fmt.Sprintf("%s of %s%s, the newest first: %s.", counted(len(all), "change", "changes"), counted(len(records), "record", "records"), c.between(), strings.ReplaceAll(andMore(said, len(all)), ", and ", " and "))
}

// firstActs are the changes of as many acts as the plan asks for.
func (c *computation) firstActs(all []change) []change {
	acts := 0
	for i, x := range all {
		if i == 0 || x.seq != all[i-1].seq {
			acts++
		}
		if c.plan.Limit > 0 && acts > c.plan.Limit {
			return all[:i]
		}
	}
	return all
}

// sentence says who changed what, and when.
func (x change) sentence() string {
	day := x.at.UTC().Format(time.DateOnly)
	switch {
	case x.field == "record":
		return fmt.Sprintf("%s by %s on %s", x.was, x.who, day)
	case x.made:
		return fmt.Sprintf("it came here with %s %s on %s", x.field, cmp.Or(x.was, "none"), day)
	}
	return fmt.Sprintf("%s from %s to %s by %s on %s", x.field, cmp.Or(x.before, "none"), cmp.Or(x.was, "none"), x.who, day)
}

// unchanged says that nothing was changed as the plan asks.
func (c *computation) unchanged(of []*Record) {
	c.out.Nothing = true
	what := "change"
	if len(c.plan.Fields) > 0 {
		words := make([]string, len(c.plan.Fields))
		for i, f := range c.plan.Fields {
			words[i] = question.FieldWord(f)
		}
		what += " of " + strings.Join(words, ", ")
	}
	if c.plan.State != "" {
		what += " to " + Word(c.plan.State)
	}
	if c.plan.Person != "" {
		what += " by " + c.plan.Person
	}
	if len(of) > 1 || len(c.plan.Records) == 0 {
		c.out.Sentence = fmt.Sprintf("The log has no %s%s, among %s.", what, c.between(), counted(len(of), "record", "records"))
		return
	}
	c.cite(of[0])
	c.out.Sentence = fmt.Sprintf("%s: the log has no %s%s since it came here on %s.", label(of[0]), what, c.between(), of[0].CreatedAt.UTC().Format(time.DateOnly))
}

// lasted answers for how long tickets had a status.
func (c *computation) lasted(said []string) {
	c.out.Nothing = c.out.Table == nil
	c.out.Sentence = strings.Join(said, " ")
}

// spells adds to the table when a ticket had a status, each time, and says for how long that was.
func (c *computation) spells(r *Record, all []change) string {
	c.cite(r)
	total, often := 0.0, 0
	came := false
	head, one := "Status", Word(c.plan.State)
	if len(c.plan.Records) > 1 {
		head, one = "Ticket", label(r)
	}
	for i, x := range all {
		if string(x.to) != c.plan.State {
			continue
		}
		until, end := "", c.now
		for _, later := range all[i+1:] {
			if later.to != "" {
				until, end = later.at.UTC().Format(time.DateOnly), later.at
				break
			}
		}
		n := max(days(x.at, end), 0)
		total += n
		came = came || x.made
		often++
		if c.out.Table == nil {
			c.out.Table = &Table{Columns: []string{head, "From", "To", "Days"}}
		}
		t := c.out.Table
		t.Total++
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, Row{ID: r.ID, Cells: []string{one, x.at.UTC().Format(time.DateOnly), cmp.Or(until, "now"), num(n)}})
		}
	}
	if often == 0 {
		return fmt.Sprintf("%s: the log has no time in which its status was %s.", label(r), Word(c.plan.State))
	}
	if came {
		c.note("%s came here with that status, and may have had it longer.", label(r))
	}
	times := ""
	if often > 1 {
		times = fmt.Sprintf(", %d times", often)
	}
	return fmt.Sprintf("%s: %s in status %s%s.", label(r), counted(int(total), "day", "days"), Word(c.plan.State), times)
}
