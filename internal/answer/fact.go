package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/question"
)

// facts answers what is asked of a few records.
func (c *computation) facts() {
	t := &Table{Columns: []string{"Record"}}
	var said []string
	for _, id := range c.plan.Records {
		r, ok := c.Find(id)
		if !ok || c.expired(r) {
			continue
		}
		c.cite(r)
		row := Row{ID: r.ID, Cells: []string{label(r)}}
		var parts []string
		for _, f := range c.factsOf(r) {
			text := f.text
			if text == "" {
				text = "not recorded"
			}
			row.Cells = append(row.Cells, text)
			if len(t.Rows) == 0 {
				t.Columns = append(t.Columns, f.name)
			}
			parts = append(parts, f.name+" "+text)
		}
		for len(row.Cells) < len(t.Columns) {
			row.Cells = append(row.Cells, "")
		}
		row.Cells = row.Cells[:min(len(row.Cells), len(t.Columns))]
		t.Rows = append(t.Rows, row)
		if len(said) < 5 {
			said = append(said, fmt.Sprintf("%s: %s.", label(r), strings.Join(parts, "; ")))
		}
	}
	t.Total = len(t.Rows)
	if len(t.Rows) == 0 {
		c.out.Nothing = true
		c.out.Sentence = "The record that is asked for is not there any more."
		return
	}
	c.out.Table = t
	c.out.Sentence = strings.Join(said, " ")
	c.delayedFacts()
	if len(t.Rows) > 1 {
		c.note("%d records fit the name; each is answered.", len(t.Rows))
	}
}

// A fact is a field with its value.
type fact struct{ name, text string }

// factsOf returns what is asked of a record.
func (c *computation) factsOf(r *Record) []fact {
	var out []fact
	names := c.plan.Fields
	if len(names) == 0 {
		names = r.Kind.Asked().Columns
		if r.Kind == desk.Ticket {
			names = append(slices.Clone(names), "storyPoints", "sprint")
		}
		if c.prose(r) != "" {
			names = append(slices.Clone(names), "description")
		}
	}
	for _, name := range names {
		switch name {
		case "why":
			out = append(out, c.why(r)...)
		case "blockers":
			out = append(out, fact{"waits for", cmp.Or(c.blockers(r), "no ticket that is recorded")})
		case "items":
			out = append(out, c.items(r))
		case "description":
			out = append(out, fact{"text", c.prose(r)})
		case question.Entered:
			out = append(out, c.entered(r))
		case question.Remaining:
			out = append(out, c.remaining(r))
		case question.Duration:
			if text := c.show(r, question.Age); text != "" { // it is open still
				out = append(out, fact{question.FieldWord(question.Age), text})
				continue
			}
			out = append(out, fact{question.FieldWord(name), c.show(r, name)})
		case "status":
			f := question.FieldOf(r.Kind, "status")
			if f == "" {
				out = append(out, fact{"status", Word(r.Status)})
				continue
			}
			out = append(out, fact{"status", c.show(r, f)})
		default:
			out = append(out, c.fieldFact(r, name))
		}
	}
	return out
}

// fieldFact is the fact of a field by the word of a question.
func (c *computation) fieldFact(r *Record, name string) fact {
	f := question.FieldOf(r.Kind, name)
	if f == "" {
		return fact{question.FieldWord(name), ""}
	}
	text := c.show(r, f)
	if plan, ok := r.Thing.(*desk.SprintPlanBody); ok && text == "" { // objectives may say when the sprint is
		text = c.sprintDay(plan.Name, f)
	}
	return fact{strings.TrimSuffix(question.FieldWord(f), " id"), text}
}

// remaining is how many days are left until the day of a record, or have passed since.
func (c *computation) remaining(r *Record) fact {
	at := desk.Date("")
	if f := question.FieldOf(r.Kind, "when"); f != "" {
		at = desk.Date(c.fieldFact(r, f).text)
	}
	if at.Time().IsZero() {
		return fact{question.FieldWord(question.Remaining), ""}
	}
	n := int(days(c.now, at.Time()))
	if n < 0 {
		return fact{"days since", num(float64(-n))}
	}
	return fact{question.FieldWord(question.Remaining), num(float64(n))}
}

// why is what a record waits for, what its text says, and how it stands.
func (c *computation) why(r *Record) []fact {
	out := []fact{{"status", Word(r.Status)}}
	if b := c.blockers(r); b != "" {
		out = append(out, fact{"waits for", b})
	}
	if text := c.prose(r); text != "" {
		out = append(out, fact{"text", text})
	}
	if len(out) == 1 {
		out = append(out, fact{"reason", ""})
	}
	return out
}

// blockers names the tickets that a ticket waits for, with how they stand.
func (c *computation) blockers(r *Record) string {
	t, ok := r.Thing.(*desk.TicketBody)
	if !ok {
		return ""
	}
	var out []string
	for _, id := range t.BlockedBy {
		if b, ok := c.Find(id); ok {
			out = append(out, label(b)+", "+strings.ToLower(Word(b.Status)))
			c.cite(b)
		}
	}
	return strings.Join(out, "; ")
}

// items says what is left on a checklist.
func (c *computation) items(r *Record) fact {
	b, ok := r.Thing.(*desk.ChecklistBody)
	if !ok {
		return fact{"items", ""}
	}
	var left []string
	for _, i := range b.Items {
		if !i.Checked {
			left = append(left, i.Text)
		}
	}
	if len(left) == 0 && len(b.Items) > 0 {
		return fact{"items left", fmt.Sprintf("none of %d", len(b.Items))}
	}
	return fact{fmt.Sprintf("%d of %d items left", len(left), len(b.Items)), strings.Join(left, ", ")}
}

// prose is what people wrote into a record beside its title.
func (c *computation) prose(r *Record) string {
	var parts []string
	for _, in := range r.Kind.Form() {
		if text := c.show(r, in.Name); in.Long && in.Name != r.Kind.Named() && text != "" {
			parts = append(parts, text)
		}
	}
	return clip(strings.Join(parts, " "), 500)
}
