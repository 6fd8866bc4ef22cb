package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
	"chela/internal/tool/shell"
)

// call runs one of the tools in a folder, in the real sandbox.
func call(t *testing.T, r tool.Runner, name, dir string, args any) (tool.Exit, error) {
	t.Helper()
	set := tool.NewSet(shell.Tools(r)...)
	found, ok := set.Find(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := found.Call(context.Background(), tool.Call{Name: name, Args: raw, Folders: disk.Folders{Work: dir}})
	if err != nil {
		return tool.Exit{}, err
	}
	var exit tool.Exit
	if err := json.Unmarshal([]byte(res.Text), &exit); err != nil {
		t.Fatal(err)
	}
	return exit, nil
}

func inSandbox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s := sandbox.New(context.Background(), sandbox.Options{})
	if r := s.Report(); r.Refusal != "" {
		t.Fatal(r.Refusal)
	}
	return s
}

func TestShell_Command(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := inSandbox(t)
	for _, c := range []struct {
		name string
		in   shell.Command
		want tool.Exit
	}{
		{"says", shell.Command{Command: "echo hello; echo oh >&2; exit 3"}, tool.Exit{Code: 3, Stdout: "hello\n", Stderr: "oh\n"}},
		{"in its folder", shell.Command{Command: "pwd"}, tool.Exit{Stdout: dir + "\n"}},
		{"in another", shell.Command{Command: "pwd", Dir: "sub"}, tool.Exit{Stdout: dir + "/sub\n"}},
		{"pipes", shell.Command{Command: "printf 'b\\na\\n' | sort | head -1"}, tool.Exit{Stdout: "a\n"}},
		{"too long", shell.Command{Command: "sleep 100", Timeout: 1}, tool.Exit{Code: -1, TimedOut: true}},
		{"not there", shell.Command{Command: "no-such-program"}, tool.Exit{Code: 127}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := call(t, s, "shell_exec", dir, c.in)
			if c.want.Code == 127 {
				got.Stderr = ""
			}
			if err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	if _, err := call(t, s, "shell_exec", dir, shell.Command{Command: "pwd", Dir: "/etc"}); !denied(err) {
		t.Errorf("it ran in /etc: %v", err)
	}
	if _, err := call(t, s, "shell_exec", dir, shell.Command{Command: "pwd", Timeout: 601}); err == nil {
		t.Error("it may run for more than ten minutes")
	}
}

func denied(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.Denied
}

// installed reports whether the sandbox has a program; where it has not, the tool says so.
func installed(names ...string) bool {
	for _, n := range names {
		for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
			if _, err := exec.LookPath(filepath.Join(dir, n)); err == nil {
				return true
			}
		}
	}
	return false
}

func TestShell_Python(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ours.py"), []byte("answer = 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := call(t, inSandbox(t), "python_exec", dir, shell.Python{Code: "import ours, os\nprint(ours.answer, os.getcwd())\nraise SystemExit(4)"})
	if !installed("python3", "python") {
		if err == nil || !strings.Contains(fault.TextOf(err), "Python is not installed") {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
	if want := (tool.Exit{Code: 4, Stdout: "42 " + dir + "\n"}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the project holds %v, %v", left, err)
	}
}

func TestShell_Java(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got, err := call(t, inSandbox(t), "jbang_exec", dir, shell.Java{Code: `// class Wrong {}
public class Sum {
	public static void main(String[] args) { Pair p = new Pair(40, 2); System.out.println(p.a() + p.b()); System.exit(5); }
}
record Pair(int a, int b) {}`})
	if !installed("jbang", "java") {
		if err == nil || !strings.Contains(fault.TextOf(err), "Java is not installed") {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
	if err != nil || got.Code != 5 || installed("java") && !installed("jbang") && got.Stdout == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// nothing is a machine without programs.
type nothing struct{ asked []string }

func (n *nothing) Run(_ context.Context, j tool.Job) (tool.Exit, error) {
	n.asked = append(n.asked, j.Argv[0])
	return tool.Exit{}, fault.Wrap(tool.ErrNoProgram, fault.NotFound, "There is no %s.", j.Argv[0])
}

func TestShell_NothingInstalled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args any
		want string
	}{
		"shell_exec":  {shell.Command{Command: "true"}, "bash sh: There is no shell where programs run."},
		"python_exec": {shell.Python{Code: "1"}, "python3 python: Python is not installed where programs run"},
		"jbang_exec":  {shell.Java{Code: "class A {}"}, "jbang java: Java is not installed where programs run"},
	} {
		n := &nothing{}
		_, err := call(t, n, name, t.TempDir(), c.args)
		if got := strings.Join(n.asked, " ") + ": " + fault.TextOf(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

func TestShell_Acts(t *testing.T) {
	t.Parallel()
	f := disk.Folders{Work: "/srv"}
	for _, c := range []struct {
		in   tool.Actor
		want tool.Act
	}{
		{shell.Command{Command: "ls", Dir: "a/../b"}, tool.Act{Risk: tool.ExecShell, Dir: "/srv/b", Command: "ls"}},
		{shell.Python{Code: "1"}, tool.Act{Risk: tool.ExecShell, Dir: "/srv", Code: "1"}},
		{shell.Java{Code: "class A {}"}, tool.Act{Risk: tool.ExecShell, Dir: "/srv", Code: "class A {}"}},
	} {
		if got := c.in.Act(f); got.Risk != c.want.Risk || got.Dir != c.want.Dir || got.Command != c.want.Command || got.Code != c.want.Code {
			t.Errorf("%+v; want %+v", got, c.want)
		}
	}
}

// TestShell_Secrets: a program has the secrets that its call was given, and no other way to any.
func TestShell_Secrets(t *testing.T) { //nolint:paralleltest // it sets the environment
	dir, s := t.TempDir(), inSandbox(t)
	t.Setenv("OUR_OWN_SECRET", "of the daemon")
	set := tool.NewSet(shell.Tools(s)...)
	found, _ := set.Find("shell_exec")
	for want, secrets := range map[string]map[string]tool.Secret{
		"[told][]": {"DEPLOY_TOKEN": "told"},
		"[][]":     nil,
	} {
		res, err := found.Call(t.Context(), tool.Call{
			Name: "shell_exec", Args: json.RawMessage(`{"command":"printf '[%s][%s]' \"$DEPLOY_TOKEN\" \"$OUR_OWN_SECRET\"","secrets":["DEPLOY_TOKEN"]}`),
			Folders: disk.Folders{Work: dir}, Secrets: secrets,
		})
		if err != nil || !strings.Contains(res.Text, `"stdout":"`+want+`"`) {
			t.Errorf("%s %v, want %s", res.Text, err, want)
		}
	}
}
