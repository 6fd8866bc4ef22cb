package daemon

import (
	"context"
	"time"
)

// What is prepared at a start: so many projects at most, of those with so many records. A smaller one is read while
// somebody waits for it without being noticed.
const (
	prepared      = 2
	preparedAt    = 5000
	preparedAfter = 500 * time.Millisecond // the start comes first
)

// prepare computes what people ask first of the largest projects, so that the first who asks after a start does not wait
// for all of their records.
func (d *Daemon) prepare(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(preparedAfter):
	}
	projects, err := d.db.Directory.Largest(ctx, preparedAt, prepared)
	for _, id := range projects {
		for _, of := range []func(context.Context, string) error{d.prepareCharts, d.figures.Prepare, d.asker.Prepare} {
			if ctx.Err() == nil && err == nil {
				err = of(ctx, id)
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		d.log.Warn("prepare the largest projects", "err", err)
	}
	return d.keepWanted(ctx)
}

// keepWanted reads the projects that are asked for what their records alone say: who goes on to ask does not wait for that again.
func (d *Daemon) keepWanted(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case project := <-d.kept.Wanted():
			if _, err := d.kept.Get(ctx, project); err != nil && ctx.Err() == nil {
				d.log.Warn("read a project that is looked through", "project", project, "err", err)
			}
		}
	}
}

func (d *Daemon) prepareCharts(ctx context.Context, project string) error {
	_, _, err := lookBack{d.past}.Charts(ctx, project, "")
	return err
}
