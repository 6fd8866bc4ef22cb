package gemini_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"chela/internal/model"
	"chela/internal/model/gemini"
)

// server answers every call with handle and keeps what it was sent.
func server(t *testing.T, method string, handle func(w http.ResponseWriter)) (model.Model, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasPrefix(r.RequestURI, "/v1beta/models/") || !strings.HasSuffix(r.RequestURI, method) || r.Header.Get("X-Goog-Api-Key") != "key" {
			t.Errorf("%s %v %v", r.RequestURI, r.Header, err)
		}
		bodies = append(bodies, string(raw))
		handle(w)
	}))
	t.Cleanup(s.Close)
	m, err := gemini.Open(model.Provider{Name: "p", Kind: model.KindGemini, BaseURL: s.URL + "/v1beta/", Key: "key"}, model.NewHTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	return m, &bodies
}

func says(body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, body) }
}

func user(s string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{{Text: s}}}
}

func called(id, args string) model.Part {
	return model.Part{Call: &model.ToolCall{ID: id, Name: "look", Args: json.RawMessage(args)}}
}

func TestGemini_ACallIsWrittenInTheWiresForm(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, "/gemini-2.5-flash:generateContent", says(`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Looking."},{"functionCall":{"name":"look","args":{"a":2}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"own","name":"look"}}]},"finishReason":"STOP"}],`+
		`"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":5}}`))
	warm := 0.5
	a, err := m.Generate(t.Context(), model.Request{
		Model: "models/gemini-2.5-flash", System: "You are pm.", MaxTokens: 100, Temperature: &warm,
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look"}, {Image: &model.Image{MIMEType: "image/png", Data: []byte("png")}}}},
			{Role: model.Assistant, Parts: []model.Part{
				{Thinking: &model.Thinking{Text: "hm", Signature: "s"}},
				{Thinking: &model.Thinking{Signature: "c2ln", Kind: model.KindGemini}},
				called("c1", `{"a":1}`), called("c2", `"{cut"`),
			}},
			{Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: "c1", Name: "look", Text: "seen"}}, {Result: &model.ToolResult{CallID: "c2", Name: "look", Text: "not there", IsError: true}}}},
			user("Again"),
		},
		Tools: model.NewToolset(model.ToolSpec{Name: "look", Help: "Looks.", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`)}, model.ToolSpec{Name: "list", Help: "Lists.", Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)}),
	}, nil)
	if err != nil || a.Text != "Looking." || a.Stop != model.StopToolCalls || len(a.Calls) != 2 || string(a.Calls[0].Args) != `{"a":2}` || a.Calls[0].ID == "" || a.Calls[1].ID != "own" || string(a.Calls[1].Args) != "{}" {
		t.Fatalf("%+v %v", a, err)
	}
	if a.Parts[0].Thinking.Text != "hm" || a.Parts[2].Thinking.Signature != "c2ln" || a.Parts[2].Thinking.Kind != model.KindGemini {
		t.Errorf("%+v", a.Parts)
	}
	if a.Usage != (model.Usage{InputTokens: 6, OutputTokens: 7, CacheReadTokens: 4}) {
		t.Errorf("%+v", a.Usage)
	}
	want := `{"systemInstruction":{"parts":[{"text":"You are pm."}]},"contents":[` +
		`{"role":"user","parts":[{"text":"Look"},{"inlineData":{"mimeType":"image/png","data":"cG5n"}}]},` +
		`{"role":"model","parts":[{"functionCall":{"id":"c1","name":"look","args":{"a":1}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"c2","name":"look","args":{"unreadable":"{cut"}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"look","response":{"output":"seen"}}},{"functionResponse":{"id":"c2","name":"look","response":{"error":"not there"}}},{"text":"Again"}]}],` +
		`"generationConfig":{"temperature":0.5,"maxOutputTokens":100},` +
		`"tools":[{"functionDeclarations":[{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}},{"name":"list","description":"Lists."}]}]}`
	if (*bodies)[0] != want {
		t.Errorf("\n%s\n%s", (*bodies)[0], want)
	}
}

func TestGemini_AnAnswerInAFormIsAText(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, ":generateContent", says(`{"candidates":[{"content":{"parts":[{"text":"{\"pass\":true}"}]},"finishReason":"STOP"}]}`))
	a, err := m.Generate(t.Context(), model.Request{
		Model: "m", Messages: []model.Message{user("x")}, Tools: model.NewToolset(model.ToolSpec{Name: "look", Schema: json.RawMessage(`{"type":"object"}`)}),
		Output: &model.Schema{Name: "review", Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["pass"],"properties":{"pass":{"type":"boolean"}}}`)},
	}, nil)
	want := `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}}}`
	if err != nil || a.Text != `{"pass":true}` || a.Stop != model.StopEnd || (*bodies)[0] != want {
		t.Errorf("%+v %v\n%s\n%s", a, err, (*bodies)[0], want)
	}
}

