package editor_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/editor"
	"chela/internal/fault"
)

var command = []string{"/opt/chela", "mcp", "serve"}

// TestKind_SetAndRemove puts Chela into the file of each editor and takes it out again; what else is in it stays.
func TestKind_SetAndRemove(t *testing.T) {
	t.Parallel()
	for _, k := range append(editor.Kinds(), editor.Agents()...) {
		fresh, err := k.Set(nil, command)
		if err != nil || !json.Valid(fresh) || !strings.Contains(string(fresh), "/opt/chela") {
			t.Fatalf("%s: got %s, %v", k.Name, fresh, err)
		}
		if again, err := k.Set(fresh, command); err != nil || !strings.Contains(string(again), "/opt/chela") || strings.Count(string(again), `"chela"`) != 1 {
			t.Errorf("%s: twice it is %s, %v", k.Name, again, err)
		}
		theirs := "// mine\n{\n  \"theme\": \"dark\", // as at night\n  \"list\": [1, 2,],\n}\n"
		with, err := k.Set([]byte(theirs), command)
		if err != nil || !strings.Contains(string(with), "// as at night") || !strings.Contains(string(with), `"mcp"`) {
			t.Fatalf("%s: got %s, %v", k.Name, with, err)
		}
		without, err := k.Remove(with)
		if err != nil || strings.Contains(string(without), "/opt/chela") || !strings.Contains(string(without), "// as at night") {
			t.Errorf("%s: got %s, %v", k.Name, without, err)
		}
		for _, none := range []string{"", "{}", theirs, string(without)} {
			if _, err := k.Remove([]byte(none)); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s: without it: got %v", k.Name, err)
			}
		}
		for _, bad := range []string{"{", "[]", `{"mcpServers":[],"servers":7,"context_servers":"x","agent_servers":1}`} {
			if _, err := k.Set([]byte(bad), command); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %s: got %v", k.Name, bad, err)
			}
		}
	}
}

// TestKind_Files are where the editors look.
func TestKind_Files(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"cursor": "/home/ann/.cursor/mcp.json .cursor/mcp.json", "vscode": "/home/ann/.config/Code/User/mcp.json .vscode/mcp.json",
		"claude": "/home/ann/.config/Claude/claude_desktop_config.json .mcp.json", "windsurf": "/home/ann/.codeium/windsurf/mcp_config.json",
		"zed": "/home/ann/.config/zed/settings.json .zed/settings.json", "neovim": "/home/ann/.config/mcphub/servers.json .mcphub/servers.json",
	} {
		k, err := editor.Find(editor.Kinds(), name)
		if err != nil {
			t.Fatal(err)
		}
		project, err := k.Project()
		if (err != nil) != (name == "windsurf") {
			t.Errorf("%s: got %v", name, err)
		}
		if got := strings.TrimSpace(filepath.ToSlash(k.User("/home/ann", "/home/ann/.config")) + " " + filepath.ToSlash(project)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if _, err := editor.Find(editor.Kinds(), "ed"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// FuzzSet leaves a file that can be read again, with Chela in it, or none.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"servers":{"a":{}},}`, "// x\n{\"servers\": {\"chela\": 7}}", `{"servers":{"chela":{}},"servers":{}}`, "[1"} {
		f.Add([]byte(seed))
	}
	k, err := editor.Find(editor.Kinds(), "vscode")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		with, err := k.Set(file, command)
		if err != nil {
			return
		}
		if without, err := k.Remove(with); err != nil {
			t.Errorf("%q became %q, from which it is not taken: %v", file, with, err)
		} else if _, err := k.Set(without, command); err != nil {
			t.Errorf("%q became %q: %v", file, without, err)
		}
	})
}
