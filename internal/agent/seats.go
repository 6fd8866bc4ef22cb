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

// seats count the runs that agents work here whom a person speaks to directly, so that
// each has at most as many in hand as its card says. The router counts for itself.
type seats struct {
	mu    sync.Mutex // guards the rest
	taken map[org.AgentID]int
	queue map[org.AgentID][]run.ID // who waits, first come first
}

// lookAgain is when a run that waits for an agent looks by itself: it was not here that
// one ended, or the daemon was started anew.
const lookAgain = 10 * time.Second

// take takes a seat with the agent, or puts the run into its queue.
func (s *seats) take(a org.Agent, id run.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := a.Card.AgentID
	if s.taken == nil {
		s.taken, s.queue = make(map[org.AgentID]int), make(map[org.AgentID][]run.ID)
	}
	if s.taken[who] >= max(a.Card.Limits.MaxConcurrency, 1) {
		if !slices.Contains(s.queue[who], id) {
			s.queue[who] = append(s.queue[who], id)
		}
		return false
	}
	s.taken[who]++
	s.queue[who] = slices.DeleteFunc(s.queue[who], func(r run.ID) bool { return r == id })
	return true
}

// leave gives a seat back and returns who is next; "" is nobody.
func (s *seats) leave(who org.AgentID) run.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[who]--
	q := s.queue[who]
	if len(q) == 0 {
		return ""
	}
	s.queue[who] = q[1:]
	return q[0]
}

// Over has the graph wake runs that wait for an agent.
func (g *Graph) Over(runs *run.Engine) { g.runs.Store(runs) }

// busy is how a run waits for an agent that has enough in hand.
func (g *Graph) busy(a org.Agent) run.Outcome {
	return run.Outcome{
		State: run.Waiting, WaitsFor: run.ForTime, Until: g.runs.Load().Mint().Now().Add(lookAgain),
		Reason: fmt.Sprintf("%s has %d tasks in hand, as many as its card allows (max_concurrency); it goes on when one ends.", a.Card.AgentID.Name(), max(a.Card.Limits.MaxConcurrency, 1)),
	}
}

// vacate gives a seat back and lets the next run go on. One that is about to wait does so
// in a moment.
func (g *Graph) vacate(ctx context.Context, who org.AgentID) {
	next := g.seats.leave(who)
	if next == "" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		for range 100 {
			var r run.Run
			err := g.runs.Load().Write(ctx, func(b *run.Batch) (err error) {
				if r, err = b.Run(next); err != nil {
					return err
				}
				if r.State != run.Waiting || r.WaitsFor != run.ForTime {
					return fault.New(fault.Conflict, "Run %s does not wait for an agent.", next)
				}
				return b.Resume(next, run.Chela(), who.Name()+" has room.")
			})
			if err == nil || r.State.Final() || fault.KindOf(err) != fault.Conflict {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
}
