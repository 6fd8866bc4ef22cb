package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard/sandbox/inside"
	"chela/internal/tool"
)

// scratchInside is the scratch of a job that has a root of its own.
const scratchInside = "/tmp"

// devices are what a job sees of the machine's.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// links stand in a new root beside what the system's folders are links to.
var links = map[string]string{
	"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1",
	"/dev/stderr": "/proc/self/fd/2", "/dev/shm": scratchInside, "/var/tmp": scratchInside,
}

// tries is how often the sandbox is built because a folder changed meanwhile, or because bwrap built nothing: mostly for a folder
// that went, of which it says something else each time.
const tries = 5

func (s *Sandbox) start(ctx context.Context, j tool.Job, out *output) (tool.Exit, error) {
	for try := 1; ; try++ {
		exit, err := s.startOnce(ctx, j, out)
		if errors.Is(err, errChanged) {
			if try < tries {
				s.system.forget()
				continue
			}
			return exit, fault.Wrap(err, fault.Unavailable, "The granted folders changed while the sandbox was built. Try again.")
		}
		if errors.Is(err, errNotBegun) && try < tries {
			s.system.forget()
			continue
		}
		return exit, err
	}
}

func (s *Sandbox) startOnce(ctx context.Context, j tool.Job, out *output) (tool.Exit, error) {
	if s.use == Docker {
		return s.runDocker(ctx, j, out)
	}
	if s.use == None {
		return s.runOrder(ctx, j, out, &inside.Order{}, nil)
	}
	p, err := s.look(j.Folders)
	if err != nil {
		return tool.Exit{}, err
	}
	o := &inside.Order{
		Namespaces: s.use == Namespaces, Network: j.Network, Mounts: s.mounts(j),
		Landlock: s.use == Landlock || s.report.Layer(LayerLandlock).Holds,
		Seccomp:  s.report.Layer(LayerSeccomp).Holds,
	}
	switch s.use {
	case Landlock:
		if len(p.hidden) > 0 {
			return tool.Exit{}, fault.New(fault.Denied, "%s may hold secrets, and without namespaces it cannot be hidden from a program. Move it out of the folder, or grant the folder with its secrets.", p.hidden[0])
		}
		o.Mounts = s.openly(o.Mounts, j.Folders)
		return s.runOrder(ctx, j, out, o, nil)
	case Bubblewrap:
		return s.runBubblewrap(ctx, j, out, o, p)
	default:
		_, private := s.system.system()
		private = beside(private, j.Folders)
		o.Hidden, o.Fixed, o.Held = slices.Concat(private, p.hidden, p.sockets), p.fixed, p.held
		o.Links = maps.Clone(links)
		maps.Copy(o.Links, systemLinks())
		o.Base, o.Scratch = "/tmp", scratchInside
		o.CountsOwn, o.OwnPIDMax = kernel() >= version{5, 14}.number(), kernel() >= version{6, 14}.number()
		return s.runOrder(ctx, j, out, o, namespaces(j.Network))
	}
}

// mounts are what a job sees.
func (s *Sandbox) mounts(j tool.Job) []inside.Mount {
	var out []inside.Mount
	shown, _ := s.system.system()
	for _, f := range slices.Concat(shown, s.system.roots) {
		out = append(out, inside.Mount{Path: f, Source: f})
	}
	for _, d := range devices {
		if _, err := os.Stat(d); err == nil {
			out = append(out, inside.Mount{Path: d, Source: d, Write: true, Device: true})
		}
	}
	if j.Network { // names are looked up by a file that may lie elsewhere
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && !within("/etc", real) {
			out = append(out, inside.Mount{Path: real, Source: real})
		}
	}
	for _, g := range j.Folders {
		out = append(out, inside.Mount{Path: g.Path, Source: g.Path, Write: g.Write})
	}
	return out
}

// systemLinks are those of the system's folders that are links, as /bin is to /usr/bin.
func systemLinks() map[string]string {
	out := make(map[string]string)
	for _, f := range systemFolders {
		if to, err := os.Readlink(f); err == nil {
			out[f] = to
		}
	}
	return out
}

// openly names what a job without a root of its own may read: the system's folders
// without what is private in them, for Landlock can only open.
func (s *Sandbox) openly(mounts []inside.Mount, granted []disk.Grant) []inside.Mount {
	_, private := s.system.system()
	private = beside(private, granted)
	out := []inside.Mount{{Path: "/proc", Source: "/proc"}}
	for _, m := range mounts {
		if m.Write || !slices.ContainsFunc(private, func(p string) bool { return within(m.Path, p) }) {
			out = append(out, m)
			continue
		}
		for _, path := range around(m.Path, private) {
			out = append(out, inside.Mount{Path: path, Source: path})
		}
	}
	return out
}

// around lists what is below folder without the paths in closed.
func around(folder string, closed []string) []string {
	if slices.Contains(closed, folder) {
		return nil
	}
	if !slices.ContainsFunc(closed, func(p string) bool { return within(folder, p) }) {
		return []string{folder}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			out = append(out, around(filepath.Join(folder, e.Name()), closed)...)
		}
	}
	return out
}

// namespaces are the attributes of a process with namespaces of its own. It keeps the
// user's own number inside, except root, who is an ordinary user there; its capabilities
// are over the new namespaces alone, and gone before the program starts.
func namespaces(network bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{
			{ContainerID: ordinary(os.Geteuid()), HostID: os.Geteuid(), Size: 1},
		},
		GidMappings: []syscall.SysProcIDMap{
			{ContainerID: ordinary(os.Getegid()), HostID: os.Getegid(), Size: 1},
		},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
	}
	if !network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	return a
}

