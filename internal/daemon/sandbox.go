package daemon

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"chela/internal/config"
	"chela/internal/disk"
	"chela/internal/gateway/api"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
	"chela/internal/tool/browser"
)

// programs run programs for agents. What this machine can hold is found out when it is first
// asked for, so that a start does not wait for it.
type programs struct {
	cfg  config.Sandbox
	once func() *sandbox.Sandbox
}

var _ tool.Runner = (*programs)(nil)

func newPrograms(ctx context.Context, cfg config.Sandbox) *programs {
	ctx = context.WithoutCancel(ctx)
	return &programs{cfg: cfg, once: sync.OnceValue(func() *sandbox.Sandbox {
		return sandbox.New(ctx, sandbox.Options{
			Backend: sandbox.Backend(cfg.Backend), LandlockSuffices: cfg.LandlockSuffices, Unconfined: cfg.Unconfined,
			Path: append(sandbox.Languages(), cfg.Path...), Image: cfg.Image, Hide: disk.Secret,
		})
	})}
}

// Run implements [tool.Runner]. A job has the variables of the configuration too, and may
// read the folders that they name.
func (p *programs) Run(ctx context.Context, j tool.Job) (tool.Exit, error) {
	env := maps.Clone(p.cfg.Env)
	if env == nil {
		env = make(map[string]string)
	}
	maps.Copy(env, j.Env)
	j.Env, j.Folders = env, slices.Clone(j.Folders)
	for _, value := range p.cfg.Env {
		if info, err := os.Stat(value); err == nil && info.IsDir() && filepath.IsAbs(value) {
			j.Folders = append(j.Folders, disk.Grant{Path: filepath.Clean(value)})
		}
	}
	return p.once().Run(ctx, j)
}

// unconfined reports whether programs run without a sandbox. Only where the owner says so they may.
func (p *programs) unconfined() bool {
	return p.cfg.Unconfined && p.once().Report().Backend == sandbox.None
}

// report says what holds here, for people.
func (p *programs) report() api.Sandbox {
	r := p.once().Report()
	out := api.Sandbox{Backend: string(r.Backend), Refusal: r.Refusal, Holds: []api.SandboxLayer{}}
	for _, h := range r.Holds {
		out.Holds = append(out.Holds, api.SandboxLayer{Name: h.Name, Holds: h.Holds, Text: h.Text})
	}
	return out
}

// BrowserOptions are how browsers run by the file.
func BrowserOptions(cfg config.Browser, log *slog.Logger) browser.Options {
	return browser.Options{
		Path: cfg.Path, Unsandboxed: cfg.Unsandboxed, Log: log,
		Memory: int64(cfg.MemoryMB) << 20, Processor: time.Duration(cfg.ProcessorSeconds) * time.Second,
	}
}
