package git_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
	"chela/internal/tool/git"
)

// A repository is a real one, used through the tools in the sandbox.
type repository struct {
	t   *testing.T
	dir string
	f   disk.Folders
	set *tool.Set
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t: t, dir: filepath.Join(home, "repo")}
	r.f = disk.Folders{Work: filepath.Join(home, "work"), Start: r.dir, Grants: []disk.Grant{{Path: r.dir, Write: true}}}
	if err := os.MkdirAll(r.f.Work, 0o700); err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(t.Context(), sandbox.Options{Hide: disk.Secret, Path: sandbox.Languages()})
	r.set = tool.NewSet(git.Tools(s)...)
	r.write("a.txt", "one\n")
	r.write("sub/b.txt", "two\n")
	r.plain("init", "-q", "-b", "main")
	r.plain("add", ".")
	r.plain("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "first")
	return r
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// plain calls git without a sandbox.
func (r *repository) plain(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...) //nolint:gosec // a test
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r *repository) call(name, args string) (git.Output, error) {
	r.t.Helper()
	t, ok := r.set.Find(name)
	if !ok {
		r.t.Fatalf("no tool %s", name)
	}
	res, err := t.Call(r.t.Context(), tool.Call{Args: json.RawMessage(args), Folders: r.f, Agent: "agent:coder"})
	var out git.Output
	if err == nil {
		err = json.Unmarshal([]byte(res.Text), &out)
	}
	return out, err
}

func TestGit(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("a.txt", "one and a half\n")
	r.write("new.txt", "new\n")
	r.write(".env", "TOKEN=hunter2\n")
	for _, c := range []struct{ tool, args, want string }{
		{"git_status", `{}`, "?? new.txt"},
		{"git_status", `{"working_dir":"sub"}`, "## main"},
		{"git_diff", `{}`, "+one and a half"},
		{"git_diff", `{"stat":true}`, "1 file changed"},
		{"git_diff", `{"path":"sub"}`, ""},
		{"git_blame", `{"file":"sub/b.txt"}`, "Ann"},
		{"git_commit", `{"message":"fix: \"two\" things\n\nand a body"}`, "2 files changed"},
		{"git_log", `{"count":1}`, `coder: fix: "two" things`},
		{"git_branch", `{"action":"create","name":"topic/x"}`, "create: topic/x"},
		{"git_branch", `{"action":"switch","name":"topic/x"}`, "topic/x"},
		{"git_branch", `{"action":"list"}`, "* topic/x"},
		{"git_branch", `{"action":"switch","name":"main"}`, "main"},
		{"git_branch", `{"action":"delete","name":"topic/x"}`, "Deleted branch topic/x"},
	} {
		out, err := r.call(c.tool, c.args)
		if err != nil || !strings.Contains(out.Output, c.want) {
			t.Errorf("%s %s: %+v %v, want %s", c.tool, c.args, out, err, c.want)
		}
	}
	r.write("a.txt", "put aside\n")
	for _, c := range []struct{ args, want, file string }{
		{`{"action":"save","message":"later"}`, "later", "one and a half\n"},
		{`{"action":"list"}`, "later", "one and a half\n"},
		{`{"action":"pop"}`, "Dropped", "put aside\n"},
	} {
		out, err := r.call("git_stash", c.args)
		raw, _ := os.ReadFile(filepath.Join(r.dir, "a.txt")) // a missing one is no match
		if err != nil || !strings.Contains(out.Output, c.want) || string(raw) != c.file {
			t.Errorf("git_stash %s: %+v %v, and the file is %q", c.args, out, err, raw)
		}
	}
	if got := r.plain("log", "--all", "--name-only", "--format="); strings.Contains(got, ".env") {
		t.Errorf("a file with secrets was committed:\n%s", got)
	}
}

