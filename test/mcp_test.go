package test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mcpProgram is an MCP server for a shell: it offers one tool, which tells what it was given.
const mcpProgram = `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $line in
  *'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
  *'"tools/list"'*) r='{"tools":[{"name":"look","description":"Looks around.","inputSchema":{"type":"object"}}]}' ;;
  *'"tools/call"'*) r='{"content":[{"type":"text","text":"token '$TOKEN', other '$OTHER', beside '$(ls "$1" | wc -l)', home '$(ls -d "$HOME")'"}]}' ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
`

// TestMCP_AProgramInTheSandbox has an agent use a server that is a program: it is asked in the sandbox, with the
// secret that its entry names, and sees nothing of the daemon's.
func TestMCP_AProgramInTheSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("I was asked.") })
	s := setup{data: t.TempDir(), env: append(w.env(), "OTHER=of-the-daemon")}
	d := s.running(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "server.sh")
	must(t, os.WriteFile(program, []byte(mcpProgram), 0o600))
	d.must(t, http.MethodPut, "/api/vault/secrets/BOX", map[string]string{"value": "s3cret-of-the-box"}, nil)
	d.must(t, http.MethodPost, "/api/mcp/servers", map[string]any{"name": "box", "command": []string{"sh", program, s.data}, "folders": []string{folder}, "secrets": map[string]string{"TOKEN": "BOX"}}, nil)
	out, errs, code := s.chela(t, "", "mcp", "inspect", "box")
	if code != 0 || !strings.Contains(out, "? look") || !strings.Contains(out, "Looks around.") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if _, errs, code := s.chela(t, "", "tools", "call", "box__look", "-a", "coder"); code == 0 || !strings.Contains(errs, "box__look") {
		t.Errorf("before it is accepted: %d %s", code, errs)
	}
	_, rest, _ := strings.Cut(out, "chela mcp accept box ")
	digest, _, _ := strings.Cut(rest, "`")
	if out, errs, code := s.chela(t, "", "mcp", "accept", "box", digest); code != 0 || !strings.Contains(out, "1 tools") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	d.must(t, http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"box__*"}}, nil)
	out, errs, code = s.chela(t, "", "tools", "call", "box__look", "-a", "coder")
	if want := "token [redacted BOX], other , beside 0, home /tmp"; code != 0 || !strings.Contains(out, want) {
		t.Errorf("%d %s %s; want %q", code, out, errs, want)
	}
	if out, _, _ := s.chela(t, "", "doctor"); !strings.Contains(out, "1 MCP servers are used.") {
		t.Errorf("the doctor says %s", out)
	}
	sharesTheBox(t, s, d)
	if _, errs, code := s.chela(t, "", "mcp", "remove", "box"); code != 0 {
		t.Errorf("%d %s", code, errs)
	}
	d.stop()
	s.verified(t)
}

// sharesTheBox shares the server, has it found at its own address, and says what is missing when no agent may call it.
func sharesTheBox(t *testing.T, s setup, d *daemon) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(s.data, "token"))
	must(t, err)
	enter := func() int {
		t.Helper()
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.address+"/mcp/servers/box", strings.NewReader(hello))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		res, err := http.DefaultClient.Do(r)
		must(t, err)
		must(t, res.Body.Close())
		return res.StatusCode
	}
	if code := enter(); code != http.StatusNotFound {
		t.Errorf("before it is shared: %d", code)
	}
	if out, errs, code := s.chela(t, "", "mcp", "share", "box", "--tool", "look"); code != 0 || !strings.Contains(out, "/mcp/servers/box with the role editor and above: 1 tools") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if code := enter(); code != http.StatusOK {
		t.Errorf("when it is shared: %d", code)
	}
	if out, _, _ := s.chela(t, "", "mcp", "list"); !strings.Contains(out, "shared at /mcp/servers/box") {
		t.Errorf("the list says %s", out)
	}
	d.must(t, http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"read_file"}}, nil)
	if out, _, _ := s.chela(t, "", "doctor"); !strings.Contains(out, "No enabled agent may call box__look") {
		t.Errorf("the doctor says %s", out)
	}
	if _, errs, code := s.chela(t, "", "mcp", "unshare", "box"); code != 0 {
		t.Errorf("%d %s", code, errs)
	}
	if code := enter(); code != http.StatusNotFound {
		t.Errorf("when it is not shared any more: %d", code)
	}
}
