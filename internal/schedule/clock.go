package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A Store is what the clock reads.
type Store struct {
	Plan  Plan
	Runs  Runs
	Past  Past
	Zones Zones
}

// Zones know where people are.
type Zones interface {
	// ZoneOf is the time zone that a person named, "" when they named none.
	ZoneOf(ctx context.Context, person string) (string, error)
}

// A Plan is what shall be done when.
type Plan interface {
	// Reminders returns those of active projects that wait for a time, and those that have
	// a condition.
	Reminders(ctx context.Context) ([]desk.Record, error)
	Board(ctx context.Context) (Board, error)
	event.Notifier
}

// Runs tells how runs end.
type Runs interface {
	// Settled returns a channel that receives when a run ended or waits, and a function that ends it.
	Settled(id run.ID) (<-chan run.Finished, func())
}

// A Tx is what the clock needs of a transaction beyond an inbox's.
type Tx interface {
	inbox.Tx
	Plan() PlanTx
}

// A PlanTx reads what shall be done when, as a transaction sees it.
type PlanTx interface {
	Board() (Board, error)
	Schedule(id ID) (Schedule, error)            // fault.NotFound
	Execution(id ExecutionID) (Execution, error) // fault.NotFound
	// Work are the open runs in which the agent has something to do.
	Work(agent org.AgentID) ([]run.ID, error)
	// Answer is what an agent said last in a conversation during a run; it is empty when there is nothing.
	Answer(thread string, id run.ID) (session.Message, error)
	// RoleOf is the role of a person; a sentence says why they have none.
	RoleOf(by event.Party) (role org.Role, barred string, err error)
	// Place finds a chat that may be written to.
	Place(at session.Chat) (p Place, ok bool, err error)
}

// Options are how a [Clock] may differ. The zero value is the default.
type Options struct {
	// Paused makes a clock that begins nothing but what people ask for.
	Paused bool
	// NoModel says why no agent can work, a sentence; nil or "" means that one can.
	NoModel func() string
	// Records answers from the records what a schedule of a project asks for by, while no agent can work; "" says that they do not. nil never does.
	Records func(ctx context.Context, by event.Party, project, text string) (answer string, err error)
	Now     func() time.Time // nil means the mint's
	Log     *slog.Logger     // nil means slog.Default
}

// A Clock begins what is due, ends what is over, and triggers reminders. Any number of them may work on one
// store: what one does, none does again.
type Clock struct {
	store Store
	clerk *clerk.Clerk
	runs  *run.Engine
	write writer
	inbox *inbox.Inbox
	opts  Options
}

// A writer opens transactions with the organization's stream held.
type writer func(ctx context.Context, fn func(*run.Batch, Tx) error) error

func writerOf[T Tx](runs *run.Engine, db run.Writer[T]) writer {
	return func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, runs, db, func(b *run.Batch, tx T) error {
			tx.Hold(event.OrgStream)
			return fn(b, tx)
		})
	}
}

