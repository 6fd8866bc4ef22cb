package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/guard/sandbox"
	"chela/internal/tool"
)

// TestRun_BubblewrapThatBuildsNothing holds that a job is tried again when bwrap did not find what was there a moment before,
// and that else its own words say why.
func TestRun_BubblewrapThatBuildsNothing(t *testing.T) { //nolint:paralleltest // it sets the environment
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	s := behind(t, sandbox.Bubblewrap)
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	once := filepath.Join(dir, "once")
	stand := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	for _, why := range []string{"Can't find source path /run/x: No such file or directory", "Can't remount readonly on /newroot/opt/x: Unable to find \\\"/newroot/opt/x\\\" in mount table"} {
		stand("if [ -e " + once + " ]; then exec " + bwrap + " \"$@\"; fi\n: > " + once + "\necho \"bwrap: " + why + "\" >&2; exit 1")
		if got := run(t, s, tool.Job{Argv: []string{"echo", "there"}}); got.Stdout != "there\n" || got.Stderr != "" || got.Code != 0 {
			t.Errorf("%s: got %+v, want what the program said and nothing else", why, got)
		}
		if err := os.Remove(once); err != nil {
			t.Fatal(err)
		}
	}
	stand("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
	if _, err := s.Run(t.Context(), tool.Job{Argv: []string{"echo", "there"}}); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.TextOf(err), "setting up uid map: Permission denied") {
		t.Errorf("got %v, want why bwrap built nothing", err)
	}
	stand("echo 'bwrap: No such file or directory' >&2; exit 1")
	if _, err := s.Run(t.Context(), tool.Job{Argv: []string{"echo", "there"}}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v, want that it is given up", err)
	}
}
