package run

import (
	"context"
	"time"
)

// Rounds calls round until ctx is done: at the time that the last one returned, and when something has changed. While the last one returned the
// zero time only a change begins another. One that fails is told to failed, and begun again after a while.
func Rounds(ctx context.Context, changed <-chan struct{}, now func() time.Time, again time.Duration, round func(context.Context) (next time.Time, err error), failed func(error)) {
	for ctx.Err() == nil {
		next, err := round(ctx)
		if err != nil && ctx.Err() == nil {
			failed(err)
			next = now().Add(again)
		}
		t := time.NewTimer(next.Sub(now()))
		due := t.C
		if next.IsZero() {
			due = nil // nothing is waited for but a change
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-due:
		}
		t.Stop()
	}
}
