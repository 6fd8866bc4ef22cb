package anthropic_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/model"
)

// A vendor answers as a server of Anthropic's format, and notes what it is asked.
type vendor struct {
	mu    sync.Mutex // guards asked
	asked []string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body) // what did not come is missed in the test
	v.mu.Lock()
	v.asked = append(v.asked, r.Header.Get("X-Api-Key")+" "+r.Header.Get("Anthropic-Version")+" "+r.URL.Path+" "+string(raw))
	v.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/count_tokens") {
		_, _ = io.WriteString(w, `{"input_tokens":42}`)
		return
	}
	_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"future_block","x":1}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}`)
}

func TestDoor_PassesOnAndRefusesInAnthropicsForm(t *testing.T) {
	t.Parallel()
	v := new(vendor)
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.NoSchedules = true
	cfg.Providers = []model.Provider{{Name: "vendor", Kind: model.KindAnthropic, Key: "sk-ant", BaseURL: server.URL, Model: "claude-test"}}
	d, err := daemon.New(t.Context(), cfg, slog.New(slog.DiscardHandler), daemon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // its files go with the test
	send := func(path, body, token, version string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("X-Api-Key", token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Anthropic-Version", version)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const hello = `"max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}`
	code, raw := send("/v1/messages", `{"model":"chela/model/vendor/claude-test","thinking":{"type":"enabled","budget_tokens":4},`+hello, d.Token(), "2026-10-21")
	if code != http.StatusOK || !strings.Contains(raw, `{"type":"future_block","x":1}`) {
		t.Errorf("got %d %s, want the vendor's answer with its unknown block", code, raw)
	}
	for _, want := range []string{"sk-ant 2026-10-21 /v1/messages ", `"model":"claude-test"`, `"thinking":{"type":"enabled","budget_tokens":4}`} {
		if !strings.Contains(v.asked[0], want) {
			t.Errorf("the vendor was asked %s, want %s", v.asked[0], want)
		}
	}
	if code, raw := send("/v1/messages/count_tokens", `{"model":"chela/model/vendor/claude-test","messages":[{"role":"user","content":"x"}]}`, d.Token(), "2023-06-01"); code != http.StatusOK || raw != `{"input_tokens":42}` {
		t.Errorf("the count answers %d %s, want the vendor's", code, raw)
	}
	for name, c := range map[string]struct {
		body, token, version string
		code                 int
		want                 string
	}{
		"nobody":        {`{"model":"chela/pm",` + hello, "", "2023-06-01", 401, "authentication_error"},
		"no version":    {`{"model":"chela/pm",` + hello, d.Token(), "", 400, "2023-06-01"},
		"sampling":      {`{"model":"chela/pm","temperature":0.5,` + hello, d.Token(), "2026-10-21", 400, "sampling"},
		"another model": {`{"model":"claude-opus",` + hello, d.Token(), "2023-06-01", 404, "not_found_error"},
		"no such agent": {`{"model":"chela/nobody",` + hello, d.Token(), "2023-06-01", 404, "not_found_error"},
		"vendor's tool": {`{"model":"chela/pm","tools":[{"type":"web_search_20250305","name":"web_search"}],` + hello, d.Token(), "2023-06-01", 400, "web_search_20250305"},
		"twice":         {`{"model":"chela/pm","model":"chela",` + hello, d.Token(), "2023-06-01", 400, "model"},
		"another case":  {`{"model":"chela/pm","Model":"chela",` + hello, d.Token(), "2023-06-01", 400, "is spelt model"},
		"a case inside": {`{"model":"chela/pm","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","Text":"x"}]}]}`, d.Token(), "2023-06-01", 400, "is spelt text"},
		"a picture far": {`{"model":"chela/pm","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"http://169.254.169.254/"}}]}]}`, d.Token(), "2023-06-01", 400, "not fetched"},
		"no tokens":     {`{"model":"chela/pm","messages":[{"role":"user","content":"x"}]}`, d.Token(), "2023-06-01", 400, "max_tokens"},
		"another kind":  {`{"model":"chela/pm","max_tokens":"9"}`, d.Token(), "2023-06-01", 400, `"max_tokens: A text does not fit; it takes a whole number."`},
		"a number said": {`{"model":"chela/pm","max_tokens":9,"messages":5}`, d.Token(), "2023-06-01", 400, `"messages: A number does not fit; it takes a list."`},
		"not JSON":      {`[`, d.Token(), "2023-06-01", 400, "invalid_request_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, raw := send("/v1/messages", c.body, c.token, c.version)
			if code != c.code || !strings.Contains(raw, c.want) || !strings.HasPrefix(raw, `{"type":"error","error":{`) {
				t.Errorf("got %d %s, want %d with %s in Anthropic's form", code, raw, c.code, c.want)
			}
		})
	}
}
