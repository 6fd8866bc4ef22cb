package store

import (
	"context"
	"fmt"
	"slices"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
)

// called has the terms of a query that ask who has a record mean people by their other names, too: those of people who were merged into
// them.
func (d Desk) called(ctx context.Context, q clerk.Query) (clerk.Query, error) {
	var names []string
	eachOwner(q.Where, func(t query.Term) query.Term {
		for _, v := range t.Values {
			if name := personName(v.Text); !v.None && name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return t
	})
	if len(names) == 0 || q.Project == "" {
		return q, nil
	}
	rows, err := d.query(ctx, "SELECT v.value, r.id FROM desk_values v JOIN desk_records r ON r.seq = v.seq WHERE v.list = ? AND v.field = 'aliases' AND v.value IN ("+marks(len(names))+") ORDER BY r.id",
		append([]any{listOf(q.Project, desk.Resource)}, orNone(names)...)...)
	if err != nil {
		return q, fmt.Errorf("look up the names of people: %w", err)
	}
	ids := make(map[string][]string)
	err = each(rows, func(scan func(...any) error) error {
		var name, id string
		err := scan(&name, &id)
		ids[name] = append(ids[name], id)
		return err
	})
	if err != nil || len(ids) == 0 {
		return q, err
	}
	q.Where = eachOwner(q.Where, func(t query.Term) query.Term {
		more := slices.Clone(t.Values)
		for _, v := range t.Values {
			for _, id := range ids[personName(v.Text)] {
				more = append(more, query.Value{Text: id})
			}
		}
		t.Values = more
		return t
	})
	return q, nil
}

// eachOwner returns a condition with its terms that ask who has a record changed.
func eachOwner(e query.Expr, fn func(query.Term) query.Term) query.Expr {
	all := func(in []query.Expr) []query.Expr {
		out := make([]query.Expr, len(in))
		for i, x := range in {
			out[i] = eachOwner(x, fn)
		}
		return out
	}
	switch e := e.(type) {
	case query.And:
		return query.And(all(e))
	case query.Or:
		return query.Or(all(e))
	case query.Not:
		return query.Not{Of: eachOwner(e.Of, fn)}
	case query.Term:
		if e.Field.Place == query.InShares && e.Op == query.Is {
			return fn(e)
		}
	}
	return e
}
