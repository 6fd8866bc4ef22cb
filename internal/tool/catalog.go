package tool

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Source offers tools that may come and go while the daemon runs, such as those of a server.
type Source interface {
	// Tools lists what there is now, under the source's own names.
	Tools(ctx context.Context) ([]*Tool, error)
	// Changed receives after the list has changed. A nil or closed channel says that it does not
	// change any more.
	Changed() <-chan struct{}
}

// retryAfter is how long a catalog waits before it asks a source again that could not be listed.
const retryAfter = 30 * time.Second

// A Catalog holds the tools there are: our own, and those that sources offer now under names that
// begin with their prefix (names.go). [Catalog.Run] follows the sources.
type Catalog struct {
	own     *Set
	sources map[string]Source // by prefix
	log     *slog.Logger
	now     atomic.Pointer[Set]

	mu      sync.Mutex // guards the rest, and that now is replaced
	offered map[string][]*Tool
	gone    map[string]string // names that a source offered once, with its prefix
}

// NewCatalog returns a catalog of our own tools and of sources by their prefixes. It asks no source
// yet. It panics when an own tool is named as one of a source, or a prefix does not fit.
func NewCatalog(log *slog.Logger, own *Set, sources map[string]Source) *Catalog {
	for _, t := range own.list {
		if strings.Contains(t.Name, separator) {
			panic("tool: " + t.Name + " is named as a tool of a source")
		}
	}
	for prefix := range sources {
		if !IsPrefix(prefix) {
			panic("tool: " + prefix + " is not a prefix for the tools of a source")
		}
	}
	c := &Catalog{own: own, sources: sources, log: log, offered: make(map[string][]*Tool), gone: make(map[string]string)}
	c.now.Store(own)
	return c
}

// Now returns the tools there are at the moment. A set never changes; a later one may differ.
func (c *Catalog) Now() *Set { return c.now.Load() }

// Run follows the sources until ctx ends.
func (c *Catalog) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for prefix, s := range c.sources {
		all.Go(func() { c.follow(ctx, prefix, s) })
	}
	all.Wait()
	<-ctx.Done()
	return nil
}

func (c *Catalog) follow(ctx context.Context, prefix string, s Source) {
	changed := s.Changed()
	for {
		var retry <-chan time.Time
		if err := c.list(ctx, prefix, s); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "the tools of a source cannot be listed; what it offered before stays", "source", prefix, "error", err)
			retry = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			return
		case _, open := <-changed:
			if !open {
				changed = nil
			}
		case <-retry:
		}
	}
}

// list asks a source for its tools, and offers them.
func (c *Catalog) list(ctx context.Context, prefix string, s Source) error {
	theirs, err := s.Tools(ctx)
	if err != nil {
		return err
	}
	c.Offer(prefix, theirs)
	return nil
}

// Offer replaces what is offered under a prefix, which is none of our sources'. Without tools nothing is. It
// panics when the prefix does not fit.
func (c *Catalog) Offer(prefix string, theirs []*Tool) {
	if !IsPrefix(prefix) {
		panic("tool: " + prefix + " is not a prefix for the tools of a source")
	}
	adopted := c.adopt(prefix, theirs)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.offered[prefix] {
		c.gone[t.Name] = prefix
	}
	c.offered[prefix] = adopted
	var more []*Tool
	for _, p := range slices.Sorted(maps.Keys(c.offered)) {
		more = append(more, c.offered[p]...)
	}
	for _, t := range more {
		delete(c.gone, t.Name)
	}
	set := c.own.With(more...)
	set.gone = maps.Clone(c.gone)
	c.now.Store(set)
}

// adopt returns tools of a source under our names. One that does not declare what it does is left
// out. None is for every agent or has parts, and what it answers comes from outside.
func (c *Catalog) adopt(prefix string, theirs []*Tool) []*Tool {
	fit := make([]*Tool, 0, len(theirs))
	seen := make(map[string]bool)
	for _, t := range theirs {
		if seen[t.Name] || t.Help == "" || t.Role == "" || !slices.Contains(Risks(), t.Risk) {
			c.log.Warn("a tool of a source is left out: it has no help, role or risk, or there are two of its name", "source", prefix, "tool", t.Name)
			continue
		}
		seen[t.Name] = true
		fit = append(fit, t)
	}
	names := make([]string, len(fit))
	for i, t := range fit {
		names[i] = t.Name
	}
	out := make([]*Tool, 0, len(fit))
	taken := make(map[string]bool)
	for i, name := range LocalNames(prefix, names) {
		if taken[name] {
			continue // two names with one hash
		}
		taken[name] = true
		t := *fit[i]
		t.Name, t.Everyone, t.Parts = name, false, nil
		if Ours(t.Untrusted) {
			t.Untrusted = "network"
		}
		out = append(out, &t)
	}
	return out
}
