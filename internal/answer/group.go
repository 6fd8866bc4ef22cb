package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// group counts records, or adds up a number of theirs, by a field or per period.
func (c *computation) group() error {
	all, err := c.found(c.plan.Filter)
	if err != nil {
		return err
	}
	if c.plan.State == "without" {
		c.without(all)
		return nil
	}
	if len(all) == 0 && c.plan.Having == "" {
		c.none()
		return nil
	}
	if c.plan.State == question.Titles {
		c.titled(all)
		return nil
	}
	read, f, ok := c.readsDay(c.plan.By)
	if !ok {
		return fmt.Errorf("the kind %s has no field %s", c.plan.Kind, c.plan.By)
	}
	members := make(map[string][]*Record)
	named := c.compared()
	for _, k := range named {
		members[k] = nil
	}
	if len(named) == 0 && c.plan.By == "owner" && c.plan.Sort == "count" && c.plan.Of == "" { // who has the fewest may have none
		for _, r := range c.byKind[desk.Resource] {
			members[r.Title] = nil
		}
	}
	c.emptyToo(members, read, f)
	for _, r := range all {
		for _, k := range c.keys(read(r), f) {
			if _, of := members[k]; of || len(named) == 0 {
				members[k] = append(members[k], r)
			}
		}
	}
	amounts := c.amounts(members)
	if op, n, ok := c.plan.Bound(); ok {
		c.bounded(all, members, amounts, f, op, float64(n))
		return nil
	}
	c.grouped(all, members, amounts, f)
	return nil
}

