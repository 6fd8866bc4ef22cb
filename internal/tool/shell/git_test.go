package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/disk"
	reading "chela/internal/shell"
	"chela/internal/testkit/gittest"
	"chela/internal/tool"
	"chela/internal/tool/shell"
)

// traps are what a hostile repository names to be run, each leaving a file, and the commands
// that spring them.
var traps = map[string]struct{ settings, command string }{
	"a watcher":          {"core.fsmonitor=$TRAP", "git status"},
	"a hook":             {"", "git commit -q --allow-empty -m x"},
	"a folder of hooks":  {"core.hooksPath=$DIR/hooks", "git commit -q --allow-empty -m x"},
	"a diff":             {"diff.external=$TRAP", "git diff"},
	"an editor":          {"core.editor=$TRAP", "git commit -q --amend --allow-empty --no-verify"},
	"a list's editor":    {"sequence.editor=$TRAP", "git rebase -q -i HEAD~1"},
	"a signature":        {"commit.gpgSign=true\ngpg.program=$TRAP", "git commit -q --allow-empty --no-verify -m x"},
	"a signature's test": {"gpg.program=$TRAP", "git commit -q --allow-empty --no-verify -S -m x"},
	"a login":            {"credential.helper=!$TRAP", "printf 'protocol=https\\nhost=a.example\\n\\n' | git credential fill"},
	"a password":         {"core.askPass=$TRAP", "printf 'protocol=https\\nhost=a.example\\nusername=a\\n\\n' | git credential fill"},
	"a connection":       {"core.sshCommand=$TRAP", "git ls-remote ssh://a.example/x"},
	"a protocol":         {"protocol.ext.allow=always", "git ls-remote 'ext::$TRAP'"},
	"attributes":         {"core.attributesFile=$DIR/attributes\nfilter.evil.clean=$TRAP", "git add b.txt"},
}

// TestGit_InAShellRunsNothingOfTheRepository: any Git that a command starts
// has the settings of the Git tools. The twins leave them out, behind the same
// sandbox: there every trap springs.
func TestGit_InAShellRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	s := inSandbox(t)
	plain := func(dir string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...) //nolint:gosec // a test
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	file := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, trap := range traps {
		for how, unset := range map[string]string{"quiet": "", "as the repository wants": "env -u GIT_CONFIG_COUNT "} {
			t.Run(name+"/"+how, func(t *testing.T) {
				dir := t.TempDir()
				owned, script := dir+"/owned", dir+"/trap"
				file(script, "#!/bin/sh\ntouch "+owned+"\ncat \"$@\" 2>/dev/null </dev/null\nexit 0\n", 0o755)
				file(dir+"/a.txt", "one\n", 0o600)
				plain(dir, "init", "-q", "-b", "main")
				plain(dir, "add", "a.txt")
				plain(dir, "commit", "-q", "-m", "first")
				plain(dir, "commit", "-q", "--allow-empty", "-m", "second")
				file(dir+"/a.txt", "two\n", 0o600)
				file(dir+"/b.txt", "new\n", 0o600)
				file(dir+"/attributes", "*.txt filter=evil\n", 0o600)
				if name == "a list's editor" {
					plain(dir, "checkout", "-q", "a.txt")
				}
				if strings.Contains(name, "hook") {
					file(dir+"/hooks/pre-commit", "#!/bin/sh\n"+script+"\n", 0o755)
					file(dir+"/.git/hooks/pre-commit", "#!/bin/sh\n"+script+"\n", 0o755)
				}
				fill := strings.NewReplacer("$TRAP", script, "$DIR", dir).Replace
				for _, setting := range strings.Split(fill(trap.settings+"\nuser.name=Ann\nuser.email=ann@example.com"), "\n") {
					if key, value, ok := strings.Cut(setting, "="); ok {
						plain(dir, "config", key, value)
					}
				}
				got, err := call(t, s, "shell_exec", dir, shell.Command{Command: strings.Replace(fill(trap.command), "git ", unset+"git ", 1)})
				if err != nil {
					t.Fatal(err)
				}
				_, err = os.Stat(owned)
				if sprang := err == nil; sprang != strings.Contains(unset, "-u") {
					t.Errorf("the trap sprang: %v; %+v", sprang, got)
				}
			})
		}
	}
}

// TestShell_ReadingWithGitStartsNothingOfTheRepository: what the guard calls read-only runs no
// program that a repository names, in whatever folder of the line it is.
func TestShell_ReadingWithGitStartsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	s := inSandbox(t)
	for _, trap := range gittest.Traps() {
		t.Run(trap.Name, func(t *testing.T) {
			t.Parallel()
			home, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(home, "repo")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			owned := trap.Lay(t, dir)
			for i, line := range gittest.Reading() {
				at := home
				switch i % 4 {
				case 0:
					at = dir
				case 1:
					line = "cd repo && " + line
				case 2:
					line = strings.Replace(line, "git ", "git -C repo ", 1)
				case 3:
					line = "for d in repo; do (cd $d; " + line + "); done"
				}
				if r := (reading.Reader{Folders: disk.Folders{Work: home}, Dir: at}).Read(line); r.Class != reading.ReadOnly {
					t.Fatalf("%s is %s: %q", line, r.Class, r.Unclear)
				}
				got, err := callIn(t, s, home, at, line)
				if err != nil || got.Code != 0 && !trap.Closed {
					t.Errorf("%s: %+v %v", line, got, err)
				}
				if gittest.Sprung(owned) {
					t.Fatalf("%s in %s ran a program of the repository", line, at)
				}
			}
		})
	}
}

// TestShell_GitDiffShowsChanges: with the quiet settings it shows what has changed, also where
// the repository wants another program to show it.
func TestShell_GitDiffShowsChanges(t *testing.T) {
	t.Parallel()
	s := inSandbox(t)
	for _, trap := range gittest.Traps() {
		if trap.Closed {
			continue
		}
		t.Run(trap.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			trap.Lay(t, dir)
			for _, line := range []string{"git diff", "cd . && git diff HEAD -- a.txt | cat"} {
				got, err := callIn(t, s, dir, dir, line)
				if err != nil || got.Code != 0 || !strings.Contains(got.Stdout, "diff --git a/a.txt b/a.txt\n") || !strings.Contains(got.Stdout, "\n-two\n+three\n") || strings.Contains(got.Stdout, "/tmp") {
					t.Errorf("%s: %+v %v, want the change of a.txt", line, got, err)
				}
			}
		})
	}
}

// callIn runs a line in a folder of a granted one.
func callIn(t *testing.T, r tool.Runner, work, dir, line string) (tool.Exit, error) {
	t.Helper()
	return call(t, r, "shell_exec", work, shell.Command{Command: line, Dir: dir})
}
