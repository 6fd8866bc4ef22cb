// Package conformance runs the conformance suite of the Model Context Protocol against our server and our client.
// docs/conformance.md names what is not passed, and why; expected-*.yaml say the same to the suite, which fails on
// what fails beside them and on what they name and passes.
package conformance

import (
	"bytes"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"chela/internal/artifact"
	"chela/internal/daemon"
	"chela/internal/testkit/daemontest"
	"chela/internal/tool"
)

// revisions are the specifications whose required scenarios are run.
var revisions = []string{"2025-11-25", "2026-07-28"}

// installed skips a test for which a package is missing.
func installed(t *testing.T, packages ...string) {
	t.Helper()
	for _, p := range packages {
		if _, err := os.Stat("node_modules/" + p); err != nil {
			t.Skip(p + " is not installed; `make conformance` does that.")
		}
	}
}

// suite runs the suite with arguments, and shows what it says when it fails.
func suite(t *testing.T, args ...string) {
	t.Helper()
	installed(t, "@modelcontextprotocol/conformance")
	c := exec.CommandContext(t.Context(), "node", append([]string{"--import", "./suite.mjs", "node_modules/@modelcontextprotocol/conformance/dist/index.js"}, args...)...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
	if testing.Verbose() {
		t.Log(said.String())
	}
}

// serve starts a daemon and returns the address of its MCP door, at which nobody has to say a token.
func serve(t *testing.T) string {
	t.Helper()
	var shown artifact.Ref
	with := func(ours []*tool.Tool) []*tool.Tool { return tools(ours, &shown) }
	d := daemontest.Run(t, daemontest.Setup{Options: daemon.Options{Tools: with, Beat: 50 * time.Millisecond}})
	files, err := artifact.Open(filepath.Join(d.Dir, "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	if shown, err = files.Put([]byte(picture)); err != nil {
		t.Fatal(err)
	}
	return opened(t, d) + "/mcp"
}

// opened is the address of a daemon at which nobody has to say a token.
func opened(t *testing.T, d daemontest.Daemon) string {
	t.Helper()
	at, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+d.Token)
	}})
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		proxy.Close()
	})
	return proxy.URL
}

// results is the folder of what the suite found: one that is kept, or one of the test.
func results(t *testing.T) string {
	t.Helper()
	if at := os.Getenv("CHELA_CONFORMANCE_RESULTS"); at != "" {
		return filepath.Join(at, filepath.Base(t.Name()))
	}
	return t.TempDir()
}

func TestServer_Conforms(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			suite(t, "server", "--url", serve(t), "--requirements", revision, "--expected-failures", "expected-server.yaml", "-o", results(t))
		})
	}
}

// TestServer_TasksConform holds the scenarios of tasks that pass: the suite takes those of an extension for no failure of a revision.
func TestServer_TasksConform(t *testing.T) {
	t.Parallel()
	at := serve(t)
	for _, scenario := range []string{"capability-negotiation", "wire-fields", "request-state-removal", "request-headers", "dispatch-and-envelope"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			suite(t, "server", "--url", at, "--scenario", "tasks-"+scenario, "-o", results(t))
		})
	}
}
