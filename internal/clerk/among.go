package clerk

import (
	"context"

	"chela/internal/desk"
	"chela/internal/query"
)

// mostTexts bounds the terms of one list that are looked for in memory, each of them in all records of the kind.
const mostTexts = 4

// Narrow finds out of the terms of a list that would be looked for in the records themselves for which records they hold, when the
// project's records are kept. What it does not find out stays as it is, and so do terms that are many.
func (s *Cache) Narrow(ctx context.Context, q Query) (Query, error) {
	if q.Project == "" || q.Shared || q.Kind == "" || q.Where == nil {
		return q, nil
	}
	if n := textTerms(q.Kind, q.Where); n == 0 || n > mostTexts {
		return q, nil
	}
	b, err := s.ready(ctx, q.Project)
	if b == nil || err != nil {
		return q, err
	}
	q.Where = b.narrowed(q.Kind, q.Where)
	return q, nil
}

// textTerms counts the terms that ask for a text that a list does not know.
func textTerms(k desk.Kind, e query.Expr) (n int) {
	switch e := e.(type) {
	case query.And:
		for _, x := range e {
			n += textTerms(k, x)
		}
	case query.Or:
		for _, x := range e {
			n += textTerms(k, x)
		}
	case query.Not:
		return textTerms(k, e.Of)
	case query.Term:
		if _, ok := desk.TextOf(k, e); ok {
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
		holds, ok := desk.TextOf(k, x)
		if !ok {
			return e
		}
		among := query.Among{Of: x}
		for _, r := range b.slots {
			if r != nil && r.Kind == k && holds(&r.Record, r.Thing) {
				among.IDs = append(among.IDs, r.ID)
			}
		}
		return among
	}
	return e
}
