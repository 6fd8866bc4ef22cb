package vault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/vault"
)

var ann = event.Party{AgentID: "agent:ann", Role: "owner"} //nolint:gochecknoglobals // a constant

func place(by event.Party) event.Place {
	return event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: by}
}

func options(t *testing.T) vault.Options {
	t.Helper()
	return vault.Options{Data: t.TempDir(), Source: vault.File, Place: place, Log: slog.New(slog.DiscardHandler)}
}

func open(t *testing.T) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	return db
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, v *vault.Vault, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got, err := v.Secret(t.Context(), name); err != nil || got != value {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
	}
}

// passphraseFile makes options whose passphrase lies in a file.
func passphraseFile(t *testing.T, text string) vault.Options {
	t.Helper()
	o := options(t)
	o.Source, o.Passphrase = "", filepath.Join(o.Data, "passphrase")
	check(t, os.WriteFile(o.Passphrase, []byte(text+"\n"), 0o600))
	return o
}

func TestVault(t *testing.T) {
	t.Parallel()
	keyring.MockInit()
	for name, make := range map[string]func(t *testing.T) vault.Options{
		"file":       options,
		"keyring":    func(t *testing.T) vault.Options { o := options(t); o.Source = vault.Keyring; return o },
		"passphrase": func(t *testing.T) vault.Options { return passphraseFile(t, "correct horse battery") },
	} {
		t.Run(name, func(t *testing.T) {
			db, o := open(t), make(t)
			v := vault.New(db.Vault, o)
			check(t, v.Set(t.Context(), ann, "GITHUB_TOKEN", "first value"))
			check(t, v.Set(t.Context(), ann, "GITHUB_TOKEN", "second value"))
			check(t, v.Set(t.Context(), ann, "OTHER", "third value"))
			check(t, v.Keep(t.Context(), ann, "providers", "[]"))
			want := map[string]string{"GITHUB_TOKEN": "second value", "OTHER": "third value"}
			holds(t, v, want)
			holds(t, vault.New(db.Vault, o), want)
			s, err := v.State(t.Context())
			check(t, err)
			if len(s.Entries) != 3 || s.Entries[0].Version != 2 || s.Entries[0].By != "agent:ann" || s.Entries[0].At.IsZero() || s.Entries[2].Name != "chela/providers" || string(s.Source) != name || s.Refusal != "" {
				t.Errorf("%+v", s)
			}
			before, err := db.Vault.Sealed(t.Context())
			check(t, err)
			check(t, v.Rotate(t.Context(), ann, "", ""))
			holds(t, v, want)
			holds(t, vault.New(db.Vault, o), want)
			after, err := db.Vault.Sealed(t.Context())
			check(t, err)
			for n := range before {
				if before[n] == after[n] {
					t.Errorf("%q was not sealed anew", n)
				}
			}
			// What was sealed before no longer opens: its key is gone.
			check(t, db.Vault.Seal(t.Context(), func(map[string]string) (map[string]string, []event.Draft, error) { return before, nil, nil }))
			if _, err := vault.New(db.Vault, o).Secret(t.Context(), "OTHER"); err == nil && name != "passphrase" {
				t.Error("the former key is still there")
			}
			check(t, db.Vault.Seal(t.Context(), func(map[string]string) (map[string]string, []event.Draft, error) { return after, nil, nil }))
			check(t, v.Remove(t.Context(), ann, "OTHER"))
			if _, err := v.Secret(t.Context(), "OTHER"); fault.KindOf(err) != fault.NotFound {
				t.Errorf("it is still there: %v", err)
			}
			for _, raw := range events(t, db) {
				for _, value := range []string{"first value", "second value", "third value"} {
					if strings.Contains(raw, value) {
						t.Errorf("the log holds a value: %s", raw)
					}
				}
			}
		})
	}
}

func events(t *testing.T, db *store.DB) (out []string) {
	t.Helper()
	for e, err := range db.Log.After(t.Context(), 0) {
		check(t, err)
		out = append(out, e.Message.Type+" "+string(e.Message.Payload))
	}
	return out
}

