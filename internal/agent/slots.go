package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// Slots say who waits for a slot with an agent, where several nodes share one database.
type Slots interface {
	// WaitsForSlot is the run that waits longest when a slot of the most is free; "" is none.
	WaitsForSlot(ctx context.Context, who org.AgentID, most int) (run.ID, error)
	// HasSlot reports whether the run has a slot with the agent.
	HasSlot(ctx context.Context, id run.ID, who org.AgentID) (bool, error)
}

// A SlotTx is a transaction in which runs take slots. Two that do so for one agent do not wait for each other: each takes a number
// that the other does not.
type SlotTx interface {
	// TakeSlot gives the run a slot with the agent, who has so many at most, until its claim
	// ends; without one it waits. Which of both is known when the transaction is durable.
	TakeSlot(id run.ID, who org.AgentID, most int) error
	// Called says that the run was told to look again.
	Called(id run.ID) error
}

// slots count the runs that agents work in this process whom a person speaks to directly,
// so that each has at most as many in hand as its card says. The router counts for itself.
type slots struct {
	mu    sync.Mutex // guards the rest
	taken map[org.AgentID]map[run.ID]bool
	queue map[org.AgentID][]run.ID // who waits, first come first
}

// lookAgain is when a run that waits for an agent looks by itself: whoever was to call it
// died meanwhile.
const lookAgain = 10 * time.Second

// take takes a slot with the agent, if the run has none, or puts it into the queue.
func (s *slots) take(who org.AgentID, most int, id run.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken, s.queue = make(map[org.AgentID]map[run.ID]bool), make(map[org.AgentID][]run.ID)
	}
	if s.taken[who] == nil {
		s.taken[who] = make(map[run.ID]bool)
	}
	if len(s.taken[who]) >= most && !s.taken[who][id] {
		if !slices.Contains(s.queue[who], id) {
			s.queue[who] = append(s.queue[who], id)
		}
		return false
	}
	s.taken[who][id] = true
	s.queue[who] = slices.DeleteFunc(s.queue[who], func(r run.ID) bool { return r == id })
	return true
}

// leave gives a slot back.
func (s *slots) leave(who org.AgentID, id run.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.taken[who], id)
}

// next is who waits longest; it waits no more.
func (s *slots) next(who org.AgentID) run.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queue[who]
	if len(q) == 0 {
		return ""
	}
	s.queue[who] = q[1:]
	return q[0]
}

// TakeSlot takes a slot with the agent for the run of the segment, until that is over; had says that it has one already, where
// several nodes share one database.
func (g *Runner) TakeSlot(ctx context.Context, s *run.Segment, a org.Agent, had bool) (ok bool, err error) {
	who, most := a.Card.AgentID, max(a.Card.Limits.MaxConcurrency, 1)
	after := context.WithoutCancel(ctx)
	if g.opts.Slots == nil {
		if ok = g.slots.take(who, most, s.Run.ID); ok {
			s.After(func() {
				g.slots.leave(who, s.Run.ID)
				if next := g.slots.next(who); next != "" {
					go g.call(after, who, func() (run.ID, error) { return next, nil })
				}
			})
		}
		return ok, nil
	}
	if ok = had; !ok {
		if err = g.writeIn(ctx, s, func(tx Tx) error { return tx.Slots().TakeSlot(s.Run.ID, who, most) }); err == nil {
			ok, err = g.opts.Slots.HasSlot(after, s.Run.ID, who)
		}
	}
	next := func() {
		g.call(after, who, func() (run.ID, error) { return g.opts.Slots.WaitsForSlot(after, who, most) })
	}
	switch {
	case err != nil:
	case ok:
		s.After(func() {
			if s.Wanted() {
				go next()
			}
		})
	default: // who was about to end did not see that it waits
		s.After(func() { time.AfterFunc(lookOnce, next) })
	}
	return ok, err
}

// lookOnce is when a run that waits for an agent has it looked whether a slot became free while that was recorded.
const lookOnce = 100 * time.Millisecond

// Busy is how a run waits for an agent that has enough in hand.
func (g *Runner) Busy(a org.Agent) run.Outcome {
	return run.Outcome{
		State: run.Waiting, WaitsFor: run.ForTime, Until: g.runs.Mint().Now().Add(lookAgain),
		Reason: fmt.Sprintf("%s has %d tasks in hand, as many as its card allows (max_concurrency); it goes on when one ends.", a.Card.AgentID.Name(), max(a.Card.Limits.MaxConcurrency, 1)),
	}
}

// call lets the next run go on. One that is about to wait does so in a moment; one that
// somebody else has called is next no more.
func (g *Runner) call(ctx context.Context, who org.AgentID, next func() (run.ID, error)) {
	_ = run.Retry(ctx, func() (again bool, err error) { // who waits looks again by itself
		id, err := next()
		if err != nil {
			g.opts.Log.Warn("read who waits for an agent", "agent", who, "err", err)
		}
		if err != nil || id == "" {
			return false, err
		}
		var r run.Run
		err = g.write(ctx, func(b *run.Batch, tx Tx) (err error) {
			if r, err = b.Runs().Run(id); err != nil {
				return err
			}
			if r.State != run.Waiting || r.WaitsFor != run.ForTime {
				return fault.New(fault.Conflict, "Run %s does not wait for an agent.", id)
			}
			if err := tx.Slots().Called(id); err != nil {
				return err
			}
			return b.Resume(id, run.Chela(), who.Name()+" has room.")
		})
		return fault.KindOf(err) == fault.Conflict && !r.State.Final(), err
	})
}
