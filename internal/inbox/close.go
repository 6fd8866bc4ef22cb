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
	return in.turn(ctx, thread, by, true)
}

// Reopen lets a closed conversation go on.
func (in *Inbox) Reopen(ctx context.Context, thread string, by event.Party) error {
	return in.turn(ctx, thread, by, false)
}

func (in *Inbox) turn(ctx context.Context, thread string, by event.Party, closed bool) error {
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		live, err := tx.Conversations().Session(thread)
		switch {
		case err != nil:
			return err
		case live.Closed == closed:
			return fault.New(fault.Conflict, "The conversation %s is %s already.", thread, map[bool]string{true: "closed", false: "open"}[closed])
		}
		id := run.ID(b.Mint().ID("run"))
		at := event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: string(id), Task: run.RootTask(id), From: by, Trace: run.TraceOf(ctx)}
		moved := session.ReopenedKind.Draft(at, session.Moved{})
		if closed {
			moved = session.ClosedKind.Draft(at, session.Moved{})
		}
		if _, err := b.Append(moved); err != nil {
			return err
		}
		// Asked after the append, which holds the thread's stream: no run begins meanwhile.
		if open, err := tx.Conversations().OpenIn(thread); err != nil || open != "" && closed {
			if err == nil {
				err = fault.New(fault.Conflict, "The run %s of the conversation is not over. Wait for its end, or cancel it with `chela run cancel %s`.", open, open)
			}
			return err
		}
		return nil
	})
}
