package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/config"
	"chela/internal/model"
	"chela/internal/testkit/daemontest"
)

// A room is a daemon in this process with agents that answer from a script, and a vendor that notes what
// it is asked.
type room struct {
	t      *testing.T
	url    string
	token  string
	vendor *vendor
}

// A vendor answers as a server of OpenAI's format.
type vendor struct {
	mu    sync.Mutex // guards asked
	asked []string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body) // what did not come is missed in the test
	v.mu.Lock()
	v.asked = append(v.asked, r.Header.Get("Authorization")+" "+r.URL.Path+" "+string(raw))
	v.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/embeddings"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"usage":{"prompt_tokens":3,"total_tokens":3}}`)
	case strings.HasSuffix(r.URL.Path, "/responses") && strings.Contains(string(raw), `"stream":true`):
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range goldenEvents {
			_, _ = io.WriteString(w, "data: "+e+"\n\n")
		}
	case strings.HasSuffix(r.URL.Path, "/responses"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"resp_v","object":"response","status":"completed","output":[],"new_output":{"kept":true},"usage":{"input_tokens":11,"output_tokens":5,"total_tokens":16}}`)
	case strings.Contains(string(raw), "refuse"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"no such thing","type":"invalid_request_error","code":null}}`)
	case strings.Contains(string(raw), "endless"):
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"more "},"finish_reason":null}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush() // the end shows
			time.Sleep(10 * time.Millisecond)
		}
	case strings.Contains(string(raw), "break"):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush() // the connection ends anyway
		panic(http.ErrAbortHandler)
	case strings.Contains(string(raw), `"stream":true`):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Hi","new_member":{"kept":[1,2]}},"finish_reason":null}]}`+"\n\n"+
			`data: {"id":"c1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`+"\n\ndata: [DONE]\n\n")
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"unknown":{"a":1},"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}`)
	}
}

// goldenEvents are one of each type of event that a model may send, with members that nobody here knows.
var goldenEvents = []string{ //nolint:gochecknoglobals // a table
	`{"type":"response.created","sequence_number":0,"response":{"id":"resp_v","future":{"a":[1]}}}`,
	`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","delta":"hm","sequence_number":1}`,
	`{"type":"response.function_call_arguments.delta","delta":"{\"a\"","sequence_number":2}`,
	`{"type":"response.web_search_call.searching","item_id":"ws_1","sequence_number":3}`,
	`{"type":"response.image_generation_call.partial_image","partial_image_b64":"AAAA","sequence_number":4}`,
	`{"type":"response.mcp_call.in_progress","item_id":"mcp_1","sequence_number":5}`,
	`{"type":"response.brand_new.event","x":{"deep":[{"y":null}]},"sequence_number":6}`,
	`{"type":"response.output_text.delta","delta":"Hi","logprobs":[],"sequence_number":7}`,
	`{"type":"response.completed","sequence_number":8,"response":{"id":"resp_v","usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"total_tokens":16}}}`,
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{t: t, vendor: new(vendor)}
	server := httptest.NewServer(r.vendor)
	t.Cleanup(server.Close)
	d := daemontest.Run(t, daemontest.Setup{
		Script: `{"otherwise":[{"agentName":"pm","responseFallback":"The budget is fine. STOP More."},{"agentName":"generalist","responseFallback":"Late.","waitsSeconds":120},{"agentName":"","responseFallback":"Done."}]}`,
		Change: func(c *config.Config) {
			c.Providers = append(c.Providers, model.Provider{Name: "vendor", Kind: model.KindOpenAI, Key: "sk-vendor", BaseURL: server.URL + "/v1", Model: "gpt-test"})
		},
	})
	r.url, r.token = d.URL, d.Token
	return r
}

// send asks with the owner's token, or with another, and returns the answer.
func (r *room) send(method, path, body string, headers ...string) (code int, said string, h http.Header) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.token)
	q.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }() // read to its end
	raw, err := io.ReadAll(a.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return a.StatusCode, string(raw), a.Header
}

