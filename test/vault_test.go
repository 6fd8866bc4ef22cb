package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/store"
	"chela/internal/store/sqlite"
)

const secretValue = "s3cret-Value/of+the day=="

// TestTheVault plays what a person does with secrets, on both databases.
func TestTheVault(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		say := func(code int, want, in string, args ...string) string {
			t.Helper()
			out, errs, got := s.chela(t, in, args...)
			if got != code || !strings.Contains(out+errs, want) {
				t.Fatalf("chela %v: %d %s%s, want %d %q", args, got, out, errs, code, want)
			}
			return out
		}
		say(0, "The vault is empty", "", "vault", "list")
		say(0, "DEPLOY_TOKEN is kept", secretValue+"\n", "vault", "set", "DEPLOY_TOKEN")
		say(0, "OTHER_TOKEN is kept", "another value", "vault", "set", "OTHER_TOKEN")
		say(3, "capital letters", secretValue, "vault", "set", "deploy")
		say(3, "at least 8", "short", "vault", "set", "SHORT")
		say(2, "accepts 1 arg", "", "vault", "set", "DEPLOY_TOKEN", secretValue)
		if out := say(0, "granted to nobody", "", "vault", "list"); strings.Contains(out, secretValue) {
			t.Error("the list shows a value")
		}
		must(t, os.WriteFile(filepath.Join(s.data, "policy.yaml"), []byte("version: 1\nsecrets:\n  - {name: DEPLOY_TOKEN, tools: [shell_exec], agents: [coder]}\n  - {name: LOST, tools: [shell_exec]}\n"), 0o600))
		say(0, "for shell_exec of coder in all projects", "", "vault", "list")
		say(1, "The policy grants LOST, which the vault does not hold", "", "doctor")
		say(0, "sealed anew", "", "vault", "rotate")
		say(0, "OTHER_TOKEN is forgotten", "", "vault", "rm", "OTHER_TOKEN")
		say(3, "holds no OTHER_TOKEN", "", "vault", "rm", "OTHER_TOKEN")
		say(0, "ask, by the rule programs-are-asked", "", "policy", "test", "coder", "shell_exec", `{"command":"make","secrets":["DEPLOY_TOKEN"]}`)
		say(0, "deny, by the rule secret", "", "policy", "test", "coder", "shell_exec", `{"command":"make","secrets":["OTHER_TOKEN"]}`)
		say(0, "sealed anew", "correct horse battery\n", "vault", "rotate", "--ask")
		d.stop()
		d = s.running(t)
		say(1, "chela vault unlock", "", "doctor")
		say(3, "not that of the vault", "wrong horse battery", "vault", "unlock")
		say(0, "The vault is open", "correct horse battery\n", "vault", "unlock")
		var log struct {
			Events []struct {
				Type    string          `json:"type"`
				Payload json.RawMessage `json:"payload"`
			} `json:"events"`
		}
		d.must(t, "GET", "/api/log?type=vault.*", nil, &log)
		var told []string
		for _, e := range log.Events {
			told = append(told, e.Type+" "+string(e.Payload))
		}
		if got := strings.Join(told, "\n"); len(told) != 5 || !strings.Contains(got, `vault.rotated {"key":"file","names":["DEPLOY_TOKEN","OTHER_TOKEN"]}`) || !strings.Contains(got, `vault.removed {"name":"OTHER_TOKEN","version":1}`) {
			t.Errorf("the log says:\n%s", got)
		}
		d.stop()
		s.verified(t)
		nowhere(t, s.data, secretValue)
	})
}

