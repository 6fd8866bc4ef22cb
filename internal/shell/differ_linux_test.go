package shell_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/disk"
	"chela/internal/guard/sandbox"
	"chela/internal/shell"
	"chela/internal/tool"
)

// tried is a program for a shell: it runs each line in a shell of its own, in a folder with
// a few files and a repository, and prints the number of each, and again with a mark when
// another file is there after it.
const tried = `
W=$HOME/w
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@x
fixture() {
	rm -rf "$W" "$HOME/C"*; mkdir -p "$W/sub"; cd "$W"
	echo one > a; echo two > b; echo x > sub/x; echo 'package x' > a.go; tar cf a.tar a
	git init -q -b main; git add a; git commit -q -m first; echo three > a; git stash -q; echo four > a
}
files() { set -- * .[!.]* sub/* "$HOME"/C*; n=$#; }
fixture >/dev/null 2>&1
files; want=$n
try() {
	echo "$1"
	( __line=$2; shift 2; ulimit -t 5; eval "$__line"; wait ) </dev/null >/dev/null 2>&1
	files
	if [ "$n" != "$want" ]; then echo "$1!"; fixture >/dev/null 2>&1; fi
}
`

// ran runs lines in a sandbox, and returns those that did more than read. A line that does
// not end, such as one that follows a file, wrote nothing.
func ran(ctx context.Context, s *sandbox.Sandbox, shell string, lines []string) (bad []string, err error) {
	for len(lines) > 0 {
		var script strings.Builder
		script.WriteString(tried)
		for i, line := range lines {
			fmt.Fprintf(&script, "try %d '%s'\n", i, strings.ReplaceAll(line, "'", `'\''`))
		}
		exit, err := s.Run(ctx, tool.Job{
			Argv: []string{shell, tool.Scratch + "/lines"}, Files: map[string][]byte{"lines": []byte(script.String())}, Limits: tool.Limits{Time: 15 * time.Second},
		})
		if err != nil {
			return nil, err
		}
		said, last := strings.Fields(exit.Stdout), 0
		for _, n := range said {
			number, wrote := strings.CutSuffix(n, "!")
			if last, err = strconv.Atoi(number); err != nil || last >= len(lines) {
				return nil, fmt.Errorf("%s printed %q", shell, exit.Stdout)
			}
			if wrote {
				bad = append(bad, lines[last])
			}
		}
		switch {
		case exit.TimedOut && len(said) > 0:
			lines = lines[last+1:]
		case exit.Code != 0 || exit.Stderr != "" || last != len(lines)-1:
			return nil, fmt.Errorf("%s ended with %+v after %q", shell, exit, lines[last])
		default:
			return bad, nil
		}
	}
	return bad, nil
}

func number(t *testing.T, variable string, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is %q, want a number", variable, text)
	}
	return n
}

// TestShell_ReadsAsTheShellDoes writes lines at random in which an effect is hidden, and runs
// with real shells those that the guard calls read-only: none may have the effect.
// CHELA_SHELL_LINES is how many lines are written, CHELA_SHELL_SEED repeats a run.
func TestShell_ReadsAsTheShellDoes(t *testing.T) {
	t.Parallel()
	s := sandbox.New(t.Context(), sandbox.Options{Path: sandbox.Languages()})
	if r := s.Report(); r.Refusal != "" {
		t.Fatal(r.Refusal)
	}
	count, seed := int(number(t, "CHELA_SHELL_LINES", 6000)), number(t, "CHELA_SHELL_SEED", uint64(time.Now().UnixNano()))
	t.Logf("CHELA_SHELL_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // lines, not secrets
	var shells []string
	for _, name := range []string{"bash", "dash"} {
		if _, err := exec.LookPath(name); err == nil {
			shells = append(shells, name)
		}
	}
	if len(shells) == 0 {
		t.Fatal("there is neither bash nor dash")
	}
	everyday := slices.DeleteFunc(table(t, "everyday.txt")["read-only"], func(line string) bool {
		return slices.Contains([]string{"npm", "node", "java", "docker", "man", "systemctl", "tail", "less", "go"}, strings.Fields(line)[0]) // slow, or without an end
	})
	read, lines := 0, []string(nil)
	try := func() {
		for _, shell := range shells {
			bad, err := ran(t.Context(), s, shell, lines)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, line := range bad {
				t.Errorf("seed %d: %q is read-only for the guard, and %s wrote a file", seed, line, shell)
			}
		}
		lines = nil
	}
	sh := shell.Reader{Folders: disk.Folders{Work: "/srv/app"}}
	for i := range count {
		line := liner{random, "C" + strconv.Itoa(i), everyday}.line()
		reading := sh.Read(line)
		if slices.Contains(reading.Unclear, shell.Unreadable) {
			t.Errorf("seed %d: the reading of %q fails", seed, line)
		}
		if reading.Class == shell.ReadOnly && !strings.Contains(line, "\x00") {
			lines = append(lines, line)
			read++
		}
		if len(lines) == 500 || i == count-1 && len(lines) > 0 {
			try()
		}
	}
	if read < count/30 {
		t.Errorf("only %d of %d lines are read-only: the test shows too little", read, count)
	}
	t.Logf("%d of %d lines are read-only", read, count)
}
