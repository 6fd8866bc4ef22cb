package test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts plays sessions of the command line: each file of testdata/cli, with a daemon and a data
// folder of its own and a model that answers "Done.". `chela` is the binary; `exits 2 chela …` wants
// that code; `lines FILE N` wants a file of N lines.
func TestScripts(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/cli/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("scripts: %v, %v", all, err)
	}
	for _, file := range all {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(request) any { return text("Done.") })
			s := setup{data: t.TempDir(), env: w.env()}
			var d *daemon
			testscript.Run(t, testscript.Params{
				Files: []string{file}, RequireUniqueNames: true,
				Setup: func(e *testscript.Env) error {
					e.Vars = append(e.Vars, append([]string{"CHELA_DATA=" + s.data, "HOME=" + s.data}, s.env...)...)
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"chela": func(ts *testscript.TestScript, neg bool, args []string) {
						if err := ts.Exec(binary, args...); (err == nil) == neg {
							ts.Fatalf("chela %v: %v", args, err)
						}
					},
					"exits": exits,
					"serve": func(ts *testscript.TestScript, _ bool, _ []string) {
						d = s.running(t)
						newProject(t, d)
					},
				},
			})
			if d != nil {
				d.stop()
				s.verified(t)
			}
		})
	}
}

// exits runs a command of the binary and wants a code: exits CODE chela ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "chela" {
		ts.Fatalf("usage: exits CODE chela ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(binary, args[2:]...); err != nil {
		e, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("chela %v: exit code %d, want %d\n%s%s", args[2:], got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}
