package conformance

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"chela/internal/daemon"
	"chela/internal/testkit/daemontest"
)

// everything is where `make conformance` builds the server of the Go SDK that has all that the suite asks for.
const everything = "../../bin/everything-server"

// share starts a daemon that shares a server as its entry says, and returns the address at which it does.
func share(t *testing.T, entry map[string]any) string {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Options: daemon.Options{Beat: 50 * time.Millisecond}})
	p := player{d.URL, d.Token}
	var seen seen
	ask := func(method, path string, in, out any) {
		t.Helper()
		if err := p.ask(method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	entry["name"] = "all"
	ask(http.MethodPost, "/api/mcp/servers", entry, nil)
	ask(http.MethodPost, "/api/mcp/servers/all/inspect", nil, &seen)
	ask(http.MethodPost, "/api/mcp/servers/all/accept", map[string]any{"digest": seen.Seen.Digest}, nil)
	ask(http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"all__*"}}, nil)
	ask(http.MethodPut, "/api/mcp/servers/all/share", map[string]any{"resources": true, "prompts": true, "questions": true, "models": true, "roots": true}, nil)
	return opened(t, d) + "/mcp/servers/all"
}

// program is the entry of the server as a program, which runs in the sandbox.
func program(t *testing.T, file string) map[string]any {
	t.Helper()
	return map[string]any{"command": []string{file}, "folders": []string{filepath.Dir(file)}}
}

// service is the entry of the server as one over HTTP, which this starts.
func service(t *testing.T, file string) map[string]any {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close() // the server listens there
	c := exec.CommandContext(t.Context(), file, "-http", at)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // it is killed with the test
	for range 200 {
		if conn, err := net.Dial("tcp", at); err == nil {
			_ = conn.Close() // it listens
			return map[string]any{"url": "http://" + at, "inside": true}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not listen")
	return nil
}

// TestServer_SharedConforms has the suite speak to a server of others through the door at which it is shared: to a program with
// sessions, and to a service with single requests.
func TestServer_SharedConforms(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs(everything)
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		t.Skip("The server that is shared is not built; `make conformance` does that.")
	}
	for revision, entry := range map[string]func(*testing.T, string) map[string]any{revisions[0]: program, revisions[1]: service} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			suite(t, "server", "--url", share(t, entry(t, file)), "--requirements", revision, "--expected-failures", "expected-shared.yaml", "-o", results(t))
		})
	}
}