// TestGit_SecretsStayOut: what a person committed or staged of secrets is not shown, and not
// committed.
func TestGit_SecretsStayOut(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.write("sub/.env", "TOKEN=old\n")
	r.plain("add", ".")
	r.plain("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "oops")
	r.write("sub/.env", "TOKEN=hunter2\n")
	r.write("a.txt", "changed\n")
	out, err := r.call("git_diff", `{}`)
	if err != nil || strings.Contains(out.Output, "TOKEN") || !strings.Contains(out.Output, "+changed") || !strings.Contains(out.Note, "sub/.env") {
		t.Errorf("%+v %v", out, err)
	}
	if out, err := r.call("git_blame", `{"file":"sub/.env"}`); strings.Contains(out.Output, "TOKEN=hunter2") {
		t.Errorf("%+v %v", out, err)
	}
	if out, err := r.call("git_commit", `{"message":"mine"}`); err != nil || !strings.Contains(out.Note, "sub/.env") {
		t.Errorf("%+v %v", out, err)
	}
	if got := r.plain("show", "--stat", "--format=", "HEAD"); strings.Contains(got, ".env") || !strings.Contains(got, "a.txt") {
		t.Errorf("the commit has\n%s", got)
	}
	r.plain("add", "sub/.env")
	r.write("a.txt", "again\n")
	if _, err := r.call("git_commit", `{"message":"mine"}`); fault.KindOf(err) != fault.Denied || err == nil {
		t.Errorf("a staged secret: %v", err)
	}
}

// TestGit_TheRepositorysOwnProgramsDoNotRun: hooks, diff drivers, fsmonitor and pagers that a
// repository names would each leave a file; plain git leaves them.
func TestGit_TheRepositorysOwnProgramsDoNotRun(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	owned := filepath.Join(r.dir, "owned")
	run := "touch " + owned + "; cat"
	r.write(".gitattributes", "*.txt diff=evil filter=evil\n")
	for key, value := range map[string]string{
		"core.fsmonitor": run, "core.pager": run, "diff.external": run, "diff.evil.textconv": run, "diff.evil.command": run, "core.editor": run, "core.hooksPath": filepath.Join(r.dir, "hooks"),
	} {
		r.plain("config", key, value)
	}
	r.write("hooks/pre-commit", "#!/bin/sh\n"+run+"\n")
	if err := os.Chmod(filepath.Join(r.dir, "hooks/pre-commit"), 0o755); err != nil { //nolint:gosec // a hook
		t.Fatal(err)
	}
	r.write("a.txt", "changed\n")
	for _, c := range [][2]string{{"git_status", `{}`}, {"git_diff", `{}`}, {"git_log", `{}`}, {"git_blame", `{"file":"a.txt"}`}, {"git_commit", `{"message":"x"}`}, {"git_branch", `{"action":"list"}`}} {
		if _, err := r.call(c[0], c[1]); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
		if _, err := os.Stat(owned); err == nil {
			t.Fatalf("%s ran a program of the repository", c[0])
		}
	}
	r.write("a.txt", "once more\n")
	r.plain("status") // the negative twin
	if _, err := os.Stat(owned); err != nil {
		t.Error("the test's own trap does not work")
	}
}

func TestGit_Refuses(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for _, c := range []struct {
		tool, args string
		kind       fault.Kind
	}{
		{"git_branch", `{"action":"create","name":"--upload-pack=x"}`, fault.Invalid},
		{"git_branch", `{"action":"create","name":"a..b"}`, fault.Invalid},
		{"git_branch", `{"action":"switch"}`, fault.Invalid},
		{"git_branch", `{"action":"push","name":"x"}`, fault.Invalid},
		{"git_commit", `{"message":"x"}`, fault.Conflict},
		{"git_commit", `{"message":" "}`, fault.Invalid},
		{"git_log", `{"count":9999}`, fault.Invalid},
		{"git_stash", `{"action":"pop","index":-1}`, fault.Invalid},
		{"git_stash", `{"action":"save"}`, fault.Conflict},
		{"git_status", `{"working_dir":"` + r.f.Work + `"}`, fault.NotFound},
	} {
		if out, err := r.call(c.tool, c.args); err == nil || fault.KindOf(err) != c.kind {
			t.Errorf("%s %s: %+v %v", c.tool, c.args, out, err)
		}
	}
}
