package cluster

import (
	"context"
	"fmt"
	"maps"
	"time"

	"chela/internal/run"
)

// watch keeps this node's place among the others until ctx is done: it beats, takes
// over the work of nodes that fell silent, resumes what is overdue, takes up what is its
// own and not begun, and interrupts what was cancelled or taken elsewhere.
func (d *Executor) watch(ctx context.Context) {
	beat, look := time.NewTicker(d.opts.Beat), time.NewTicker(d.opts.Watch)
	defer beat.Stop()
	defer look.Stop()
	seen := make(map[string]sighting)
	var lost map[run.ID]int64
	failing := func(doing string, err error) {
		if err != nil && ctx.Err() == nil {
			d.opts.Log.Warn(doing, "node", d.node, "err", err)
		}
	}
	failing("look at the cluster", d.look(ctx, seen))
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			failing("beat", d.beat(ctx))
			if !d.isStopping() {
				failing("look at the cluster", d.look(ctx, seen))
			}
		case <-look.C:
			var err error
			lost, err = d.interrupt(ctx, lost)
			failing("look after the claims", err)
		}
	}
}

func (d *Executor) isStopping() bool {
	select {
	case <-d.stopping:
		return true
	default:
		return false
	}
}

// A sighting is when a node's beat was last seen to change, by this node's own clock:
// the clocks of two nodes are never compared.
type sighting struct {
	beat  time.Time
	since time.Time
}

func (d *Executor) beat(ctx context.Context) error {
	return d.store.Nodes.Beat(ctx, d.node, time.Now())
}

// look does what the state of the cluster asks for.
func (d *Executor) look(ctx context.Context, seen map[string]sighting) error {
	c, err := d.store.Queue.Cluster(ctx, d.node, d.worker.Now())
	if err != nil {
		return err
	}
	for _, id := range c.Overdue {
		d.worker.Due(d.ctx, id)
	}
	d.wait(c.Waiting...)
	if err := d.others(ctx, c.Nodes, seen); err != nil {
		return err
	}
	if c.Orphans {
		n, err := d.store.Queue.Requeue(ctx)
		if err != nil {
			return err
		}
		if n > 0 {
			d.wait(d.everywhere()...)
		}
	}
	return d.sweep(ctx, c.Mine)
}

// sweep begins what is this node's to work and not begun: what it left when it stopped or
// died, and what it took and heard no more of.
func (d *Executor) sweep(ctx context.Context, mine []run.ID) error {
	d.mu.Lock()
	begun := true
	for _, id := range mine {
		begun = begun && d.direct[id] != nil
	}
	d.mu.Unlock()
	if begun {
		return nil
	}
	jobs, err := d.store.Queue.Direct(ctx, d.node)
	for _, j := range jobs {
		d.begin(j)
	}
	return err
}

// others takes over from nodes that are silent or left.
func (d *Executor) others(ctx context.Context, nodes map[string]time.Time, seen map[string]sighting) error {
	maps.DeleteFunc(seen, func(id string, _ sighting) bool { _, there := nodes[id]; return !there })
	now := time.Now()
	for id, at := range nodes {
		s, known := seen[id]
		if !known || !s.beat.Equal(at) {
			s = sighting{at, now}
			seen[id] = s
		}
		if id == d.node || !at.IsZero() && now.Sub(s.since) < d.opts.Silent {
			continue
		}
		n, ok, err := d.store.Nodes.StrikeOff(ctx, id, at)
		if err != nil {
			return fmt.Errorf("take over from %s: %w", id, err)
		}
		if ok && !at.IsZero() {
			d.opts.Log.Warn("a node fell silent; its work is taken over", "silent", id, "runs", n)
		}
		if n > 0 {
			d.wait(d.everywhere()...)
		}
	}
	return nil
}

// interrupt ends the work on runs whose claims are gone, now and at the look before: a run
// that is cancelled here loses its claim a moment before its work hears why. It returns
// those whose claims are gone now.
func (d *Executor) interrupt(ctx context.Context, before map[run.ID]int64) (map[run.ID]int64, error) {
	live := d.worker.Live()
	if len(live) == 0 {
		return live, nil
	}
	claims, err := d.store.Queue.Claims(ctx, d.node)
	if err != nil {
		return before, err
	}
	maps.DeleteFunc(live, func(id run.ID, epoch int64) bool { return epoch == 0 || claims[id] == epoch })
	for id, epoch := range live {
		if had, known := before[id]; known && had == epoch {
			d.worker.Interrupt(id, run.ErrSuperseded)
		}
	}
	return live, nil
}
