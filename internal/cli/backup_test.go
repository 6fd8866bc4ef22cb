package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/cli"
	"chela/internal/store"
	"chela/internal/testkit/daemontest"
)

// alone runs a command on a data folder, without a daemon's address and token.
func alone(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := cli.Main(context.WithoutCancel(t.Context()), args, strings.NewReader(""), &out, &out)
	return code, out.String()
}

// TestBackup_OfADaemonAndWithoutOne: a file has its name only when it is whole, and is not written over unless that is said.
func TestBackup_OfADaemonAndWithoutOne(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	dir := t.TempDir()
	file, data := filepath.Join(dir, "one"), filepath.Join(dir, "new")
	if code, out := chela(t, d, "", "doctor"); !strings.Contains(out, "None was made yet") {
		t.Errorf("the doctor, before: %d %s", code, out)
	}
	if code, out := chela(t, d, "", "backup", file); code != 0 || !strings.Contains(out, "The vault's key is not in it") {
		t.Fatalf("%d %s", code, out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %+v, %v", info, err)
	}
	if code, out := chela(t, d, "", "doctor"); !strings.Contains(out, "The last was made less than an hour ago") {
		t.Errorf("the doctor, after: %d %s", code, out)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if code, out := chela(t, d, "", "backup", file); code != 3 || !strings.Contains(out, "is there already") {
		t.Errorf("over a file: %d %s", code, out)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("it was changed, %v", err)
	}
	if code, out := chela(t, d, "", "backup", file, "--replace"); code != 0 {
		t.Errorf("over a file that may go: %d %s", code, out)
	}
	var got store.Checked
	if code, out := alone(t, "backup", "verify", file, "--json"); code != 0 || json.Unmarshal([]byte(out), &got) != nil || got.Manifest.Events < 5 || got.Log.Events != int(got.Manifest.Events) {
		t.Errorf("verify: %d %s", code, out)
	}
	if code, out := alone(t, "restore", file, "--data", data); code != 0 || !strings.Contains(out, "Stop the source for good") {
		t.Fatalf("restore: %d %s", code, out)
	}
	if code, out := alone(t, "restore", file, "--data", data); code != 3 || !strings.Contains(out, "is not empty") {
		t.Errorf("restore once more: %d %s", code, out)
	}
	if code, out := alone(t, "log", "verify", "--data", data); code != 0 {
		t.Errorf("the log: %d %s", code, out)
	}
	second := filepath.Join(dir, "two")
	if code, out := alone(t, "backup", second, "--data", data); code != 0 {
		t.Errorf("without a daemon: %d %s", code, out)
	}
	if code, out := alone(t, "doctor", "--data", data); !strings.Contains(out, "The last was made less than an hour ago") {
		t.Errorf("the doctor, without a daemon: %d %s", code, out)
	}
	if code, out := alone(t, "backup", "-", "--data", data); code != 0 || !strings.HasPrefix(out, "\x1f\x8b") {
		t.Errorf("to standard output: %d, %d bytes", code, len(out))
	}
	if code, out := alone(t, "backup", filepath.Join(dir, "three"), "--data", filepath.Join(dir, "nothing")); code != 3 || !strings.Contains(out, "There is nothing to back up") {
		t.Errorf("of nothing: %d %s", code, out)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 3 { // one, two and the folder
		t.Errorf("there lie %v, %v", list, err)
	}
}
