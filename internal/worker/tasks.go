package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Store keeps the tasks of workers.
type Store interface {
	event.Notifier
	// Waiting returns the tasks of a worker that have not ended, the oldest first.
	Waiting(ctx context.Context, worker string) ([]Task, error)
	// Task returns one; a fault.NotFound says that there is none.
	Task(ctx context.Context, id string) (Task, error)
	// Move records what fn drafts of a task as it is, all or nothing; the zero Task when there is none of that id.
	Move(ctx context.Context, id string, fn func(Task) ([]event.Draft, error)) error
	Mint() *event.Mint
}

// Tasks are the tasks of all workers. Safe for concurrent use, of any number of daemons on one store.
type Tasks struct{ store Store }

// New returns the tasks that a store keeps.
func New(s Store) *Tasks { return &Tasks{s} }

// IDOf is the id of the task that a call gives: the same at each attempt of the call.
func IDOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "task_" + hex.EncodeToString(sum[:13])
}

// Give gives a worker a task, once for a key. at is where the giver calls.
func (ts *Tasks) Give(ctx context.Context, at event.Place, key string, g Given) (Task, error) {
	id := IDOf(key)
	err := ts.store.Move(ctx, id, func(was Task) ([]event.Draft, error) {
		if was.ID != "" {
			return nil, nil
		}
		at.ParentTask, at.Task, at.Key, at.Epoch, at.To = at.Task, id, "worker/"+id, 0, nil
		return []event.Draft{GivenKind.Draft(at, g)}, nil
	})
	if err != nil {
		return Task{}, err
	}
	return ts.store.Task(ctx, id)
}

// place is where a fact of the task lies.
func (t Task) place(from event.Party, key string) event.Place {
	return event.Place{Stream: t.Stream, Thread: t.Thread, Run: t.Run, Task: t.ID, ParentTask: t.Parent, From: from, Trace: t.Trace, Key: key}
}

// Of returns a task of a worker.
func (ts *Tasks) Of(ctx context.Context, worker, id string) (Task, error) {
	t, err := ts.store.Task(ctx, id)
	if err == nil && t.Worker != worker {
		err = none(id)
	}
	return t, err
}

func none(id string) error { return fault.New(fault.NotFound, "There is no task %s.", id) }

// move moves a task of a worker to where it is afterwards.
func (ts *Tasks) move(ctx context.Context, worker, id string, fn func(Task) ([]event.Draft, error)) (Task, error) {
	err := ts.store.Move(ctx, id, func(t Task) ([]event.Draft, error) {
		if t.ID == "" || t.Worker != worker {
			return nil, none(id)
		}
		return fn(t)
	})
	if err != nil {
		return Task{}, err
	}
	return ts.store.Task(ctx, id)
}

// Reply answers what a worker asks about a task, once for a key; the task waits for the worker again.
func (ts *Tasks) Reply(ctx context.Context, at event.Place, worker, id, key, text string) (Task, error) {
	return ts.move(ctx, worker, id, func(t Task) ([]event.Draft, error) {
		key := "replied/" + IDOf(key)
		switch {
		case slices.ContainsFunc(t.Said, func(w Words) bool { return w.Key == key }):
			return nil, nil
		case t.State != Asks:
			return nil, notNow(t, "It asks nothing now")
		}
		return []event.Draft{RepliedKind.Draft(t.place(at.From, key), Replied{text})}, nil
	})
}

// Cancel ends a task that is not wanted any more; one that has ended stays as it is.
func (ts *Tasks) Cancel(ctx context.Context, at event.Place, worker, id, why string) (Task, error) {
	return ts.move(ctx, worker, id, func(t Task) ([]event.Draft, error) {
		if t.State.Ended() {
			return nil, nil
		}
		return []event.Draft{EndedKind.Draft(t.place(at.From, ""), Ended{State: Cancelled, Reason: why})}, nil
	})
}

// notNow refuses what does not follow from where a task stands.
func notNow(t Task, what string) error {
	return fault.New(fault.Conflict, "%s: the task %s is %s.", what, t.ID, t.State)
}

// A Bearer is a worker that speaks: who it is, and the id of the message in which it says something.
type Bearer struct {
	Worker  string
	Party   event.Party
	Message string
}

func (b Bearer) key(what string) string { return what + "/" + b.Message }

