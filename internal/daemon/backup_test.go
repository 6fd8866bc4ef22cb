package daemon_test

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/backup"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/store"
	"chela/internal/testkit/daemontest"
	"chela/internal/testkit/pgtest"
)

func put(t *testing.T, dir, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), mode))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lived runs a daemon in which something was done, and returns a backup that it wrote while it ran.
func lived(t *testing.T, setup daemontest.Setup) (d daemontest.Daemon, file string) {
	t.Helper()
	setup.Script = `{"otherwise":[{"agentName":"","responseFallback":"Noted."}]}`
	d = daemontest.Run(t, setup)
	c := client.New(d.URL, d.Token)
	p, err := c.CreateProject(t.Context(), desk.ProjectBody{Name: "Payments"})
	must(t, err)
	for _, title := range []string{"One", "Two \x01 é"} {
		_, err = c.CreateTicket(t.Context(), p.ID, desk.TicketBody{Title: title})
		must(t, err)
	}
	speaker{t, d.URL, d.Token}.say(p.ID, "", "Hello")
	must(t, c.SetSecret(t.Context(), "DEPLOY_TOKEN", client.SecretInBody{Value: "a-secret-of-ours"}))
	return d, taken(t, c, true)
}

// taken is a file with a backup that a daemon wrote.
func taken(t *testing.T, c *client.Client, vaultKey bool) string {
	t.Helper()
	in, err := c.Backup(t.Context(), vaultKey)
	must(t, err)
	defer func() { _ = in.Close() }()
	raw, err := io.ReadAll(in)
	must(t, err)
	file := filepath.Join(t.TempDir(), "backup")
	must(t, os.WriteFile(file, raw, 0o600))
	return file
}

// states are what the tables hold of a data folder, which have to be as its log gives them, and its artifacts have to be there.
func states(t *testing.T, cfg config.Config) []store.State {
	t.Helper()
	r, err := daemon.Rebuild(t.Context(), cfg)
	must(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("%s: the tables are not as the log gives them: %v", cfg.Data, d)
	}
	return r.After
}

