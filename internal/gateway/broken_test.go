package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// TestRelay_SaysThatAStreamBrokeOff: a stream of a model that is passed on and breaks off ends with an error in the form of the API, so that its
// client does not take what came for the whole.
func TestRelay_SaysThatAStreamBrokeOff(t *testing.T) {
	t.Parallel()
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"half\":1}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(vendor.Close)
	d := daemontest.Run(t, daemontest.Setup{Change: func(cfg *config.Config) {
		cfg.Providers = []model.Provider{
			{Name: "ant", Kind: model.KindAnthropic, Key: "k", BaseURL: vendor.URL, Model: "m"},
			{Name: "oai", Kind: model.KindOpenAI, Key: "k", BaseURL: vendor.URL, Model: "m"},
		}
	}})
	for path, c := range map[string]struct{ body, end string }{
		"/v1/messages":         {`{"model":"chela/model/ant/m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hello"}]}`, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"The model's answer broke off: what came is not whole. Ask again.\"}}\n\n"},
		"/v1/chat/completions": {`{"model":"chela/model/oai/m","stream":true,"messages":[{"role":"user","content":"Hello"}]}`, "data: {\"error\":{\"type\":\"server_error\",\"code\":null,\"message\":\"The model's answer broke off: what came is not whole. Ask again.\"}}\n\n"},
		"/v1/responses":        {`{"model":"chela/model/oai/m","stream":true,"input":"Hello"}`, "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"The model's answer broke off: what came is not whole. Ask again.\",\"param\":null}\n\n"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+d.Token)
		r.Header.Set("Anthropic-Version", "2023-06-01")
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(res.Body)
		_ = res.Body.Close() // read to its end
		if err != nil || string(raw) != "data: {\"half\":1}\n\n"+c.end {
			t.Errorf("%s: %d %q %v, want it to end with %q", path, res.StatusCode, raw, err, c.end)
		}
	}
}