// TestVault_HoleVaultSwappedEntries: an entry in another's place, or of an earlier version
// under a later one's number, does not open.
// TestVault_AValueIsHiddenFirst holds that a value is told, to be hidden, before anybody may use it.
func TestVault_AValueIsHiddenFirst(t *testing.T) {
	t.Parallel()
	o := options(t)
	told := make(map[string]string)
	o.Changed = func(values map[string]string) { told = values }
	v := vault.New(open(t).Vault, o)
	check(t, v.Set(t.Context(), ann, "FIRST", "first value"))
	if told["FIRST"] != "first value" {
		t.Errorf("told %v when the first value was set", told)
	}
	check(t, v.Set(t.Context(), ann, "SECOND", "second value"))
	if told["FIRST"] != "first value" || told["SECOND"] != "second value" {
		t.Errorf("told %v when the second was set", told)
	}
}

func TestVault_HoleVaultSwappedEntries(t *testing.T) {
	t.Parallel()
	db, o := open(t), options(t)
	v := vault.New(db.Vault, o)
	check(t, v.Set(t.Context(), ann, "MINE", "value of mine"))
	check(t, v.Set(t.Context(), ann, "YOURS", "value of yours"))
	check(t, db.Vault.Seal(t.Context(), func(have map[string]string) (map[string]string, []event.Draft, error) {
		return map[string]string{"MINE": have["YOURS"], "YOURS": strings.Replace(have["YOURS"], `"version":1`, `"version":7`, 1)}, nil, nil
	}))
	v = vault.New(db.Vault, o)
	for _, name := range []string{"MINE", "YOURS"} {
		if value, err := v.Secret(t.Context(), name); err == nil || value != "" || !strings.Contains(fault.TextOf(err), name) {
			t.Errorf("%s: %q %v", name, value, err)
		}
	}
	if err := v.Rotate(t.Context(), ann, "", ""); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it rotates what it cannot open: %v", err)
	}
	check(t, v.Set(t.Context(), ann, "MINE", "value anew")) // the way out
	holds(t, v, map[string]string{"MINE": "value anew"})
}

// cutOff is a store that fails before or after it has sealed.
type cutOff struct {
	store.Vault
	before, after bool
}

var errCut = errors.New("cut off")

func (c cutOff) Seal(ctx context.Context, fn func(map[string]string) (map[string]string, []event.Draft, error)) error {
	if c.before {
		return errCut
	}
	if err := c.Vault.Seal(ctx, fn); err != nil || !c.after {
		return err
	}
	return errCut
}

// TestVault_HoleVaultHalfWritten: whatever is cut off wherever, the vault opens.
func TestVault_HoleVaultHalfWritten(t *testing.T) {
	t.Parallel()
	keyring.MockInit()
	want := map[string]string{"ONE": "value of one", "TWO": "value of two"}
	for _, to := range []vault.Source{vault.File, vault.Keyring, vault.Passphrase} {
		for name, cut := range map[string]cutOff{"before": {before: true}, "after": {after: true}} {
			t.Run(string(to)+" "+name, func(t *testing.T) {
				o := options(t)
				cut.Vault = open(t).Vault
				v := vault.New(cut.Vault, o)
				for n, value := range want {
					check(t, v.Set(t.Context(), ann, n, value))
				}
				if to == vault.Passphrase {
					o.Passphrase = passphraseFile(t, "correct horse battery").Passphrase
				}
				if err := vault.New(cut, o).Rotate(t.Context(), ann, to, ""); !errors.Is(err, errCut) {
					t.Fatalf("it was not cut off: %v", err)
				}
				check(t, os.WriteFile(filepath.Join(o.Data, ".vault.key.123"), []byte("half a key"), 0o600))
				v = vault.New(cut.Vault, o)
				holds(t, v, want)
				check(t, v.Rotate(t.Context(), ann, vault.File, ""))
				holds(t, vault.New(cut.Vault, options2(o)), want)
				raw, err := os.ReadFile(filepath.Join(o.Data, vault.KeyFile))
				check(t, err)
				if strings.Count(string(raw), "\n") != 1 {
					t.Errorf("former keys were not forgotten: %d", strings.Count(string(raw), "\n"))
				}
				info, err := os.Stat(filepath.Join(o.Data, vault.KeyFile))
				check(t, err)
				if info.Mode().Perm() != 0o600 {
					t.Errorf("the key file is %s", info.Mode())
				}
			})
		}
	}
}