// Take has the worker take a task, for as long as [Lease]. The same message again changes nothing.
func (ts *Tasks) Take(ctx context.Context, b Bearer, id string) (Task, error) {
	return ts.move(ctx, b.Worker, id, func(t Task) ([]event.Draft, error) {
		now := ts.store.Mint().Now()
		switch {
		case t.Now(now) == Taken && t.Key == b.key("taken"):
			return nil, nil
		case t.Now(now) == Taken:
			return nil, fault.New(fault.Conflict, "The task %s is taken until %s; it waits again when no word of progress comes until then.", id, t.Until.UTC().Format(time.RFC3339))
		case t.Now(now) != Open || t.Over(now):
			return nil, notNow(t, "It cannot be taken")
		}
		return []event.Draft{TakenKind.Draft(t.place(b.Party, b.key("taken")), Took{now.Add(Lease).UTC()})}, nil
	})
}

// Progress is a word of the worker on its way, or a question, after which the task waits for an answer. It returns the task, which may be
// cancelled by now: then nothing is recorded.
func (ts *Tasks) Progress(ctx context.Context, b Bearer, id string, percent int, text string, asks bool) (Task, error) {
	most := mostNote
	if asks {
		most = MostOutput
	}
	switch {
	case percent < 0 || percent > 100:
		return Task{}, fault.BadField("payload.progress", "It is a share from 0 to 100.")
	case asks && text == "":
		return Task{}, fault.BadField("payload.message", "A worker that asks says what.")
	case utf8.RuneCountInString(text) > mostNote && !asks || len(text) > most:
		return Task{}, fault.New(fault.TooLarge, "A word of progress has at most %d characters, a question %d bytes.", mostNote, MostOutput)
	}
	return ts.move(ctx, b.Worker, id, func(t Task) ([]event.Draft, error) {
		if t.State.Ended() || t.State == Asks && asks && t.Note == text {
			return nil, nil
		}
		if t.State != Taken {
			return nil, notNow(t, "Take it first")
		}
		p := Progressed{Progress: percent, Message: text, Asks: asks}
		if !asks {
			p.Until = ts.store.Mint().Now().Add(Lease).UTC()
		}
		return []event.Draft{ProgressedKind.Draft(t.place(b.Party, b.key("progressed")), p)}, nil
	})
}

// End ends a task with what the worker brings. The same message again changes nothing; so does one for a task that was cancelled.
func (ts *Tasks) End(ctx context.Context, b Bearer, id string, e Ended) (Task, error) {
	if len(e.Output) > MostOutput || len(e.Reason) > MostOutput {
		return Task{}, fault.New(fault.TooLarge, "What came of a task has at most %d bytes. Say what it is and where it lies.", MostOutput)
	}
	return ts.move(ctx, b.Worker, id, func(t Task) ([]event.Draft, error) {
		switch {
		case t.State == Cancelled || t.State.Ended() && t.Key == b.key("ended"):
			return nil, nil
		case t.State.Ended():
			return nil, notNow(t, "It has ended already")
		case t.Over(ts.store.Mint().Now()):
			return nil, fault.New(fault.Conflict, "Nobody waits for the task %s any more: it was given more than %s ago.", id, "24 hours")
		case !t.State.CanBecome(e.State):
			return nil, notNow(t, "Take it first")
		}
		return []event.Draft{EndedKind.Draft(t.place(b.Party, b.key("ended")), e)}, nil
	})
}

// Fetch returns the tasks that wait for a worker now, the oldest first. When there are none it waits for one.
func (ts *Tasks) Fetch(ctx context.Context, worker string, most int, wait time.Duration) ([]Task, error) {
	changed, stop := ts.store.Subscribe(event.WorkersMoved)
	defer stop()
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		all, err := ts.store.Waiting(ctx, worker)
		if err != nil {
			return nil, err
		}
		now := ts.store.Mint().Now()
		var out []Task
		again := wait
		for _, t := range all {
			switch {
			case t.Over(now):
			case t.Now(now) == Open && len(out) < most:
				out = append(out, t)
			case t.State == Taken:
				again = min(again, max(t.Until.Sub(now), time.Millisecond))
			}
		}
		if len(out) > 0 || wait <= 0 {
			return out, nil
		}
		lease := time.NewTimer(again)
		select {
		case <-changed:
		case <-lease.C:
		case <-end.C:
			wait = 0
		case <-ctx.Done():
			lease.Stop()
			return nil, ctx.Err()
		}
		lease.Stop()
	}
}

// Settled waits until a task has ended or asks, for as long as ctx, and returns where it stands then.
func (ts *Tasks) Settled(ctx context.Context, id string) (Task, error) {
	changed, stop := ts.store.Subscribe(event.WorkersMoved)
	defer stop()
	for {
		t, err := ts.store.Task(context.WithoutCancel(ctx), id)
		if err != nil || t.State.Ended() || t.State == Asks {
			return t, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return t, nil
		}
	}
}
