// Package runtest holds the promises of the run engine; every executor must keep
// them, on the store that it is made for.
package runtest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Store is what the suite needs beside the engine's own.
type Store struct {
	Runs run.Reader
	Log  Log
}

// A Log replays events and tells when there are more.
type Log interface {
	After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error]
	event.Notifier
}

// A Fixture is a fresh store and what dispatches its runs.
type Fixture struct {
	Store Store
	// Engine returns one over the store.
	Engine func(by run.Executor, opts run.Options) *run.Engine
	// Executor returns one for the named node; it is called again for the same node
	// after a crash.
	Executor func(node string, lanes run.Lanes) run.Executor
	// Silence makes a node look dead to the others, where there can be others; else nil.
	Silence func(node string)
}

// Test exercises the executor of the fixtures that open makes. The nodes that are warm
// serve for sure when the first run comes; else it may have to wait for one.
func Test(t *testing.T, warm bool, open func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *world)
	}{
		{"ARunIsWorkedAndItsEndIsRecorded", works},
		{"NothingIsStartedThatRolledBack", rolledBack},
		{"ALaneIsAsWideAsItSays", lane},
		{"AProgramHasItsShareOfALane", shared},
		{"AConversationWorksOneRunAtATimeInOrder", partition},
		{"NodesShareAConversation", nodesShare},
		{"ANodeWithoutRoomPassesOn", crowded},
		{"WhateverComesEachRunEnds", mixed},
		{"AConversationFollowsItsRun", follows},
		{"ARunEndsOnceWhoeverEndsIt", endsOnce},
		{"WaitingRunsHoldNothing", waiting},
		{"AStepIsDoneOnce", steps},
		{"WhatIsHeldIsRecordedSoon", held},
		{"WhatADeadWorkerHoldsEndsItsWork", heldTooLong},
		{"ATimeComes", timer},
		{"CancelInterrupts", cancel},
		{"CancelOnAnotherNodeInterrupts", stopElsewhere(func(b *run.Batch, id run.ID) error { return b.Cancel(id, someone, "enough") }, run.Cancelled)},
		{"PauseOnAnotherNodeInterrupts", stopElsewhere(func(b *run.Batch, id run.ID) error { return b.Pause(id, someone) }, run.Waiting)},
		{"CancelOnAnotherNodeAsItEnds", stopAsItEnds(func(b *run.Batch, id run.ID) error { return b.Cancel(id, someone, "enough") }, run.Cancelled)},
		{"PauseOnAnotherNodeAsItEnds", stopAsItEnds(func(b *run.Batch, id run.ID) error { return b.Pause(id, someone) }, run.Waiting)},
		{"ACancelledRunInTheQueueNeverStarts", cancelQueued},
		{"PauseAndResume", pause},
		{"WhatComesToAPausedRunIsTakenWhenItIsResumed", pauseWaiting},
		{"OrdersToOneThatWaitsAreFollowedAsItAllows", waitingOrders},
		{"OrdersAreFollowedAsTheStateAllows", orders},
		{"ATimeoutStopsTheWork", timeout},
		{"APanicEndsOneRunOnly", panics},
		{"ARunEndsWhateverIsSaidOfIt", unsaid},
		{"AMessageThatWasNotHeardCallsForMore", again},
		{"AForkInheritsItsSteps", fork},
		{"StoppingGivesBackWhatIsInHand", stopping},
		{"ACrashIsMadeGood", crash},
		{"ARunGoesOnWhenTheStoreFailed", storeFailed},
		{"ARunThatKillsItsWorkersEnds", deadly},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			held := make(chan struct{})
			c.test(t, &world{
				t: t, Fixture: open(t), warm: warm, handlers: map[string]run.Handler{"probe": done}, says: says, held: held, free: sync.OnceFunc(func() { close(held) }),
			})
		})
	}
}