// content is the text of a whole answer.
func content(t *testing.T, raw string) string {
	t.Helper()
	var out struct {
		Choices []struct {
			Message      struct{ Content string } `json:"message"`
			FinishReason string                   `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil || len(out.Choices) != 1 || out.Choices[0].FinishReason != "stop" {
		t.Fatalf("%s is no whole answer (%v)", raw, err)
	}
	return out.Choices[0].Message.Content
}

// conversation reads what was said in a thread.
func (r *room) conversation(thread string) (texts []string) {
	r.t.Helper()
	_, raw, _ := r.send(http.MethodGet, "/api/conversations/"+thread+"/messages", "")
	var out []struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		r.t.Fatalf("%s: %v", raw, err)
	}
	for _, m := range out {
		texts = append(texts, m.Message)
	}
	return texts
}

func TestCompletions_AnAgentAnswersAndIsRemembered(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	code, raw, h := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How is the budget?"}]}`)
	if code != http.StatusOK || content(t, raw) != "The budget is fine. STOP More." || h.Get("X-Request-Id") == "" {
		t.Fatalf("got %d %s", code, raw)
	}
	thread := h.Get("X-Session-ID")
	if said := r.conversation(thread); len(said) != 2 || !strings.Contains(said[0], "Be brief.") || !strings.HasSuffix(said[0], "How is the budget?") {
		t.Errorf("the conversation is %q, want the instructions with the question, and the answer", said)
	}
	// The same program goes on with the whole history: the conversation goes on, and is not told again.
	_, _, h = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How is the budget?"},
		{"role":"assistant","content":"The budget is fine. STOP More."},{"role":"user","content":"Sure?"}]}`)
	if got := h.Get("X-Session-ID"); got != thread {
		t.Errorf("the second call is in %s, want %s", got, thread)
	}
	if said := r.conversation(thread); len(said) != 4 || said[2] != "Sure?" {
		t.Errorf("the conversation is %q, want the second question as it is", said)
	}
	// Another history begins another conversation, and is told.
	_, _, h = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":"Dana."},{"role":"user","content":"Sure?"}]}`)
	if said := r.conversation(h.Get("X-Session-ID")); h.Get("X-Session-ID") == thread || len(said) != 2 || !strings.Contains(said[0], "assistant: Dana.") {
		t.Errorf("the conversation is %q, want the history in it", said)
	}
}

func TestCompletions_ASessionIsFoundByItsName(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ask := func(text string, headers ...string) string {
		_, raw, h := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","user":"u1","messages":[{"role":"user","content":"`+text+`"}]}`, headers...)
		content(t, raw)
		return h.Get("X-Session-ID")
	}
	one := ask("One", "X-Session-ID", "mine")
	if two := ask("Two", "X-Session-ID", "mine"); two != one {
		t.Errorf("the session is in %s and then in %s, want one conversation", one, two)
	}
	if other := ask("Three", "X-Session-ID", "another"); other == one {
		t.Error("another session is in the same conversation")
	}
	if a, b := ask("Four"), ask("Five"); a != b || a == one {
		t.Errorf("the user is in %s and then in %s, want one conversation of their own", a, b)
	}
	if again := ask("Six", "X-Session-ID", one); again != one {
		t.Errorf("the thread %s answers in %s", one, again)
	}
}

func TestCompletions_AStreamComesInPieces(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, h := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/pm","stream":true,"stream_options":{"include_usage":true},"stop":"STOP","messages":[{"role":"user","content":"How is the budget?"}]}`)
	if !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") || !strings.HasSuffix(raw, "data: [DONE]\n\n") {
		t.Fatalf("got %s %s, want a stream to its end", h, raw)
	}
	var text, finish string
	usage := false
	for line := range strings.Lines(raw) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c struct {
			Object  string `json:"object"`
			Choices []struct {
				Delta        struct{ Content string } `json:"delta"`
				FinishReason string                   `json:"finish_reason"`
			} `json:"choices"`
			Usage *struct {
				Total int `json:"total_tokens"`
			} `json:"usage"`
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil || c.Object != "chat.completion.chunk" {
			t.Fatalf("%s is no chunk (%v)", data, err)
		}
		usage = usage || c.Usage != nil
		for _, o := range c.Choices {
			text += o.Delta.Content
			finish += o.FinishReason
		}
	}
	if text != "The budget is fine. " || finish != "stop" || !usage {
		t.Errorf("got %q, %q and usage %v, want the text before the stop, stop, and usage", text, finish, usage)
	}
}