// TestBackup_MovesToTheOtherDatabaseAndBack: what a daemon on SQLite wrote comes back into PostgreSQL, where a daemon goes on with it, and
// from there into SQLite, as it was.
func TestBackup_MovesToTheOtherDatabaseAndBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "policy.yaml", "rules: []\n", 0o600)
	put(t, dir, "hooks/tell", "#!/bin/sh\n", 0o700)
	put(t, dir, "agents/backend/skills/x/SKILL.md", "Say x.", 0o600)
	put(t, dir, "token-of-somebody.txt", "not ours", 0o600)
	d, file := lived(t, daemontest.Setup{Dir: dir})

	url, base := pgtest.URL(t), t.TempDir()
	moved, direct, back := filepath.Join(base, "moved"), filepath.Join(base, "direct"), filepath.Join(base, "back")
	got, err := daemon.Restore(t.Context(), config.Config{Data: moved, Postgres: url}, file)
	must(t, err)
	if got.Manifest.Events < 10 || !got.Header.VaultKey || len(got.Notes) > 0 {
		t.Errorf("it says %+v", got)
	}
	for name, mode := range map[string]os.FileMode{"policy.yaml": 0o600, "hooks/tell": 0o700, "agents/backend/skills/x/SKILL.md": 0o600, "node.key": 0o600, "vault.key": 0o600} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		have, err := os.ReadFile(filepath.Join(moved, name))
		info, _ := os.Stat(filepath.Join(moved, name))
		if err != nil || !bytes.Equal(want, have) || info.Mode().Perm() != mode {
			t.Errorf("%s came back as %q, %v", name, have, err)
		}
	}
	for _, name := range []string{"token", "token-of-somebody.txt", backup.Unfinished} {
		if _, err := os.Stat(filepath.Join(moved, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	second := filepath.Join(base, "second")
	f, err := os.Create(second)
	must(t, err)
	onPostgres := config.Config{Data: moved, Postgres: url}
	m, err := daemon.BackupUnserved(t.Context(), onPostgres, slog.New(slog.DiscardHandler), true, f)
	must(t, err)
	must(t, f.Close())
	if m.Events != got.Manifest.Events || m.End != got.Manifest.End || m.Rows != got.Manifest.Rows || m.Artifacts != got.Manifest.Artifacts {
		t.Errorf("the second holds %+v, want what the first holds: %+v", m, got.Manifest)
	}
	for into, from := range map[string]string{direct: file, back: second} {
		_, err := daemon.Restore(t.Context(), config.Config{Data: into}, from)
		must(t, err)
	}
	one, other := states(t, config.Config{Data: direct}), states(t, config.Config{Data: back})
	for i := range one {
		if one[i] != other[i] {
			t.Errorf("by way of PostgreSQL %s is %+v, want %+v", one[i].Table, other[i], one[i])
		}
	}
	states(t, onPostgres)

	t.Run("a daemon goes on with it", func(t *testing.T) {
		next := daemontest.Run(t, daemontest.Setup{Dir: moved, Change: func(c *config.Config) { c.Postgres = url }, Script: `{"otherwise":[{"agentName":"","responseFallback":"Noted."}]}`})
		c := client.New(next.URL, d.Token) // people's tokens open it
		if list, err := c.ListBackups(t.Context()); err != nil || len(list.Backups) != 1 || list.Backups[0].Events != int(got.Manifest.Events) {
			t.Errorf("its backups are %+v, %v", list, err)
		}
		if v, err := c.Vault(t.Context()); err != nil || len(v.Secrets) != 1 || v.Refusal != "" {
			t.Errorf("its vault is %+v, %v", v, err)
		}
		if r, err := c.VerifyLog(t.Context()); err != nil || !r.OK() || len(r.Missing) > 0 {
			t.Errorf("its log verifies: %+v, %v", r, err)
		}
		p, err := c.ListProjects(t.Context(), client.ListProjectsQuery{})
		if err != nil || len(p.Items) != 1 {
			t.Fatalf("its projects are %+v, %v", p, err)
		}
		speaker{t, next.URL, d.Token}.say(p.Items[0].ID, "", "Hello again")
	})
}

// TestBackup_IsTheOwners: it holds what nobody else is shown.
func TestBackup_IsTheOwners(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	owner := client.New(d.URL, d.Token)
	for _, role := range []string{"admin", "editor", "viewer"} {
		k, err := owner.MakeKey(t.Context(), client.KeyBody{Name: "a " + role, Role: &role})
		must(t, err)
		c := client.New(d.URL, k.Token)
		if _, err := c.Backup(t.Context(), false); fault.KindOf(err) != fault.Denied || err == nil {
			t.Errorf("as %s: %v", role, err)
		}
		if _, err := c.ListBackups(t.Context()); (err == nil) != (role == "admin") {
			t.Errorf("as %s backups are listed: %v", role, err)
		}
	}
}

// TestRestore_NothingIsBelieved: what is no whole backup changes nothing, and neither does one that has no room.
func TestRestore_NothingIsBelieved(t *testing.T) {
	t.Parallel()
	_, file := lived(t, daemontest.Setup{})
	raw, err := os.ReadFile(file)
	must(t, err)
	base := t.TempDir()
	bad := func(name string, raw []byte) string {
		path := filepath.Join(base, name)
		must(t, os.WriteFile(path, raw, 0o600))
		return path
	}
	flipped := bytes.Clone(raw)
	flipped[len(flipped)/2] ^= 1
	for name, file := range map[string]string{
		"cut": bad("cut", raw[:len(raw)*9/10]), "flipped": bad("flipped", flipped), "empty": bad("empty", nil), "another file": bad("text", []byte("hello")), "nothing": filepath.Join(base, "nowhere"),
	} {
		to := filepath.Join(base, "new")
		if _, err := daemon.Restore(t.Context(), config.Config{Data: to}, file); err == nil || fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
	full := filepath.Join(base, "full")
	put(t, full, "mine.txt", "mine", 0o600)
	if _, err := daemon.Restore(t.Context(), config.Config{Data: full}, file); fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(fault.TextOf(err), "mine.txt") {
		t.Errorf("into a folder that is not empty: %v", err)
	}
	if list, err := os.ReadDir(full); err != nil || len(list) != 1 {
		t.Errorf("it holds %v, %v now", list, err)
	}
	url := pgtest.URL(t)
	for i, want := range []bool{true, false} {
		to := filepath.Join(base, "postgres", string(rune('a'+i)))
		_, err := daemon.Restore(t.Context(), config.Config{Data: to, Postgres: url}, file)
		if (err == nil) != want || err != nil && fault.KindOf(err) != fault.Conflict {
			t.Errorf("time %d into one database: %v", i+1, err)
		}
		if _, marked := os.Stat(filepath.Join(to, backup.Unfinished)); marked == nil {
			t.Errorf("time %d: the folder is marked", i+1)
		}
	}
}

// TestRestore_OneThatDidNotEndIsRefusedAndBegunAnew: by the mark in the folder, and by that in the database.
func TestRestore_OneThatDidNotEndIsRefusedAndBegunAnew(t *testing.T) {
	t.Parallel()
	_, file := lived(t, daemontest.Setup{})
	to := filepath.Join(t.TempDir(), "new")
	put(t, to, backup.Unfinished, "", 0o600)
	put(t, to, "chela.db", "half of one", 0o600)
	put(t, to, "artifacts/ab/half", "x", 0o600)
	_, err := daemon.New(t.Context(), config.Config{Data: to, Listen: "127.0.0.1:0"}, slog.New(slog.DiscardHandler), daemon.Options{})
	if fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(fault.TextOf(err), "Run `chela restore` again") {
		t.Errorf("a daemon starts on it: %v", err)
	}
	if _, err := daemon.OpenToRead(t.Context(), config.Config{Data: to}); fault.KindOf(err) != fault.Conflict || err == nil {
		t.Errorf("it is read: %v", err)
	}
	_, err = daemon.Restore(t.Context(), config.Config{Data: to}, file)
	must(t, err)
	if _, err := os.Stat(filepath.Join(to, "artifacts/ab/half")); err == nil {
		t.Error("what was there stays")
	}
	states(t, config.Config{Data: to})

	url := pgtest.URL(t)
	db, err := daemon.OpenStore(t.Context(), config.Config{Data: t.TempDir(), Postgres: url})
	must(t, err)
	_, err = db.Restore(t.Context(), 1)
	must(t, err)
	must(t, db.Close())
	_, err = daemon.New(t.Context(), config.Config{Data: t.TempDir(), Postgres: url, Listen: "127.0.0.1:0"}, slog.New(slog.DiscardHandler), daemon.Options{})
	if fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(fault.TextOf(err), "`chela restore` again") {
		t.Errorf("a daemon with another folder starts on its database: %v", err)
	}
	on := config.Config{Data: filepath.Join(t.TempDir(), "new"), Postgres: url}
	_, err = daemon.Restore(t.Context(), on, file)
	must(t, err)
	states(t, on)
}

// TestRestore_SettingsDoNotLeadToTheSource: a daemon on what came back must not open the database of the source.
func TestRestore_SettingsDoNotLeadToTheSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ says, want, note string }{
		"in blocks": {"# ours\nlisten: 127.0.0.1:41299\npostgres: postgres://x\nartifacts: >-\n  /srv/shared\nnode: one\n", "# ours\nlisten: 127.0.0.1:41299\n# postgres: postgres://x\n# artifacts: >-\n#   /srv/shared\nnode: one\n", "postgres, artifacts"},
		"none":      {"listen: 127.0.0.1:41299\n", "listen: 127.0.0.1:41299\n", ""},
		"in a flow": {"{listen: '127.0.0.1:41299', postgres: 'postgres://x'}\n", "", "chela.yaml.backup"},
	} {
		source := t.TempDir()
		db, err := daemon.OpenStore(t.Context(), config.Config{Data: source})
		must(t, err)
		must(t, db.Close())
		put(t, source, "chela.yaml", c.says, 0o600)
		file := filepath.Join(t.TempDir(), "backup")
		out, err := os.Create(file)
		must(t, err)
		_, err = daemon.BackupUnserved(t.Context(), config.Config{Data: source}, slog.New(slog.DiscardHandler), false, out)
		must(t, err)
		must(t, out.Close())
		to := filepath.Join(t.TempDir(), "new")
		got, err := daemon.Restore(t.Context(), config.Config{Data: to}, file)
		must(t, err)
		have, _ := os.ReadFile(filepath.Join(to, "chela.yaml"))
		if string(have) != c.want || !strings.Contains(strings.Join(got.Notes, " "), c.note) || (c.note == "") != (len(got.Notes) == 0) {
			t.Errorf("%s: it is %q with %q", name, have, got.Notes)
		}
	}
}
