package bridge_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/cli/bridge"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/gateway/client"
)

// start starts a daemon on a data folder, at an address or any, and returns what stops it.
func start(t *testing.T, dir, at string) (address, token string, stop func()) {
	t.Helper()
	cfg, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listen, cfg.NoSchedules = at, true
	ctx, cancel := context.WithCancel(t.Context())
	d, err := daemon.New(ctx, cfg, slog.New(slog.DiscardHandler), daemon.Options{Beat: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	addr, err := d.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	return addr.String(), d.Token(), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// connect connects the SDK's client by pipes and a bridge.
func connect(t *testing.T, address, token, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	ended := make(chan error, 1)
	b := bridge.New(client.New("http://"+address, token), "http://"+address+"/mcp?agent=coder", ourOut)
	go func() { ended <- b.Run(t.Context(), ourIn); _ = ourOut.Close() }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), &sdk.IOTransport{Reader: theirIn, Writer: theirOut}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close() // ends the pipes
		_ = theirOut.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestBridge_AnApprovedEdit has an editor that starts a program edit a file, with its user's yes.
func TestBridge_AnApprovedEdit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, token, stop := start(t, dir, "127.0.0.1:0")
	t.Cleanup(stop)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		heard := make(chan string, 8)
		c := connect(t, address, token, version, &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, nil
			},
			ResourceUpdatedHandler: func(_ context.Context, u *sdk.ResourceUpdatedNotificationRequest) { heard <- u.Params.URI },
		})
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "write_file", Arguments: map[string]any{"path": version + ".txt", "content": "grün\n"}})
		if err != nil || res.IsError {
			t.Fatalf("%s: got %+v, %v", version, res, err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, "workspace", "coder", version+".txt"))
		if err != nil || string(raw) != "grün\n" {
			t.Errorf("%s: the file has %q, %v", version, raw, err)
		}
		run, _ := res.Meta["chela/run"].(string)
		if got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "chela://runs/" + run}); err != nil || !strings.Contains(got.Contents[0].Text, run) {
			t.Errorf("%s: got %+v, %v", version, got, err)
		}
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "chela://records/grün"}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: got %v, want that it is not found", version, err)
		}
	}
}

// TestBridge_ADaemonThatStartsAgain keeps a program connected, whose daemon is away for a while.
func TestBridge_ADaemonThatStartsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // its port is taken again
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	_ = free.Close() // the daemon takes it
	address, token, stop := start(t, dir, at)
	c := connect(t, address, token, "2025-11-25", nil)
	list := func() (int, error) {
		all, err := c.ListTools(t.Context(), nil)
		if err != nil {
			return 0, err
		}
		return len(all.Tools), nil
	}
	if n, err := list(); err != nil || n == 0 {
		t.Fatalf("got %d tools, %v", n, err)
	}
	stop()
	_, err = list()
	if err != nil && strings.Contains(err.Error(), "went away") { // on a connection that was open still
		_, err = list()
	}
	if err == nil || !strings.Contains(err.Error(), "chela serve") {
		t.Errorf("without a daemon: got %v, want how one is started", err)
	}
	_, _, stop = start(t, dir, at)
	t.Cleanup(stop)
	if n, err := list(); err != nil || n == 0 {
		t.Errorf("with a new daemon: got %d tools, %v", n, err)
	}
}

// A mute daemon refuses everything.
type mute struct{ status int }

func (m mute) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: m.status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"detail":"Nobody is logged in."}`))}, nil
}

// TestBridge_Refusals answers requests, and nothing else, with why the daemon refuses them.
func TestBridge_Refusals(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := `{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\nnonsense\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	if err := bridge.New(mute{http.StatusUnauthorized}, "http://127.0.0.1:1/mcp", &out).Run(t.Context(), strings.NewReader(in)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(out.String(), `"id":"a"`) || !strings.Contains(out.String(), "Nobody is logged in.") || !strings.Contains(out.String(), "-32700") {
		t.Errorf("got %s", out.String())
	}
}

// noting notes the headers of requests, and answers none.
type noting struct{ asked chan http.Header }

func (n noting) Do(r *http.Request) (*http.Response, error) {
	n.asked <- r.Header
	return mute{http.StatusForbidden}.Do(r)
}

// TestBridge_NamesWhatIsAsked says in the header what a request of 2026-07-28 is about.
func TestBridge_NamesWhatIsAsked(t *testing.T) {
	t.Parallel()
	for method, about := range map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"} {
		to := noting{make(chan http.Header, 4)}
		in := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"` + about + `":"it","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}` + "\n"
		if err := bridge.New(to, "http://127.0.0.1:1/mcp", io.Discard).Run(t.Context(), strings.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		if got := <-to.asked; got.Get("Mcp-Method") != method || got.Get("Mcp-Name") != "it" {
			t.Errorf("%s: got %v", method, got)
		}
	}
}

// FuzzBridge writes nothing but lines of JSON, whatever the program says.
func FuzzBridge(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}`))
	f.Add([]byte("[1]\n\x00{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		_ = bridge.New(mute{http.StatusForbidden}, "http://127.0.0.1:1/mcp", &out).Run(t.Context(), strings.NewReader(string(in))) // a line may be too long
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, `{"`) || !strings.HasSuffix(line, "}\n") {
				t.Errorf("got the line %q", line)
			}
		}
	})
}
