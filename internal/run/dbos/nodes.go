package dbos

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"chela/internal/run"
)

// watch keeps this node's place among the others until ctx is done: it beats, takes
// over the work of nodes that fell silent, resumes what is overdue, interrupts what was
// cancelled or taken elsewhere, and removes the library's records of finished work.
func (d *Executor) watch(ctx context.Context) {
	beat, look, tidy := time.NewTicker(d.opts.Beat), time.NewTicker(d.opts.Watch), time.NewTicker(10*time.Minute)
	defer beat.Stop()
	defer look.Stop()
	defer tidy.Stop()
	seen := make(map[string]sighting)
	var lost map[run.ID]int64
	const taking = "take up what this node works without a queue"
	failing := func(doing string, err error) {
		if err != nil && ctx.Err() == nil {
			d.opts.Log.Warn(doing, "node", d.node, "err", err)
		}
	}
	failing(taking, d.sweep(ctx))
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			failing("beat", d.beat(ctx))
			if !d.isStopping() {
				failing("resume what is overdue", d.resume(ctx))
				failing("look after the other nodes", d.others(ctx, seen))
				failing(taking, d.sweep(ctx))
			}
		case <-look.C:
			var err error
			lost, err = d.interrupt(ctx, lost)
			failing("look after the claims", err)
		case <-tidy.C:
			failing("remove the records of finished work", d.tidy())
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
	_, err := d.store.Nodes.Beat(ctx, d.node, time.Now())
	return err
}

func (d *Executor) resume(ctx context.Context) error {
	due, err := d.store.Queue.Overdue(ctx, d.worker.Now())
	for _, id := range due {
		d.worker.Due(d.ctx, id)
	}
	return err
}

func (d *Executor) others(ctx context.Context, seen map[string]sighting) error {
	nodes, err := d.store.Nodes.Nodes(ctx)
	if err != nil {
		return err
	}
	for id := range seen {
		if _, there := nodes[id]; !there {
			delete(seen, id)
		}
	}
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
		if err := d.takeOver(ctx, id, at); err != nil {
			return err
		}
	}
	return nil
}

func (d *Executor) takeOver(ctx context.Context, node string, last time.Time) error {
	n := 0
	ok, err := d.store.Nodes.TakeOver(ctx, node, last, func() (err error) {
		n, err = d.requeue(node)
		return err
	})
	if err != nil {
		return fmt.Errorf("take over from %s: %w", node, err)
	}
	if ok {
		d.opts.Log.Warn("a node fell silent; its work is taken over", "silent", node, "runs", n)
	}
	return nil
}

// requeue puts what node had in hand back into its lanes.
func (d *Executor) requeue(node string) (int, error) {
	held, err := dbos.ListWorkflows(d.lib, dbos.WithFilterExecutorIDs(node), dbos.WithFilterStatus(dbos.WorkflowStatusPending),
		dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	if err != nil {
		return 0, err
	}
	lanes := make(map[string][]string)
	for _, w := range held {
		lanes[w.QueueName] = append(lanes[w.QueueName], w.ID)
	}
	for lane, ids := range lanes {
		if _, err := dbos.ResumeWorkflows[bool](d.lib, ids, dbos.WithResumeQueue(lane)); err != nil {
			return 0, err
		}
	}
	return len(held), nil
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

// kept is how long the library's record of finished work stays.
const kept = time.Hour

func (d *Executor) tidy() error {
	for {
		done, err := dbos.ListWorkflows(d.lib, dbos.WithFilterStatus(dbos.WorkflowStatusSuccess, dbos.WorkflowStatusError, dbos.WorkflowStatusCancelled),
			dbos.WithFilterCompletedBefore(time.Now().Add(-kept)), dbos.WithFilterLimit(500), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
		if err != nil || len(done) == 0 {
			return err
		}
		ids := make([]string, len(done))
		for i, w := range done {
			ids[i] = w.ID
		}
		if err := dbos.DeleteWorkflows(d.lib, ids); err != nil {
			return err
		}
	}
}

// leave says that this node is gone, so that others take over at once what it gave
// back. When it cannot, they see its silence.
func (d *Executor) leave() {
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	if _, err := d.store.Nodes.Beat(ctx, d.node, time.Time{}); err != nil {
		d.opts.Log.Warn("leave", "node", d.node, "err", err)
	}
}
