package clerk

import (
	"context"

	"chela/internal/desk"
	"chela/internal/query"
)

// mostDecided bounds the terms of one list that are decided in memory, each of them for all records of the kind.
const mostDecided = 4

// Narrow finds out of the terms of a list that would be looked for in the records themselves for which records they hold, when the
// project's records are kept, and wants them kept otherwise. What it does not find out stays as it is, and so do terms that are many.
func (s *Cache) Narrow(ctx context.Context, q Query) (Query, error) {
	if q.Project == "" || q.Shared || q.Kind == "" || q.Where == nil {
		return q, nil
	}
	if n := decidable(q.Kind, q.Where); n == 0 || n > mostDecided {
		return q, nil
	}
	b, err := s.ready(ctx, q.Project)
	if b == nil || err != nil {
		s.want(q.Project)
		return q, err
	}
	q.Where = b.narrowed(q.Kind, q.Where)
	return q, nil
}

// decidable counts the terms that a record decides which is held decoded.
func decidable(k desk.Kind, e query.Expr) (n int) {
	switch e := e.(type) {
	case query.And:
		for _, x := range e {
			n += decidable(k, x)
		}
	case query.Or:
		for _, x := range e {
			n += decidable(k, x)
		}
	case query.Not:
		return decidable(k, e.Of)
	case query.Term:
		if _, ok := desk.Decided(k, e); ok {
			return 1
		}
	}
	return n
}

// narrowed returns the condition with the records for which its terms hold.
func (b *Book) narrowed(k desk.Kind, e query.Expr) query.Expr {
	each := func(all []query.Expr) []query.Expr {
		out := make([]query.Expr, len(all))
		for i, x := range all {
			out[i] = b.narrowed(k, x)
		}
		return out
	}
	switch x := e.(type) {
	case query.And:
		return query.And(each(x))
	case query.Or:
		return query.Or(each(x))
	case query.Not:
		return query.Not{Of: b.narrowed(k, x.Of)}
	case query.Term:
		holds, ok := desk.Decided(k, x)
		if !ok {
			return e
		}
		var those, others []string
		for _, r := range b.slots {
			switch {
			case r == nil || r.Kind != k:
			case holds(&r.Record, r.Thing):
				those = append(those, r.ID)
			default:
				others = append(others, r.ID)
			}
		}
		if len(others) < len(those) {
			return query.Among{Of: x, IDs: others, But: true}
		}
		return query.Among{Of: x, IDs: those}
	}
	return e
}
