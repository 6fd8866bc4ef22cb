package git_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"chela/internal/disk"
	"chela/internal/guard/sandbox"
	"chela/internal/testkit/gittest"
	"chela/internal/tool"
	"chela/internal/tool/git"
)

// TestGit_ReadingStartsNothingOfTheRepository: of all the ways in which a repository has a
// program run while it is read, the tools that read go none. A Git without care goes them.
func TestGit_ReadingStartsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	s := sandbox.New(t.Context(), sandbox.Options{Hide: disk.Secret, Path: sandbox.Languages()})
	for _, trap := range gittest.Traps() {
		t.Run(trap.Name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			owned := trap.Lay(t, dir)
			r := &repository{t: t, dir: dir, f: disk.Folders{Work: dir}, set: tool.NewSet(git.Tools(s)...)}
			for _, c := range [][2]string{{"git_status", `{}`}, {"git_diff", `{}`}, {"git_diff", `{"staged":true}`}, {"git_log", `{"path":"a.txt"}`}, {"git_blame", `{"file":"a.txt"}`}} {
				if _, err := r.call(c[0], c[1]); err != nil && !trap.Closed {
					t.Errorf("%s %s: %v", c[0], c[1], err)
				}
				if gittest.Sprung(owned) {
					t.Fatalf("%s %s ran a program of the repository", c[0], c[1])
				}
			}
			for _, line := range gittest.Reading() {
				if gittest.Sprung(owned) {
					break
				}
				c := exec.CommandContext(t.Context(), "timeout", "10", "sh", "-c", line) //nolint:gosec // a test
				c.Dir = dir
				_ = c.Run() // some fail once the trap has sprung
			}
			if gittest.Sprung(owned) == trap.Silent {
				t.Errorf("without care it is sprung: %v, want %v", gittest.Sprung(owned), !trap.Silent)
			}
		})
	}
}
