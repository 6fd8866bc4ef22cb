package anthropic_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"chela/internal/model"
	"chela/internal/model/anthropic"
)

func server(t *testing.T, handle func(w http.ResponseWriter)) (model.Model, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "key" || r.Header.Get("Anthropic-Version") == "" {
			t.Errorf("%s %v %v", r.URL.Path, r.Header, err)
		}
		bodies = append(bodies, string(raw))
		handle(w)
	}))
	t.Cleanup(s.Close)
	m, err := anthropic.Open(model.Provider{Name: "p", Kind: model.KindAnthropic, BaseURL: s.URL, Key: "key"}, model.NewHTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	return m, &bodies
}

const usage = `"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`

func TestAnthropic_ACallIsWrittenInTheWiresForm(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"type":"message","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Looking."},{"type":"tool_use","id":"c2","name":"look","input":{"a":2}}],"stop_reason":"tool_use",`+usage+`}`)
	})
	a, err := m.Generate(t.Context(), model.Request{
		Model: "m", System: "You are pm.", MaxTokens: 100,
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look"}, {Image: &model.Image{MIMEType: "image/png", Data: []byte("png")}}}},
			{Role: model.Assistant, Parts: []model.Part{{Thinking: &model.Thinking{Text: "hm", Signature: "s"}}, {Call: &model.ToolCall{ID: "c1", Name: "look", Args: json.RawMessage(`{"a":1}`)}}}},
			{Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: "c1", Name: "look", Text: "not there", IsError: true}}}},
			{Role: model.User, Parts: []model.Part{{Text: "Again"}}},
		},
		Tools: model.NewToolset(model.ToolSpec{Name: "look", Help: "Looks.", Schema: json.RawMessage(`{"type":"object"}`)}, model.ToolSpec{Name: "list", Help: "Lists.", Schema: json.RawMessage(`{"type":"object"}`)}),
	}, nil)
	if err != nil || a.Text != "Looking." || a.Stop != model.StopToolCalls || len(a.Calls) != 1 || string(a.Calls[0].Args) != `{"a":2}` || a.Parts[0].Thinking.Signature != "s" {
		t.Fatalf("%+v %v", a, err)
	}
	if a.Usage != (model.Usage{InputTokens: 10, OutputTokens: 2, CacheReadTokens: 4, CacheWriteTokens: 3}) {
		t.Errorf("%+v", a.Usage)
	}
	want := `{"model":"m","max_tokens":100,"system":[{"type":"text","text":"You are pm.","cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"c1","name":"look","input":{"a":1}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"not there"}],"is_error":true},{"type":"text","text":"Again","cache_control":{"type":"ephemeral"}}]}],` +
		`"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object"}},{"name":"list","description":"Lists.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]}`
	if (*bodies)[0] != want {
		t.Errorf("\n%s\n%s", (*bodies)[0], want)
	}
}

// TestAnthropic_WhatIsCached holds where the marks stand when a turn of tools is under way: the
// results are the user's last turn, and nothing before it is marked.
func TestAnthropic_WhatIsCached(t *testing.T) {
	t.Parallel()
	const mark = `"cache_control":{"type":"ephemeral"}`
	result := func(id string) model.Message {
		return model.Message{Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: id, Name: "look", Text: "seen"}}}}
	}
	call := func(id string) model.Message {
		return model.Message{Role: model.Assistant, Parts: []model.Part{{Call: &model.ToolCall{ID: id, Name: "look"}}}}
	}
	asked := model.Message{Role: model.User, Parts: []model.Part{{Text: "Look"}}}
	for name, c := range map[string]struct {
		r    model.Request
		want string
	}{
		"results": {model.Request{Model: "m", Messages: []model.Message{asked, call("a"), result("a")}}, `{"model":"m","max_tokens":0,"messages":[{"role":"user","content":[{"type":"text","text":"Look"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"seen"}],` + mark + `}]}]}`},
		"resumed after a thought": {model.Request{Model: "m", Messages: []model.Message{asked, {Role: model.Assistant, Parts: []model.Part{{Thinking: &model.Thinking{Text: "hm", Signature: "s"}}}}}}, `{"model":"m","max_tokens":0,"messages":[{"role":"user","content":[{"type":"text","text":"Look",` + mark + `}]},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}]}`},
		"nothing":               {model.Request{Model: "m", System: " "}, `{"model":"m","max_tokens":0,"messages":null}`},
		"a thought of Gemini's": {model.Request{Model: "m", Messages: []model.Message{{Role: model.Assistant, Parts: []model.Part{{Thinking: &model.Thinking{Signature: "s", Kind: model.KindGemini}}, {Text: "x"}}}}}, `{"model":"m","max_tokens":0,"messages":[{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`},
	} {
		m, bodies := server(t, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn",`+usage+`}`)
		})
		if _, err := m.Generate(t.Context(), c.r, nil); err != nil || (*bodies)[0] != c.want {
			t.Errorf("%s: %v\n%s\n%s", name, err, (*bodies)[0], c.want)
		}
	}
}