func options2(o vault.Options) vault.Options { o.Passphrase = ""; return o }

// TestVault_HoleVaultSecretsInTheEnvironment: nothing that the vault does changes the
// environment, which all children would inherit.
func TestVault_HoleVaultSecretsInTheEnvironment(t *testing.T) {
	t.Parallel()
	before := os.Environ()
	db, o := open(t), options(t)
	v := vault.New(db.Vault, o)
	check(t, v.Set(t.Context(), ann, "GITHUB_TOKEN", "a value that is not told"))
	holds(t, v, map[string]string{"GITHUB_TOKEN": "a value that is not told"})
	if now := os.Environ(); strings.Join(now, "\n") != strings.Join(before, "\n") {
		t.Errorf("the environment has changed: %v", now)
	}
}

// TestVault_HoleVaultPassphraseInAFile: a passphrase that was typed in lies nowhere; after a
// start the vault is locked until it is typed in again.
func TestVault_HoleVaultPassphraseInAFile(t *testing.T) {
	t.Parallel()
	db, o := open(t), options(t)
	v := vault.New(db.Vault, o)
	check(t, v.Set(t.Context(), ann, "ONE", "value of one"))
	check(t, v.Rotate(t.Context(), ann, vault.Passphrase, "correct horse battery"))
	holds(t, v, map[string]string{"ONE": "value of one"})
	check(t, filepath.WalkDir(o.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t.Errorf("there is %s", path)
		return nil
	}))
	v = vault.New(db.Vault, o)
	s, err := v.State(t.Context())
	check(t, err)
	if _, err := v.Secret(t.Context(), "ONE"); err == nil || !s.Locked || !strings.Contains(s.Refusal, "chela vault unlock") || len(s.Entries) != 1 {
		t.Fatalf("it is open after a start: %+v %v", s, err)
	}
	if err := v.Set(t.Context(), ann, "TWO", "value of two"); err == nil {
		t.Error("it takes a value while it is locked")
	}
	for _, wrong := range []string{"", "wrong passphrase"} {
		if err := v.Unlock(t.Context(), wrong); err == nil {
			t.Errorf("%q opens it", wrong)
		}
	}
	check(t, v.Unlock(t.Context(), "correct horse battery"))
	holds(t, v, map[string]string{"ONE": "value of one"})
	check(t, v.Rotate(t.Context(), ann, vault.File, ""))
	holds(t, vault.New(db.Vault, o), map[string]string{"ONE": "value of one"})
}

func TestVault_ValuesAndNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	v := vault.New(open(t).Vault, options(t))
	for _, name := range []string{"", "a", "github", "PATH", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "CHELA_TOKEN", "A B", "A=B", "chela/providers", strings.Repeat("A", 65)} {
		if err := v.Set(t.Context(), ann, name, "a long value"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, value := range []string{"", "s3cr3t!", "            ", "aaaaaaaabbbb", "with\x00nul inside", strings.Repeat("x", 33<<10)} {
		err := v.Set(t.Context(), ann, "GITHUB_TOKEN", value)
		if fault.KindOf(err) != fault.Invalid || value != "" && strings.Contains(err.Error(), value) {
			t.Errorf("%.20q: %v", value, err)
		}
	}
	if _, err := v.Secret(t.Context(), "chela/providers"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the daemon's own is given: %v", err)
	}
}

func TestVault_AKeyThatIsLost(t *testing.T) {
	t.Parallel()
	db, o := open(t), options(t)
	check(t, vault.New(db.Vault, o).Set(t.Context(), ann, "ONE", "value of one"))
	file := filepath.Join(o.Data, vault.KeyFile)
	raw, err := os.ReadFile(file)
	check(t, err)
	for _, damage := range []string{"", "what is this", strings.Replace(string(raw), "key_", "other_", 1), string(raw[:len(raw)-20])} {
		check(t, os.WriteFile(file, []byte(damage), 0o600))
		v := vault.New(db.Vault, o)
		if _, err := v.Secret(t.Context(), "ONE"); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%q: %v", damage, err)
		}
		if err := v.Set(t.Context(), ann, "ONE", "another value"); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a vault that cannot be opened is overwritten: %v", err)
		}
	}
	check(t, os.WriteFile(file, raw, 0o600))
	check(t, os.Chmod(file, 0o644)) //nolint:gosec // others can read it: that is what is tested
	v := vault.New(db.Vault, o)
	holds(t, v, map[string]string{"ONE": "value of one"})
	if s, err := v.State(t.Context()); err != nil || !strings.HasPrefix(s.Note, "Others can read") {
		t.Errorf("%+v %v", s, err)
	}
}

