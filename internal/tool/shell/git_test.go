package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// TestGitInAShellRunsNothingOfTheRepository: any Git that a command starts
// has the settings of the Git tools. The twins leave them out, behind the same
// walls: there every trap springs.
func TestGitInAShellRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	s := walls(t)
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