// TestGemini_Gemini3WantsASignature holds what a conversation needs that another model began.
func TestGemini_Gemini3WantsASignature(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"gemini-2.5-pro": 0, "gemini-3-pro-preview": 1} {
		m, bodies := server(t, ":generateContent", says(`{"candidates":[{"finishReason":"STOP"}]}`))
		_, err := m.Generate(t.Context(), model.Request{Model: name, Messages: []model.Message{user("x"), {Role: model.Assistant, Parts: []model.Part{called("a", "{}"), called("b", "")}}}}, nil)
		if err != nil || strings.Count((*bodies)[0], `"thoughtSignature":"skip_thought_signature_validator"`) != want {
			t.Errorf("%s: %v %s", name, err, (*bodies)[0])
		}
	}
}

func TestGemini_AStreamedAnswer(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../wire/gemini/testdata/parallel.sse")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := server(t, "/m:streamGenerateContent?alt=sse", says(string(raw)))
	shown := ""
	a, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(d model.Delta) { shown += d.Text })
	if err != nil || shown != a.Text || !strings.Contains(shown, "Zürich") || a.Stop != model.StopToolCalls || len(a.Calls) != 2 || a.Calls[0].ID != "fc_1" {
		t.Errorf("%+v %v, shown %q", a, err, shown)
	}
}

func TestGemini_AStreamThatBreaks(t *testing.T) {
	t.Parallel()
	const half = `data: {"candidates":[{"content":{"parts":[{"text":"Half"}]}}]}` + "\n\n"
	for name, c := range map[string]struct {
		end    string
		reason model.Reason
		after  time.Duration
	}{
		"without a word":    {"", model.Server, 0},
		"with an overload":  {`data: {"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}` + "\n\n", model.Server, 0},
		"with a limit":      {`data: {"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"7s"}]}}` + "\n\n", model.RateLimit, 7 * time.Second},
		"with a timeout":    {`data: {"error":{"code":504,"message":"x","status":"DEADLINE_EXCEEDED"}}` + "\n\n", model.TimedOut, 0},
		"with a bad call":   {`data: {"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}` + "\n\n", model.Server, 0},
		"with a wrong word": {"data: {\n\n", model.Server, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := server(t, ":streamGenerateContent?alt=sse", says(half+c.end))
			_, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(model.Delta) {})
			var e *model.Error
			if !errors.As(err, &e) || e.Reason != c.reason || e.RetryAfter != c.after || e.Shown != "Half" {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestGemini_ARefusedCallSaysWhen(t *testing.T) {
	t.Parallel()
	m, _ := server(t, ":generateContent", func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"35s"}]}}`)
	})
	var e *model.Error
	if _, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); !errors.As(err, &e) || e.Reason != model.RateLimit || e.RetryAfter != 35*time.Second {
		t.Errorf("%+v", err)
	}
}

func TestGemini_WhyAnAnswerEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]model.StopReason{
		"STOP": model.StopEnd, "MAX_TOKENS": model.StopMaxTokens, "SAFETY": model.StopRefusal, "RECITATION": model.StopRefusal, "PROHIBITED_CONTENT": model.StopRefusal,
	} {
		m, _ := server(t, ":generateContent", says(`{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"`+reason+`"}]}`))
		if a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); err != nil || a.Stop != want || a.Text != "x" {
			t.Errorf("%s: %+v %v", reason, a, err)
		}
	}
	m, _ := server(t, ":generateContent", says(`{"promptFeedback":{"blockReason":"SAFETY"}}`))
	if a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); err != nil || a.Stop != model.StopRefusal || a.Text != "" {
		t.Errorf("a blocked prompt: %+v %v", a, err)
	}
}

func TestGemini_ArgumentsThatCannotBeRecordedStayVisible(t *testing.T) {
	t.Parallel()
	m, _ := server(t, ":generateContent", says(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":{"a":1,"a":2}}}]},"finishReason":"STOP"}]}`))
	a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
	if err != nil || len(a.Calls) != 1 || string(a.Calls[0].Args) != `"{\"a\":1,\"a\":2}"` {
		t.Errorf("%+v %v", a.Calls, err)
	}
}
