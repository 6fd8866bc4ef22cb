// Package sandbox runs programs for agents in a sandbox ([tool.Runner]): in namespaces of
// their own, with Landlock, seccomp and limits, without Docker and without root. What a
// job does not name is not there for its program. [New] finds out by trying what this
// machine can hold; where that is too little, nothing runs, and the refusal says which
// key of the configuration would change it. Folder inside is what happens in the child.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/tool"
)

// A Backend is a way to build the sandbox.
type Backend string

// The backends. Auto takes the first of the next three that works here.
const (
	Auto       Backend = ""
	Namespaces Backend = "namespaces" // ours; needs user namespaces
	Bubblewrap Backend = "bubblewrap" // bwrap makes the namespaces, the rest is ours
	Landlock   Backend = "landlock"   // no namespaces: weaker, see Options.LandlockSuffices
	Docker     Backend = "docker"     // never chosen by itself; filters system calls by Docker's own list
	None       Backend = "none"       // no sandbox; only where Options.Unconfined says so
)

// Backends lists what a configuration may name.
func Backends() []Backend { return []Backend{Auto, Namespaces, Bubblewrap, Landlock, Docker, None} }

// Unknown says that programs do not run because a configuration names a backend that there is not, or nothing.
func Unknown(b Backend) string {
	if slices.Contains(Backends(), b) {
		return ""
	}
	return fmt.Sprintf("Programs do not run: `sandbox.backend` names %q, which is none of %s.", b, strings.Trim(fmt.Sprint(Backends()), "[ ]"))
}

// Options say how programs are run. The zero value holds all layers or runs nothing.
type Options struct {
	Backend Backend

	// LandlockSuffices accepts Landlock, seccomp and limits alone where no namespace can be
	// had. A program then sees which files and processes there are, a folder with secrets
	// cannot be given to it, and it can write hooks of Git in a folder it may write in.
	LandlockSuffices bool

	// Unconfined runs programs without a sandbox where they cannot be held: they may do all that
	// the daemon's user may. The owner says so, in the configuration.
	Unconfined bool

	// Hide says which files of a granted folder hold secrets: they are there and cannot be
	// read, unless the grant includes them. nil hides nothing.
	Hide func(path string) bool

	// Path are further folders with programs, each readable with the folder it lies in
	// (of /opt/jdk/bin, /opt/jdk). Languages finds those of this machine.
	Path []string

	Image  string      // for Docker; "" is "debian:stable-slim"
	Limits tool.Limits // for what a job leaves open
}

// A Sandbox is the tool.Runner of this machine.
type Sandbox struct {
	opts   Options
	report Report
	use    Backend
	system *view // of the system's folders
}

var _ tool.Runner = (*Sandbox)(nil)

// New probes the machine.
func New(ctx context.Context, opts Options) *Sandbox {
	s := &Sandbox{opts: opts, system: newView(opts.Path)}
	s.report = s.probe(ctx)
	s.use = s.report.Backend
	return s
}

// Probe finds out by trying what this machine holds.
func Probe(ctx context.Context, opts Options) Report { return New(ctx, opts).report }

// Report returns what was found at the start.
func (s *Sandbox) Report() Report { return s.report }

// A Report says what holds here.
type Report struct {
	Backend Backend // in use; "" when programs are refused
	Holds   []Layer
	Refusal string // why programs are refused, and the way out; "" when they run
}

// A Layer is one thing that was tried.
type Layer struct {
	Name  string // "user namespaces", "Landlock", …
	Holds bool
	Text  string // a level, or why not
}

// Layer returns the layer of that name.
func (r Report) Layer(name string) Layer {
	for _, w := range r.Holds {
		if w.Name == name {
			return w
		}
	}
	return Layer{Name: name}
}

// The layers that are tried.
const (
	LayerNamespaces = "namespaces"
	LayerBubblewrap = "bubblewrap"
	LayerLandlock   = "Landlock"
	LayerSeccomp    = "seccomp"
	LayerLimits     = "limits"
	LayerDocker     = "docker"
)

// Run runs one program and waits for it and all that it started. The error is the
// context's when that ended first; a time limit is no error.
func (s *Sandbox) Run(ctx context.Context, j tool.Job) (tool.Exit, error) {
	if s.report.Refusal != "" {
		return tool.Exit{}, fault.New(fault.Denied, "%s", s.report.Refusal)
	}
	j, err := s.complete(j)
	if err != nil {
		return tool.Exit{}, err
	}
	limited, cancel := context.WithTimeout(ctx, j.Limits.Time)
	defer cancel()
	out := newOutput(j.Limits.Output, j.Output)
	told := s.watch(ctx, j)
	exit, err := s.start(limited, j, out)
	if !errors.Is(err, tool.ErrNoProgram) {
		told()
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return tool.Exit{}, err
	}
	out.into(&exit)
	if err := ctx.Err(); err != nil {
		return exit, err
	}
	exit.TimedOut = limited.Err() != nil && exit.Code == -1
	return exit, nil
}

// killGrace is how long an end may take before it is forced.
const killGrace = 2 * time.Second
