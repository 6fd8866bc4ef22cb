package talk

import (
	"context"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// What the programs of one key may have begun that is not done, on each node.
const (
	mostUnfinished = 100
	recount        = time.Second     // how often it is looked what has ended
	comeAgain      = 5 * time.Second // what a refusal says
)

// A crowd counts the runs that programs began. Safe for concurrent use.
type crowd struct {
	mu sync.Mutex // guards the rest
	of map[string]*begun
}

// begun are the runs of one key, of which some may have ended.
type begun struct {
	runs    []run.ID
	counted time.Time
}

// enter notes that a key begins a run. A refusal says when to come again.
func (t *Talk) enter(ctx context.Context, by event.Party, id run.ID) error {
	if by.Key == "" {
		return nil
	}
	now := t.Store.Desk.Mint().Now()
	if runs := t.crowd.stale(by.Key, now); len(runs) > 0 {
		var ended []run.ID
		for _, id := range runs {
			r, err := t.Store.Runs.Run(ctx, id)
			if err == nil && (r.State.Final() || r.State == run.Waiting) {
				ended = append(ended, id)
			}
		}
		t.crowd.leave(by.Key, ended...)
	}
	if !t.crowd.add(by.Key, id) {
		return fault.TooMany(comeAgain, "The key has %d runs that are queued or at work, which is the most. Send this again when some have ended.", mostUnfinished)
	}
	return nil
}

// stale returns the runs of a key that has no room when it is time to look which of them have ended.
func (c *crowd) stale(key string, now time.Time) []run.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.of[key]
	if b == nil || len(b.runs) < mostUnfinished || now.Sub(b.counted) < recount {
		return nil
	}
	b.counted = now
	return slices.Clone(b.runs)
}

func (c *crowd) add(key string, id run.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = make(map[string]*begun)
	}
	b := c.of[key]
	if b == nil {
		b = new(begun)
		c.of[key] = b
	}
	if len(b.runs) >= mostUnfinished {
		return false
	}
	b.runs = append(b.runs, id)
	return true
}

// leave forgets runs of a key.
func (c *crowd) leave(key string, ids ...run.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.of[key]; b != nil {
		b.runs = slices.DeleteFunc(b.runs, func(id run.ID) bool { return slices.Contains(ids, id) })
		if len(b.runs) == 0 {
			delete(c.of, key)
		}
	}
}