// TestVault_HoleVaultAnyUserMayRead: nobody below an admin sees even the names, only the owner
// changes the key, and no role is given a value.
func TestVault_HoleVaultAnyUserMayRead(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	d.must(t, "PUT", "/api/vault/secrets/DEPLOY_TOKEN", map[string]string{"value": secretValue}, nil)
	for role, may := range map[string]map[string]bool{
		"viewer": {}, "editor": {}, "admin": {"GET /api/vault": true, "PUT /api/vault/secrets/DEPLOY_TOKEN": true},
	} {
		other := personOf(t, s, role)
		for _, c := range []struct {
			call string
			in   any
		}{{"GET /api/vault", nil}, {"PUT /api/vault/secrets/DEPLOY_TOKEN", map[string]string{"value": secretValue}}, {"POST /api/vault/rotate", map[string]string{}}} {
			method, path, _ := strings.Cut(c.call, " ")
			var out any
			err := other.Call(t.Context(), method, path, c.in, &out)
			if denied := fault.KindOf(err) == fault.Denied; denied == may[c.call] || strings.Contains(fmt.Sprint(out, err), secretValue) {
				t.Errorf("%s: %s: %v %v", role, c.call, out, err)
			}
		}
	}
}

// nowhere looks for a text in every file of a folder, as it is and in the forms that
// databases and JSON write.
func nowhere(t *testing.T, folder, text string) {
	t.Helper()
	must(t, filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			t.Errorf("%s holds it", path)
		}
		return err
	}))
}

// TestVault_KeysInClearAreSealed: API keys that an older version kept in clear are in the vault
// after a start, and no longer in the database's files; the models have them still.
func TestVault_KeysInClearAreSealed(t *testing.T) {
	t.Parallel()
	const key = "key-in-clear-0123456789"
	w := newWorld(t, func(request) any { return text("Done.") })
	s := setup{data: t.TempDir()}
	db, err := sqlite.Open(t.Context(), filepath.Join(s.data, "chela.db"))
	must(t, err)
	must(t, db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(context.WithoutCancel(t.Context()), "INSERT INTO secrets (name, value) VALUES (?, ?)", "providers",
			`[{"name":"ours","kind":"openai","base_url":"`+w.URL+`/v1","model":"fake","key":"`+key+`"}]`)
		return err
	}))
	must(t, db.Close())
	if raw, err := os.ReadFile(filepath.Join(s.data, "chela.db")); err != nil || !bytes.Contains(raw, []byte(key)) {
		t.Fatalf("the key does not lie in clear: %v", err)
	}
	for range 2 {
		d := s.running(t)
		var models []struct {
			Name   string `json:"name"`
			HasKey bool   `json:"has_key"`
		}
		d.must(t, "GET", "/api/models", nil, &models)
		if len(models) != 1 || models[0].Name != "ours" || !models[0].HasKey {
			t.Errorf("%+v", models)
		}
		d.stop()
		nowhere(t, s.data, key)
	}
	s.verified(t)
}

// TestVault_RotationIsKilledAtEveryPoint: wherever the daemon dies while the vault is sealed
// anew, the secrets are there after the next start.
func TestVault_RotationIsKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	first := setup{data: t.TempDir()}
	d := first.running(t)
	d.must(t, "PUT", "/api/vault/secrets/DEPLOY_TOKEN", map[string]string{"value": secretValue}, nil)
	d.stop()
	deaths := 0
	for at := 1; ; at++ {
		s := setup{data: t.TempDir()}
		must(t, os.CopyFS(s.data, os.DirFS(first.data)))
		d, ok := s.start(t, fmt.Sprintf("CHELA_DIE_AT=%d", at))
		if !ok {
			continue // before it listened
		}
		err := d.try("POST", "/api/vault/rotate", map[string]string{}, nil)
		d.kill()
		d = s.running(t)
		var v struct {
			Refusal string `json:"refusal"`
			Secrets []struct {
				Name   string `json:"name"`
				Broken string `json:"broken"`
			} `json:"secrets"`
		}
		d.must(t, "GET", "/api/vault", nil, &v)
		if v.Refusal != "" || len(v.Secrets) != 1 || v.Secrets[0].Broken != "" {
			t.Errorf("killed at point %d: %+v", at, v)
		}
		d.kill()
		if err == nil {
			break
		}
		deaths++
	}
	if deaths < 5 {
		t.Errorf("it died %d times in a rotation", deaths)
	}
}

