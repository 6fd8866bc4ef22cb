package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// count counts the records of the plan.
func (c *computation) count() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		c.none()
		return nil
	}
	c.out.Sentence = c.nouns(len(all)) + c.which() + "."
	if of := len(c.byKind[c.plan.Kind]); of > len(all) {
		c.out.Sentence = fmt.Sprintf("%s of %s%s.", thousands(len(all)), c.nouns(of), c.which())
	}
	c.citeAll(all)
	c.out.Table = c.tabled(all)
	return nil
}

// list lists the records of the plan.
func (c *computation) list() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		c.none()
		return nil
	}
	total := len(all)
	if c.plan.Sort != "" {
		all = c.inOrder(all)
	}
	if c.plan.Limit > 0 {
		all = all[:min(len(all), c.plan.Limit)]
	}
	if len(all) == 0 {
		c.none()
		return nil
	}
	c.citeAll(all)
	c.out.Table = c.tabled(all)
	switch {
	case c.plan.Limit == 1:
		c.out.Sentence = fmt.Sprintf("%s%s. It is the first of %s%s.", label(all[0]), c.because(all[0]), c.nouns(total), c.which())
	case c.plan.Limit > 0 && c.plan.Limit < total:
		c.out.Sentence = fmt.Sprintf("The first %d of %s%s.", len(all), c.nouns(total), c.which())
	case len(all) == 1:
		c.out.Sentence = fmt.Sprintf("%s%s: %s.", c.nouns(1), c.which(), label(all[0]))
	case len(all) <= 3:
		c.out.Sentence = fmt.Sprintf("%s%s: %s.", c.nouns(len(all)), c.which(), labels(all))
	default:
		c.out.Sentence = c.nouns(total) + c.which() + "."
	}
	return nil
}

// inOrder sorts records by the plan's field. What has no value comes last, and is not among the first ones.
func (c *computation) inOrder(all []*Record) []*Record {
	out := c.sorted(all)
	if c.plan.Limit > 0 || len(out) == len(all) {
		return out
	}
	with := make(map[*Record]bool, len(out))
	for _, r := range out {
		with[r] = true
	}
	for _, r := range all {
		if !with[r] {
			out = append(out, r)
		}
	}
	return out
}

// labels names a few records.
func labels(all []*Record) string {
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = label(r)
	}
	return strings.Join(out, ", ")
}

// because is why a record is first in the plan's order.
func (c *computation) because(r *Record) string {
	name, _ := strings.CutPrefix(c.plan.Sort, "-")
	if question.Reckoned(name) { // "days to resolve"
		if n, ok := c.measurer(name)(r); ok {
			return ": " + counted(int(n), "day", "days") + strings.TrimPrefix(question.FieldWord(name), "days")
		}
		return ""
	}
	if text := c.show(r, name); text != "" {
		return ": " + question.FieldWord(name) + " " + text
	}
	return ""
}

// sorted sorts by the plan's field; what has no value is left out.
func (c *computation) sorted(all []*Record) []*Record {
	name, down := strings.CutPrefix(c.plan.Sort, "-")
	if question.Reckoned(name) {
		number := c.measurer(name)
		return c.ordered(all, down, func(r *Record) (value, bool) {
			n, ok := number(r)
			return value{set: ok, number: n}, ok
		})
	}
	read, f, ok := c.readsDay(name)
	if !ok {
		return all
	}
	return c.ordered(all, down, func(r *Record) (value, bool) {
		v := first(read(r))
		if v.set && f.Type == query.Set { // in the order of the set, not of the alphabet
			v.number, v.text = float64(slices.Index(f.Allowed, v.text)), ""
		}
		return v, v.set
	})
}

func first(vs []value) value {
	if len(vs) == 0 {
		return value{}
	}
	return vs[0]
}

// ordered sorts records by a value; those of the same stay in their order.
func (c *computation) ordered(all []*Record, down bool, of func(*Record) (value, bool)) []*Record {
	type keyed struct {
		r      *Record
		number float64
		text   string
		at     int
	}
	with := make([]keyed, 0, len(all))
	for i, r := range all {
		if v, ok := of(r); ok {
			k := keyed{r, v.number, v.text, i}
			if !v.at.IsZero() {
				k.number = float64(v.at.UnixMicro())
			}
			with = append(with, k)
		}
	}
	sign := 1
	if down {
		sign = -1
	}
	slices.SortFunc(with, func(a, b keyed) int {
		return cmp.Or(sign*compare(a.number, b.number), sign*strings.Compare(a.text, b.text), a.at-b.at)
	})
	out := make([]*Record, len(with))
	for i, k := range with {
		out[i] = k.r
	}
	return out
}

// A measurer reads the number of a record that a plan adds up or averages; false when it has none.
type measurer func(*Record) (float64, bool)

// measurer returns what reads a number.
func (c *computation) measurer(of string) measurer {
	switch of {
	case question.Duration:
		return lasted
	case question.Age:
		return c.aged
	}
	read, _, ok := c.reads(of)
	if !ok {
		return func(*Record) (float64, bool) { return 0, false }
	}
	return func(r *Record) (float64, bool) {
		v := first(read(r))
		return v.number, v.set
	}
}

