package sandbox

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"

	"chela/internal/guard/sandbox/inside"
	"chela/internal/tool"
)

// insideBubblewrap is where our binary lies in a root that bubblewrap builds.
const insideBubblewrap = "/.chela"

// runBubblewrap lets bwrap build the root and the namespaces, in which our inside does the
// rest. That works where a system trusts bwrap with namespaces, and no other program.
func (s *Sandbox) runBubblewrap(ctx context.Context, j tool.Job, out *output, o *inside.Order, p *parts) (tool.Exit, error) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return tool.Exit{}, missing("bwrap")
	}
	self, err := os.Executable()
	if err != nil {
		return tool.Exit{}, err
	}
	_, private := s.system.system()
	o.Scratch = scratchInside
	p.hidden = slices.Concat(beside(private, j.Folders), p.hidden, p.sockets)
	args := bubblewrapArgs(o, p, self)
	s.fill(o, j)
	o.Mounts = append(o.Mounts, inside.Mount{Path: "/proc"})
	return s.runInside(ctx, j, out, o, &exec.Cmd{Path: bwrap, Args: append([]string{"bwrap"}, args...)})
}

// bubblewrapArgs are the arguments of bwrap for an order. Its environment is clean, since
// its first process keeps it for all to read.
func bubblewrapArgs(o *inside.Order, p *parts, self string) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox", "--cap-drop", "ALL",
	}
	if !o.Network {
		args = append(args, "--unshare-net")
	}
	if os.Geteuid() == 0 {
		args = append(args, "--uid", "1000", "--gid", "1000")
	}
	for _, path := range slices.Sorted(maps.Keys(systemLinks())) {
		args = append(args, "--symlink", systemLinks()[path], path)
	}
	args = append(args, "--proc", "/proc", "--dev", "/dev", "--tmpfs", o.Scratch)
	for _, m := range o.Mounts {
		how := "--ro-bind"
		switch {
		case m.Device:
			continue // of --dev
		case m.Write:
			how = "--bind"
		}
		args = append(args, how, m.Source, m.Path)
	}
	for _, path := range p.held {
		args = append(args, "--bind", path, path)
	}
	for _, path := range p.fixed {
		args = append(args, "--ro-bind", path, path)
	}
	for _, path := range p.hidden {
		if st, err := os.Lstat(path); err == nil && st.IsDir() {
			args = append(args, "--perms", "0000", "--tmpfs", path, "--remount-ro", path)
			continue
		}
		args = append(args, "--ro-bind", "/dev/null", path) // no device opens there
	}
	args = append(args, "--ro-bind", self, insideBubblewrap, "--remount-ro", "/")
	return append(args, "--", insideBubblewrap, inside.Name)
}