// amounts are how many records each group has, or what is made of a number of theirs. A group in which none has the number has no
// average.
func (c *computation) amounts(members map[string][]*Record) map[string]float64 {
	out := make(map[string]float64, len(members))
	number := c.measurer(c.plan.Of)
	for k, rs := range members {
		if c.plan.Of == "" {
			out[k] = float64(len(rs))
			continue
		}
		var numbers []float64
		for _, r := range rs {
			if n, ok := number(r); ok {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) > 0 || c.plan.Each == "" {
			out[k] = measure(question.Plan{Measure: c.plan.Each}, numbers)
		}
	}
	return out
}

// averaged is [computation.each] behind a comma, where a number is not added up.
func (c *computation) averaged() string {
	if c.plan.Each == "" || c.plan.Of == "" {
		return ""
	}
	return ", " + c.each()
}

// each says what is made of the number in each group, after its name: "days to resolve on average".
func (c *computation) each() string {
	return question.FieldWord(c.plan.Of) + map[question.Measure]string{question.Average: " on average", question.Median: " in the median"}[c.plan.Each]
}

// keys are the groups that a record is in. What is not set is "".
func (c *computation) keys(vs []value, f query.Field) (out []string) {
	for _, v := range vs {
		k := v.text
		switch {
		case !isSet(f, v):
			continue
		case c.plan.Per != "":
			at := v.at
			if f.Type == query.Day {
				at = desk.Date(v.text).Time()
			}
			k = periodOf(at, c.plan.Per)
		case f.Type == query.Number:
			k = num(v.number)
		case f.Type == query.Instant:
			k = string(desk.DateOf(v.at))
		case f.Type == query.Flag:
			k = map[bool]string{true: "yes", false: "no"}[v.flag]
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if len(out) == 0 && c.plan.Per == "" {
		return []string{""}
	}
	return out
}

// periodOf names the period that a moment is in: the month 2026-03, the week by its Monday.
func periodOf(t time.Time, per string) string {
	begin := question.First(t, per)
	switch per {
	case "month":
		return begin.Format("2006-01")
	case "quarter":
		return fmt.Sprintf("%d Q%d", begin.Year(), (int(begin.Month())+2)/3)
	case "year":
		return begin.Format("2006")
	}
	return string(desk.DateOf(begin))
}

// grouped writes the groups: periods in their order, closed sets in theirs, others by size.
func (c *computation) grouped(all []*Record, members map[string][]*Record, amount map[string]float64, f query.Field) {
	keys := sortedKeys(amount)
	timed := c.plan.Sort == "sprint" && c.plan.By == "sprint"
	switch {
	case timed:
		c.inTime(keys)
	case c.plan.Per != "" && c.plan.Sort == "":
		slices.Sort(keys)
	case c.plan.Sort == "count":
		slices.SortStableFunc(keys, func(a, b string) int { return compare(amount[a], amount[b]) })
	case f.Type == query.Set && c.plan.Sort == "":
		slices.SortStableFunc(keys, func(a, b string) int { return slices.Index(f.Allowed, b) - slices.Index(f.Allowed, a) })
		if c.plan.By == "status" {
			slices.Reverse(keys)
		}
	}
	counts := strings.ToUpper(question.Plural(c.plan.Kind)[:1]) + question.Plural(c.plan.Kind)[1:]
	if c.plan.Of != "" {
		counts = c.each()
	}
	if c.plan.Limit > 0 { // the top five have a name
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "" })
		keys = keys[:min(len(keys), c.plan.Limit)]
	}
	t := &Table{Columns: []string{question.FieldWord(c.plan.By), counts}, Total: len(keys)}
	if c.plan.Per != "" {
		t.Columns[0] = c.plan.Per
	}
	var parts []string
	for i, k := range keys {
		row := Row{Cells: []string{c.groupName(k), figure(amount[k])}, Filter: c.groupFilter(k, f)}
		if c.plan.By == "owner" {
			row.ID = c.ownerID(members[k], k)
		}
		if i < maxRows {
			t.Rows = append(t.Rows, row)
		}
		if i < 8 {
			parts = append(parts, row.Cells[0]+" "+row.Cells[1])
		}
	}
	if timed {
		c.sprintsWhole(t, parts, keys, amount)
	}
	c.out.Table = t
	c.citeAll(all)
	c.out.Sentence = c.groupsSaid(all, keys, parts, members, amount)
	c.lacking()
}

// groupsSaid is the sentence over groups: what parts of the table say, or the one that is asked for.
func (c *computation) groupsSaid(all []*Record, keys, parts []string, members map[string][]*Record, amount map[string]float64) string {
	whole := c.nouns(len(all))
	best := c.best(keys)
	most, sorted := map[string]string{"count": "fewest", "-count": "most"}[c.plan.Sort]
	switch {
	case len(keys) == 0:
		return fmt.Sprintf("%s%s. None of them has a value in %q.", whole, c.which(), question.FieldWord(c.plan.By))
	case c.plan.By == "attendees" && c.plan.Sort == "":
		if len(all) == 1 {
			parts = keys[:min(len(keys), 8)]
		}
		return fmt.Sprintf("%s at %s%s: %s.", counted(len(keys), "person was", "people were"), whole, c.which(), andMore(parts, len(keys)))
	case c.plan.Per != "" && c.plan.Each != "" && c.plan.Of == "":
		n, in := c.periods(keys, members), 0.0
		for _, k := range keys {
			in += amount[k]
		}
		return fmt.Sprintf("%s %s per %s on average, over %s from %s to %s: %s%s.", num(in/float64(n)), question.Plural(c.plan.Kind), c.plan.Per, counted(n, c.plan.Per, c.plan.Per+"s"), keys[0], keys[len(keys)-1], whole, c.which())
	case sorted && best != "" && len(c.equal(keys, amount)) > 1:
		return c.tied(c.equal(keys, amount), most, figure(amount[best])) + fmt.Sprintf(" of %s%s.", whole, c.which())
	case sorted && best != "":
		number := figure(amount[best])
		if c.plan.Of != "" {
			number += " " + c.each() + ","
		}
		return fmt.Sprintf("%s has the %s: %s of %s%s.", c.groupName(best), most, number, whole, c.which())
	}
	by := question.FieldWord(c.plan.By)
	if c.plan.Per != "" {
		by = c.plan.Per
	}
	return fmt.Sprintf("%s%s, by %s: %s.", whole, c.which(), by+c.averaged(), andMore(parts, len(keys)))
}

// equal are the groups that are somebody or something with the amount of the first one.
func (c *computation) equal(keys []string, amount map[string]float64) (out []string) {
	best := c.best(keys)
	for _, k := range keys {
		if k != "" && amount[k] == amount[best] {
			out = append(out, c.groupName(k))
		}
	}
	return out
}

// tied says that several groups are the first.
func (c *computation) tied(names []string, most, number string) string {
	if c.plan.Of != "" {
		number += " " + c.each() + " each,"
	} else {
		number += " each"
	}
	if n := len(names); n <= 4 {
		return fmt.Sprintf("%s and %s have the %s: %s", strings.Join(names[:n-1], ", "), names[n-1], most, number)
	}
	return fmt.Sprintf("%s and %d more have the %s: %s", strings.Join(names[:3], ", "), len(names)-3, most, number)
}

// andMore joins the first of some parts, and says how many more there are.
func andMore(parts []string, all int) string {
	out := strings.Join(parts, ", ")
	if all > len(parts) {
		out += fmt.Sprintf(" and %d more", all-len(parts))
	}
	return out
}

// best is the first group that is somebody or something.
func (c *computation) best(keys []string) string {
	for _, k := range keys {
		if k != "" {
			return k
		}
	}
	return ""
}

func (c *computation) ownerID(of []*Record, name string) string {
	for _, r := range of {
		if i := slices.Index(r.Owners, name); i >= 0 {
			return r.OwnerIDs[i]
		}
	}
	return ""
}

func (c *computation) groupName(k string) string {
	switch {
	case k == "" && c.plan.By == "owner":
		return "Unassigned"
	case k == "":
		return "None"
	}
	if _, f, ok := c.reads(c.plan.By); ok && f.Type == query.Ref {
		if r, ok := c.Find(k); ok {
			return r.Title
		}
	}
	return Word(k)
}

// groupFilter lists the records of a group.
func (c *computation) groupFilter(k string, f query.Field) string {
	own := fmt.Sprintf("%s:%q", f.Name, k)
	if k == "" {
		own = f.Name + ":none"
	}
	switch {
	case c.plan.Per == "month" || c.plan.Per == "day":
		own = f.Name + ":" + k
	case c.plan.Per != "" && k != "":
		own = "" // the language of lists has no such period
		if from, err := time.Parse(time.DateOnly, k); err == nil && c.plan.Per == "week" {
			own = fmt.Sprintf("%s:>=%s %s:<%s", f.Name, k, f.Name, desk.DateOf(from.AddDate(0, 0, 7)))
		}
		if c.plan.Per == "year" {
			own = fmt.Sprintf("%s:>=%s-01 %s:<=%s-12", f.Name, k, f.Name, k)
		}
	}
	if _, every := c.Dated(); f.Name == "externalCreated" && own != "" && !every { // see readsDay
		own = "(" + own + " OR externalCreated:none " + strings.ReplaceAll(own, f.Name+":", "created:") + ")"
	}
	return strings.TrimSpace(c.plan.Filter + " " + own)
}

// periods counts the periods from the first group to the last, those without records too; 0 where records are not grouped so.
func (c *computation) periods(keys []string, members map[string][]*Record) (n int) {
	read, f, ok := c.readsDay(c.plan.By)
	if c.plan.Per == "" || len(keys) == 0 || !ok {
		return 0
	}
	at := func(key string) time.Time {
		v := first(read(members[key][0]))
		if f.Type == query.Day {
			return question.First(desk.Date(v.text).Time(), c.plan.Per)
		}
		return question.First(v.at, c.plan.Per)
	}
	last := at(keys[len(keys)-1])
	for t := at(keys[0]); !t.After(last); n++ {
		switch c.plan.Per {
		case "year":
			t = t.AddDate(1, 0, 0)
		case "quarter":
			t = t.AddDate(0, 3, 0)
		case "month":
			t = t.AddDate(0, 1, 0)
		case "week":
			t = t.AddDate(0, 0, 7)
		default:
			t = t.AddDate(0, 0, 1)
		}
	}
	return n
}
