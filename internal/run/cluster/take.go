package cluster

import (
	"context"
	"maps"
	"slices"

	"chela/internal/event"
	"chela/internal/run"
)

// wait says that something may wait in these lanes.
func (d *Executor) wait(lanes ...run.Lane) {
	for _, name := range lanes {
		if l := d.lanes[name]; l != nil {
			l.waits.Store(true)
			l.wake()
		}
	}
}

// everywhere are all lanes.
func (d *Executor) everywhere() []run.Lane { return slices.Collect(maps.Keys(d.lanes)) }

// wake has somebody look what waits in the lane, if something may.
func (l *lane) wake() {
	if !l.waits.Load() {
		return
	}
	select {
	case l.woken <- struct{}{}:
	default: // somebody is about to
	}
}

// takeWhatWaits takes what waits in a lane for a node as soon as there is room for it here, until
// ctx is done.
func (d *Executor) takeWhatWaits(ctx context.Context, name run.Lane) {
	told, forget := d.store.Wakes.Subscribe(event.JobsWait(string(name)))
	defer forget()
	d.wait(name)
	for {
		select {
		case <-ctx.Done():
			return
		case <-told:
			d.wait(name)
			continue
		case <-d.lanes[name].woken:
		}
		if err := d.take(ctx, name, d.lanes[name]); err != nil && ctx.Err() == nil {
			d.opts.Log.Warn("take what waits for a node", "lane", name, "err", err)
		}
	}
}

// take fills the room of a lane with what waits in it: of those first who have least there.
func (d *Executor) take(ctx context.Context, name run.Lane, l *lane) error {
	for again := true; again; {
		room, has := d.reserve(name, l)
		if room < 1 {
			return nil // what ends here wakes it
		}
		l.waits.Store(false) // who says otherwise from here on is heard
		left, lost, err := d.fill(ctx, name, l, room, has)
		d.release(name)
		if err != nil || left {
			l.waits.Store(true)
		}
		if err != nil {
			return err
		}
		again = lost
	}
	return nil
}

// reserve keeps the room of a lane until release is called, and counts what each who asks has of it.
func (d *Executor) reserve(name run.Lane, l *lane) (room int, has map[string]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.serving {
		return 0, nil
	}
	room = l.room(d.promised(name, ""))
	d.taking[name] = max(room, 0)
	return room, d.has(name)
}

func (d *Executor) release(name run.Lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.taking, name)
}

// fill takes up to room jobs of a lane and begins them. It reports whether others were left, by who asks for them or for
// want of room, and whether another node was faster.
func (d *Executor) fill(ctx context.Context, name run.Lane, l *lane, room int, has map[string]int) (left, lost bool, err error) {
	waiting, err := d.store.Queue.Waiting(ctx, name)
	if err != nil {
		return false, false, err
	}
	picked := pick(waiting, room, int(l.width), has)
	if len(picked) == 0 {
		return len(waiting) > 0, false, nil
	}
	got, err := d.store.Queue.Take(ctx, d.node, picked)
	if err != nil {
		return false, false, err
	}
	for _, j := range waiting {
		if slices.Contains(got, j.Run) {
			j.Way = run.Direct
			d.begin(j)
		}
	}
	return len(picked) < len(waiting), len(got) < len(picked), nil
}

// pick returns up to room of the waiting jobs, as a lane is shared; has counts what each who asks has of it and is changed.
func pick(waiting []run.Job, room, width int, has map[string]int) (out []run.ID) {
	left := slices.Clone(waiting)
	for len(out) < room {
		i := run.Fairest(left, width, func(string) bool { return false }, func(share string) int { return has[share] })
		if i < 0 {
			return out
		}
		has[left[i].Share]++
		out = append(out, left[i].Run)
		left = slices.Delete(left, i, i+1)
	}
	return out
}
