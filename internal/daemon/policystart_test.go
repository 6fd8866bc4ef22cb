package daemon_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/guard"
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

// TestNew_RecordsWhichPolicyHolds holds that the log says which policy holds on a node also when its file changed, or went, while no daemon
// ran, and says it once however often it starts.
func TestNew_RecordsWhichPolicyHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sqlitetest.Write(t, filepath.Join(dir, "chela.db"))
	file := filepath.Join(dir, "policy.yaml")
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, step := range []struct {
		node, text string // no text is no file
		says       bool
	}{
		{"a", "", false},
		{"a", "version: 1\n", true},
		{"a", "version: 1\n", false},
		{"b", "", false},
		{"a", "nope: 1\n", true},
		{"a", "nope: 1\n", false},
		{"a", "", true},
		{"a", "", false},
		{"b", "version: 1\n", true},
	} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if step.text != "" {
			if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cfg.Node = step.node
		d, err := daemon.New(t.Context(), cfg, slog.New(slog.DiscardHandler), daemon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if sum := sha256.Sum256([]byte(step.text)); step.says {
			want = append(want, step.node+" "+hex.EncodeToString(sum[:]))
		}
		if got := policiesRead(t, cfg); !slices.Equal(got, want) {
			t.Fatalf("after a start of %s with %q the log says %q, want %q", step.node, step.text, got, want)
		}
	}
}

// policiesRead lists which node read which policy, as the log says.
func policiesRead(t *testing.T, cfg config.Config) (out []string) {
	t.Helper()
	db, err := daemon.OpenToRead(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // read only
	all, _, err := db.Log.Events(t.Context(), 0, event.Filter{Type: guard.ReadKind.Name})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		read, _, err := guard.ReadKind.Open(e.Event)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, read.Node+" "+read.Digest)
	}
	return out
}
