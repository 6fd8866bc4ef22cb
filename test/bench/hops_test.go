package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveProxy passes calls on to the model, and does nothing else: the least that a hop costs.
func serveProxy(model string) {
	at, err := url.Parse(model)
	if err != nil {
		panic(err)
	}
	listen(&httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024}, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) },
	})
}

// hopLevels are how many connections ask at once.
var hopLevels = []int{1, 64, 512}

// tokens are how many pieces a stream has whose cost is measured.
const tokens = 200

// hops measures calls of a model that are passed on for a key with a budget, beside a bare proxy, and calls of a tool by MCP.
func (r report) hops(b *testing.B, db string) {
	b.Helper()
	d := r.world(b, db).start(b)
	defer d.stop()
	bare := child(b, "proxy", "CHELA_BENCH_MODEL="+r.model)
	key := d.key(b)
	providers, err := d.cl.ListModels(b.Context())
	if err != nil || len(providers) != 1 {
		b.Fatalf("the daemon has the models %v, %v", providers, err)
	}
	name := "chela/model/" + providers[0].Name + "/fake"
	by := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}
	for _, c := range hopLevels {
		for _, streams := range []bool{false, true} {
			calls, what := map[int]int{1: 300, 64: 1500, 512: 1500}[c], "passed on"
			if streams {
				calls, what = max(c, calls/10), fmt.Sprintf("streams of %d", tokens)
			}
			floor := drive(b, c, calls, pass(by, bare, "", "fake", streams))
			before := d.processor(b)
			l := drive(b, c, calls, pass(by, d.address, key, name, streams))
			cpu := d.processor(b) - before
			name := fmt.Sprintf("%s %s, %d connections:", db, what, c)
			line(name+" rate", l.rate, "calls/s", floor.rate)
			line(name+" p50", ms(l.p50), "ms", ms(floor.p50))
			line(name+" p50, added", ms(l.p50-floor.p50), "ms", 0)
			if streams {
				line(name+" a piece", float64(l.p50.Microseconds())/tokens, "µs", float64(floor.p50.Microseconds())/tokens)
				cpu /= tokens
			}
			line(name+" processor", float64(cpu.Microseconds())/float64(l.calls), "µs", 0)
		}
	}
	d.tool(b, db)
}

// key makes a key with a budget, and returns its token.
func (d *daemon) key(b *testing.B) string {
	b.Helper()
	var made struct {
		Token string `json:"token"`
	}
	if err := d.cl.Call(b.Context(), http.MethodPost, "/api/keys", map[string]any{"name": "bench", "role": "editor", "per": "day", "budget": map[string]any{"tokens": 1000000000}}, &made); err != nil {
		b.Fatal(err)
	}
	return made.Token
}

// pass returns a caller that has a model asked through a hop, and reads all that it says.
func pass(by *http.Client, at, key, model string, streams bool) func(int, int) error {
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Say hello"}],"max_tokens":64}`, model)
	if streams {
		body = fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Say hello pieces=%d"}],"max_tokens":4096,"stream":true,"stream_options":{"include_usage":true}}`, model, tokens)
	}
	return func(int, int) error {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, at+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+key)
		res, err := by.Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }() // read to its end
		said, err := io.ReadAll(res.Body)
		if n := bytes.Count(said, []byte("data: ")); err == nil && (res.StatusCode != http.StatusOK || streams && n < tokens) {
			err = fmt.Errorf("%s with %d pieces: %.300s", res.Status, n, said)
		}
		return err
	}
}

// A bearer sends a token.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (t bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// tool measures a call of a tool that reads records, by MCP over HTTP.
func (d *daemon) tool(b *testing.B, db string) {
	b.Helper()
	project := d.project(b)
	token, err := os.ReadFile(filepath.Join(d.data, "token"))
	if err != nil {
		b.Fatal(err)
	}
	at := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	s, err := at.Connect(b.Context(), &sdk.StreamableClientTransport{Endpoint: d.address + "/mcp", HTTPClient: &http.Client{Transport: bearer(strings.TrimSpace(string(token)))}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the daemon stops
	call := func(int, int) error {
		res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "read_tickets", Arguments: map[string]any{"projectId": project}})
		if err == nil && res.IsError {
			err = fmt.Errorf("the tool gives %v", res.Content)
		}
		return err
	}
	for _, c := range []int{1, 16} {
		before := d.processor(b)
		l := drive(b, c, 500, call)
		name := fmt.Sprintf("%s tool calls by MCP, %d at once:", db, c)
		line(name+" rate", l.rate, "calls/s", 0)
		line(name+" p50", ms(l.p50), "ms", 0)
		line(name+" processor", ms(d.processor(b)-before)/float64(l.calls), "ms", 0)
	}
	direct := drive(b, 1, 500, func(int, int) error { return d.invoke(project) })
	line(db+" tool calls by the API, 1 at once: p50", ms(direct.p50), "ms", 0)
}

// invoke calls the same tool by the API.
func (d *daemon) invoke(project string) error {
	return d.cl.Call(context.Background(), http.MethodPost, "/api/tools/read_tickets/invoke?agent=pm", map[string]any{"projectId": project}, nil)
}
