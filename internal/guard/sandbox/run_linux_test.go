package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// behind returns a sandbox of this backend.
func behind(t *testing.T, b sandbox.Backend) *sandbox.Sandbox {
	t.Helper()
	if b == sandbox.Bubblewrap {
		if _, err := exec.LookPath("bwrap"); err != nil {
			t.Fatal("these tests need bwrap: install it (Debian: apt-get install bubblewrap)")
		}
	}
	s := sandbox.New(context.Background(), sandbox.Options{Backend: b, LandlockSuffices: true, Unconfined: true, Hide: secret})
	if r := s.Report(); r.Backend != b {
		t.Fatalf("%s does not hold here: %+v", b, r)
	}
	return s
}

// inEach runs a test in each backend that gives a program a root of its own.
func inEach(t *testing.T, test func(t *testing.T, s *sandbox.Sandbox)) {
	t.Helper()
	for _, b := range []sandbox.Backend{sandbox.Namespaces, sandbox.Bubblewrap} {
		t.Run(string(b), func(t *testing.T) { test(t, behind(t, b)) })
	}
}

func run(t *testing.T, s *sandbox.Sandbox, j tool.Job) tool.Exit {
	t.Helper()
	exit, err := s.Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

// TestRun_May is what a program may do in the sandbox, for those that keep everything out
// are of no use.
func TestRun_May(t *testing.T) {
	t.Parallel()
	inEach(t, may)
}

func may(t *testing.T, s *sandbox.Sandbox) {
	sc := newScene(t)
	withSecrets(t, sc)
	withRepository(t, sc)
	write(t, sc.outside+"/sub/file", "inner")
	j := tool.Job{Dir: sc.work, Folders: []disk.Grant{{Path: sc.work, Write: true}}}
	for _, c := range []struct{ name, command, want string }{
		{"read the system", "head -c 4 /etc/passwd", "root"},
		{"write", "echo x > new && cat new", "x\n"},
		{"rename", "mkdir d && mv new d && ls d", "new\n"},
		{"write beside hooks", "echo y > .git/index && cat .git/index", "y\n"},
		{"read hooks", "cat .git/hooks/sample", "as it was"},
		{"scratch", `echo z > $HOME/f && echo z > $TMPDIR/f && cat $HOME/f; test -w /tmp && test -w /dev/shm && echo ok`, "z\nok\n"},
		{"devices", "echo x > /dev/null && head -c 2 /dev/zero | wc -c && test -c /dev/urandom && ls /dev/sda /dev/mem 2>/dev/null | wc -l", "2\n0\n"},
		{"its own processes", "ls -d /proc/[0-9]* | wc -l | tr -d ' ' > n; test $(cat n) -lt 10 && echo few", "few\n"},
		{"its own loopback", "test $(wc -l < /proc/net/dev) -eq 3 && echo lo", "lo\n"},
		{"no capabilities", "grep -c -E '^Cap(Prm|Eff|Bnd|Amb|Inh):.0000000000000000$' /proc/self/status; grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status", "5\nNoNewPrivs:\t1\nSeccomp:\t2\n"},
		{"not as root", "test $(id -u) -ne 0 && echo so", "so\n"},
		{"many processes, one after the other", "for i in $(seq 600); do /bin/true || exit; done; echo all", "all\n"},
		{"signals of its own", "sleep 50 & kill $!; wait $!; echo $?", "143\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j.Argv = []string{"sh", "-c", c.command}
			if got := run(t, s, j); got.Stdout != c.want || got.Code != 0 {
				t.Errorf("%+v; want %q", got, c.want)
			}
		})
	}
	t.Run("read what is granted to be read", func(t *testing.T) {
		j := tool.Job{Argv: []string{"sh", "-c", "cat file sub/file; echo no > file; touch sub/new"}, Dir: sc.outside, Folders: []disk.Grant{{Path: sc.outside}, {Path: sc.outside + "/sub", Write: true}}}
		got := run(t, s, j)
		if _, err := os.Stat(sc.outside + "/sub/new"); err != nil || got.Stdout != loot+"inner" || !strings.Contains(got.Stderr, "Read-only") {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("read secrets that are granted", func(t *testing.T) {
		j := tool.Job{Argv: []string{"cat", ".env", "sub/id_rsa"}, Dir: sc.work, Folders: []disk.Grant{{Path: sc.work, Secrets: true}}}
		if got := run(t, s, j); got.Stdout != "KEY="+loot+loot {
			t.Errorf("%+v", got)
		}
	})
}

// TestRun_RaceOfFolders: while somebody moves the folder of a secret to and fro, it is hidden
// or nothing runs.
func TestRun_RaceOfFolders(t *testing.T) {
	t.Parallel()
	inEach(t, raceOfFolders)
}

func raceOfFolders(t *testing.T, s *sandbox.Sandbox) {
	sc := newScene(t)
	write(t, sc.work+"/a/id_rsa", loot)
	for i := range 50 {
		write(t, sc.work+"/"+strconv.Itoa(i)+"/file", "")
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			from, to := "/a", "/z"
			if i%2 == 1 {
				from, to = to, from
			}
			err := os.Rename(sc.work+from, sc.work+to)
			if errors.Is(err, fs.ErrExist) {
				i-- // bwrap has just covered something there
				continue
			}
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	ran := 0
	for range 40 {
		got, err := s.Run(context.Background(), tool.Job{Argv: []string{"sh", "-c", "cat a/id_rsa z/id_rsa; cat a/id_rsa z/id_rsa; echo ran"}, Dir: sc.work, Folders: []disk.Grant{{Path: sc.work, Write: true}}})
		if f, ok := errors.AsType[*fault.Error](err); err != nil && (!ok || f.Kind != fault.Unavailable) {
			t.Fatal(err)
		}
		if strings.Contains(got.Stdout, loot) {
			t.Fatalf("it was read: %+v", got)
		}
		ran += strings.Count(got.Stdout, "ran")
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d ran", ran)
}

// TestRun_PrivateSystemFolder: a granted folder may lie in one of the system's that others may
// not read; what lies beside it stays hidden.
func TestRun_PrivateSystemFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // who cannot make such a folder has none
	}
	home, err := os.MkdirTemp("/opt", "chela-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	write(t, home+"/granted/file", "granted")
	write(t, home+"/private", loot)
	for _, b := range []sandbox.Backend{sandbox.Namespaces, sandbox.Bubblewrap, sandbox.Landlock} {
		s := behind(t, b)
		got := run(t, s, tool.Job{Argv: []string{"sh", "-c", "cat file; cat ../private"}, Dir: home + "/granted", Folders: []disk.Grant{{Path: home + "/granted"}}})
		if got.Stdout != "granted" || got.Code != 1 {
			t.Errorf("%s: %+v", b, got)
		}
	}
}

// TestRun_NetworkGranted: the host's network is there, but not its processes' abstract sockets
// where the kernel can tell them apart.
func TestRun_NetworkGranted(t *testing.T) {
	t.Parallel()
	inEach(t, networkGranted)
}

func networkGranted(t *testing.T, s *sandbox.Sandbox) {
	for _, a := range attacks {
		if a.name != "TCP" && a.name != "UDP" && a.name != "DNS" {
			continue
		}
		j := a.job(t)
		j.Network = true
		if got := run(t, s, j); got.Code != 0 {
			t.Errorf("%s: %+v", a.name, got)
		}
	}
}

func TestRun_Environment(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("CHELA_SECRET", loot)
	inEach(t, environment)
}

func environment(t *testing.T, s *sandbox.Sandbox) {
	got := run(t, s, tool.Job{Argv: []string{"env"}, Env: map[string]string{"GIVEN": "this", "LANG": "de_DE.UTF-8", "AT": tool.Scratch + "/x"}})
	lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
	slices.Sort(lines)
	want := []string{
		"AT=/tmp/x", "GIT_CONFIG_NOSYSTEM=1", "GIVEN=this", "HOME=/tmp", "LANG=de_DE.UTF-8",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR=/tmp",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q; want %q", lines, want)
	}
}

func TestRun_Input(t *testing.T) {
	t.Parallel()
	inEach(t, input)
}

func input(t *testing.T, s *sandbox.Sandbox) {
	in := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	if got := run(t, s, tool.Job{Argv: []string{"wc", "-c"}, Stdin: in}); strings.TrimSpace(got.Stdout) != "1048576" {
		t.Errorf("%+v", got)
	}
	if got := run(t, s, tool.Job{Argv: []string{"true"}, Stdin: in}); got.Code != 0 {
		t.Errorf("a program that does not read: %+v", got)
	}
	got := run(t, s, tool.Job{Argv: []string{"cat", tool.Scratch + "/a/b"}, Files: map[string][]byte{"a/b": []byte("put there")}})
	if got.Stdout != "put there" {
		t.Errorf("%+v", got)
	}
}

func TestRun_Output(t *testing.T) {
	t.Parallel()
	inEach(t, outputs)
}

func outputs(t *testing.T, s *sandbox.Sandbox) {
	var heard int
	got := run(t, s, tool.Job{
		Argv:   []string{"sh", "-c", "echo first; head -c 300000 /dev/zero | tr '\\0' 'x'; printf '\\377 last'; echo oh >&2"},
		Output: func(_ bool, text []byte) { heard += len(text) },
		Limits: tool.Limits{Output: 1000},
	})
	if !got.Cut || len(got.Stdout) > 1100 || !utf8.ValidString(got.Stdout) || !strings.HasPrefix(got.Stdout, "first\nxxx") ||
		!strings.HasSuffix(got.Stdout, "xxx\uFFFD last") || !strings.Contains(got.Stdout, " bytes left out ") || got.Stderr != "oh\n" {
		t.Errorf("%+v", got)
	}
	if heard != 300000+6+6+3 {
		t.Errorf("%d bytes were heard", heard)
	}
	// One that never ends is cut in the same way when its time is up.
	got = run(t, s, tool.Job{Argv: []string{"yes"}, Limits: tool.Limits{Time: 3 * time.Second}})
	if !got.Cut || !got.TimedOut || got.Code != -1 || len(got.Stdout) > 66<<10 {
		t.Errorf("%d %v %v %d", got.Code, got.Cut, got.TimedOut, len(got.Stdout))
	}
}

func TestRun_Ends(t *testing.T) {
	t.Parallel()
	inEach(t, ends)
}

func ends(t *testing.T, s *sandbox.Sandbox) {
	if got := run(t, s, tool.Job{Argv: []string{"sh", "-c", "kill -SEGV $$"}}); got.Code != 139 {
		t.Errorf("%+v", got)
	}
	_, err := s.Run(context.Background(), tool.Job{Argv: []string{"no-such-program"}})
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.NotFound || !errors.Is(err, tool.ErrNoProgram) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	began := time.Now()
	got, err := s.Run(ctx, tool.Job{Argv: []string{"sh", "-c", "echo here; sleep 100"}, Output: func(bool, []byte) { cancel() }})
	if !errors.Is(err, context.Canceled) || got.Stdout != "here\n" || time.Since(began) > 10*time.Second {
		t.Errorf("%+v, %v after %v", got, err, time.Since(began))
	}
}

// TestRun_Refusals are of jobs that no sandbox could hold.
func TestRun_Refusals(t *testing.T) {
	t.Parallel()
	s := behind(t, sandbox.Namespaces)
	sc := newScene(t)
	link := sc.work + "/link"
	if err := os.Symlink(sc.outside, link); err != nil {
		t.Fatal(err)
	}
	yes := []string{"true"}
	granted := []disk.Grant{{Path: sc.work, Write: true}}
	for _, c := range []struct {
		name string
		job  tool.Job
		kind fault.Kind
	}{
		{"nothing", tool.Job{}, fault.Invalid},
		{"all of the disk", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: "/"}}}, fault.Denied},
		{"all temporary files", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: "/tmp"}}}, fault.Denied},
		{"the machine", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: "/proc/1"}}}, fault.Denied},
		{"sockets of services", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: "/run"}}}, fault.Denied},
		{"a relative folder", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: "x"}}}, fault.Invalid},
		{"a folder that is not there", tool.Job{Argv: yes, Folders: []disk.Grant{{Path: sc.work + "/no"}}}, fault.NotFound},
		{"to start elsewhere", tool.Job{Argv: yes, Dir: sc.outside, Folders: granted}, fault.Denied},
		{"to start through a link", tool.Job{Argv: yes, Dir: link, Folders: granted}, fault.Denied},
		{"a file outside its scratch", tool.Job{Argv: yes, Files: map[string][]byte{"../x": nil}}, fault.Invalid},
		{"a bad variable", tool.Job{Argv: yes, Env: map[string]string{"A=B": ""}}, fault.Invalid},
	} {
		_, err := s.Run(context.Background(), c.job)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != c.kind {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRun_LandlockAlone: what it cannot hold, it refuses.
func TestRun_LandlockAlone(t *testing.T) {
	t.Parallel()
	s := behind(t, sandbox.Landlock)
	sc := newScene(t)
	withSecrets(t, sc)
	j := tool.Job{Argv: []string{"cat", ".env"}, Dir: sc.work, Folders: []disk.Grant{{Path: sc.work}}}
	_, err := s.Run(context.Background(), j)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Denied || !strings.Contains(f.Text, ".env") {
		t.Errorf("%v", err)
	}
	j.Folders[0].Secrets = true
	if got := run(t, s, j); got.Stdout != "KEY="+loot {
		t.Errorf("%+v", got)
	}
}

// TestRun_Probe tries machines that can do less: one without user namespaces is the inside of
// a sandbox.
func TestRun_Probe(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outer := behind(t, sandbox.Namespaces)
	for more, want := range map[string]string{
		"":         `"" Programs do not run: this machine has no user namespaces`,
		"landlock": `"landlock" ran`,
	} {
		got := run(t, outer, tool.Job{Argv: []string{self, "attack", "probe", "", "", more}, Folders: []disk.Grant{{Path: filepath.Dir(self)}}})
		if !strings.HasPrefix(got.Stdout, want) {
			t.Errorf("%q: %+v; want %s", more, got, want)
		}
	}
	for _, c := range []struct {
		opts sandbox.Options
		want string
	}{
		{sandbox.Options{Backend: sandbox.None}, "`sandbox.unconfined`"},
		{sandbox.Options{Backend: "hopes"}, "`sandbox.backend` names \"hopes\", which is none of namespaces bubblewrap landlock docker none."},
		{sandbox.Options{Backend: sandbox.None, Unconfined: true}, ""},
	} {
		r := sandbox.Probe(context.Background(), c.opts)
		if !strings.Contains(r.Refusal, c.want) || (c.want == "") != (r.Refusal == "") {
			t.Errorf("%+v: %+v", c.opts, r)
		}
	}
	s := sandbox.New(context.Background(), sandbox.Options{Backend: sandbox.None})
	_, err = s.Run(context.Background(), tool.Job{Argv: []string{"true"}})
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Denied {
		t.Errorf("%v", err)
	}
}

// TestRun_AsOrdinaryUser runs the tests again as nobody, where they run as root: the sandbox needs
// no rights.
func TestRun_AsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // this is one, and the tests run as it
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "chela-ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const nobody = 65534
	binary := dir + "/bin/sandbox.test"
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(dir+"/bin", 0o755), os.Mkdir(dir+"/tmp", 0o755), os.Chown(dir+"/tmp", nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	// Another process copies it: what this one has open for writing, a child of a parallel test holds for an instant, too.
	if out, err := exec.Command("install", "-m", "755", self, binary).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := exec.Command(binary, "-test.v", "-test.run", "^(TestLayer_Attacks|TestRun_May|TestRun_RaceOfFolders|TestLayer_NothingIsLeft|TestRun_NetworkGranted|TestRun_Probe|TestRun_LandlockAlone)$")
	c.Dir = dir
	c.Env = []string{"TMPDIR=" + dir + "/tmp", "PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/tmp"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	for _, b := range []string{"namespaces", "bubblewrap", "landlock"} {
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestLayer_Attacks/"+b+"/read_outside")) {
			t.Fatalf("%s: %v\n%s", b, err, out)
		}
	}
}

// TestRun_Languages: a language installed beside the system is found and shown, and nothing
// else of what lies beside it.
func TestRun_Languages(t *testing.T) { //nolint:paralleltest // it sets the environment
	home := t.TempDir()
	write(t, home+"/jdk/bin/java", "#!/bin/sh\ncat $(dirname $0)/../lib/words")
	write(t, home+"/jdk/lib/words", "from a library")
	write(t, home+"/bin/node", "#!/bin/sh")
	write(t, home+"/private", loot)
	for _, f := range []string{"/jdk/bin/java", "/bin/node"} {
		if err := os.Chmod(home+f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", home+"/jdk/bin:"+home+"/bin:/usr/bin:/nowhere")
	found := sandbox.Languages()
	if !slices.Equal(found, []string{home + "/jdk/bin"}) {
		t.Fatalf("%q", found)
	}
	s := sandbox.New(context.Background(), sandbox.Options{Path: found})
	if got := run(t, s, tool.Job{Argv: []string{"java"}}); got.Stdout != "from a library" {
		t.Errorf("%+v", got)
	}
	if got := run(t, s, tool.Job{Argv: []string{"cat", home + "/private"}}); got.Code != 1 {
		t.Errorf("%+v", got)
	}
}
