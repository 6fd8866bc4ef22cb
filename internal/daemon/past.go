package daemon

import (
	"context"
	"errors"
	"time"

	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/gateway/api"
	"chela/internal/store/past"
)

// lookBack gives the API the past, by moments as people write them.
type lookBack struct{ past *past.Past }

var _ api.Past = lookBack{}

// At implements [api.Past].
func (l lookBack) At(ctx context.Context, moment string) (api.Desk, error) {
	m, err := l.past.Parse(ctx, moment)
	if err != nil {
		return nil, err
	}
	return l.past.At(ctx, m)
}

// moment reads a moment; an empty one is now.
func (l lookBack) moment(ctx context.Context, s string) (past.Moment, error) {
	if s == "" {
		return past.Now(), nil
	}
	return l.past.Parse(ctx, s)
}

// When implements [api.Past].
func (l lookBack) When(ctx context.Context, moment string) (time.Time, error) {
	m, err := l.past.Parse(ctx, moment)
	if err != nil {
		return time.Time{}, err
	}
	return l.past.When(ctx, m)
}

// askedBy has what is wrong with a moment be said of the field that it was asked by.
func askedBy(field string, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && len(e.Fields) == 1 {
		return fault.BadField(field, e.Fields[0].Text)
	}
	return err
}

// Span implements [api.Past].
func (l lookBack) Span(ctx context.Context, project, from, to string) (clerk.Span, error) {
	first, err := l.past.Parse(ctx, from)
	if err != nil {
		return clerk.Span{}, askedBy("from", err)
	}
	last, err := l.moment(ctx, to)
	if err != nil {
		return clerk.Span{}, askedBy("to", err)
	}
	return l.past.Span(ctx, project, first, last)
}

// Sprints implements [api.Past].
func (l lookBack) Sprints(ctx context.Context, project, moment string) (*flow.Ledger, time.Time, error) {
	m, err := l.moment(ctx, moment)
	if err != nil {
		return nil, time.Time{}, err
	}
	return l.past.Sprints(ctx, project, m)
}

// Charts implements [api.Past].
func (l lookBack) Charts(ctx context.Context, project, moment string) (chart.History, time.Time, error) {
	m, err := l.moment(ctx, moment)
	if err != nil {
		return chart.History{}, time.Time{}, err
	}
	return l.past.Charts(ctx, project, m)
}

// History implements [api.Past].
func (l lookBack) History(ctx context.Context, record, until string) ([]desk.Revised, error) {
	m, err := l.moment(ctx, until)
	if err != nil {
		return nil, err
	}
	return l.past.History(ctx, record, m)
}

// Act implements [api.Past].
func (l lookBack) Act(ctx context.Context, run, event string) ([]desk.Revision, error) {
	return l.past.Act(ctx, run, event)
}
