package ask

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/prompt"
	"chela/internal/query"
	"chela/internal/question"
)

// plannable are the measures that a model may ask for: what is computed over many records by their fields.
var plannable = []question.Measure{question.List, question.Count, question.Group, question.Sum, question.Average, question.Median, question.Percentile, question.Share}

// plannedKinds are the kinds of which a model is told the fields: those that questions list with columns of their own.
func plannedKinds() []desk.Kind {
	return slices.DeleteFunc(desk.Kinds(), func(k desk.Kind) bool { return len(k.Asked().Columns) == 0 })
}

// unread reports whether rules made a search of the question, or left out words of it, so that a model may read it.
func (w *work) unread() bool {
	return w.out.Searched || len(w.left) > 0
}

// guide tells a model how it has a question computed that rules did not read whole.
func (w *work) guide() string {
	var b strings.Builder
	b.WriteString("HOW TO HAVE IT COMPUTED\nRules did not read the whole question.")
	if len(w.left) > 0 {
		b.WriteString(" They left out " + quotedList(w.left) + ".")
	}
	fmt.Fprintf(&b, ` When records of one kind, filtered, counted, grouped, added up, averaged or sorted, answer it, fill in "plan" and leave "sentences" empty: the plan is computed over all records, and what comes of it is the answer. Do not count or add up yourself. Else the plan's measure is "none", and other members are "" or 0.
- measure: list, count, group, sum, average, median, percentile (percent says which), or share (how many of the records of base fit filter, in percent).
- by: the field that groups; per: day, week, month, quarter or year, when by is a day. of: the number that is added up or averaged: a field, "duration" (days from a ticket's creation to its end) or "age" (days that an open ticket is old). each: average or median, when groups do not add it up.
- sort: a field, with - for the greatest first; "-count" for the largest groups. limit: how many, 0 for all.
- filter: conditions with blanks between them, all of which hold: field:value, field:a,b for any of these, field:none, has:field, field:>=8, field:<2026-03-01, field:2026-03 for a month, title:~"word", -condition for not, (one OR other). Text with blanks stands in quotation marks. Days are as 2026-03-01; today is %s.
Kinds and fields:
`, w.now.Format(time.DateOnly))
	for _, k := range plannedKinds() {
		fields, err := desk.Fields(k)
		if err != nil {
			continue
		}
		all := make([]string, 0, len(fields.List))
		for _, f := range fields.List {
			all = append(all, fieldGuide(f))
		}
		fmt.Fprintf(&b, "- %s: %s\n", k, strings.Join(all, ", "))
	}
	return b.String() + "\n"
}

// fieldGuide is a field with what its values are: "status (TODO or DONE)", "dueDate (day)".
func fieldGuide(f query.Field) string {
	switch f.Type {
	case query.Set:
		return f.Name + " (" + strings.Join(f.Allowed, " ") + ")"
	case query.Number:
		return f.Name + " (number)"
	case query.Day, query.Instant:
		return f.Name + " (day)"
	case query.Person:
		return f.Name + " (person)"
	case query.Flag:
		return f.Name + " (true false)"
	case query.Text, query.Ref, query.Presence:
	}
	return f.Name
}

// planned computes what a model read the question as, which is the answer then. What cannot be computed is said, and the answer stays what
// it was.
func (w *work) planned(p prompt.Planned, who string) bool {
	if p.Measure == "" || p.Measure == prompt.NoPlan {
		return false
	}
	plan := question.Plan{
		Kind: desk.Kind(p.Kind), Filter: p.Filter, Measure: question.Measure(p.Measure), Base: p.Base, By: p.By, Per: p.Per, Of: p.Of, Each: question.Measure(p.Each), Percent: p.Percent, Sort: p.Sort, Limit: p.Limit,
	}
	c, err := w.computedOf(plan)
	if err != nil {
		w.note("The model read the question as something that cannot be computed. " + fault.TextOf(err))
		return false
	}
	w.plans, w.computed = append([]question.Plan{plan}, w.plans...), append([]answer.Answer{c}, w.computed...)
	w.out.Notes = slices.DeleteFunc(w.out.Notes, func(n string) bool { return slices.Contains(w.unreadNotes, n) }) // of the rules' reading
	w.choose(0)
	w.out.ReadBy = who
	return true
}

// computedOf is the answer to a plan of a model; an error when it is none that a model may ask for.
func (w *work) computedOf(p question.Plan) (answer.Answer, error) {
	if !slices.Contains(plannable, p.Measure) {
		return answer.Answer{}, fault.BadField("plan.measure", fmt.Sprintf("There is no measure %q for a model.", p.Measure))
	}
	if !slices.Contains(plannedKinds(), p.Kind) {
		return answer.Answer{}, fault.BadField("plan.kind", fmt.Sprintf("There is no kind %q that a model may ask for.", p.Kind))
	}
	if err := p.Check(w.now); err != nil {
		return answer.Answer{}, err
	}
	return w.Compute(p, w.now)
}