// A world is one store with the engines of a test.
type world struct {
	Fixture
	t        *testing.T
	handlers map[string]run.Handler
	lanes    run.Lanes
	opts     run.Options
	says     run.Ending      // of all kinds
	ending   func(id run.ID) // called inside the transaction that ends a run
	unended  func() error    // says why a transaction that ends a run fails
	warm     bool            // a node that is served has worked a run
	held     chan struct{}   // what hangs, deaf to its context, waits for it
	free     func()          // closes held
}

// fails has transactions that end a run fail.
type fails struct {
	run.Executor
	why func() error
}

func (f fails) Freed(ctx context.Context, tx run.Tx, job run.Job) ([]run.Job, error) {
	if err := f.why(); err != nil && job.Kind != "probe" {
		return nil, err
	}
	return f.Executor.Freed(ctx, tx, job)
}

// ends calls a function inside each transaction that ends a run.
type ends struct {
	run.Executor
	ending func(id run.ID)
}

func (e ends) Freed(ctx context.Context, tx run.Tx, job run.Job) ([]run.Job, error) {
	e.ending(job.Run)
	return e.Executor.Freed(ctx, tx, job)
}

// A node is an engine that runs.
type node struct {
	*run.Engine
	stop func()
}

// serve starts an engine on the named node; it is stopped when the test ends.
func (w *world) serve(name string) node {
	w.t.Helper()
	n := w.begin(name)
	late := time.Now().Add(patience)
	for worked := !w.warm; !worked; {
		if time.Now().After(late) {
			w.t.Fatalf("node %s worked no run within %s", name, patience)
		}
		s := spec("probe", event.NewID("thr")) //nolint:forbidigo // a conversation of its own
		w.start(n, s)
		w.until(s.ID, run.Done)
		worked = w.workedBy(s.ID) == name
	}
	return n
}

// begin starts an engine and does not wait until it serves.
func (w *world) begin(name string) node {
	w.t.Helper()
	if w.opts.Log == nil {
		w.opts.Log = slog.New(slog.DiscardHandler)
	}
	exec := w.Executor(name, w.lanes)
	if w.ending != nil {
		exec = ends{exec, w.ending}
	}
	if w.unended != nil {
		exec = fails{exec, w.unended}
	}
	e := w.Engine(exec, w.opts)
	for kind, h := range w.handlers {
		e.Handle(kind, h)
		e.End(kind, w.says)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := e.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	stop := func() { cancel(); <-done }
	w.t.Cleanup(func() { w.free(); stop() })
	return node{e, stop}
}

// workedBy names the node that worked the run last.
func (w *world) workedBy(id run.ID) string {
	w.t.Helper()
	found := w.found(id, run.StartedKind.Name)
	if len(found) == 0 {
		w.t.Fatalf("run %s was never started", id)
	}
	started, _, err := run.StartedKind.Open(found[len(found)-1])
	check(w.t, err)
	return started.Node
}

// patience bounds how long a test waits for what must come.
const patience = 30 * time.Second

func receive[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come within %s", what, patience)
		panic("unreachable")
	}
}

// until waits until the run is in one of the states.
func (w *world) until(id run.ID, states ...run.State) run.Run {
	w.t.Helper()
	grown, end := w.Store.Log.Subscribe(event.LogGrew)
	defer end()
	timeout := time.After(patience)
	for {
		r, err := w.Store.Runs.Run(w.t.Context(), id)
		check(w.t, err)
		for _, s := range states {
			if r.State == s {
				return r
			}
		}
		select {
		case <-grown:
		case <-timeout:
			w.t.Fatalf("run %s is %s, not %s, after %s: %s", id, r.State, states[0], patience, r.Reason)
		}
	}
}

var someone = event.Party{AgentID: "agent:ann", Role: "user"}

func spec(kind, thread string) run.Spec {
	return run.Spec{ID: run.ID(event.NewID("run")), Thread: thread, Kind: kind, Lane: run.UserLane, Title: kind, By: someone} //nolint:forbidigo // a spec of its own for each case
}

// start starts the runs, each in a transaction of its own.
func (w *world) start(n node, specs ...run.Spec) {
	w.t.Helper()
	for _, s := range specs {
		check(w.t, n.Write(w.t.Context(), func(b *run.Batch) error { return b.Start(s) }))
	}
}

