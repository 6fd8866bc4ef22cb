package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkspace_ReadsTheGuidesOfFolders: an AGENTS.md that leads out of its folder, or is a folder, is not read.
func TestWorkspace_ReadsTheGuidesOfFolders(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	var folders []string
	for _, name := range []string{"good", "out", "folder", "none"} {
		folders = append(folders, filepath.Join(at, name))
		if err := os.Mkdir(folders[len(folders)-1], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(at, "secret"), []byte("A secret."), 0o600), os.WriteFile(filepath.Join(folders[0], "AGENTS.md"), []byte("Run the tests."), 0o600),
		os.Symlink("../secret", filepath.Join(folders[1], "AGENTS.md")), os.Mkdir(filepath.Join(folders[2], "AGENTS.md"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d := &Daemon{log: slog.New(slog.DiscardHandler)}
	d.cfg.Data = at
	got := d.workspace(t.Context(), "agent:coder", folders)
	if len(got) != 1 || !strings.Contains(got[0].Text, "Run the tests.") || !strings.Contains(got[0].Name, folders[0]) {
		t.Errorf("read %+v, want that of the first folder alone", got)
	}
}
