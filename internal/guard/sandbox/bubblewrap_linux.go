package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard/sandbox/inside"
	"chela/internal/tool"
)

// insideBubblewrap is where our binary lies in a root that bubblewrap builds.
const insideBubblewrap = "/.chela"

// clockGrain is how far the times of a file system may lie behind the clock.
const clockGrain = 10 * time.Millisecond

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
	mounted := *p
	mounted.hidden = slices.Concat(beside(private, j.Folders), p.hidden, p.sockets)
	args, err := bubblewrapArgs(o, &mounted, self)
	if err != nil {
		return tool.Exit{}, err
	}
	before, err := identities(j, p)
	if err != nil {
		return tool.Exit{}, err
	}
	s.fill(o, j)
	o.Mounts = append(o.Mounts, inside.Mount{Path: "/proc"})
	o.Covered, o.Same = mounted.hidden, before[:len(j.Folders)]
	began := time.Now().Add(-clockGrain)
	exit, err := s.runInside(ctx, j, out, o, &exec.Cmd{Path: bwrap, Args: append([]string{"bwrap"}, args...)}, func() error {
		return s.unchanged(j, before)
	})
	if errors.Is(err, errNotBegun) {
		err = notBegun(err, out)
	}
	if errors.Is(err, errChanged) || fault.KindOf(err) == fault.Unavailable {
		sweep(j.Folders, mounted.hidden, began)
	}
	return exit, err
}

// notBegun is why bwrap built nothing. What it said is no output of the program.
func notBegun(err error, out *output) error {
	said := strings.TrimSpace(out.err.take())
	return fault.Wrap(err, fault.Unavailable, "bwrap could not build the sandbox: %s. `chela doctor` says what holds on this machine.", cmp.Or(said, "it said nothing"))
}

// identities are those of the folders of a job, and of what is hidden and fixed in them.
func identities(j tool.Job, p *parts) ([]inside.Identity, error) {
	var out []inside.Identity
	add := func(path string) error {
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return fmt.Errorf("%w: %s", errChanged, path)
		}
		out = append(out, inside.Identity{Path: path, Dev: st.Dev, Number: st.Ino})
		return nil
	}
	for _, g := range j.Folders {
		if err := add(g.Path); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Concat(p.hidden, p.sockets, p.fixed, p.held) {
		if err := add(path); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unchanged looks through the folders once more. bwrap finds what it covers by its path; had
// that been moved before, it would have covered something else.
func (s *Sandbox) unchanged(j tool.Job, before []inside.Identity) error {
	p, err := s.look(j.Folders)
	if err != nil {
		return err
	}
	now, err := identities(j, p)
	if err != nil {
		return err
	}
	if !slices.Equal(now, before) {
		return errChanged
	}
	return nil
}

// sweep removes what bwrap made in the folders so as to have something to cover where that
// had just been moved away: it is empty and was not there before.
func sweep(folders []disk.Grant, hidden []string, began time.Time) {
	made := func(path string) bool {
		var st unix.Statx_t
		err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
		born := time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
		return err == nil && st.Mask&unix.STATX_BTIME != 0 && !born.Before(began) &&
			(st.Mode&unix.S_IFMT == unix.S_IFDIR || st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == 0)
	}
	for _, path := range hidden {
		inFolder := func(g disk.Grant) bool { return g.Path != path && within(g.Path, path) }
		for slices.ContainsFunc(folders, inFolder) && made(path) && os.Remove(path) == nil {
			path = filepath.Dir(path)
		}
	}
}

// bubblewrapArgs are the arguments of bwrap for an order. Its environment is clean, since
// its first process keeps it for all to read.
func bubblewrapArgs(o *inside.Order, p *parts, self string) ([]string, error) {
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
		st, err := os.Lstat(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", errChanged, path)
		}
		if st.IsDir() {
			args = append(args, "--perms", "0000", "--tmpfs", path, "--remount-ro", path)
			continue
		}
		args = append(args, "--ro-bind", "/dev/null", path) // no device opens there
	}
	args = append(args, "--ro-bind", self, insideBubblewrap, "--remount-ro", "/")
	return append(args, "--", insideBubblewrap, inside.Name), nil
}