// personOf invites somebody with a role and returns their client.
func personOf(t *testing.T, s setup, role string) *client.Client {
	t.Helper()
	out, errs, _ := s.chela(t, "", "invite", "Somebody", "--role", role)
	link := regexp.MustCompile(`--accept (\S+)`).FindStringSubmatch(out)
	if link == nil {
		t.Fatal(out, errs)
	}
	out, errs, _ = s.chela(t, "", "invite", "--accept", link[1])
	token := regexp.MustCompile(`Your token: (\S+)`).FindStringSubmatch(out)
	if token == nil {
		t.Fatal(out, errs)
	}
	return s.as(t, token[1])
}

// TestVault_SecretsReachOnlyWhatWasGrantedThem plays a coder that uses a secret: the program has
// it, and nothing that is recorded, shown or sent to the model does, however the program
// writes it.
func TestVault_SecretsReachOnlyWhatWasGrantedThem(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		h := newHands(t, s, map[string][]string{
			"deploy": {
				`shell_exec {"command":"printf %s \"$DEPLOY_TOKEN\" > out.txt; echo \"told $DEPLOY_TOKEN\"; printf %s \"$DEPLOY_TOKEN\" | base64 -w 10; printf %s \"$DEPLOY_TOKEN\" | od -An -tx1 >&2","secrets":["DEPLOY_TOKEN"]}`,
				`read_file {"path":"out.txt"}`, `edit_file {"path":"out.txt","old_text":"day","new_text":"night"}`,
				`read_file {"path":"out.txt/nothing"}`,
			},
			"steal": {
				`shell_exec {"command":"env","secrets":["OTHER_TOKEN"]}`, `shell_exec {"command":"env","secrets":["chela/providers"]}`, `shell_exec {"command":"env; cat /proc/$PPID/environ"}`,
				`python_exec {"code":"import os; print(os.environ)","secrets":["DEPLOY_TOKEN"]}`,
			},
		}, "version: 1\nfolders: [{path: $REPO, write: true}]\nsecrets: [{name: DEPLOY_TOKEN, tools: [shell_exec], agents: [coder]}]\n")
		for _, name := range []string{"DEPLOY_TOKEN", "OTHER_TOKEN"} {
			h.d.must(t, "PUT", "/api/vault/secrets/"+name, map[string]string{"value": secretValue + name[:1]}, nil)
		}
		if out := h.do("deploy it", "approve"); out.State != "done" {
			t.Fatalf("%+v", out)
		}
		if got := h.file("out.txt"); got != strings.Replace(secretValue, "day", "night", 1)+"D" && got != secretValue+"D" {
			t.Fatalf("the program was not given the secret: %q", got)
		}
		if len(h.asked) == 0 || !strings.Contains(h.asked[0].Calls[0].Shown, "DEPLOY_TOKEN") {
			t.Errorf("a person was asked %+v", h.asked)
		}
		if out := h.do("steal it", "approve"); out.State != "done" {
			t.Fatalf("%+v", out)
		}
		text := h.log()
		for _, form := range []string{secretValue, "czNjcmV0L", "73 33 63 72 65 74"} {
			if strings.Contains(text, form) {
				t.Errorf("the log holds %q", form)
			}
		}
		if n := strings.Count(text, "[redacted DEPLOY_TOKEN]"); n < 4 {
			t.Errorf("it was hidden %d times:\n%s", n, text)
		}
		for _, want := range []string{"The secret OTHER_TOKEN is not granted", "The secret DEPLOY_TOKEN is not granted to python_exec", "The secret chela/providers is not granted"} {
			if !strings.Contains(text, want) {
				t.Errorf("it is not said: %s, in\n%s", want, text)
			}
		}
		h.end()
		nowhere(t, s.data, secretValue)
	})
}