func TestForward_PassesACallOnAsItIs(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	code, raw, _ := r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","messages":[{"role":"user","content":"Hello"}],"logit_bias":{"50256":-100},"future":{"x":[1]}}`)
	if code != http.StatusOK || !strings.Contains(raw, `"unknown":{"a":1}`) {
		t.Errorf("got %d %s, want the vendor's answer", code, raw)
	}
	r.vendor.mu.Lock()
	asked := r.vendor.asked[0]
	r.vendor.mu.Unlock()
	for _, want := range []string{"Bearer sk-vendor", "/v1/chat/completions", `"model":"gpt-test"`, `"future":{"x":[1]}`, `"logit_bias":{"50256":-100}`} {
		if !strings.Contains(asked, want) {
			t.Errorf("the vendor was asked %s, want %s in it", asked, want)
		}
	}
	_, raw, _ = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","stream":true,"messages":[{"role":"user","content":"Hello"}]}`)
	if !strings.Contains(raw, `"new_member":{"kept":[1,2]}`) || strings.Contains(raw, "usage") || !strings.HasSuffix(raw, "data: [DONE]\n\n") {
		t.Errorf("got %s, want the chunks without the usage, which was not asked for", raw)
	}
	code, raw, _ = r.send(http.MethodPost, "/v1/chat/completions", `{"model":"chela/model/vendor/gpt-test","messages":[{"role":"user","content":"refuse"}]}`)
	if code != http.StatusBadRequest || !strings.Contains(raw, "no such thing") {
		t.Errorf("a refusal answers %d %s, want the vendor's", code, raw)
	}
	if code, raw, _ = r.send(http.MethodPost, "/v1/embeddings", `{"model":"chela/model/vendor/embed","input":["a","b"],"dimensions":3,"encoding_format":"base64"}`); code != http.StatusOK || !strings.Contains(raw, "0.5") {
		t.Errorf("embeddings answer %d %s", code, raw)
	}
	_, raw, _ = r.send(http.MethodGet, "/api/budgets/usage", "")
	_, events, _ := r.send(http.MethodGet, "/api/log?type=model.answered", "")
	if strings.Count(events, `"provider":"vendor"`) != 3 || !strings.Contains(events, `"input_tokens":7`) || strings.Contains(events, "Hello") {
		t.Errorf("the log has %s (%s), want three calls with their usage and without their texts", events, raw)
	}
}

