package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chela/internal/model"
	"chela/internal/model/openai"
)

// server answers every call with handle and keeps what it was sent.
func server(t *testing.T, handle func(w http.ResponseWriter, body string)) (model.Model, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("%s %v %v", r.URL.Path, r.Header, err)
		}
		bodies = append(bodies, string(raw))
		handle(w, string(raw))
	}))
	t.Cleanup(s.Close)
	m, err := openai.Open(model.Provider{Name: "p", Kind: model.KindOpenAI, BaseURL: s.URL + "/v1/", Key: "key"}, model.NewHTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	return m, &bodies
}

func whole(text string) string {
	raw, _ := json.Marshal(text) // a text is always JSON
	return `{"model":"m","choices":[{"message":{"role":"assistant","content":` + string(raw) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`
}

func TestOpenai_ACallIsWrittenInTheWiresForm(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, whole("Done.")) })
	a, err := m.Generate(t.Context(), model.Request{
		Model: "m", System: "You are pm.", MaxTokens: 100,
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look"}, {Image: &model.Image{MIMEType: "image/png", Data: []byte("png")}}}},
			{Role: model.Assistant, Parts: []model.Part{{Call: &model.ToolCall{ID: "c1", Name: "look", Args: json.RawMessage(`{"a":1}`)}}}},
			{Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: "c1", Name: "look", Text: "seen"}}}},
		},
		Tools:  model.NewToolset(model.ToolSpec{Name: "look", Help: "Looks.", Schema: json.RawMessage(`{"type":"object"}`)}),
		Output: &model.Schema{Name: "answer", Schema: json.RawMessage(`{"type":"object"}`)},
	}, nil)
	if err != nil || a.Text != "Done." || a.Stop != model.StopEnd || a.Usage != (model.Usage{InputTokens: 6, OutputTokens: 2, CacheReadTokens: 4}) {
		t.Fatalf("%+v %v", a, err)
	}
	want := `{"model":"m","messages":[{"role":"system","content":"You are pm."},` +
		`{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}]},` +
		`{"role":"tool","content":"seen","tool_call_id":"c1"}],` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},"max_tokens":100,` +
		`"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object"}}}]}`
	if (*bodies)[0] != want {
		t.Errorf("\n%s\n%s", (*bodies)[0], want)
	}
}

func TestOpenai_AServerWithoutSchemasGetsTheSchemaInWords(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, func(w http.ResponseWriter, body string) {
		if strings.Contains(body, "response_format") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"unknown field response_format"}}`)
			return
		}
		_, _ = io.WriteString(w, whole(`{"a":1}`))
	})
	r := model.Request{Model: "m", Output: &model.Schema{Name: "answer", Schema: json.RawMessage(`{"type":"object"}`)}}
	for range 2 {
		if a, err := m.Generate(t.Context(), r, nil); err != nil || a.Text != `{"a":1}` {
			t.Fatalf("%+v %v", a, err)
		}
	}
	if len(*bodies) != 3 || !strings.Contains((*bodies)[2], "JSON Schema") {
		t.Errorf("%d calls, the last is %s", len(*bodies), (*bodies)[len(*bodies)-1])
	}
}

func TestOpenai_AStreamedAnswer(t *testing.T) {
	t.Parallel()
	m, _ := server(t, func(w http.ResponseWriter, body string) {
		if !strings.Contains(body, `"include_usage":true`) {
			t.Error(body)
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"Looking."}}]}`+"\n\n"+
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":""}},{"index":1,"id":"d","function":{"name":"look","arguments":"{broken"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`+"\n\ndata: [DONE]\n\n")
	})
	shown := ""
	a, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(d model.Delta) { shown += d.Text })
	if err != nil || shown != "Looking." || a.Stop != model.StopToolCalls || len(a.Calls) != 2 || string(a.Calls[0].Args) != "{}" || string(a.Calls[1].Args) != `"{broken"` {
		t.Errorf("%+v %v, shown %q", a, err, shown)
	}
}