// NewClock returns a clock.
func NewClock[T Tx](db run.Writer[T], s Store, clerk *clerk.Clerk, runs *run.Engine, in *inbox.Inbox, o Options) *Clock {
	if o.NoModel == nil {
		o.NoModel = func() string { return "" }
	}
	if o.Now == nil {
		o.Now = runs.Mint().Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Clock{s, clerk, runs, writerOf(runs, db), in, o}
}

const (
	// settle is how long changes are gathered before the clock looks again, and settleFar
	// is that of what other processes do: their clocks have looked already; and of records,
	// of which an import changes thousands.
	settle    = 100 * time.Millisecond
	settleFar = time.Second
	// glance is how long the clock sleeps at most before it compares the time again,
	// without asking the store: a machine that was suspended has lost time.
	glance = 30 * time.Second
	// again is how soon it tries again when the store failed.
	again = 5 * time.Second
)

// Run works until ctx is done. It sleeps until the next instant, and wakes when a
// schedule changes or an execution's run ends.
func (c *Clock) Run(ctx context.Context) error {
	changed, stop := c.store.Plan.Subscribe(event.PlanChanged)
	defer stop()
	far, stopFar := c.store.Plan.Subscribe(event.NodesWrote)
	defer stopFar()
	kept, stopKept := c.store.Plan.Subscribe(event.RecordsChanged)
	defer stopKept()
	w := watch{store: c.store, ended: make(chan struct{}, 1), stops: make(map[run.ID]func())}
	defer w.close()
	for ctx.Err() == nil {
		next, working, err := c.Pass(ctx)
		if err == nil {
			w.set(working)
		}
		records := kept
		if !c.opts.Paused {
			remind, weighing, failed := c.Remind(ctx)
			next, err = earliest(next, remind), errors.Join(err, failed)
			if !weighing {
				records = nil
			}
		}
		if err != nil && ctx.Err() == nil {
			c.opts.Log.Warn("look at the schedules; it is tried again", "err", err)
			next = c.opts.Now().Add(again)
		}
		c.sleep(ctx, next, changed, gathered{far, records}, w.ended)
	}
	return nil
}

// gathered are changes that come in great numbers: what other processes do, and records,
// nil unless a reminder has a condition.
type gathered struct{ far, records <-chan struct{} }

// sleep returns at the instant, or after a change, or when ctx is done.
func (c *Clock) sleep(ctx context.Context, next time.Time, changed <-chan struct{}, many gathered, ended <-chan struct{}) {
	var settled <-chan time.Time // a change has been heard of
	for {
		wait := glance
		if !next.IsZero() {
			wait = min(next.Sub(c.opts.Now()), glance)
		}
		if !next.IsZero() && wait <= 0 {
			return
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-ended:
		case <-settled:
		case <-changed:
			changed, many, settled = nil, gathered{}, time.After(settle)
			t.Stop()
			continue
		case <-many.far:
			many, settled = gathered{}, time.After(settleFar)
			t.Stop()
			continue
		case <-many.records:
			many, settled = gathered{}, time.After(settleFar)
			t.Stop()
			continue
		case <-t.C:
			continue
		}
		t.Stop()
		return
	}
}

// Pass does once what is to be done now. It returns when to look again, the zero time
// when nothing is planned, and the runs of the executions that are under way.
func (c *Clock) Pass(ctx context.Context) (next time.Time, working []run.ID, err error) {
	mood := Conditions{Now: c.opts.Now().UTC(), Paused: c.opts.Paused, NoModel: c.opts.NoModel()}
	b, err := c.store.Plan.Board(ctx)
	if err != nil {
		return next, nil, fmt.Errorf("read the schedules: %w", err)
	}
	acts, next := Decide(b, mood)
	if len(acts) == 0 {
		return next, b.working(), nil
	}
	asked, err := c.vet(ctx, acts)
	if err != nil {
		return next, nil, err
	}
	late := false
	err = c.write(ctx, func(rb *run.Batch, tx Tx) (err error) {
		if b, err = tx.Plan().Board(); err != nil {
			return err
		}
		if acts, next = Decide(b, mood); len(acts) == 0 {
			return nil
		}
		for _, a := range acts {
			if s, ok := a.(ToStart); ok && asked[s.Execution.Key()] == nil {
				late = true // it became due meanwhile
				continue
			}
			if err := c.do(rb, tx, a, asked); err != nil {
				return err
			}
		}
		b, err = tx.Plan().Board()
		return err
	})
	if late {
		next = mood.Now
	}
	return next, b.working(), err
}

// working are the runs of the executions that are under way.
func (b Board) working() []run.ID {
	var out []run.ID
	for _, e := range b.Open {
		if e.State == Running {
			out = append(out, e.Run)
		}
	}
	return out
}

func (c *Clock) do(b *run.Batch, tx Tx, a Act, asked map[string]*vetted) (err error) {
	switch a := a.(type) {
	case ToPlan:
		return planned(b, run.Chela(), a.Schedule.occurrence(b.Mint(), a.Project, a.At))
	case ToEnd:
		if a.Ended.Result == Success {
			if a.Ended.Summary, err = summary(b, tx, a.Execution.Run); err != nil {
				return err
			}
		}
		if err := deliver(b, tx, a.Execution, &a.Ended); err != nil {
			return err
		}
		return ended(b, run.Chela(), a)
	case ToStart:
		return c.start(b, tx, a.Execution, asked[a.Execution.Key()])
	}
	panic(fmt.Sprintf("schedule: nobody does %T", a))
}

// occurrence is the execution of s for a project at an instant.
func (s Schedule) occurrence(mint *event.Mint, project string, at time.Time) Planned {
	return Planned{
		ID: ExecutionID(mint.ID("exe")), Schedule: s.ID, Version: s.Version, Agent: s.Agent, Project: project, At: at.UTC(),
		Timezone: s.Timezone, By: s.ID.Party(), Policy: s.Policy, Inputs: s.Inputs,
		Ask: Ask{Message: s.Message, Origins: s.Origins, Deliver: s.Deliver, Maker: s.By, Once: s.Type == Once},
	}
}

// channelName is the channel of the conversations that the clock begins.
const channelName = "schedule"

// orgPlace is where a fact of this package belongs.
func orgPlace(mint *event.Mint, by event.Party) event.Place {
	id := run.ID(mint.ID("run"))
	return event.Place{Stream: event.OrgStream, Thread: mint.ID("thr"), Run: string(id), Task: run.RootTask(id), From: by}
}

func planned(b *run.Batch, by event.Party, p Planned) error {
	_, err := b.Append(PlannedKind.Draft(orgPlace(b.Mint(), by), p))
	return err
}

func ended(b *run.Batch, by event.Party, a ToEnd) error {
	at := orgPlace(b.Mint(), by)
	if id := a.Execution.Run; id != "" && a.Execution.State == Running {
		r, err := b.Runs().Run(id)
		if err != nil {
			return err
		}
		at.Thread, at.Run, at.Task, at.Trace = r.Thread, string(id), run.RootTask(id), r.Trace
	}
	_, err := b.Append(EndedKind.Draft(at, a.Ended))
	return err
}

// start begins an attempt: that it began and the message that asks the agent are recorded
// together, once for its instant. One that a hook denies fails.
func (c *Clock) start(b *run.Batch, tx Tx, e Execution, v *vetted) error {
	if v.idle != "" || v.denied != "" {
		how := Ended{ID: e.ID, Attempt: e.Attempt, Result: Skipped, Reason: v.idle}
		if v.denied != "" {
			how.Result, how.Reason, how.Denied = Fail, v.denied, true
		}
		if err := deliver(b, tx, e, &how); err != nil {
			return err
		}
		return ended(b, run.Chela(), ToEnd{e, how})
	}
	id := run.ID(b.Mint().ID("run"))
	m := inbox.Message{
		Thread: b.Mint().ID("thr"), Run: id, Project: e.Project, Agent: string(e.Agent), Text: v.text,
		From: e.By, Channel: channelName, Lane: run.ScheduleLane, Origins: e.Origins,
	}
	at := orgPlace(b.Mint(), run.Chela())
	at.Thread, at.Run, at.Task, at.Key = m.Thread, string(id), run.RootTask(id), e.Key()
	recorded, err := b.Append(StartedKind.Draft(at, Started{ID: e.ID, Attempt: e.Attempt + 1, Run: id, Thread: m.Thread}))
	if err != nil {
		return err
	}
	if len(recorded) == 0 {
		return ended(b, run.Chela(), ToEnd{e, Ended{ID: e.ID, Attempt: e.Attempt, Result: Skipped, Reason: "This instant was worked already."}})
	}
	_, err = c.inbox.Begin(b, tx, m)
	return err
}

// A watch wakes the clock when one of some runs ends.
type watch struct {
	store Store
	ended chan struct{} // holds one signal
	stops map[run.ID]func()
	live  sync.WaitGroup
}

// set makes the runs those that are watched. Those that are new may have ended before.
func (w *watch) set(ids []run.ID) {
	wanted := make(map[run.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
		if w.stops[id] == nil {
			w.add(id)
			w.signal()
		}
	}
	for id, stop := range w.stops {
		if !wanted[id] {
			stop()
			delete(w.stops, id)
		}
	}
}

func (w *watch) add(id run.ID) {
	settled, unwatch := w.store.Runs.Settled(id)
	done := make(chan struct{})
	w.stops[id] = func() { close(done); unwatch() }
	w.live.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-settled:
				w.signal()
			}
		}
	})
}

func (w *watch) signal() {
	select {
	case w.ended <- struct{}{}:
	default: // one is there already
	}
}

func (w *watch) close() {
	for _, stop := range w.stops {
		stop()
	}
	w.live.Wait()
}
