package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"chela/internal/testkit/daemontest"
)

// TestClient_AProgramsTools has an agent call a program's tool, over a whole answer and a stream.
func TestClient_AProgramsTools(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"steps":[{"userQuery":"What about Bern?","agentResponses":[
  {"agentName":"pm","toolCalls":[{"name":"get_weather","args":{"city":"Bern"}}]},
  {"agentName":"pm","responseFallback":"Sunny."}]}]}`})
	ask := func(stream bool, messages string) string {
		body := fmt.Sprintf(`{"model":"chela/pm","max_tokens":99,"stream":%t,"tools":[{"name":"get_weather","description":"The weather.","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"What about Bern?"}%s]}`, stream, messages)
		return said(t, d, "2026-10-21", body)
	}
	raw := ask(false, "")
	var first struct {
		Content []struct {
			Type  string          `json:"type"`
			ID    string          `json:"id"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop string `json:"stop_reason"`
	}
	if err := json.Unmarshal([]byte(raw), &first); err != nil || first.Stop != "tool_use" || len(first.Content) != 1 || first.Content[0].Name != "get_weather" || string(first.Content[0].Input) != `{"city":"Bern"}` {
		t.Fatalf("got %s (%v), want one tool_use", raw, err)
	}
	id := first.Content[0].ID
	result := func(id, content string) string {
		return fmt.Sprintf(`,{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"get_weather","input":{"city":"Bern"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,%s}]}`, id, id, content)
	}
	if raw := ask(false, result(id, `"content":[{"type":"image","source":{"type":"url","url":"http://169.254.169.254/"}}]`)); !strings.Contains(raw, "not fetched") || !strings.Contains(raw, "invalid_request_error") {
		t.Errorf("a picture of elsewhere gives %s", raw)
	}
	if raw := ask(true, result(id, `"is_error":true,"content":"No such city."`)); !strings.Contains(raw, `"text_delta","text":"Sunny."`) || !strings.Contains(raw, `"end_turn"`) {
		t.Errorf("got %s, want the streamed answer", raw)
	}
	raw = ask(true, "")
	for _, want := range []string{`"content_block":{"type":"tool_use","id":"call_`, `{"type":"input_json_delta","partial_json":"{\"city\":\"Bern\"}"}`, `"stop_reason":"tool_use"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("streamed %s, want %s", raw, want)
		}
	}
}

// said is what /v1/messages answers to a body, in a version of the API.
func said(t *testing.T, d daemontest.Daemon, version, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", d.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", version)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }() // read to its end
	raw, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
