package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/cli"
)

// TestInstall_ShowsDoesAndUndoes puts Chela into an editor's list, after it has shown how, and takes it back.
func TestInstall_ShowsDoesAndUndoes(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), t.TempDir()
	run := func(args ...string) (out string, code int) {
		t.Helper()
		var said strings.Builder
		code = cli.Main(t.Context(), append([]string{"mcp", "install", "--data", data, "--folder", folder}, args...), strings.NewReader(""), &said, &said)
		return said.String(), code
	}
	file := filepath.Join(folder, ".vscode", "mcp.json")
	read := func() string {
		raw, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	if out, code := run("vscode"); code != 0 || !strings.Contains(out, `+    "chela": {`) || !strings.Contains(out, "--yes") || read() != "" {
		t.Fatalf("got %d %s, and the file %q, want what would change", code, out, read())
	}
	if out, code := run("vscode", "--yes", "--agent", "coder"); code != 0 || !strings.Contains(read(), data) || !strings.Contains(read(), `"coder"`) {
		t.Fatalf("got %d %s, and the file %q", code, out, read())
	}
	if out, _ := run("vscode", "--yes", "--agent", "coder"); !strings.Contains(out, "already") {
		t.Errorf("twice: got %s", out)
	}
	if out, code := run("vscode", "--undo"); code != 0 || !strings.Contains(out, `-    "chela": {`) || read() == "" {
		t.Errorf("got %d %s, and the file %q, want what would change", code, out, read())
	}
	if out, code := run("vscode", "--undo", "--yes"); code != 0 || read() != "" {
		t.Errorf("got %d %s, and the file %q, want none, as before", code, out, read())
	}
	if out, code := run("vscode", "--undo", "--yes"); code == 0 || !strings.Contains(out, "not among the servers") {
		t.Errorf("undone twice: got %d %s", code, out)
	}

	mine := "{ // mine\n  \"servers\": {\"other\": {\"url\": \"https://hub.example\"}},\n}\n"
	if err := os.WriteFile(file, []byte(mine), 0o640); err != nil {
		t.Fatal(err)
	}
	run("vscode", "--yes")
	run("vscode", "--yes", "--agent", "pm")
	if got := read(); !strings.Contains(got, "// mine") || !strings.Contains(got, `"pm"`) {
		t.Errorf("got %q", got)
	}
	if run("vscode", "--undo", "--yes"); read() != mine {
		t.Errorf("got %q, want the file as it was", read())
	}
	run("vscode", "--yes")
	changed := strings.Replace(read(), "mine", "mine, changed since", 1)
	if err := os.WriteFile(file, []byte(changed), 0o640); err != nil {
		t.Fatal(err)
	}
	run("vscode", "--undo", "--yes")
	if got := read(); strings.Contains(got, "chela") || !strings.Contains(got, "changed since") || !strings.Contains(got, "other") {
		t.Errorf("of a file that was changed since is left %q", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is another: %v, %v", info, err)
	}
	for args, want := range map[string]string{"ed": "cursor", "windsurf": "not for a folder"} {
		if out, code := run(args); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: got %d %s", args, code, out)
		}
	}
}

// TestInstall_AgentsBesideServers puts Chela into both lists of one file, and takes back each by itself.
//
//nolint:paralleltest // the file lies in the home folder
func TestInstall_AgentsBesideServers(t *testing.T) {
	home, data := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	run := func(args ...string) (out string, code int) {
		t.Helper()
		var said strings.Builder
		code = cli.Main(t.Context(), append(args, "--data", data), strings.NewReader(""), &said, &said)
		return said.String(), code
	}
	file := filepath.Join(home, ".config", "zed", "settings.json")
	read := func() string {
		raw, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	if out, code := run("acp", "install", "zed"); code != 0 || !strings.Contains(out, `+  "agent_servers": {`) || !strings.Contains(out, "--yes") || read() != "" {
		t.Fatalf("got %d %s, and the file %q, want what would change", code, out, read())
	}
	run("mcp", "install", "zed", "--yes")
	before := read()
	if out, code := run("acp", "install", "zed", "--yes", "--agent", "coder"); code != 0 || !strings.Contains(out, "`chela acp install zed --undo` takes it back") || !strings.Contains(read(), `"type": "custom"`) || !strings.Contains(read(), `"acp"`) {
		t.Fatalf("got %d %s, and the file %q", code, out, read())
	}
	if out, code := run("acp", "install", "zed", "--undo", "--yes"); code != 0 || read() != before || before == "" {
		t.Errorf("got %d %s, and the file %q, want %q", code, out, read(), before)
	}
	if out, code := run("mcp", "install", "zed", "--undo", "--yes"); code != 0 || read() != "" {
		t.Errorf("got %d %s, and the file %q, want none, as at first", code, out, read())
	}
	if out, code := run("acp", "install", "jetbrains", "--yes"); code != 0 || !strings.Contains(out, filepath.Join(home, ".jetbrains", "acp.json")) {
		t.Errorf("got %d %s", code, out)
	}
	if out, code := run("acp", "install", "vscode"); code == 0 || !strings.Contains(out, "not known") {
		t.Errorf("got %d %s", code, out)
	}
}
