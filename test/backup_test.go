package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
)

// commanded runs the binary to its end. died is true when a point killed it.
func commanded(env string, args ...string) (out string, died bool, err error) {
	cmd := exec.Command(binary, args...) //nolint:gosec // ours
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), env}
	raw, err := cmd.CombinedOutput()
	return string(raw), cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == -1, err
}

// TestBackup_IsKilledAtEveryPoint: wherever `chela backup` dies, no file has its name that is not whole. Wherever `chela restore` dies, no
// daemon and no command takes what is there for whole, and the next restore brings all back.
func TestBackup_IsKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	source := setup{data: t.TempDir()}
	d := source.running(t)
	var project struct{ ID string }
	d.must(t, "POST", "/api/projects", map[string]string{"name": "Payments"}, &project)
	d.must(t, "POST", "/api/projects/"+project.ID+"/tickets", map[string]string{"title": "One"}, nil)
	d.stop()

	folder := t.TempDir()
	file, deaths := "", 0
	for at := 1; file == ""; at++ {
		name := filepath.Join(folder, fmt.Sprint("backup", at))
		out, died, err := commanded(fmt.Sprintf("CHELA_DIE_AT=backup of an entry:%d", at), "backup", name, "--data", source.data)
		_, missing := os.Stat(name)
		switch {
		case died && missing == nil:
			t.Fatalf("it died at point %d, and %s is there", at, name)
		case died:
			deaths++
		case err != nil:
			t.Fatalf("%v %s", err, out)
		default:
			file = name
		}
	}
	if deaths < 6 {
		t.Errorf("it died %d times", deaths)
	}
	if out, _, err := commanded("", "backup", "verify", file); err != nil || !strings.Contains(out, "is whole") {
		t.Errorf("%v %s", err, out)
	}
	for _, db := range []string{"sqlite", "postgres"} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			restoreKilled(t, file, db == "postgres")
		})
	}
}

// restoreKilled has a restore die at each of its points, on one folder and database, before one that does not die.
func restoreKilled(t *testing.T, file string, postgres bool) {
	t.Helper()
	args := []string{"--data", filepath.Join(t.TempDir(), "new")}
	if postgres {
		args = append(args, "--postgres", pgtest.URL(t))
	}
	deaths := 0
	restore := func(point string) (died bool) {
		t.Helper()
		out, died, err := commanded("CHELA_DIE_AT="+point, append([]string{"restore", file}, args...)...)
		if !died && err != nil {
			t.Fatalf("to die at %s: %v %s", point, err, out)
		}
		if !died {
			return false
		}
		deaths++
		for _, c := range []string{"serve", "log verify", "log rebuild", "backup " + file + "2"} {
			if out, _, err := commanded("", append(strings.Fields(c), args...)...); err == nil || !strings.Contains(out, "Run `chela restore` again") {
				t.Fatalf("after it died at %s, %s says: %v %s", point, c, err, out)
			}
		}
		return true
	}
	for at := 1; at <= 5; at++ {
		if !restore(fmt.Sprint("restore of an entry:", at)) {
			t.Fatalf("it has fewer than %d entries", at)
		}
	}
	for _, point := range []string{"restore is about to end:1", "restore has its database:1"} {
		if !restore(point) {
			t.Fatalf("it does not pass %s", point)
		}
	}
	restore("nowhere:1") // and lives
	for _, c := range []string{"verify", "rebuild"} {
		if out, _, err := commanded("", append([]string{"log", c}, args...)...); err != nil {
			t.Fatalf("log %s: %v %s", c, err, out)
		}
	}
	if deaths != 7 {
		t.Errorf("it died %d times", deaths)
	}
}

// TestBackup_TheDaemonIsKilled: who takes a backup of a daemon that dies meanwhile has no file.
func TestBackup_TheDaemonIsKilled(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t, "CHELA_DIE_AT=backup of an entry:4")
	name := filepath.Join(t.TempDir(), "backup")
	out, _, err := commanded("", "backup", name, "--data", s.data)
	if err == nil || !strings.Contains(out, "went away") {
		t.Errorf("%v %s", err, out)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) > 0 {
		t.Errorf("%v lie there, %v", list, err)
	}
	select {
	case <-d.done:
	case <-time.After(time.Minute):
		t.Error("the daemon lives")
	}
	d = s.running(t)
	if out, _, err := commanded("", "backup", name, "--data", s.data); err != nil {
		t.Errorf("%v %s", err, out)
	}
	d.stop()
}
