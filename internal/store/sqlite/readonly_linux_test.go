package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"chela/internal/store/sqlite"
)

// TestOpenToRead_ACopyThatMayOnlyBeRead: a database is checked where nothing may be written, with
// what only its write-ahead log has, and nothing is left behind.
func TestOpenToRead_ACopyThatMayOnlyBeRead(t *testing.T) { //nolint:paralleltest // it sets the folder for temporary files
	t.Setenv("TMPDIR", t.TempDir())
	folder := t.TempDir()
	path := filepath.Join(folder, "chela.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Log.Append(t.Context(), noted()); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, end := range []string{"", "-wal"} { // while it is open, so that the log holds the event
		raw, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, "chela.db"+end), raw, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(copied, 0o500); err != nil { //nolint:gosec // that it may only be read is the point
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // root may write all the same, but not here
		if err := unix.Mount(copied, copied, "", unix.MS_BIND, ""); err != nil {
			t.Skipf("root may write everywhere, and no folder can be mounted to be read only: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(copied, unix.MNT_DETACH) }) // gone with the test
		if err := unix.Mount("", copied, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	}
	read, err := sqlite.OpenToRead(t.Context(), filepath.Join(copied, "chela.db"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := read.Audit.Verify(t.Context())
	if err != nil || !r.OK() || r.Events != 1 {
		t.Errorf("got %+v %v, want one event that verifies", r, err)
	}
	if err := read.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if left, err := os.ReadDir(copied); err != nil || len(left) != 2 {
		t.Errorf("in the folder: %v %v, want the two files", left, err)
	}
}
