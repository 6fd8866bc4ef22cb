//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"chela/internal/fault"
	"chela/internal/tool"
)

// probe finds no sandbox: they are Linux's.
func (s *Sandbox) probe(ctx context.Context) Report {
	r := Report{Holds: []Layer{{Name: LayerNamespaces, Text: "this system has none"}}}
	switch {
	case s.opts.Backend == Docker:
		err := exec.CommandContext(ctx, "docker", "version").Run()
		if err == nil {
			r.Backend = Docker
			return r
		}
		r.Refusal = "Programs do not run: the sandbox docker named by `sandbox.backend` does not work here. Start Docker, or see `chela doctor`."
	case s.opts.Unconfined && (s.opts.Backend == Auto || s.opts.Backend == None):
		r.Backend = None
	default:
		r.Refusal = "Programs do not run: this system has no sandbox for them. Set `sandbox.backend: docker` where Docker runs, or `sandbox.unconfined: true` to run them without a sandbox."
	}
	return r
}

// start runs a program without a sandbox, or in Docker.
func (s *Sandbox) start(ctx context.Context, j tool.Job, out *output) (tool.Exit, error) {
	if s.use == Docker {
		return s.runDocker(ctx, j, out)
	}
	scratch, err := os.MkdirTemp("", "chela-scratch-")
	if err != nil {
		return tool.Exit{}, fmt.Errorf("make a scratch folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }() // what is left is temporary
	for name, text := range j.Files {
		path := filepath.Join(scratch, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
			return tool.Exit{}, fmt.Errorf("write a file of the job: %w", err)
		}
	}
	args := argv(j, scratch)
	program, ok := lookup(s.system.path(), args[0])
	if !ok {
		return tool.Exit{}, missing(args[0])
	}
	cmd := exec.CommandContext(ctx, program, args[1:]...)
	cmd.Dir, cmd.Env = j.Dir, s.environment(j, scratch)
	if cmd.Dir == "" {
		cmd.Dir = scratch
	}
	cmd.Stdout, cmd.Stderr = &out.out, &out.err
	if in := input(j); in != nil {
		cmd.Stdin = in
	}
	cmd.WaitDelay = killGrace
	group(cmd)
	err = cmd.Run()
	endGroup(cmd)
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return tool.Exit{Code: -1}, ctx.Err()
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return tool.Exit{}, nil
	case errors.As(err, &ended):
		return tool.Exit{Code: ended.ExitCode()}, nil
	}
	return tool.Exit{}, fault.Wrap(err, fault.Unavailable, "The program %s could not be started.", args[0])
}

// lookup finds a program in folders.
func lookup(path []string, name string) (string, bool) {
	if filepath.IsAbs(name) {
		return name, true
	}
	for _, dir := range path {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, true
		}
	}
	return "", false
}
