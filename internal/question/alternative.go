package question

import (
	"slices"
	"strings"
)

// operands are the sorts of items that an "or" can join.
var operands = []string{"state", "value", "concept", "type", "role", "named", "person", "none", "cmp", "range", "period", "word"}

// alternatives joins the items before and after each "or", and periods of one field that exclude each other. An "or" that
// joins nothing stays unused, and then the question is a search; see [reader.left].
func (r *reader) alternatives() {
	groups := 0
	group := func(a, b *item) {
		if a.group == 0 {
			groups++
			a.group = groups
		}
		b.group = a.group
	}
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.sort == "or" && it.value == "or" && !it.used:
			a, b := r.operand(i, -1), r.operand(i, 1)
			if x, y := r.before(it), r.after(it); x != nil && y != nil && x.sort == "kind" && x.sense == y.sense {
				it.used = true // issues or tasks
				continue
			}
			if x, y := r.before(it), r.after(it); x != nil && y != nil && (x.sort == "kind" && y.sort == "type" || x.sort == "type" && y.sort == "kind") {
				continue // stories or tickets
			}
			if a == nil || b == nil || r.mixed(a, b) {
				continue
			}
			group(a, b)
			it.used, it.about = true, []*item{a, b}
		case it.sort == "period":
			joint, next := r.joint(i, false)
			if next < 0 || r.items[next].sort != "period" || joint.sort == "or" || r.items[next].at > it.at+it.n+2 {
				continue
			}
			if b := &r.items[next]; it.period.bounded() && b.period.bounded() && (!it.period.to.After(b.period.from) || !b.period.to.After(it.period.from)) {
				group(it, b)
			}
		}
	}
	r.years()
}

// years gives periods without a year that of the next one that they are joined with: "in March or April 2022".
func (r *reader) years() {
	of := make(map[int]int) // of the groups
	for i := len(r.items) - 1; i >= 0; i-- {
		it := &r.items[i]
		if it.sort != "period" || it.group == 0 || !it.period.bounded() {
			continue
		}
		if year, ok := of[it.group]; ok && it.period.yearless {
			it.period = it.period.in(year)
		} else if !it.period.yearless {
			of[it.group] = it.period.from.Year()
		}
	}
}

// in is the same days in another year.
func (p period) in(year int) period {
	d := year - p.from.Year()
	return period{from: p.from.AddDate(d, 0, 0), to: p.to.AddDate(d, 0, 0)}
}

// bounded reports whether the period has a first and a last day.
func (p period) bounded() bool { return !p.from.IsZero() && !p.to.IsZero() }

// operand returns the item that an "or" at a place joins in a direction, nil when there is none.
func (r *reader) operand(i, step int) *item {
	for k := i + step; k >= 0 && k < len(r.items); k += step {
		it := &r.items[k]
		switch next := r.after(it); {
		case step > 0 && it.sort == "state" && it.value == "done" && next != nil && next.sort == "period": // resolved in May
		case slices.Contains(operands, it.sort):
			return it
		case it.sort == "stop" || it.sort == "prep" || it.sort == "field" || it.sort == "unit" || it.sort == "kind":
		case it.sort == "not" && it.used && step > 0 && len(it.about) > 0:
			return it.about[0]
		case step > 0 && (it.sort == "topic" || it.sort == "verb" && it.value != "untouched"):
		case it.sort == "in" && step < 0:
		case it.sort == "verb" && it.value == "untouched":
			return it
		default:
			return nil
		}
	}
	return nil
}

// mixed reports whether it is not plain what of two items an "or" joins: one is some words of several, or is joined with
// "and" to something else than the other.
func (r *reader) mixed(a, b *item) bool {
	i := slices.IndexFunc(r.items, func(x item) bool { return x.at == a.at })
	j := slices.IndexFunc(r.items, func(x item) bool { return x.at == b.at })
	if a.sort == "word" && i > 0 && r.items[i-1].sort == "word" || b.sort == "word" && j+1 < len(r.items) && r.items[j+1].sort == "word" {
		return true
	}
	if a.sort == "word" != (b.sort == "word") || a.sort == "concept" && a.n > 2 || b.sort == "concept" && b.n > 2 {
		return true // "critical or blockers are open"
	}
	and := func(k int) bool {
		return k > 1 && r.marked("and", r.items[k-1].at) && slices.Contains(operands, r.items[k-2].sort) && r.class(&r.items[k-2]) != r.class(&r.items[k])
	}
	if r.class(a) == r.class(b) {
		return false
	}
	k, next := r.joint(j, false)
	return and(i) || k.sort == "and" && next >= 0 && slices.Contains(operands, r.items[next].sort)
}

// A conjunction collects the conditions of a question. All of them hold; those of a group are alternatives.
type conjunction struct {
	conditions []string
	groups     map[int][]string
	order      []int
	sets       []set
}

// A set is values of one field, any of which a record has.
type set struct {
	field  string
	values []string
	group  int
}

// add adds a condition to a group, 0 for none.
func (c *conjunction) add(group int, condition string) {
	if group == 0 {
		if !slices.Contains(c.conditions, condition) {
			c.conditions = append(c.conditions, condition)
		}
		return
	}
	if c.groups == nil {
		c.groups = make(map[int][]string)
	}
	if _, ok := c.groups[group]; !ok {
		c.order = append(c.order, group)
	}
	if !slices.Contains(c.groups[group], condition) {
		c.groups[group] = append(c.groups[group], condition)
	}
}

// set adds a value of a field.
func (c *conjunction) set(group int, field, value string, not bool) {
	if not {
		field = "-" + field
		group = 0 // neither of several is none of each
	}
	for i := range c.sets {
		if c.sets[i].field == field && c.sets[i].group == group {
			if !slices.Contains(c.sets[i].values, value) {
				c.sets[i].values = append(c.sets[i].values, value)
			}
			return
		}
	}
	c.sets = append(c.sets, set{field, []string{value}, group})
}

// all returns the conditions, of each group one.
func (c *conjunction) all() []string {
	var sets []set
	for _, s := range c.sets {
		alone := s.group == 0 || len(c.groups[s.group]) == 0 && !slices.ContainsFunc(c.sets, func(x set) bool { return x.group == s.group && x.field != s.field })
		switch i := slices.IndexFunc(sets, func(x set) bool { return x.field == s.field }); {
		case !alone:
			c.add(s.group, s.filter())
		case i >= 0:
			sets[i].values = append(sets[i].values, s.values...)
		default:
			sets = append(sets, s)
		}
	}
	out := c.conditions
	for _, g := range c.order {
		parts := slices.Clone(c.groups[g])
		for i, p := range parts {
			if len(parts) > 1 && strings.Contains(p, " ") && !strings.HasPrefix(p, "-(") {
				parts[i] = "(" + p + ")"
			}
		}
		if len(parts) == 1 {
			out = append(out, parts[0])
			continue
		}
		out = append(out, "("+strings.Join(parts, " OR ")+")")
	}
	for _, s := range sets {
		out = append(out, s.filter())
	}
	return out
}

func (s set) filter() string { return s.field + ":" + strings.Join(s.values, ",") }
