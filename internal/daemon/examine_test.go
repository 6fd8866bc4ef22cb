package daemon_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/fault"
	"chela/internal/testkit/sqlitetest"
)

// examined are the names of what is found wrong in a folder, with what is said of each.
func examined(ctx context.Context, t *testing.T, dir string) map[string]string {
	t.Helper()
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	wrong := make(map[string]string)
	for _, e := range daemon.Examine(ctx, cfg) {
		if e.Err != nil {
			wrong[e.Name] = fault.TextOf(e.Err)
		} else if e.Text == "" {
			t.Errorf("nothing is said of the %s", e.Name)
		}
	}
	return wrong
}

// TestExamine_SaysWhatAStartWouldRefuse breaks one file after the other, beside no database and beside one.
func TestExamine_SaysWhatAStartWouldRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, of, says string }{
		"nothing":                {"", "", "", ""},
		"a failover":             {"chela.yaml", "failover: [nope/x]\n", "models", "The model nope/x in chela.yaml cannot be asked"},
		"a failover that fits":   {"chela.yaml", "providers: [{name: a, kind: openai, base_url: 'http://127.0.0.1:1', model: m}]\nfailover: [a/n]\n", "", ""},
		"a job":                  {"chela.yaml", "models: {controller: 'a b'}\n", "models", "A model is named as provider/model"},
		"a provider":             {"chela.yaml", "providers: [{name: a, kind: other, model: m}]\n", "models", "kind"},
		"the organization":       {"org.yaml", "agents: [{name: pm, nope: 1}]\n", "organization", "line 1"},
		"one that fits":          {"org.yaml", "agents: [{name: pm, enabled: false}]\n", "", ""},
		"the policy":             {"policy.yaml", "nope: 1\n", "policy", "policy.yaml: "},
		"the sandbox":            {"chela.yaml", "sandbox: {backend: moon}\n", "sandbox", "none of namespaces"},
		"the hooks":              {"hooks.yaml", "hooks: [{name: x}]\n", "hooks", "hooks.yaml: "},
		"no database":            {"chela.db", strings.Repeat("no database ", 1000), "database", "cannot be read"},
		"a new file of SQLite's": {"chela.db", "", "", ""},
	} {
		for _, kept := range []bool{false, true} {
			if kept && c.file == "chela.db" {
				continue
			}
			dir := t.TempDir()
			if kept {
				sqlitetest.Write(t, filepath.Join(dir, "chela.db"))
			}
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wrong := examined(t.Context(), t, dir)
			if c.of == "" && len(wrong) > 0 || c.of != "" && (len(wrong) != 1 || !strings.Contains(wrong[c.of], c.says)) {
				t.Errorf("%s, beside a database: %v: found %q, want %q of the %s", name, kept, wrong, c.says, c.of)
			}
		}
	}
}

// TestExamine_LeavesADatabaseAsItIs: one of another program is refused, and one of an older schema is not taken on.
func TestExamine_LeavesADatabaseAsItIs(t *testing.T) {
	t.Parallel()
	for change, says := range map[string]string{
		"INSERT INTO schema_versions (version_id, is_applied) VALUES (99999, 1)":                                               "Use the newer Chela",
		"DELETE FROM schema_versions WHERE version_id > 0; INSERT INTO schema_versions (version_id, is_applied) VALUES (7, 1)": "before its first release",
		"DELETE FROM schema_versions WHERE version_id = (SELECT max(version_id) FROM schema_versions)":                         "",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "chela.db")
		sqlitetest.Write(t, file)
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), change)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := examined(t.Context(), t, dir)["database"]; !strings.Contains(got, says) || (got == "") != (says == "") {
			t.Errorf("%s: got %q, want %q", change, got, says)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file is another than before, %v", change, err)
		}
	}
}
