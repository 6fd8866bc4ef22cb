package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// The binary of the tests is also the attacker: run as `attack NAME WORK OUTSIDE MORE` it
// tries one thing and ends with 0 when it got in.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "attack" {
		try, ok := attempts[os.Args[2]]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such attack")
			os.Exit(99)
		}
		in := attempt{}
		for i, p := range []*string{&in.work, &in.outside, &in.more} {
			if len(os.Args) > 3+i {
				*p = os.Args[3+i]
			}
		}
		if err := try(in); err != nil {
			fmt.Println("kept out:", err)
			os.Exit(1)
		}
		fmt.Println("got in")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// An attempt is what an attacker is told: a folder it was given, one that it was not, and
// what the attack is about.
type attempt struct{ work, outside, more string }

const loot = "the loot"

func readsLoot(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(text, []byte(loot)) {
		err = errors.New("nothing in it")
	}
	return err
}

var attempts = map[string]func(a attempt) error{
	"read outside":  func(a attempt) error { return readsLoot(a.outside + "/file") },
	"list outside":  func(a attempt) error { _, err := os.ReadDir(a.outside); return err },
	"write outside": func(a attempt) error { return os.WriteFile(a.outside+"/new", nil, 0o600) },
	"overwrite outside": func(a attempt) error {
		f, err := os.OpenFile(a.outside+"/file", os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		return err
	},
	"read through a link": func(a attempt) error {
		if err := os.Symlink(a.outside+"/file", a.work+"/link"); err != nil {
			return err
		}
		return readsLoot(a.work + "/link")
	},
	"write through a link": func(a attempt) error {
		if err := os.Symlink(a.outside, a.work+"/link"); err != nil {
			return err
		}
		return os.WriteFile(a.work+"/link/new", nil, 0o600)
	},
	"hard link": func(a attempt) error {
		if err := os.Link(a.outside+"/file", a.work+"/hard"); err != nil {
			return err
		}
		return readsLoot(a.work + "/hard")
	},
	"rename out": func(a attempt) error {
		return errors.Join(os.WriteFile(a.work+"/x", nil, 0o600), os.Rename(a.work+"/x", a.outside+"/x"))
	},
	"rename in":     func(a attempt) error { return os.Rename(a.outside+"/file", a.work+"/file") },
	"race of links": raceOfLinks,
	"read a secret": func(a attempt) error { return readsLoot(a.work + "/.env") },
	"rename a secret": func(a attempt) error {
		return errors.Join(os.Rename(a.work+"/.env", a.work+"/plain"), readsLoot(a.work+"/plain"))
	},
	"link a secret": func(a attempt) error {
		return errors.Join(os.Link(a.work+"/.env", a.work+"/plain"), readsLoot(a.work+"/plain"))
	},
	"uncover a secret": func(a attempt) error { return errors.Join(os.Chmod(a.work+"/.env", 0o600), readsLoot(a.work+"/.env")) },
	"move a secret's home": func(a attempt) error {
		return errors.Join(os.Rename(a.work+"/sub", a.work+"/moved"), readsLoot(a.work+"/moved/id_rsa"))
	},
	"write a hook": func(a attempt) error {
		return os.WriteFile(a.work+"/.git/hooks/pre-commit", []byte("#!/bin/sh"), 0o755)
	},
	"change a hook's folder": func(a attempt) error {
		return errors.Join(os.RemoveAll(a.work+"/.git/hooks"), os.Symlink(a.work, a.work+"/.git/hooks"))
	},
	"change Git's settings": func(a attempt) error { return os.WriteFile(a.work+"/.git/config", []byte("[core]"), 0o600) },
	"replace Git's settings": func(a attempt) error {
		return errors.Join(os.WriteFile(a.work+"/mine", nil, 0o600), os.Rename(a.work+"/mine", a.work+"/.git/config"))
	},
	"replace the repository": func(a attempt) error {
		return errors.Join(os.Rename(a.work+"/.git", a.work+"/old"), os.MkdirAll(a.work+"/.git/hooks", 0o755))
	},
	"move the repository": func(a attempt) error { return os.WriteFile(a.work+"/tree/.git", []byte("gitdir: elsewhere"), 0o600) },

	"TCP":                       func(a attempt) error { return answers("tcp", a.more) },
	"UDP":                       func(a attempt) error { return answers("udp", a.more) },
	"Unix socket":               func(a attempt) error { return answers("unix", a.more) },
	"Unix socket in the folder": func(a attempt) error { return answers("unix", a.more) },
	"abstract socket":           func(a attempt) error { return answers("unix", a.more) },
	"DNS": func(a attempt) error {
		r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, a.more)
		}}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_, err := r.LookupHost(ctx, "loot.example.")
		return err
	},
	"netlink": func(attempt) error {
		fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	},

	"signal":  func(a attempt) error { return syscall.Kill(number(a.more), 0) },
	"ptrace":  trace,
	"environ": func(a attempt) error { return environ(a.more) },
	"descriptors": func(attempt) error {
		for fd := 3; fd < 100; fd++ {
			b := make([]byte, 100)
			if n, err := unix.Pread(fd, b, 0); err == nil && bytes.Contains(b[:n], []byte(loot)) {
				return nil
			}
		}
		return errors.New("none holds it")
	},
	"private system file": func(attempt) error { _, err := os.ReadFile("/etc/shadow"); return err },
	"kernel settings": func(attempt) error {
		f, err := os.OpenFile("/proc/sys/kernel/core_pattern", os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		return err
	},
	"mount": func(a attempt) error {
		if err := unix.Mount("tmpfs", a.work, "tmpfs", 0, ""); err != nil {
			return err
		}
		return unix.Unmount(a.work, unix.MNT_DETACH)
	},
	"user namespace": func(attempt) error {
		c := exec.Command("/bin/true")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
		return c.Run()
	},
	"type into a terminal": func(attempt) error {
		f, err := os.Open("/dev/null")
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSTI, 'x'); !errors.Is(err, unix.ENOTTY) {
			return err // the kernel's terminals would have said that this is none
		}
		return nil
	},
	"io_uring": func(attempt) error { return reaches(unix.SYS_IO_URING_SETUP) },
	"keyring":  func(attempt) error { return reaches(unix.SYS_KEYCTL) },
	"kcmp":     func(attempt) error { return reaches(unix.SYS_KCMP) },
	"clone3":   func(attempt) error { return reaches(unix.SYS_CLONE3) },

	"many processes": manyProcesses,
	"memory": func(attempt) error {
		b, err := unix.Mmap(-1, 0, 600<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		return touch(b, err)
	},
	"shared memory": func(attempt) error {
		b, err := unix.Mmap(-1, 0, 600<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
		return errors.Join(touch(b, err), stay())
	},
	"memory of many": func(a attempt) error {
		var asks []io.Writer
		var answers []io.Reader
		for range 8 {
			c := exec.Command(os.Args[0], "attack", "some memory")
			c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // without a sandbox nobody else ends them
			out, err := c.StdoutPipe()
			if err != nil {
				return err
			}
			in, err := c.StdinPipe()
			if err != nil {
				return err
			}
			if err := c.Start(); err != nil {
				return err
			}
			if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
				return err
			}
			asks, answers = append(asks, in), append(answers, out)
		}
		err := stay()
		for i := range asks { // do all live still, who have it at once?
			_, writeErr := asks[i].Write([]byte("?"))
			_, readErr := io.ReadFull(answers[i], make([]byte, 1))
			err = errors.Join(err, writeErr, readErr)
		}
		return err
	},
	"some memory": func(attempt) error {
		b, err := unix.Mmap(-1, 0, 100<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err := touch(b, err); err != nil {
			return err
		}
		fmt.Print("h")
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return err
		}
		fmt.Print("h")
		return untilKilled()
	},
	"large file": func(a attempt) error {
		f, err := os.Create(a.work + "/large")
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(64<<20), f.Close())
	},

	"background":         func(a attempt) error { return leave(a, false) },
	"background session": func(a attempt) error { return leave(a, true) },
	"background, waiting": func(a attempt) error {
		if err := leave(a, true); err != nil {
			return err
		}
		return untilKilled()
	},
	"hold": func(a attempt) error { // holds the pipe open until it is killed
		f, err := os.OpenFile(a.work+"/pipe", os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		fmt.Println(os.Getpid())
		if a.more == "again" { // once more, with the parent gone
			c := exec.Command(os.Args[0], "attack", "hold", a.work)
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			c.Stdout = os.Stdout
			return c.Start()
		}
		defer f.Close()
		return untilKilled()
	},
	"probe": func(a attempt) error {
		s := sandbox.New(context.Background(), sandbox.Options{LandlockSuffices: a.more == "landlock"})
		exit, err := s.Run(context.Background(), tool.Job{Argv: []string{"echo", "ran"}})
		fmt.Printf("%q %s%s\n", s.Report().Backend, exit.Stdout, s.Report().Refusal)
		return err
	},
	"be traced": func(attempt) error {
		if err := unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return err
		}
		fmt.Println("ready")
		return untilKilled()
	},
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

