package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"chela/internal/fault"
	"chela/internal/tool"
)

const defaultImage = "debian:stable-slim"

// What docker run answers with when it, and not the program, failed.
const (
	dockerFailed   = 125
	dockerNotFound = 127
)

// runDocker runs a job in a container that is gone afterwards. The programs are the
// image's; the folders are the host's, at the same places.
func (s *Sandbox) runDocker(ctx context.Context, j tool.Job, out *output) (tool.Exit, error) {
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
	p, err := s.look(j.Folders)
	if err != nil {
		return tool.Exit{}, err
	}
	name := filepath.Base(scratch)
	args := s.dockerArgs(j, p, name, scratch)
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Stdout, cmd.Stderr = &out.out, &out.err
	if in := input(j); in != nil {
		cmd.Stdin = in
	}
	cmd.WaitDelay = killGrace
	cmd.Cancel = func() error {
		// The client's end ends no container.
		kill := exec.CommandContext(context.WithoutCancel(ctx), "docker", "kill", name)
		return errors.Join(kill.Run(), cmd.Process.Kill())
	}
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return tool.Exit{Code: -1}, ctx.Err()
	case err == nil:
		return tool.Exit{}, nil
	case !errors.As(err, &ended):
		return tool.Exit{}, fault.Wrap(err, fault.Unavailable, "Docker could not be run. `chela doctor` says what holds on this machine.")
	case ended.ExitCode() == dockerFailed:
		text, _ := out.err.text()
		return tool.Exit{}, fault.Wrap(errors.New(text), fault.Unavailable, "Docker could not start the container. `chela doctor` says what holds on this machine.")
	case ended.ExitCode() == dockerNotFound && j.Argv[0] != "/bin/sh":
		return tool.Exit{}, missing(j.Argv[0])
	}
	return tool.Exit{Code: ended.ExitCode()}, nil
}

// dockerArgs are the arguments of docker for a job.
func (s *Sandbox) dockerArgs(j tool.Job, p *parts, name, scratch string) []string {
	const inside = "/tmp"
	memory := strconv.FormatInt(j.Limits.Memory, 10)
	args := []string{
		"run", "--rm", "--interactive", "--init", "--name", name, "--read-only", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--user", strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid()),
		"--memory", memory, "--memory-swap", memory, "--pids-limit", strconv.Itoa(j.Limits.Processes),
		"--ulimit", "fsize=" + strconv.FormatInt(j.Limits.FileSize, 10), "--ulimit", "core=0", "--ulimit", "nofile=1024:4096",
		"--mount", bind(scratch, inside, true),
	}
	if !j.Network {
		args = append(args, "--network", "none")
	}
	for _, g := range j.Folders {
		args = append(args, "--mount", bind(g.Path, g.Path, g.Write))
	}
	for _, path := range p.held { // a mount cannot be renamed away
		args = append(args, "--mount", bind(path, path, true))
	}
	for _, path := range p.fixed {
		args = append(args, "--mount", bind(path, path, false))
	}
	for _, path := range slices.Concat(p.hidden, p.sockets) {
		if st, err := os.Lstat(path); err == nil && st.IsDir() {
			args = append(args, "--mount", "type=tmpfs,tmpfs-mode=0000,"+field("destination="+path))
			continue
		}
		args = append(args, "--mount", bind("/dev/null", path, false))
	}
	env := map[string]string{"HOME": inside, "TMPDIR": inside, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
	for name, value := range j.Env {
		env[name] = inScratch(value, inside)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		args = append(args, "--env", name+"="+env[name])
	}
	dir := j.Dir
	if dir == "" {
		dir = inside
	}
	image := s.opts.Image
	if image == "" {
		image = defaultImage
	}
	return append(append(args, "--workdir", dir, image), argv(j, inside)...)
}

// bind is a --mount of docker.
func bind(from, to string, write bool) string {
	m := "type=bind," + field("source="+from) + "," + field("destination="+to)
	if !write {
		m += ",readonly"
	}
	return m
}

// field quotes a field of a --mount, which is a line of CSV.
func field(text string) string {
	for _, r := range text {
		if r == ',' || r == '"' || r == '\n' {
			return `"` + string(bytes.ReplaceAll([]byte(text), []byte(`"`), []byte(`""`))) + `"`
		}
	}
	return text
}
