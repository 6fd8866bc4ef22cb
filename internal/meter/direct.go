package meter

import (
	"context"

	"chela/internal/budget"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Store keeps what is reserved under the limits of the organization.
type Store interface {
	Limits(ctx context.Context) ([]budget.Limit, error)
	ReserveCalls(ctx context.Context, limits []budget.Limit, c budget.Calls) ([]budget.Grant, *budget.Shortage, error)
	UnreserveCall(ctx context.Context, id run.ID, step string) error
}

// Direct is the purse of a caller who does not wait for room: without room a call is refused with the
// limit that is in the way. Every call that fails gives its room back.
type Direct struct {
	Store Store
	Run   run.ID
	budget.Payer
}

// Reserve implements [Purse].
func (d Direct) Reserve(ctx context.Context, c budget.Call) (*budget.Grant, error) {
	limits, err := d.Store.Limits(ctx)
	if limits = budget.Of(limits, d.Payer); err != nil || len(limits) == 0 {
		return nil, err
	}
	got, short, err := d.Store.ReserveCalls(ctx, limits, budget.Calls{Run: d.Run, Payer: d.Payer, Each: []budget.Call{c}})
	switch {
	case err != nil:
		return nil, err
	case short != nil:
		return nil, fault.New(fault.Unavailable, "%s An admin raises it with `chela budget set`.", short.Text)
	}
	return &got[0], nil
}

// Return implements [Purse].
func (d Direct) Return(ctx context.Context, step string, _ error) error {
	return d.Store.UnreserveCall(context.WithoutCancel(ctx), d.Run, step)
}
