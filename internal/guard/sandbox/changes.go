package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chela/internal/disk"
	"chela/internal/tool"
)

// Bounds of what is looked at before and after a program, to tell what it changed.
const (
	mostStamped = 50_000
	longStamped = 500 * time.Millisecond
	lookAtClock = 64 // files
)

// A stamp is by what a changed file is known where the clock does not tell it. A program cannot set when a file changed.
type stamp struct {
	changed, modified, size int64 // nanoseconds since 1970, and bytes
	inode                   uint64
	mode                    fs.FileMode
}

// A survey is how the files of a job's folders stood at a moment.
type survey struct {
	roots []string            // each is looked at by itself
	at    map[string]stamp    // by path, of files and links; without the stamps where the clock tells what changed
	clock bool                // the folders are of disks that go by this machine's clock
	stamp bool                // it takes stamps
	rules map[string][]ignore // by folder: what its repository leaves out
	shut  map[string]bool     // folders in which the program may not write
	seen  int
	began int64 // by the clock that files are stamped with
	until time.Time
}

var errEnough = errors.New("enough was looked at")

// watch looks at the folders of a job before its program starts, and returns what tells the job what changed in them since.
func (*Sandbox) watch(ctx context.Context, j tool.Job) (told func()) {
	if j.Changes == nil {
		return func() {}
	}
	j.Changes.Surveyed = true
	before, err := surveyOf(ctx, j.Folders)
	if err != nil {
		return func() { j.Changes.Unseen = unseen }
	}
	return func() { before.since(context.WithoutCancel(ctx), j.Changes) }
}

// surveyOf looks at what a job may change. The error says why it cannot be told.
func surveyOf(ctx context.Context, folders []disk.Grant) (*survey, error) {
	s := &survey{at: make(map[string]stamp), rules: make(map[string][]ignore), shut: make(map[string]bool), clock: true}
	for _, g := range folders {
		if !g.Write {
			s.shut[g.Path] = true
		} else if !slices.Contains(s.roots, g.Path) {
			s.roots = append(s.roots, g.Path)
			s.clock = s.clock && ownClock(g.Path)
		}
	}
	s.stamp = !s.clock
	err := s.look(ctx)
	s.began = tick()
	return s, err
}

func (s *survey) look(ctx context.Context) error {
	s.until = time.Now().Add(longStamped)
	for _, r := range s.roots {
		if err := s.folder(ctx, r, nil); err != nil {
			return err
		}
	}
	return nil
}

// folder takes in what lies in a folder. rules are those of the folders around it.
func (s *survey) folder(ctx context.Context, dir string, rules []ignore) error {
	if ctx.Err() != nil || time.Now().After(s.until) {
		return errEnough
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // gone, or closed to us and so to the program
	}
	own, known := s.rules[dir]
	if !known {
		own = ignoresOf(dir, entries)
		s.rules[dir] = own
	}
	rules = append(slices.Clip(rules), own...)
	for _, e := range entries {
		if s.seen++; s.seen > mostStamped || s.seen%lookAtClock == 0 && time.Now().After(s.until) { // many rules take long, too
			return errEnough
		}
		path := filepath.Join(dir, e.Name())
		if disk.Generated(e.Name()) || ignored(rules, path, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			if !s.shut[path] && !slices.Contains(s.roots, path) {
				if err := s.folder(ctx, path, rules); err != nil {
					return err
				}
			}
			continue
		}
		if !s.stamp {
			s.at[path] = stamp{}
		} else if info, err := e.Info(); err == nil {
			s.at[path] = stampOf(info)
		}
	}
	return nil
}

// since looks again and tells what became of the files meanwhile. What was left out before is left out again.
func (s *survey) since(ctx context.Context, c *disk.Changes) {
	now := &survey{roots: s.roots, at: make(map[string]stamp, len(s.at)), rules: s.rules, shut: s.shut, stamp: true}
	if err := now.look(ctx); err != nil {
		c.Unseen = unseen
		return
	}
	var out []disk.Change
	for path, is := range now.at {
		was, known := s.at[path]
		switch {
		case !known:
			out = append(out, disk.Change{Path: path, How: disk.Made})
		case s.clock && is.changed >= s.began, !s.clock && was != is:
			out = append(out, disk.Change{Path: path, How: disk.Changed})
		}
		delete(s.at, path)
	}
	for path := range s.at {
		out = append(out, disk.Change{Path: path, How: disk.Deleted})
	}
	c.Add(out...)
}

var unseen = fmt.Sprintf("The folders hold more than %d files, or reading them takes longer than %s, so it is not known what changed in them.", mostStamped, longStamped)
