package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chela/internal/stash"
	"chela/internal/store/past"
)

// stashFolder is in the data folder.
const stashFolder = "stash"

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
		for _, of := range []func(context.Context, string) error{d.prepareCharts, d.figures.Prepare, d.asker.Prepare, d.prepareSprints} {
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

const (
	// stashedEvery is how often it is looked what is to be kept for the next start, stashedWithin how long the end waits for that.
	stashedEvery  = 10 * time.Second
	stashedWithin = 5 * time.Second
)

// keepWanted reads the projects that are asked for what their records alone say: who goes on to ask does not wait for that again. What is
// kept in memory it keeps in files for the next start.
func (d *Daemon) keepWanted(ctx context.Context) error {
	again := time.NewTicker(stashedEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			ending, stop := context.WithTimeout(context.WithoutCancel(ctx), stashedWithin)
			defer stop()
			d.stash(ending, true)
			return nil
		case <-again.C:
			d.stash(ctx, false)
		case project := <-d.kept.Wanted():
			if _, err := d.kept.Get(ctx, project); err != nil && ctx.Err() == nil {
				d.log.Warn("read a project that is looked through", "project", project, "err", err)
			}
		}
	}
}

// stash keeps what is computed of large projects for the next start.
func (d *Daemon) stash(ctx context.Context, ends bool) {
	if err := errors.Join(d.kept.Stash(ctx, ends), d.past.Stash(ctx, ends)); err != nil && ctx.Err() == nil {
		d.log.Warn("keep what is computed of large projects for the next start", "err", err)
	}
}

// stashed is the folder of what is kept for the next start, with what tells this program from others.
func (d *Daemon) stashed() (*stash.Folder, string) {
	program := Version
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			program += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
		}
	}
	return stash.At(filepath.Join(d.cfg.Data, stashFolder), d.opts.Hold), program
}

func (d *Daemon) prepareCharts(ctx context.Context, project string) error {
	_, _, err := lookBack{d.past}.Charts(ctx, project, "")
	return err
}

func (d *Daemon) prepareSprints(ctx context.Context, project string) error {
	_, _, err := d.past.Sprints(ctx, project, past.Now())
	return err
}
