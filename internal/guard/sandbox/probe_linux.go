package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/guard/sandbox/inside"
	"chela/internal/tool"
)

// probe tries each layer and chooses the backend.
func (s *Sandbox) probe(ctx context.Context) Report {
	r := Report{}
	r.Holds = append(r.Holds, landlockLayer(), seccompLayer(), Layer{Name: LayerLimits, Holds: true, Text: "by the kernel for each process, counted by the sandbox for all of a job"})
	s.report = r
	for _, b := range []Backend{Namespaces, Bubblewrap, Docker} {
		r.Holds = append(r.Holds, s.try(ctx, b))
	}
	holds := map[Backend]bool{
		Namespaces: r.Layer(LayerNamespaces).Holds, Bubblewrap: r.Layer(LayerBubblewrap).Holds,
		Landlock: r.Layer(LayerLandlock).Holds && r.Layer(LayerSeccomp).Holds, Docker: r.Layer(LayerDocker).Holds,
		None: s.opts.Unconfined,
	}
	order := []Backend{s.opts.Backend}
	if s.opts.Backend == Auto {
		order = []Backend{Namespaces, Bubblewrap}
		if s.opts.LandlockSuffices {
			order = append(order, Landlock)
		}
		order = append(order, None)
	}
	for _, b := range order {
		if holds[b] {
			r.Backend = b
			return r
		}
	}
	r.Refusal = refusal(s.opts, r)
	return r
}

func refusal(o Options, r Report) string {
	switch {
	case Unknown(o.Backend) != "":
		return Unknown(o.Backend)
	case o.Backend == None:
		return "Programs do not run: `sandbox.backend` is none, and `sandbox.unconfined` does not say that they may run without a sandbox."
	case o.Backend != Auto:
		return fmt.Sprintf("Programs do not run: the sandbox %s named by `sandbox.backend` does not work here (%s). Leave the key out to take what does, or see `chela doctor`.", o.Backend, r.Layer(string(o.Backend)).Text)
	case r.Layer(LayerLandlock).Holds && !o.LandlockSuffices:
		return "Programs do not run: this machine has no user namespaces (" + r.Layer(LayerNamespaces).Text + ") and no bubblewrap that works. Install bubblewrap, set `sandbox.landlock_suffices: true` for weaker walls, or `sandbox.unconfined: true` for none."
	default:
		return "Programs do not run: this machine has no sandbox for them (" + r.Layer(LayerNamespaces).Text + "). Install bubblewrap, or set `sandbox.unconfined: true` to run them without a sandbox."
	}
}

func landlockLayer() Layer {
	abi := inside.LandlockABI()
	w := Layer{Name: LayerLandlock, Holds: abi > 0, Text: fmt.Sprintf("version %d of the kernel's", abi)}
	if abi == 0 {
		w.Text = "the kernel has none, or it is turned off"
	}
	return w
}

func seccompLayer() Layer {
	if !inside.Filters {
		return Layer{Name: LayerSeccomp, Text: "there is no filter for this architecture"}
	}
	text, err := os.ReadFile("/proc/sys/kernel/seccomp/actions_avail")
	if err != nil || !strings.Contains(string(text), "errno") {
		return Layer{Name: LayerSeccomp, Text: "the kernel has none"}
	}
	return Layer{Name: LayerSeccomp, Holds: true, Text: "filters system calls"}
}

// try runs the simplest of programs with a backend.
func (s *Sandbox) try(ctx context.Context, b Backend) Layer {
	w := Layer{Name: string(b)}
	if b == Bubblewrap || b == Docker {
		if s.opts.Backend != b && (b == Docker || s.opts.Backend != Auto) {
			w.Text = "not asked for"
			return w
		}
		name := map[Backend]string{Bubblewrap: "bwrap", Docker: "docker"}[b]
		if _, err := exec.LookPath(name); err != nil {
			w.Text = name + " is not installed"
			return w
		}
	}
	trial := *s
	trial.use = b
	j, err := trial.complete(tool.Job{Argv: []string{"true"}, Limits: tool.Limits{Time: 20 * time.Second}})
	if err != nil {
		w.Text = fault.TextOf(err)
		return w
	}
	ctx, cancel := context.WithTimeout(ctx, j.Limits.Time)
	defer cancel()
	exit, err := trial.start(ctx, j, newOutput(j.Limits.Output, nil))
	switch {
	case err != nil:
		w.Text = reason(err)
	case exit.Code != 0:
		w.Text = fmt.Sprintf("a program that does nothing ended with %d", exit.Code)
	default:
		w.Holds, w.Text = true, "works"
	}
	return w
}

// reason is the cause of a failed trial, for the one who runs the machine.
func reason(err error) string {
	text := err.Error()
	if strings.Contains(text, "operation not permitted") {
		for _, f := range []string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "/proc/sys/kernel/unprivileged_userns_clone"} {
			if v, err := os.ReadFile(f); err == nil {
				text += "; " + filepath.Base(f) + " is " + strings.TrimSpace(string(v))
			}
		}
	}
	return text
}