// TestVault_TwoDaemons: a change by one is seen by the other, which has the same key file.
func TestVault_TwoDaemons(t *testing.T) {
	t.Parallel()
	db, o := open(t), options(t)
	one := vault.New(db.Vault, o)
	check(t, one.Set(t.Context(), ann, "ONE", "value of one"))
	check(t, one.Rotate(t.Context(), ann, "", ""))
	two := vault.New(db.Vault, o)
	check(t, two.Set(t.Context(), ann, "TWO", "value of two"))
	check(t, two.Rotate(t.Context(), ann, "", ""))
	check(t, one.Set(t.Context(), ann, "THREE", "value of three"))
	holds(t, vault.New(db.Vault, o), map[string]string{"ONE": "value of one", "TWO": "value of two", "THREE": "value of three"})
}

// TestVault_AnyOrder: whatever is set, removed, sealed anew and opened again in whatever order,
// the vault holds what a map would.
func TestVault_AnyOrder(t *testing.T) {
	t.Parallel()
	db, o := open(t), options(t)
	rapid.Check(t, func(r *rapid.T) {
		v := vault.New(db.Vault, o)
		want := make(map[string]string)
		for n := range rapid.IntRange(1, 8).Draw(r, "steps") {
			name := rapid.SampledFrom([]string{"AA", "BB", "CC"}).Draw(r, "name")
			var err error
			switch rapid.IntRange(0, 4).Draw(r, "what") {
			case 0, 1:
				value := rapid.StringMatching(`wxyz[ -~]{4,40}z`).Draw(r, "value")
				err, want[name] = v.Set(t.Context(), ann, name, value), value
			case 2:
				if want[name] != "" {
					err = v.Remove(t.Context(), ann, name)
					delete(want, name)
				}
			case 3:
				if len(want) > 0 {
					err = v.Rotate(t.Context(), ann, "", "")
				}
			case 4:
				v = vault.New(db.Vault, o)
			}
			if err != nil {
				r.Fatalf("step %d: %v", n, err)
			}
		}
		got := make(map[string]string)
		for _, name := range []string{"AA", "BB", "CC"} {
			if value, err := v.Secret(t.Context(), name); err == nil {
				got[name] = value
			}
		}
		if !maps.Equal(got, want) {
			r.Fatalf("%v, want %v", got, want)
		}
		for name := range want {
			if err := v.Remove(t.Context(), ann, name); err != nil {
				r.Fatal(err)
			}
		}
	})
}

// FuzzRows: whatever lies in the database, nothing opens that was not sealed, and nothing
// breaks.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"", "{}", `{"version":1,"key":"key_1","source":"file","proof":{"nonce":"","sealed":""}}`, `{"version":1,"key":"k","at":"2026-01-01T00:00:00Z","by":"x","nonce":"AAAA","sealed":"AAAA"}`, "\x00", "[]"} {
		f.Add(s, s)
	}
	data := f.TempDir()
	f.Fuzz(func(t *testing.T, head, row string) {
		v := vault.New(rows{"": head, "AA": row}, vault.Options{Data: data, Place: place, Log: slog.New(slog.DiscardHandler)})
		if value, err := v.Secret(t.Context(), "AA"); err == nil {
			t.Errorf("it gives %q", value)
		}
		if _, err := v.State(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// rows is a store that holds what it was given.
type rows map[string]string

func (r rows) Sealed(context.Context) (map[string]string, error) { return r, nil }

func (rows) Seal(context.Context, func(map[string]string) (map[string]string, []event.Draft, error)) error {
	return fmt.Errorf("it is not changed")
}

func (rows) Mint() *event.Mint { return nil }
