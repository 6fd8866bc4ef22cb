package daemon_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/testkit/sqlitetest"
)

// TestNew_SaysWhatIsWrongWithThePolicy holds that a start tells of a policy that cannot be read, and of no other.
func TestNew_SaysWhatIsWrongWithThePolicy(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{"": "", "version: 1\n": "", "nope: 1\n": "the policy cannot be read; agents use no tool until it can"} {
		dir := t.TempDir()
		sqlitetest.Write(t, filepath.Join(dir, "chela.db"))
		if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Listen = "127.0.0.1:0"
		var said bytes.Buffer
		d, err := daemon.New(t.Context(), cfg, slog.New(slog.NewTextHandler(&said, nil)), daemon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if lines := strings.Count(said.String(), "policy"); !strings.Contains(said.String(), says) || (says == "") != (lines == 0) {
			t.Errorf("%q: the start says %q, want %q", text, said.String(), says)
		}
	}
}
