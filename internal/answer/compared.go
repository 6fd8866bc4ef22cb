package answer

import (
	"slices"

	"chela/internal/desk"
	"chela/internal/query"
)

// compared are the values of the field that groups which the filter names, where it names several: these are the groups, also those without a
// record.
func (c *computation) compared() []string {
	for _, x := range c.conditions() {
		switch x := x.(type) {
		case query.Or:
			if c.plan.Per != "" {
				return c.comparedPeriods(x)
			}
		case query.Term:
			if x.Op == query.Is && x.Field.Name == c.plan.By && len(x.Values) > 1 && c.plan.Per == "" && slices.Contains([]query.Type{query.Set, query.Text, query.Person}, x.Field.Type) {
				return c.comparedValues(x)
			}
		}
	}
	return nil
}

// conditions are those of the plan's filter that all have to hold.
func (c *computation) conditions() query.And {
	e, err := c.plan.Where(c.plan.Filter, c.now)
	if err != nil {
		return nil // it was checked
	}
	all, ok := e.(query.And)
	if !ok {
		all = query.And{e}
	}
	return all
}

// comparedValues are the values of a term, nil where one may be part of several names.
func (c *computation) comparedValues(t query.Term) (out []string) {
	for _, v := range t.Values {
		if v.None || t.Field.Type == query.Person && !slices.ContainsFunc(c.byKind[desk.Resource], func(r *Record) bool { return r.Title == v.Text }) {
			return nil
		}
		out = append(out, v.Text)
	}
	return out
}

// comparedPeriods are the periods of alternatives each of which is one, nil where one says something else.
func (c *computation) comparedPeriods(alternatives query.Or) (out []string) {
	for _, x := range alternatives {
		terms, ok := x.(query.And)
		if !ok {
			terms = query.And{x}
		}
		begin := ""
		for _, y := range terms {
			t, ok := y.(query.Term)
			if !ok || t.Field.Name != c.plan.By || len(t.Values) != 1 {
				return nil
			}
			if t.Op == query.AtLeast || t.Op == query.Is {
				begin = periodOf(t.Values[0].From, c.plan.Per)
			}
		}
		if begin == "" {
			return nil
		}
		out = append(out, begin)
	}
	return out
}
