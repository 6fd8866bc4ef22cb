package daemon

import (
	"context"

	"chela/internal/desk"
	"chela/internal/gateway/api"
	"chela/internal/store/past"
)

// lookBack gives the API the past, by moments as people write them.
type lookBack struct{ past *past.Past }

var _ api.Past = lookBack{}

// At implements [api.Past].
func (l lookBack) At(ctx context.Context, project, moment string) (api.Desk, func(), error) {
	m, err := l.past.Parse(ctx, moment)
	if err != nil {
		return nil, nil, err
	}
	db, done, err := l.past.At(ctx, project, m)
	if err != nil {
		return nil, nil, err
	}
	return db, done, nil
}

// Between implements [api.Past].
func (l lookBack) Between(ctx context.Context, project, from, to string) ([]desk.Diff, error) {
	first, err := l.past.Parse(ctx, from)
	if err != nil {
		return nil, err
	}
	last := past.Now()
	if to != "" {
		if last, err = l.past.Parse(ctx, to); err != nil {
			return nil, err
		}
	}
	return l.past.Between(ctx, project, first, last)
}