func TestOpenai_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handle func(w http.ResponseWriter, body string)
		reason model.Reason
		after  time.Duration
		shown  string
	}{
		"a limit": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"type":"requests","code":"rate_limit_exceeded","message":"slow down"}}`)
		}, model.RateLimit, 7 * time.Second, ""},
		"a page instead of an answer": {func(w http.ResponseWriter, _ string) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>")
		}, model.Server, 0, ""},
		"a stream that breaks": {func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"Half"}}]}`+"\n\n")
		}, model.Server, 0, "Half"},
		"a model that lost its connection, as Z.AI says it": {func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"Half"},"finish_reason":"network_error"}]}`+"\n\n")
		}, model.Server, 0, "Half"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := server(t, c.handle)
			_, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(model.Delta) {})
			var e *model.Error
			if !errors.As(err, &e) || e.Reason != c.reason || e.RetryAfter != c.after || e.Shown != c.shown {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestOpenai_RefusalsAndLimitsAreNamed(t *testing.T) {
	t.Parallel()
	for reason, c := range map[string]struct {
		body string
		want model.StopReason
	}{
		"length":         {`{"choices":[{"message":{"content":"x"},"finish_reason":"length"}]}`, model.StopMaxTokens},
		"Z.AI's length":  {`{"choices":[{"message":{"content":"x"},"finish_reason":"model_context_window_exceeded"}]}`, model.StopMaxTokens},
		"Z.AI's filter":  {`{"choices":[{"message":{"content":"x"},"finish_reason":"sensitive"}]}`, model.StopRefusal},
		"content filter": {`{"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]}`, model.StopRefusal},
		"refusal":        {`{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`, model.StopRefusal},
	} {
		m, _ := server(t, func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, c.body) })
		if a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); err != nil || a.Stop != c.want || a.Text == "" {
			t.Errorf("%s: %+v %v", reason, a, err)
		}
	}
}

// TestOpenai_ThoughtsAreKeptAndNotSentBack is the way of servers that show them.
func TestOpenai_ThoughtsAreKeptAndNotSentBack(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, func(w http.ResponseWriter, _ string) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"Seven.","reasoning_content":"Count them."},"finish_reason":"stop"}]}`)
	})
	a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
	if err != nil || a.Text != "Seven." || len(a.Parts) != 2 || *a.Parts[0].Thinking != (model.Thinking{Text: "Count them.", Kind: model.KindOpenAI}) {
		t.Fatalf("%+v %v", a, err)
	}
	if _, err := m.Generate(t.Context(), model.Request{Model: "m", Messages: []model.Message{{Role: model.Assistant, Parts: a.Parts}}}, nil); err != nil {
		t.Fatal(err)
	}
	if want := `{"model":"m","messages":[{"role":"assistant","content":"Seven."}]}`; (*bodies)[1] != want {
		t.Errorf("%s", (*bodies)[1])
	}
}

func TestOpenai_ABadCallDoesNotTakeSchemasAway(t *testing.T) {
	t.Parallel()
	bad := true
	m, bodies := server(t, func(w http.ResponseWriter, _ string) {
		if bad {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"messages.0 is not good","type":"invalid_request_error"}}`)
			return
		}
		_, _ = io.WriteString(w, whole(`{}`))
	})
	r := model.Request{Model: "m", Output: &model.Schema{Name: "answer", Schema: json.RawMessage(`{"type":"object"}`)}}
	var e *model.Error
	if _, err := m.Generate(t.Context(), r, nil); !errors.As(err, &e) || e.Reason != model.Format {
		t.Errorf("%v", err)
	}
	bad = false
	if _, err := m.Generate(t.Context(), r, nil); err != nil || len(*bodies) != 3 || !strings.Contains((*bodies)[2], "response_format") {
		t.Errorf("%v, the last call is %s", err, (*bodies)[len(*bodies)-1])
	}
}

func TestOpenai_ErrorsInsideAGoodAnswerAreClassified(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]model.Reason{
		`{"error":{"message":"Rate limit exceeded upstream","code":429}}`:              model.RateLimit,
		`{"error":{"message":"x","code":"context_length_exceeded"}}`:                   model.ContextOverflow,
		`{"error":{"message":"x","type":"exceed_context_size_error","code":400}}`:      model.ContextOverflow,
		`{"error":{"message":"No auth credentials found","code":401}}`:                 model.Auth,
		`{"error":{"message":"Provider returned error","code":502}}`:                   model.Server,
		`{"error":{"message":"Provider disconnected unexpectedly","code":"server_x"}}`: model.Server,
	} {
		m, _ := server(t, func(w http.ResponseWriter, body string) {
			if strings.Contains(body, `"stream":true`) {
				raw = `data: {"choices":[{"delta":{"content":"Half"}}]}` + "\n\ndata: " + raw + "\n\n"
			}
			_, _ = io.WriteString(w, raw)
		})
		var e *model.Error
		if _, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); !errors.As(err, &e) || e.Reason != want || e.Shown != "" {
			t.Errorf("whole: %s is %v", raw, err)
		}
		if _, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(model.Delta) {}); !errors.As(err, &e) || e.Reason != want || e.Shown != "Half" {
			t.Errorf("streamed: %s is %v", raw, err)
		}
	}
}

func TestOpenai_ArgumentsThatCannotBeRecordedStayVisible(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"a":1,"a":2}`, `{"a":1e400}`, `{cut`} {
		quoted, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := server(t, func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":`+string(quoted)+`}}]},"finish_reason":"tool_calls"}]}`)
		})
		a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
		if err != nil || len(a.Calls) != 1 || string(a.Calls[0].Args) != string(quoted) {
			t.Errorf("%s: %+v %v", args, a.Calls, err)
		}
	}
}