// lasted is the days from a ticket's creation to its end.
func lasted(r *Record) (float64, bool) {
	t, ok := r.Thing.(*desk.TicketBody)
	if !ok || t.ClosedOn == "" {
		return 0, false
	}
	begin, end := begun(t, r), t.ClosedOn.Time()
	if end.IsZero() || begin.IsZero() {
		return 0, false
	}
	return days(begin, end), true
}

// aged is the days from an open ticket's creation until now.
func (c *computation) aged(r *Record) (float64, bool) {
	t, ok := r.Thing.(*desk.TicketBody)
	if !ok || !t.Status.Open() {
		return 0, false
	}
	begin := begun(t, r)
	if begin.IsZero() || begin.After(c.now) {
		return 0, false
	}
	return days(begin, c.now), true
}

// begun is when a ticket was created: in its tracker, else here.
func begun(t *desk.TicketBody, r *Record) time.Time {
	if t.CreatedOn == "" {
		return r.CreatedAt
	}
	return t.CreatedOn.Time()
}

// days are the midnights in UTC between two moments.
func days(begin, end time.Time) float64 {
	return math.Round(end.UTC().Truncate(24*time.Hour).Sub(begin.UTC().Truncate(24*time.Hour)).Hours() / 24)
}

// number adds up or averages.
func (c *computation) number() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	var with []*Record
	var numbers []float64
	number := c.measurer(c.plan.Of)
	for _, r := range all {
		if n, ok := number(r); ok {
			with, numbers = append(with, r), append(numbers, n)
		}
	}
	what := question.FieldWord(c.plan.Of)
	if len(all) == 0 {
		c.none()
		return nil
	}
	if len(with) == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("None of %s%s has %s.", c.nouns(len(all)), c.which(), what)
		c.lacking()
		return nil
	}
	result := measure(c.plan, numbers)
	name := map[question.Measure]string{question.Sum: "in all", question.Average: "on average", question.Median: "in the median", question.Percentile: fmt.Sprintf("at the percentile %g", c.plan.Percent)}[c.plan.Measure]
	c.out.Sentence = fmt.Sprintf("%s %s %s, over %s%s.", num(result), what, name, c.nouns(len(with)), c.which())
	if missing := len(all) - len(with); missing > 0 {
		c.note("%s without %s.", counted(missing, "more fits and is", "more fit and are"), what)
	}
	c.out.Table = c.tabled(c.ordered(with, true, func(r *Record) (value, bool) {
		n, _ := number(r)
		return value{number: n}, true
	}))
	c.citeAll(with)
	return nil
}

// measure is what a plan makes of numbers.
func measure(p question.Plan, numbers []float64) float64 {
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	sum := 0.0
	for _, n := range sorted {
		sum += n
	}
	switch p.Measure {
	case question.Average:
		return sum / float64(len(sorted))
	case question.Median:
		mid := len(sorted) / 2
		if len(sorted)%2 == 0 {
			return (sorted[mid-1] + sorted[mid]) / 2
		}
		return sorted[mid]
	case question.Percentile: // the least number that so many percent do not exceed
		return sorted[max(0, int(math.Ceil(float64(len(sorted))*p.Percent/100))-1)]
	default:
		return sum
	}
}

// share is what part of some records fits.
func (c *computation) share() error {
	fit, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	base, err := c.found(c.plan.Base)
	if err != nil {
		return err
	}
	if len(base) == 0 {
		c.none()
		return nil
	}
	of := c.plan
	of.Filter = c.plan.Base
	inner := computation{Snapshot: c.Snapshot, plan: of, now: c.now}
	if c.plan.Of != "" {
		c.shareOf(fit, base, inner.which())
		return nil
	}
	c.out.Sentence = fmt.Sprintf("%s %%: %s of %s%s fit%s.", num(100*float64(len(fit))/float64(len(base))), thousands(len(fit)), c.nouns(len(base)), inner.which(), c.which())
	c.citeAll(fit)
	c.out.Table = c.tabled(fit)
	c.out.Nothing = len(fit) == 0
	return nil
}

// shareOf is the share of a number of theirs that some of the records have among all: of the story points in the sprint those that are done.
func (c *computation) shareOf(fit, base []*Record, which string) {
	number := c.measurer(c.plan.Of)
	sum := func(all []*Record) (total float64, without int) {
		for _, r := range all {
			if n, ok := number(r); ok {
				total += n
			} else {
				without++
			}
		}
		return total, without
	}
	some, _ := sum(fit)
	whole, without := sum(base)
	word := question.FieldWord(c.plan.Of)
	if without > 0 {
		c.note("%s without %s and not counted.", counted(without, "ticket is", "tickets are"), word)
	}
	c.citeAll(fit)
	if whole == 0 {
		c.out.Nothing = true
		c.out.Sentence = fmt.Sprintf("None of %s%s has %s.", c.nouns(len(base)), which, word)
		return
	}
	c.out.Table = c.tabled(fit)
	c.out.Sentence = fmt.Sprintf("%s %%: %s of %s %s, in %s of %s%s that fit%s.", num(100*some/whole), figure(some), figure(whole), word, thousands(len(fit)), c.nouns(len(base)), which, c.which())
}
