package inbox

import (
	"context"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
)

// Close ends a conversation in which nothing is under way: what is said to it is refused
// until somebody reopens it.
func (in *Inbox) Close(ctx context.Context, thread string, by event.Party) error {
	return in.turn(ctx, thread, by, session.ClosedKind, func(live session.Thread) error {
		if live.Closed {
			return fault.New(fault.Conflict, "The conversation %s is closed already.", thread)
		}
		return nil
	})
}

// Reopen lets a closed conversation go on.
func (in *Inbox) Reopen(ctx context.Context, thread string, by event.Party) error {
	return in.turn(ctx, thread, by, session.ReopenedKind, func(live session.Thread) error {
		if !live.Closed {
			return fault.New(fault.Conflict, "The conversation %s is open already.", thread)
		}
		return nil
	})
}

// Remove takes a conversation in which nothing is under way out of every list and out of what is found, and closes it. The
// log keeps it, and Restore brings it back.
func (in *Inbox) Remove(ctx context.Context, thread string, by event.Party) error {
	return in.turn(ctx, thread, by, session.RemovedKind, nil)
}

// Restore brings a removed conversation back, open.
func (in *Inbox) Restore(ctx context.Context, thread string, by event.Party) error {
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		live, err := tx.Conversations().Session(thread)
		if err == nil && !live.Removed {
			err = fault.New(fault.Conflict, "The conversation %s was not removed, so there is nothing to restore.", thread)
		}
		if err != nil {
			return err
		}
		_, err = b.Append(session.RestoredKind.Draft(movedAt(ctx, b, thread, by), session.Moved{}))
		return err
	})
}

// turn records that a conversation is closed, goes on or is removed, unless refuse says why not.
func (in *Inbox) turn(ctx context.Context, thread string, by event.Party, to event.Kind[session.Moved], refuse func(session.Thread) error) error {
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		live, err := tx.Conversations().Session(thread)
		if err == nil && live.Removed {
			err = removed(thread, fault.Conflict)
		}
		if err == nil && refuse != nil {
			err = refuse(live)
		}
		if err != nil {
			return err
		}
		if _, err := b.Append(to.Draft(movedAt(ctx, b, thread, by), session.Moved{})); err != nil || to.Name == session.ReopenedKind.Name {
			return err
		}
		// Asked after the append, which holds the thread's stream: no run begins meanwhile.
		open, err := tx.Conversations().OpenIn(thread)
		if err == nil && open != "" {
			err = fault.New(fault.Conflict, "The run %s of the conversation is not over. Wait for its end, or cancel it with `chela run cancel %s`.", open, open)
		}
		return err
	})
}

// movedAt is where it is recorded that a conversation was moved.
func movedAt(ctx context.Context, b *run.Batch, thread string, by event.Party) event.Place {
	id := run.ID(b.Mint().ID("run"))
	return event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: string(id), Task: run.RootTask(id), From: by, Trace: run.TraceOf(ctx)}
}

// removed refuses what is done with a conversation that was removed: as one that is in no state for it, or as one that is not there.
func removed(thread string, as fault.Kind) error {
	return fault.New(as, "The conversation %s was removed. `chela session restore %s` brings it back.", thread, thread)
}

// There is an error when a conversation was removed or never was.
func There(live session.Thread, err error) error {
	if err == nil && live.Removed {
		return removed(live.ID, fault.NotFound)
	}
	return err
}
