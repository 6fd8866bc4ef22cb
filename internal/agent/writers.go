package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"chela/internal/confusable"
	"chela/internal/disk"
	"chela/internal/shell"
	"chela/internal/tool"
)

// writers are the calls under way that may change files. What two change at once in one folder cannot be told apart, which
// is said of both. Its zero value is ready; it is safe for concurrent use.
type writers struct {
	mu  sync.Mutex // guards the rest
	now []*writer
}

type writer struct {
	paths  []string
	beside bool // another wrote there meanwhile
}

// enter notes that a call begins, and returns what ends it and tells what it changed.
func (w *writers) enter(c *tool.Call, p plan) (done func() *disk.Changes) {
	paths := p.writes()
	if len(paths) == 0 {
		return func() *disk.Changes { return nil }
	}
	c.Changes = &disk.Changes{Files: []disk.Change{}}
	own := &writer{paths: paths}
	w.mu.Lock()
	for _, o := range w.now {
		if own.meets(o) {
			own.beside, o.beside = true, true
		}
	}
	w.now = append(w.now, own)
	w.mu.Unlock()
	told := c.Changes
	return func() *disk.Changes {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now = slices.DeleteFunc(w.now, func(o *writer) bool { return o == own })
		told.Beside = own.beside && told.Surveyed
		return told.Noted()
	}
}

func (w *writer) meets(o *writer) bool {
	return slices.ContainsFunc(w.paths, func(a string) bool {
		return slices.ContainsFunc(o.paths, func(b string) bool { return disk.Within(a, b) || disk.Within(b, a) })
	})
}

// writes are the files and folders in which a call may write.
func (p plan) writes() []string {
	var out []string
	switch {
	case p.risk() == tool.WriteFiles:
		for _, use := range p.act.Paths {
			if use.Write {
				out = append(out, use.Path)
			}
		}
	case p.risk() != tool.ExecShell:
	case p.act.Command != "" && shell.Reader{Folders: p.folders, Dir: p.act.Dir}.Read(p.act.Command).Class == shell.ReadOnly:
	default:
		for _, g := range p.folders.All() {
			if g.Write {
				out = append(out, g.Path)
			}
		}
	}
	return out
}

// masked is what is kept of changes: no secret, and no path that reads otherwise than it is.
func (l *loop) masked(ctx context.Context, c *disk.Changes) *disk.Changes {
	if c != nil {
		for i, f := range c.Files {
			c.Files[i].Path = confusable.Reveal(strings.ToValidUTF8(strings.ReplaceAll(l.g.opts.Redact(ctx, f.Path), "\n", "�"), "�"))
		}
	}
	return c
}
