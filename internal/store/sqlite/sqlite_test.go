package sqlite_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/testkit/storetest"
)

func open(t *testing.T) (*store.DB, func() (*store.DB, error)) {
	path := sqlitetest.Path(t)
	again := func() (*store.DB, error) { return sqlite.Open(t.Context(), path) }
	db, err := again()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = db.Close() // a test may have closed it
		plan(t, db, path)
	})
	return db, again
}

func Test(t *testing.T) {
	t.Parallel()
	storetest.Test(t, open)
}

func TestSqlite_TwoProcessesMayOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chela.db")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			db, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestSqlite_MigrationsGoDownAndUpAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	raw, err := sqlite.OpenRaw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	if err := store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path); err != nil {
		t.Fatal(err)
	}
	if err := store.Revert(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), 0); err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := raw.ExecContext(t.Context(), "INSERT INTO schema_versions (version_id, is_applied) VALUES (999, 1)"); err != nil {
		t.Fatal(err)
	}
	err = store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.TextOf(err), "newer Chela") {
		t.Fatalf("a newer database: %v", err)
	}
	if _, err := raw.ExecContext(t.Context(), "UPDATE schema_versions SET version_id = 24 WHERE version_id > 0"); err != nil {
		t.Fatal(err)
	}
	err = store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.TextOf(err), "before its first release") {
		t.Fatalf("a database of an unreleased program: %v", err)
	}
}

// TestSqlite_AStepThatCameLaterIsNotLeftOut opens a database to which a step was not applied that has a lower number than
// the last that was.
func TestSqlite_AStepThatCameLaterIsNotLeftOut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chela.db")
	raw, err := sqlite.OpenRaw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }() // its file goes with the test
	if err := store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"DROP INDEX desk_records_recent", "DELETE FROM schema_versions WHERE version_id = 71"} {
		if _, err := raw.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Migrate(t.Context(), goose.DialectSQLite3, raw, sqlite.Migrations(), path); err != nil {
		t.Fatal(err)
	}
	var found int
	if err := raw.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_master WHERE name LIKE 'desk_records_%'").Scan(&found); err != nil || found != 6 {
		t.Errorf("%d indexes of records are there, %v, want 6", found, err)
	}
}

// TestSqlite_AcknowledgedIsDurable kills a writing process and looks for everything that it
// said was recorded.
func TestSqlite_AcknowledgedIsDurable(t *testing.T) {
	t.Parallel()
	if path := os.Getenv("CHELA_TEST_WRITE_TO"); path != "" {
		write(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "chela.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSqlite_AcknowledgedIsDurable$") //nolint:gosec // ourselves
	cmd.Env = append(os.Environ(), "CHELA_TEST_WRITE_TO="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "ack "); ok {
			if acknowledged = append(acknowledged, id); len(acknowledged) == 300 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	_ = cmd.Wait() // it was killed
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	there := make(map[string]bool)
	for e, err := range db.Log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		there[e.Message.ID] = true
	}
	for _, id := range acknowledged {
		if !there[id] {
			t.Errorf("%s was acknowledged and is gone", id)
		}
	}
	if len(acknowledged) < 300 {
		t.Fatalf("only %d were acknowledged", len(acknowledged))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// noted is something to record.
func noted() event.Draft {
	return event.Draft{Stream: "org", Message: event.Message{
		ThreadID: "thr_1", RunID: "run_1", TaskID: "task_1", From: event.Party{AgentID: "agent:test"}, Type: "log.note", Payload: []byte(`{}`),
	}}
}

func write(t *testing.T, path string) {
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 10_000 { // it is killed long before
				out, err := db.Log.Append(t.Context(), noted())
				if err != nil {
					return
				}
				mu.Lock()
				_, _ = os.Stdout.WriteString("ack " + out[0].Message.ID + "\n") // the reader is gone
				mu.Unlock()
			}
		})
	}
	wait.Wait()
}
