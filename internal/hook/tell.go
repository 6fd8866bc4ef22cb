package hook

import (
	"context"
	"log/slog"

	"chela/internal/event"
)

// Log is the event log as a [Teller] reads it.
type Log interface {
	event.Notifier
	End(ctx context.Context) (event.Seq, error)
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	Cursor(ctx context.Context, name string) (event.Seq, error)
	// MoveCursor moves a cursor and reports whether it still stood where it is moved from.
	MoveCursor(ctx context.Context, name string, from, to event.Seq) (bool, error)
}

// A Teller tells hooks what is recorded. Of several daemons that share a log one tells, of each
// event at most once.
type Teller struct {
	Hooks *Hooks
	From  Log
	Node  string                                    // of the daemon
	Point func(m event.Message) (at Point, ok bool) // where hooks are told of an event
	Log   *slog.Logger
}

// Run tells what is recorded after a position, where the daemon began, until ctx is done.
func (t Teller) Run(ctx context.Context, after event.Seq) (err error) {
	grown, stop := t.From.Subscribe(event.LogGrew)
	defer stop()
	t.Hooks.Tell(ctx, DaemonStart, Happened{Node: t.Node})
	for {
		if after, err = t.since(ctx, after); err != nil && ctx.Err() == nil {
			t.Log.Warn("hooks are told later", "err", err)
		}
		select {
		case <-ctx.Done():
			last := context.WithoutCancel(ctx)
			_, err := t.since(last, after)
			t.Hooks.Tell(last, DaemonStop, Happened{Node: t.Node})
			return err
		case <-grown:
		}
	}
}

// unheard is the position of hooks while there are none: they begin at the end of the log.
const unheard = event.Seq(-1)

// cursor is how far hooks were told.
const cursor = "hooks"

// since tells of the events after a position, and returns up to where.
func (t Teller) since(ctx context.Context, after event.Seq) (event.Seq, error) {
	if !t.Hooks.Heard(ctx) {
		return unheard, nil
	}
	if after == unheard {
		return t.From.End(ctx)
	}
	for {
		told, err := t.From.Cursor(ctx, cursor)
		if err != nil {
			return after, err
		}
		// Read before the cursor is moved: the transaction that moves it would, as a writer, hide what is newest.
		batch, upTo, err := t.From.Events(ctx, max(after, told), event.Filter{})
		if err != nil {
			return after, err
		}
		end := max(upTo, after, told)
		mine, err := t.From.MoveCursor(ctx, cursor, told, end)
		if err == nil && !mine {
			continue // another daemon has told meanwhile
		}
		if err != nil {
			return after, err
		}
		if len(batch) == 0 {
			return end, nil
		}
		for _, e := range batch {
			t.tell(ctx, e)
		}
		after = end
	}
}

func (t Teller) tell(ctx context.Context, e event.Exported) {
	if at, ok := t.Point(e.Message); ok {
		t.Hooks.Tell(ctx, at, Happened{
			Seq: e.Seq, Type: e.Message.Type, Thread: e.Message.ThreadID, Run: e.Message.RunID, Task: e.Message.TaskID, From: e.Message.From.AgentID, Payload: e.Message.Payload,
		})
	}
}