// stay gives a limit that is looked at now and then the time to be seen.
// untilKilled waits. Without cgo, waiting for nothing is a deadlock.
func untilKilled() error { <-time.After(time.Hour); return nil }

func stay() error { <-time.After(700 * time.Millisecond); return nil }

func touch(b []byte, err error) error {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return err
}

// reaches makes a system call without sense: nil when the kernel looked at it.
func reaches(call uintptr) error {
	_, _, errno := unix.Syscall6(call, 99, 0, 0, 0, 0, 0)
	if errno == unix.EPERM || errno == unix.ENOSYS {
		return errno
	}
	return nil
}

func raceOfLinks(a attempt) error {
	if err := errors.Join(os.Mkdir(a.work+"/a", 0o755), os.Symlink(a.outside, a.work+"/b")); err != nil {
		return err
	}
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
		if err := unix.Renameat2(unix.AT_FDCWD, a.work+"/a", unix.AT_FDCWD, a.work+"/b", unix.RENAME_EXCHANGE); err != nil {
			return err
		}
		if readsLoot(a.work+"/a/file") == nil {
			return nil
		}
	}
	return errors.New("never read")
}

func answers(network, addr string) error {
	c, err := net.DialTimeout(network, addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("who is there?")); err != nil {
		return err
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err == nil && string(b[:n]) != loot {
		err = errors.New("somebody else")
	}
	return err
}

func trace(a attempt) error {
	runtime.LockOSThread()
	if err := unix.PtraceAttach(number(a.more)); err != nil {
		return err
	}
	if _, err := unix.Wait4(number(a.more), nil, unix.WALL, nil); err != nil {
		return err
	}
	return unix.PtraceDetach(number(a.more))
}

func environ(word string) error {
	for _, e := range os.Environ() {
		if strings.Contains(e, word) {
			return nil
		}
	}
	files, err := filepath.Glob("/proc/*/environ")
	if err != nil {
		return err
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(word)) {
			return nil
		}
	}
	return errors.New("in no environment")
}

func manyProcesses(attempt) error {
	var all []*os.Process
	defer func() {
		for _, p := range all {
			_ = p.Kill()
		}
	}()
	for range 700 {
		c := exec.Command("/bin/sleep", "60")
		if err := c.Start(); err != nil {
			return err
		}
		all = append(all, c.Process)
	}
	return stay()
}

// leave starts a process that outlives this one, and keeps its output open.
func leave(a attempt, again bool) error {
	args := []string{"attack", "hold", a.work}
	if again {
		args = append(args, a.outside, "again")
	}
	c := exec.Command(os.Args[0], args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.Stdout = os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c.Stdout = w
	if err := c.Start(); err != nil {
		return err
	}
	pids := 1
	if again {
		pids = 2
	}
	var all []string
	for lines := bufio.NewScanner(r); len(all) < pids; {
		if !lines.Scan() {
			return io.ErrUnexpectedEOF
		}
		if number(lines.Text()) > 0 {
			all = append(all, lines.Text())
		}
	}
	fmt.Println("left", strings.Join(all, " "))
	return nil
}
