package inside

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// run builds the sandbox, starts the program and waits for it. The sandbox is that of its
// thread, which the program inherits; the first thread stays outside, so that a program
// whose signals Landlock confines cannot reach the process that would end it.
func run(o *Order, done chan<- Report) {
	runtime.LockOSThread()
	r, pid := start(o)
	if pid == 0 {
		done <- r
		return
	}
	over := make(chan string, 1)
	go watch(o, over)
	exited := make(chan int, 1)
	go func() { exited <- reap(pid) }()
	select {
	case r.Code = <-exited:
	case r.Killed = <-over:
		r.Code = -1
	}
	done <- r
}

func start(o *Order) (r Report, pid int) {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // only makes us harder to look into
	keepDescriptors()
	if !o.Namespaces {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return Report{Error: "become the reaper: " + err.Error()}, 0
		}
	}
	if o.Namespaces {
		if err := buildRoot(o); err != nil {
			return Report{Error: err.Error(), Changed: errors.Is(err, errChanged)}, 0
		}
	}
	if err := madeSure(o); err != nil {
		return Report{Error: err.Error(), Changed: errors.Is(err, errChanged)}, 0
	}
	if err := writeFiles(o); err != nil {
		return Report{Error: err.Error()}, 0
	}
	if err := os.Chdir(o.Dir); err != nil {
		return Report{Error: "start in " + o.Dir + ": " + err.Error()}, 0
	}
	program, ok := lookup(o.Argv[0], o.Env)
	if !ok {
		return Report{Missing: true}, 0
	}
	if err := setLimits(o); err != nil {
		return Report{Error: err.Error()}, 0
	}
	if o.Landlock || o.Seccomp || o.Namespaces {
		if err := dropPrivileges(); err != nil {
			return Report{Error: "drop privileges: " + err.Error()}, 0
		}
	}
	if o.Landlock {
		abi, err := landlock(o)
		if err != nil {
			return Report{Error: "Landlock: " + err.Error()}, 0
		}
		r.ABI = abi
	}
	if o.Seccomp {
		if err := filterCalls(o.Network, o.Namespaces); err != nil {
			return Report{Error: "seccomp: " + err.Error()}, 0
		}
	}
	pid, err := syscall.ForkExec(program, o.Argv, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return Report{Missing: true}, 0
		}
		return Report{Error: "start " + program + ": " + err.Error()}, 0
	}
	closeStandard()
	return r, pid
}

// madeSure looks at a root that somebody else built by path, while what lies at a path may
// be moved: that the folders are those that were meant, and what must be hidden is.
func madeSure(o *Order) error {
	var at, above unix.Stat_t
	for _, same := range o.Same {
		if err := unix.Lstat(same.Path, &at); err != nil || at.Dev != same.Dev || at.Ino != same.Number {
			return errChanged
		}
	}
	for _, covered := range o.Covered {
		err := errors.Join(unix.Lstat(covered, &at), unix.Lstat(path.Dir(covered), &above))
		if err != nil || at.Dev == above.Dev { // a cover is of another file system
			return errChanged
		}
	}
	return nil
}

// keepDescriptors lets no descriptor reach the program but the standard three, whatever
// the daemon was started with.
func keepDescriptors() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := 3; fd < 4096; fd++ { // a kernel before 5.11
		unix.CloseOnExec(fd)
	}
}

// closeStandard lets go of the program's pipes, so that they end when it does.
func closeStandard() {
	_ = os.Stdin.Close()
	_ = os.Stdout.Close()
	_ = os.Stderr.Close()
}

func writeFiles(o *Order) error {
	for name, text := range o.Files {
		if !fs.ValidPath(name) {
			return errors.New("a file of a job leaves its scratch")
		}
		file := path.Join(o.Scratch, name)
		if err := os.MkdirAll(path.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// lookup finds a program in the PATH of env.
func lookup(name string, env []string) (string, bool) {
	if strings.Contains(name, "/") {
		return name, executable(name)
	}
	for _, e := range env {
		list, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range strings.Split(list, ":") {
			if p := path.Join(dir, name); executable(p) {
				return p, true
			}
		}
	}
	return "", false
}

func executable(path string) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && unix.Access(path, unix.X_OK) == nil
}

// reap waits for everything that ends, until the program itself does.
func reap(pid int) int {
	for {
		var st unix.WaitStatus
		got, err := unix.Wait4(-1, &st, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return -1
		case got != pid:
		case st.Signaled():
			return 128 + int(st.Signal())
		case st.Exited():
			return st.ExitStatus()
		}
	}
}

// setLimits sets what the kernel bounds for each process. Memory is counted as data, not
// as address space: a Java or JavaScript engine reserves far more than it uses; the sum
// of all processes is watch's.
func setLimits(o *Order) error {
	cpu := uint64(o.CPU/time.Second) + 1
	space := max(8*uint64(o.Memory), 16<<30)
	limits := []struct {
		what       int
		soft, hard uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_DATA, uint64(o.Memory), uint64(o.Memory)},
		{unix.RLIMIT_AS, space, space},
		{unix.RLIMIT_FSIZE, uint64(o.FileSize), uint64(o.FileSize)},
		{unix.RLIMIT_CPU, cpu, cpu},
		{unix.RLIMIT_NOFILE, 1024, 4096},
		{unix.RLIMIT_MEMLOCK, 64 << 10, 64 << 10},
		{unix.RLIMIT_MSGQUEUE, 800 << 10, 800 << 10},
	}
	if o.Namespaces && o.CountsOwn {
		n := uint64(tasks(o))
		limits = append(limits, struct {
			what       int
			soft, hard uint64
		}{unix.RLIMIT_NPROC, n, n})
	}
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.what, &now); err != nil {
			return err
		}
		hard := min(l.hard, now.Max)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: min(l.soft, hard), Max: hard}); err != nil {
			return err
		}
	}
	return nil
}

// tasks is how many threads a job may have, with ours. The kernel counts no processes;
// watch does.
func tasks(o *Order) int { return 8*o.Processes + 24 }

// dropPrivileges leaves this thread, and what it starts, no capability and no way to one.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // none where there are none
	for c := uintptr(0); c <= 63; c++ {
		if unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) != nil {
			break // the last that the kernel knows; or not ours to drop, and then we have none to lose
		}
	}
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&h, &none[0])
}