func TestModels_AreListed(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	_, raw, _ := r.send(http.MethodGet, "/v1/models", "")
	for _, want := range []string{`"id":"chela"`, `"id":"chela/pm"`, `"id":"chela/model/vendor/gpt-test"`, `"object":"list"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("the models are %s, want %s", raw, want)
		}
	}
	if code, raw, _ := r.send(http.MethodGet, "/v1/models/chela/pm", ""); code != http.StatusOK || !strings.Contains(raw, `"id":"chela/pm"`) {
		t.Errorf("one model answers %d %s", code, raw)
	}
	if _, raw, _ := r.send(http.MethodGet, "/v1/models", "", "anthropic-version", "2023-06-01"); !strings.Contains(raw, `"type":"model"`) || !strings.Contains(raw, `"has_more":false`) {
		t.Errorf("to Anthropic's clients the models are %s", raw)
	}
}

func TestFailures_AreInOpenAIsForm(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		code               int
		want               string
	}{
		"nobody":                 {"POST", "/v1/chat/completions", `{}`, []string{"Authorization", ""}, 401, `"code":"invalid_api_key"`},
		"another model":          {"POST", "/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`, nil, 404, `"code":"model_not_found"`},
		"no such agent":          {"POST", "/v1/chat/completions", `{"model":"chela/nobody","messages":[{"role":"user","content":"x"}]}`, nil, 404, "nobody"},
		"no messages":            {"POST", "/v1/chat/completions", `{"model":"chela/pm","messages":[]}`, nil, 400, "messages"},
		"two answers":            {"POST", "/v1/chat/completions", `{"model":"chela/pm","n":2,"messages":[{"role":"user","content":"x"}]}`, nil, 400, "One answer"},
		"a tool of another type": {"POST", "/v1/chat/completions", `{"model":"chela/pm","tools":[{"type":"custom","custom":{"name":"f"}}],"messages":[{"role":"user","content":"x"}]}`, nil, 400, "custom"},
		"a picture far":          {"POST", "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://169.254.169.254/x"}}]}]}`, nil, 400, "not fetched"},
		"no picture":             {"POST", "/v1/chat/completions", `{"model":"chela/pm","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`, nil, 400, "image/webp"},
		"another provider":       {"POST", "/v1/chat/completions", `{"model":"chela/model/nobody/gpt","messages":[{"role":"user","content":"x"}]}`, nil, 404, `"code":"model_not_found"`},
		"two keys":               {"POST", "/v1/chat/completions", `{"model":"chela/pm","model":"chela","messages":[{"role":"user","content":"x"}]}`, nil, 400, "model"},
		"no JSON":                {"POST", "/v1/chat/completions", `{"model":`, nil, 400, `"type":"invalid_request_error"`},
		"another type":           {"POST", "/v1/chat/completions", `{}`, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		"another method":         {"GET", "/v1/chat/completions", ``, nil, 405, "POST"},
		"an agent embeds":        {"POST", "/v1/embeddings", `{"model":"chela/pm","input":"x"}`, nil, 400, "no embeddings"},
		"no such model":          {"GET", "/v1/models/none", ``, nil, 404, `"code":"model_not_found"`},
		"no such model by name":  {"GET", "/v1/models/none", ``, nil, 404, `The model \"none\" does not exist`},
		"no such address":        {"POST", "/v1/completions", `{}`, nil, 404, `"code":"unknown_url"`},
		"another kind":           {"POST", "/v1/chat/completions", `{"model":"chela/pm","messages":"x"}`, nil, 400, `"messages: A text does not fit; it takes a list."`},
		"another kind of name":   {"POST", "/v1/chat/completions", `{"model":5}`, nil, 400, `"model: A number does not fit; it takes a text."`},
		"a list":                 {"POST", "/v1/responses", `[1]`, nil, 400, `"A list does not fit; it takes an object."`},
		"no input":               {"POST", "/v1/responses", `{"model":"chela/pm"}`, nil, 400, `"input: it is missing."`},
		"another kind of input":  {"POST", "/v1/responses", `{"model":"chela/pm","input":5}`, nil, 400, `A number does not fit; it takes a list.`},
		"a picture far of input": {"POST", "/v1/responses", `{"model":"chela/pm","input":[{"role":"user","content":[{"type":"input_image","image_url":"http://169.254.169.254/x"}]}]}`, nil, 400, `"input: A picture`},
		"no such response":       {"GET", "/v1/responses/resp_none", ``, nil, 404, `"type":"invalid_request_error","code":null,`},
		"no such id":             {"POST", "/v1/responses/nothing/cancel", ``, nil, 404, `"type":"invalid_request_error","code":null,`},
		"none before":            {"POST", "/v1/responses", `{"model":"chela/pm","input":"x","previous_response_id":"resp_none"}`, nil, 400, `"code":"previous_response_not_found"`},
		"another's format":       {"POST", "/v1/chat/completions", `{"model":"chela/model/scripted/x","messages":[{"role":"user","content":"x"}]}`, nil, 400, "format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code, raw, _ := r.send(c.method, c.path, c.body, c.headers...); code != c.code || !strings.Contains(raw, c.want) || !strings.HasPrefix(raw, `{"error":{`) {
				t.Errorf("got %d %s, want %d with %s in OpenAI's form", code, raw, c.code, c.want)
			}
		})
	}
}

// TestCompletions_LeavingEndsTheRun: a caller who leaves ends the run when the call says so, and not otherwise.
func TestCompletions_LeavingEndsTheRun(t *testing.T) {
	t.Parallel()
	for does, want := range map[string]string{"cancel": "cancelled", "continue": "running"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			ctx, leave := context.WithCancel(t.Context())
			q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(`{"model":"chela/generalist","stream":true,"messages":[{"role":"user","content":"Take your time"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Authorization", "Bearer "+r.token)
			q.Header.Set("Content-Type", "application/json")
			q.Header.Set("X-Chela-On-Disconnect", does)
			a, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = a.Body.Close() }() // it is left
			state := func() string {
				var out []struct {
					State string `json:"state"`
				}
				_, raw, _ := r.send(http.MethodGet, "/api/runs?thread="+a.Header.Get("X-Session-ID"), "")
				if err := json.Unmarshal([]byte(raw), &out); err != nil || len(out) != 1 {
					t.Fatalf("the runs are %s (%v), want one", raw, err)
				}
				return out[0].State
			}
			for end := time.Now().Add(20 * time.Second); state() != "running" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			}
			leave()
			got := state()
			for end := time.Now().Add(2 * time.Second); got != "cancelled" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				got = state()
			}
			if got != want {
				t.Errorf("the run is %s after its caller left, want %s", got, want)
			}
		})
	}
}
