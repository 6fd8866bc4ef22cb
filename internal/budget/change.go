package budget

import (
	"context"
	"errors"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// Calls are calls of one run that want room together. Run and Step name each: asked again
// after a crash it is the same.
type Calls struct {
	Run run.ID
	Payer
	Each []Call
	// Extra is what people granted the run on top, by the id of the limit.
	Extra map[string]Amounts
}

// A Call is a model call or a tool call. Its result is recorded as the step.
type Call struct {
	Step string
	Want Want
}

// A Tx is a transaction in which room can be reserved: two that reserve do so one after
// the other, also on different nodes.
type Tx interface {
	// Reserve reserves what the calls may take, in place of what they had reserved, or
	// returns which of the limits is in the way of them all. The result of a step that is
	// recorded ends its reservation.
	Reserve(limits []Limit, c Calls) ([]Grant, *Shortage, error)
	// Unreserve ends a reservation: the call was not answered, and cost nothing.
	Unreserve(id run.ID, step string) error
}

// A Store knows the limits.
type Store interface {
	// Limits returns them all; they may be up to a second old.
	Limits(ctx context.Context) ([]Limit, error)
	// LimitsNow returns them as they are.
	LimitsNow(ctx context.Context) ([]Limit, error)
	event.Notifier
}

// A Waiter finds the questions that runs wait with.
type Waiter interface {
	Approvals(ctx context.Context, s approval.Status, limit int) ([]approval.Approval, error)
}

// Change records that a limit was set or removed, and lets the runs go on that wait for
// it; each looks again whether there is room.
func Change(ctx context.Context, from Waiter, runs *run.Engine, limit string, by event.Party, change event.Draft) error {
	if err := runs.Write(ctx, func(b *run.Batch) error {
		_, err := b.Append(change)
		return err
	}); err != nil {
		return err
	}
	asked, err := from.Approvals(ctx, approval.Pending, maxWaiting)
	if err != nil {
		return err
	}
	var failed error
	for _, q := range asked {
		if q.Kind != approval.BudgetReached || q.Raise == nil || q.Raise.Limit != limit {
			continue
		}
		failed = errors.Join(failed, goOn(ctx, runs, q, by)) // the others go on
	}
	return failed
}

// maxWaiting bounds how many questions are looked at.
const maxWaiting = 10_000

// goOn lets the run of a question go on. One that has asked and does not wait yet will in
// a moment.
func goOn(ctx context.Context, runs *run.Engine, q approval.Approval, by event.Party) error {
	working, over := false, false
	err := run.Retry(ctx, func() (bool, error) {
		var state run.State
		err := runs.Write(ctx, func(b *run.Batch) error {
			r, err := b.Runs().Run(q.Run)
			if err != nil {
				return err
			}
			if state = r.State; !r.Paused() && (state != run.Waiting || !strings.HasPrefix(r.WaitsFor, run.ForPerson)) {
				return fault.New(fault.Conflict, "Run %s does not wait.", r.ID)
			}
			if _, err := b.Append(approval.Moved(r, q.ID, "The budget was changed.")); err != nil {
				return err
			}
			return b.Wake(r.ID, by, "The budget was changed.")
		})
		conflict := err != nil && fault.KindOf(err) == fault.Conflict
		over, working = conflict && state.Final(), conflict && !state.Final()
		return working, err
	})
	if working && ctx.Err() == nil || over {
		return nil // it works again: it looks at the limits itself; or it is over
	}
	return err
}