// events returns what the log holds of the run, in order.
func (w *world) events(id run.ID, kind string) []event.Event {
	w.t.Helper()
	var out []event.Event
	for e, err := range w.Store.Log.After(w.t.Context(), 0) {
		check(w.t, err)
		if e.Message.RunID == string(id) && e.Message.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

// recorded waits until the log holds such an event of the run, and returns how many it
// holds.
func (w *world) recorded(id run.ID, kind string) int { return len(w.found(id, kind)) }

// found waits until the log holds such an event of the run, and returns those. A reader may
// see a commit a little later than the tables do: not before every writer that took a lower
// position is done.
func (w *world) found(id run.ID, kind string) []event.Event {
	w.t.Helper()
	grown, end := w.Store.Log.Subscribe(event.LogGrew)
	defer end()
	timeout := time.After(patience)
	for {
		if events := w.events(id, kind); len(events) > 0 {
			return events
		}
		select {
		case <-grown:
		case <-time.After(20 * time.Millisecond): // what was in the way may have rolled back
		case <-timeout:
			return nil
		}
	}
}

// ended checks that the run ended exactly once, as r says.
func (w *world) ended(r run.Run) {
	w.t.Helper()
	if n := w.recorded(r.ID, run.FinishedKind.Name); n != 1 || !r.State.Final() {
		w.t.Errorf("run %s is %s and ended %d times", r.ID, r.State, n)
	}
	if r.State != run.Done && w.recorded(r.ID, run.ProgressKind.Name) != 1 || r.State == run.Done && len(w.events(r.ID, run.ProgressKind.Name)) > 0 {
		w.t.Errorf("run %s is %s, and said so %d times", r.ID, r.State, len(w.events(r.ID, run.ProgressKind.Name)))
	}
}

// says is what runs of these tests say when they fail or are cancelled.
func says(_ context.Context, r run.Run, reason string) ([]event.Draft, error) {
	at := event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID), From: run.Chela()}
	return []event.Draft{run.ProgressKind.Draft(at, run.TaskProgress{Status: "over", Message: reason})}, nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// done is a handler that ends at once.
func done(context.Context, *run.Segment) (run.Outcome, error) {
	return run.Outcome{State: run.Done, Result: json.RawMessage(`"fine"`)}, nil
}

// hangs returns a handler that says when it was called and returns when its context
// ends, and the calls.
func hangs() (run.Handler, <-chan *run.Segment, <-chan error) {
	called, ended := make(chan *run.Segment, 64), make(chan error, 64)
	return func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		called <- s
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return run.Outcome{}, context.Cause(ctx)
	}, called, ended
}

// A gauge counts how many are inside at once.
type gauge struct {
	mu       sync.Mutex
	now, top int
	order    []run.ID
}

func (g *gauge) enter(id run.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now++
	g.top = max(g.top, g.now)
	g.order = append(g.order, id)
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

func works(t *testing.T, w *world) {
	w.handlers["chat"] = done
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	r := w.until(s.ID, run.Done)
	w.ended(r)
	if r.Segment != 1 || r.Attempt != 1 {
		t.Errorf("%+v", r)
	}
	if err := n.Write(t.Context(), func(b *run.Batch) error { return b.Start(spec("unknown", "thr_1")) }); err == nil {
		t.Error("a run that nobody can work was started")
	}
}

func rolledBack(t *testing.T, w *world) {
	handler, called, _ := hangs()
	w.handlers["chat"], w.handlers["next"] = handler, done
	n := w.serve("a")
	lost := spec("chat", "thr_1")
	refused := errors.New("refused")
	err := n.Write(t.Context(), func(b *run.Batch) error {
		return errors.Join(b.Start(lost), refused)
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	next := spec("next", "thr_1")
	w.start(n, next)
	w.until(next.ID, run.Done)
	if len(called) > 0 {
		t.Error("the run of a transaction that rolled back was worked")
	}
	if _, err := w.Store.Runs.Run(t.Context(), lost.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is there: %v", err)
	}
}