func TestAnthropic_AnAnswerInAFormIsAText(t *testing.T) {
	t.Parallel()
	m, bodies := server(t, func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"tool_use","id":"c","name":"review","input":{"pass":true}}],"stop_reason":"tool_use",`+usage+`}`)
	})
	a, err := m.Generate(t.Context(), model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "x"}}}}, Output: &model.Schema{Name: "review", Schema: json.RawMessage(`{"type":"object"}`)}}, nil)
	if err != nil || a.Text != `{"pass":true}` || len(a.Calls) != 0 {
		t.Errorf("%+v %v", a, err)
	}
	var sent struct {
		ToolChoice struct{ Type, Name string } `json:"tool_choice"`
	}
	if err := json.Unmarshal([]byte((*bodies)[0]), &sent); err != nil || sent.ToolChoice.Name != "review" {
		t.Errorf("%s %v", (*bodies)[0], err)
	}
}

func TestAnthropic_AStreamThatBreaks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    string
		reason model.Reason
	}{
		"without a word": {"", model.Server},
		"with an error":  {`data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n", model.Server},
		"with its fault": {`data: {"type":"error","error":{"type":"api_error","message":"Internal server error"}}` + "\n\n", model.Server},
		"with a limit":   {`data: {"type":"error","error":{"type":"rate_limit_error","message":"x"}}` + "\n\n", model.RateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := server(t, func(w http.ResponseWriter) {
				_, _ = io.WriteString(w, `data: {"type":"message_start","message":{"type":"message"}}`+"\n\n"+
					`data: {"type":"content_block_start","index":0,"content_block":{"type":"text"}}`+"\n\n"+
					`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}`+"\n\n"+c.end)
			})
			_, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(model.Delta) {})
			var e *model.Error
			if !errors.As(err, &e) || e.Reason != c.reason || e.Shown != "Half" {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestAnthropic_ArgumentsThatAreNoJSONStayVisible(t *testing.T) {
	t.Parallel()
	m, _ := server(t, func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `data: {"type":"message_start","message":{"type":"message"}}`+"\n\n"+
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}}`+"\n\n"+
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{cut"}}`+"\n\n"+
			`data: {"type":"content_block_stop","index":0}`+"\n\n"+`data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`+"\n\n"+`data: {"type":"message_stop"}`+"\n\n")
	})
	a, err := m.Generate(t.Context(), model.Request{Model: "m"}, func(model.Delta) {})
	if err != nil || len(a.Calls) != 1 || string(a.Calls[0].Args) != `"{cut"` || a.Stop != model.StopMaxTokens {
		t.Errorf("%+v %v", a, err)
	}
}

// TestAnthropic_UnreadableArgumentsDoNotSpoilTheConversation: the wire refuses inputs that are
// no objects, and the calls stay in the history.
func TestAnthropic_UnreadableArgumentsDoNotSpoilTheConversation(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"a":1}`: `{"a":1}`,
		` {} `:    `{}`,
		``:        `{}`,
		`"{cut"`:  `{"unreadable":"{cut"}`,
		`[1]`:     `{"unreadable":[1]}`,
		`null`:    `{"unreadable":null}`,
	} {
		m, bodies := server(t, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn",`+usage+`}`)
		})
		_, err := m.Generate(t.Context(), model.Request{Model: "m", Messages: []model.Message{
			{Role: model.Assistant, Parts: []model.Part{{Text: " \n"}, {Call: &model.ToolCall{ID: "c", Name: "look", Args: json.RawMessage(args)}}, {Thinking: &model.Thinking{Text: "unsigned"}}}},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := (*bodies)[0], `{"model":"m","max_tokens":0,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":`+want+`}]}]}`; got != want {
			t.Errorf("\n%s\n%s", got, want)
		}
	}
}

func TestAnthropic_WhyAnAnswerEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]model.StopReason{
		"end_turn": model.StopEnd, "stop_sequence": model.StopEnd, "max_tokens": model.StopMaxTokens,
		"model_context_window_exceeded": model.StopMaxTokens, "refusal": model.StopRefusal,
	} {
		m, _ := server(t, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"`+reason+`",`+usage+`}`)
		})
		if a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); err != nil || a.Stop != want {
			t.Errorf("%s: %+v %v", reason, a, err)
		}
	}
}
