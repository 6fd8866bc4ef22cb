package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/cli"
	"chela/internal/config"
	"chela/internal/daemon"
)

// asClient makes this program the client that the suite starts: with the address of its server as the last argument.
const asClient = "CHELA_CONFORMANCE_CLIENT"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv(asClient) == "" {
		os.Exit(m.Run())
	}
	if err := play(os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestClient_Conforms(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Setenv(asClient, "1")
			suite(t, "client", "--command", os.Args[0], "--requirements", revision, "--expected-failures", "expected-client.yaml", "-o", results(t))
		})
	}
}

// A player is a daemon whose agent uses the suite's server.
type player struct {
	url, token string
}

// play has a daemon use a server as a scenario wants it: it is added, its tools are accepted, an agent calls them.
func play(server, scenario, about string) error {
	dir, err := os.MkdirTemp("", "chela-conformance-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // temporary
	cfg, err := config.Load(dir)
	if err != nil {
		return err
	}
	cfg.NoSchedules, cfg.Listen = true, "127.0.0.1:0"
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	d, err := daemon.New(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})), daemon.Options{})
	if err != nil {
		return err
	}
	at, err := d.Listen(ctx)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	defer func() { stop(); <-ended }()
	p := player{"http://" + at.String(), d.Token()}
	return p.use(server, scenario, about)
}

// seen is what is known of the server.
type seen struct {
	Login   bool   `json:"login"`
	Problem string `json:"problem"`
	Seen    struct {
		Digest string `json:"digest"`
		Tools  []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		} `json:"tools"`
	} `json:"seen"`
}

// add adds the server, as a client that it may know already.
func (p player) add(server, scenario, about string) error {
	entry := map[string]any{"name": "suite", "url": server, "inside": true}
	var known struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if about != "" {
		if err := json.Unmarshal([]byte(about), &known); err != nil {
			return err
		}
	}
	switch {
	case known.ID != "":
		if err := p.ask(http.MethodPut, "/api/vault/secrets/CLIENT", map[string]any{"value": known.Secret}, nil); err != nil {
			return err
		}
		entry["oauth"] = map[string]any{"clientId": known.ID, "secret": "CLIENT"}
	case slices.Contains(asking, scenario):
		entry["elicitation"] = true
	case scenario == "auth/basic-cimd":
		entry["oauth"] = map[string]any{"metadata": "https://conformance-test.local/client-metadata.json"}
	}
	return p.ask(http.MethodPost, "/api/mcp/servers", entry, nil)
}

// asking are the scenarios whose server puts forms to people.
var asking = []string{"elicitation-sep1034-client-defaults", "sep-2322-client-request-state"} //nolint:gochecknoglobals // a table

// answer accepts the forms that are put to the person, without filling in anything, until ctx ends.
func (p player) answer(ctx context.Context) error {
	for ctx.Err() == nil {
		var all []struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		}
		if err := p.ask(http.MethodGet, "/api/approvals?status=pending", nil, &all); err != nil {
			return err
		}
		for _, q := range all {
			if q.Kind != "elicitation" {
				return errors.New("a person is asked something else: " + q.Kind)
			}
			if err := p.ask(http.MethodPost, "/api/approvals/"+q.ID, map[string]any{"choice": "accept"}, nil); err != nil {
				return err
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// mostLogins is how often a person logs in before they give up.
const mostLogins = 3

// loggingIn does something, and logs in as a person in a browser does where the server asks for it.
func (p player) loggingIn(do func() error) error {
	for n := 0; ; n++ {
		err := do()
		var all []seen
		if looked := p.ask(http.MethodGet, "/api/mcp/servers", nil, &all); looked != nil {
			return looked
		}
		if !all[0].Login || n == mostLogins {
			return err
		}
		var at struct {
			URL string `json:"url"`
		}
		if err := p.ask(http.MethodPost, "/api/mcp/servers/suite/login", nil, &at); err != nil {
			return err
		}
		res, err := http.Get(at.URL) //nolint:gosec,noctx // the suite's
		if err != nil {
			return err
		}
		_ = res.Body.Close() // not read
		if err := p.taken(); err != nil {
			return err
		}
	}
}

// taken waits until a login is taken in.
func (p player) taken() error {
	for range 100 {
		var all []seen
		if err := p.ask(http.MethodGet, "/api/mcp/servers", nil, &all); err != nil || !all[0].Login {
			return err
		}
		if all[0].Problem != "" {
			return errors.New(all[0].Problem)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the login is not taken in")
}

func (p player) use(server, scenario, about string) (err error) {
	if err := p.add(server, scenario, about); err != nil {
		return err
	}
	var seen seen
	if err := p.loggingIn(func() error { return p.ask(http.MethodPost, "/api/mcp/servers/suite/inspect", nil, &seen) }); err != nil {
		return err
	}
	if err := p.ask(http.MethodPost, "/api/mcp/servers/suite/accept", map[string]any{"digest": seen.Seen.Digest}, nil); err != nil {
		return err
	}
	if err := p.ask(http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"suite__*"}}, nil); err != nil {
		return err
	}
	type call struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	var given struct {
		Calls []call `json:"toolCalls"`
	}
	if about != "" {
		if err := json.Unmarshal([]byte(about), &given); err != nil {
			return err
		}
	}
	switch scenario {
	case "tools_call":
		given.Calls = []call{{"add_numbers", map[string]any{"a": 5, "b": 3}}}
	case "elicitation-sep1034-client-defaults":
		given.Calls = []call{{"test_client_elicitation_defaults", nil}}
	case "sse-retry":
		given.Calls = []call{{"test_reconnection", nil}}
	case "json-schema-2020-12-preservation":
		for _, t := range seen.Seen.Tools {
			if t.Name == "json_schema_2020_12_tool" {
				given.Calls = []call{{"json_schema_echo", map[string]any{"schema": t.Schema}}}
			}
		}
	case "http-standard-headers", "http-invalid-tool-headers", "sep-2322-client-request-state":
		for _, t := range seen.Seen.Tools {
			given.Calls = append(given.Calls, call{t.Name, map[string]any{"region": "us-west1"}})
		}
	}
	if strings.HasPrefix(scenario, "auth/") {
		for _, t := range seen.Seen.Tools {
			given.Calls = append(given.Calls, call{t.Name, nil})
		}
	}
	if slices.Contains(asking, scenario) {
		ctx, stop := context.WithCancel(context.Background())
		answered := make(chan error, 1)
		go func() { answered <- p.answer(ctx) }()
		defer func() { stop(); err = errors.Join(err, <-answered) }()
	}
	for _, c := range given.Calls {
		if c.Arguments == nil {
			c.Arguments = map[string]any{}
		}
		var got json.RawMessage
		if err := p.loggingIn(func() error {
			return p.ask(http.MethodPost, "/api/tools/suite__"+c.Name+"/invoke?agent=coder", c.Arguments, &got)
		}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", c.Name, got) // the suite shows it where it fails
	}
	return nil
}

// ask calls the daemon's API.
func (p player) ask(method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, p.url+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	said, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s %w", method, path, res.StatusCode, said, err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(said, out)
}