func ordinary(id int) int {
	if id == 0 {
		return 1000
	}
	return id
}

// runOrder starts this binary again as the inside of a sandbox. Without attributes of its
// own it is in the host's namespaces, and has a scratch on the host.
func (s *Sandbox) runOrder(ctx context.Context, j tool.Job, out *output, o *inside.Order, attr *syscall.SysProcAttr) (tool.Exit, error) {
	if o.Scratch == "" {
		dir, err := os.MkdirTemp("", "chela-scratch-")
		if err != nil {
			return tool.Exit{}, fmt.Errorf("make a scratch folder: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // what is left is temporary
		o.Scratch = dir
	}
	s.fill(o, j)
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setsid = true
	return s.runInside(ctx, j, out, o, &exec.Cmd{Path: "/proc/self/exe", Args: []string{"chela", inside.Name}, SysProcAttr: attr}, nil)
}

// fill writes into an order what it has of the job whatever the backend.
func (s *Sandbox) fill(o *inside.Order, j tool.Job) {
	o.Argv, o.Env = argv(j, o.Scratch), s.environment(j, o.Scratch)
	o.Dir, o.Files = j.Dir, j.Files
	if o.Dir == "" {
		o.Dir = o.Scratch
	}
	o.Memory, o.FileSize, o.Processes = j.Limits.Memory, j.Limits.FileSize, j.Limits.Processes
	o.CPU = j.Limits.Time * 8 // of the threads of one process, which run side by side
}

// runInside runs a command that ends up as the inside of a sandbox, and hears its report.
// With check it is given its order after it has begun and check found nothing.
func (s *Sandbox) runInside(ctx context.Context, j tool.Job, out *output, o *inside.Order, cmd *exec.Cmd, check func() error) (tool.Exit, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return tool.Exit{}, fmt.Errorf("encode the order: %w", err)
	}
	orderR, orderW, err := os.Pipe()
	if err != nil {
		return tool.Exit{}, fmt.Errorf("make a pipe: %w", err)
	}
	end := sync.OnceFunc(func() { _ = orderW.Close() }) // it only ends the job
	defer end()
	reportR, reportW, err := os.Pipe()
	if err != nil {
		_ = orderR.Close() // unused
		return tool.Exit{}, fmt.Errorf("make a pipe: %w", err)
	}
	defer func() { _ = reportR.Close() }() // read to its end
	run := exec.CommandContext(ctx, cmd.Path)
	run.Path, run.Args, run.SysProcAttr, run.Err = cmd.Path, cmd.Args, cmd.SysProcAttr, nil
	run.Env = []string{}
	run.ExtraFiles = []*os.File{orderR, reportW}
	run.Stdout, run.Stderr = &out.out, &out.err
	if in := input(j); in != nil {
		run.Stdin = in
	}
	run.WaitDelay = killGrace
	run.Cancel = func() error {
		end()
		if o.Namespaces {
			return run.Process.Kill() // the first of its namespace: all go with it
		}
		return nil
	}
	err = run.Start()
	_, _ = orderR.Close(), reportW.Close() // the child's
	if err != nil {
		return tool.Exit{}, fmt.Errorf("start the sandbox: %w", err)
	}
	checked := make(chan error, 1)
	go func() { // ends when the child has read it or is gone
		err := hearBegin(reportR, check)
		if err == nil {
			_, _ = orderW.Write(text)
		} else {
			end()
		}
		checked <- err
	}()
	waitErr := run.Wait()
	if check != nil {
		if err := <-checked; errors.Is(err, errNotBegun) && ctx.Err() == nil {
			return tool.Exit{}, errors.Join(err, waitErr)
		} else if err != nil && !errors.Is(err, errNotBegun) {
			return tool.Exit{}, err
		}
	}
	return s.exit(ctx, reportR, j, waitErr)
}

// errNotBegun says that what builds the sandbox ended before the inside of it began: nothing of the job has run.
var errNotBegun = errors.New("the sandbox was not built")

// hearBegin waits until the inside has begun, and then checks.
func hearBegin(report *os.File, check func() error) error {
	if check == nil {
		return nil
	}
	if _, err := io.ReadFull(report, make([]byte, len(inside.Here))); err != nil {
		return errNotBegun
	}
	return check()
}

// exit reads the report.
func (s *Sandbox) exit(ctx context.Context, report *os.File, j tool.Job, waitErr error) (tool.Exit, error) {
	var r inside.Report
	if err := json.NewDecoder(report).Decode(&r); err != nil {
		if ctx.Err() != nil {
			return tool.Exit{Code: -1}, ctx.Err()
		}
		return tool.Exit{}, fault.Wrap(errors.Join(err, waitErr), fault.Unavailable, "The sandbox ended before its program did.")
	}
	switch {
	case r.Changed:
		return tool.Exit{}, errChanged
	case r.Missing:
		return tool.Exit{}, missing(j.Argv[0])
	case r.Error != "":
		return tool.Exit{}, fault.Wrap(errors.New(r.Error), fault.Unavailable, "The sandbox could not be built. `chela doctor` says what holds on this machine.")
	}
	return tool.Exit{Code: r.Code, Killed: r.Killed}, nil
}

// A version is of the kernel.
type version struct{ major, minor int }

func (v version) number() int { return v.major<<16 | v.minor }

// kernel returns the running version's number; 0 when it cannot be told.
var kernel = sync.OnceValue(func() int {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return 0
	}
	var v version
	if n, err := fmt.Sscanf(strings.ReplaceAll(unix.ByteSliceToString(u.Release[:]), "-", " "), "%d.%d", &v.major, &v.minor); n != 2 || err != nil {
		return 0
	}
	return v.number()
})
