package sdk_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/genai"

	"chela/internal/model"
	ours "chela/internal/model/gemini"
	wire "chela/internal/wire/gemini"
)

// A geminiCall is what the server was asked.
type geminiCall struct {
	wire.Request
	functions []wire.Function
}

// newGemini is a client of a server.
func newGemini(t *testing.T, url string) *genai.Client {
	t.Helper()
	one := int32(1)
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: url, RetryOptions: &genai.HTTPRetryOptions{Attempts: &one}}})
	must(t, err)
	return c
}

// bard is a client of a server that gives the answers in turn, and what it was asked.
func bard(t *testing.T, answers ...wire.Answer) (*genai.Client, *[]geminiCall) {
	t.Helper()
	asked := new([]geminiCall)
	url := serve(t, "/v1beta/models/gemini-x:", func(w http.ResponseWriter, r *http.Request, body []byte) {
		req, tools, err := wire.ReadRequest(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			must(t, wire.WriteError(w, &wire.Failure{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: err.Error()}))
			return
		}
		call := geminiCall{Request: req}
		for _, tool := range tools {
			call.functions = append(call.functions, tool.FunctionDeclarations...)
		}
		answer := answers[len(*asked)]
		*asked = append(*asked, call)
		if strings.HasSuffix(r.URL.Path, ":generateContent") {
			must(t, wire.WriteResponse(w, answer))
			return
		}
		if !strings.HasSuffix(r.URL.Path, ":streamGenerateContent") || r.URL.Query().Get("alt") != "sse" {
			t.Errorf("%s", r.URL)
		}
		s := wire.NewStream(streamed(w), answer.ID, answer.Model)
		for _, p := range answer.Parts {
			if p.FunctionCall == nil && p.ThoughtSignature == "" {
				for _, piece := range pieces(p.Text) {
					must(t, s.Add(wire.Part{Text: piece, Thought: p.Thought}))
				}
				continue
			}
			must(t, s.Add(p))
		}
		if answer.Blocked {
			must(t, s.Block(answer.FinishReason, answer.Usage))
			return
		}
		must(t, s.End(answer.FinishReason, answer.Usage))
	})
	return newGemini(t, url), asked
}

// askBard sends one call, whole or streamed, and joins the pieces of the answer.
func askBard(t *testing.T, c *genai.Client, turns []*genai.Content, config *genai.GenerateContentConfig, stream bool) *genai.GenerateContentResponse {
	t.Helper()
	if !stream {
		m, err := c.Models.GenerateContent(t.Context(), "gemini-x", turns, config)
		must(t, err)
		return m
	}
	m := new(genai.GenerateContentResponse)
	var parts []*genai.Part
	for chunk, err := range c.Models.GenerateContentStream(t.Context(), "gemini-x", turns, config) {
		must(t, err)
		m = chunk
		if len(chunk.Candidates) == 0 {
			continue
		}
		for _, p := range chunk.Candidates[0].Content.Parts {
			if n := len(parts); n > 0 && p.FunctionCall == nil && p.ThoughtSignature == nil && parts[n-1].FunctionCall == nil && parts[n-1].Thought == p.Thought {
				parts[n-1].Text += p.Text
				continue
			}
			parts = append(parts, p)
		}
	}
	if len(m.Candidates) > 0 {
		m.Candidates[0].Content.Parts = parts
	}
	return m
}

func bardSays(finish string, parts ...wire.Part) wire.Answer {
	return wire.Answer{ID: "r_1", Model: "gemini-x", FinishReason: finish, Parts: parts, Usage: wire.Usage{PromptTokenCount: 12, CandidatesTokenCount: 7, CachedContentTokenCount: 5, ThoughtsTokenCount: 2}}
}

func TestGemini_Text(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := bard(t, bardSays("STOP", wire.Part{Text: "Hm. Friday?", Thought: true}, wire.Part{Text: "It is due on „Friday“ <17 h>."}))
		half := float32(0.5)
		m := askBard(t, c, genai.Text("When?"), &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser), Temperature: &half, MaxOutputTokens: 64}, stream)
		if m.ResponseID != "r_1" || m.ModelVersion != "gemini-x" || m.Candidates[0].FinishReason != genai.FinishReasonStop || m.Candidates[0].Content.Role != genai.RoleModel {
			t.Fatalf("%+v", m)
		}
		if parts := m.Candidates[0].Content.Parts; len(parts) != 2 || !parts[0].Thought || parts[0].Text != "Hm. Friday?" || m.Text() != "It is due on „Friday“ <17 h>." {
			t.Errorf("%+v", parts)
		}
		if u := m.UsageMetadata; u.PromptTokenCount != 12 || u.CandidatesTokenCount != 7 || u.CachedContentTokenCount != 5 || u.ThoughtsTokenCount != 2 || u.TotalTokenCount != 21 {
			t.Errorf("%+v", u)
		}
		want := wire.Request{
			SystemInstruction: &wire.Content{Role: "user", Parts: []wire.Part{{Text: "Be brief."}}}, Contents: []wire.Content{{Role: "user", Parts: []wire.Part{{Text: "When?"}}}},
			GenerationConfig: wire.GenerationConfig{Temperature: (*asked)[0].GenerationConfig.Temperature, MaxOutputTokens: 64},
		}
		if !reflect.DeepEqual((*asked)[0].Request, want) || *want.GenerationConfig.Temperature != 0.5 {
			t.Errorf("%+v", (*asked)[0])
		}
	}
}

func TestGemini_Tools(t *testing.T) {
	t.Parallel()
	call := func(id, args, signature string) wire.Part {
		return wire.Part{FunctionCall: &wire.FunctionCall{ID: id, Name: "assign", Args: json.RawMessage(args)}, ThoughtSignature: signature}
	}
	one := int64(1)
	for _, stream := range []bool{false, true} {
		c, asked := bard(t, bardSays("STOP", call("fc_1", `{"owner":"Zoë","days":2}`, "c2ln"), call("", `{}`, "")), bardSays("STOP", wire.Part{Text: "Done."}))
		config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
			{Name: "assign", Description: "Gives work.", Parameters: &genai.Schema{
				Type: genai.TypeObject, Required: []string{"owner"},
				Properties: map[string]*genai.Schema{"owner": {Type: genai.TypeString, Description: "Who it is given to."}, "days": {Type: genai.TypeArray, Items: &genai.Schema{Type: genai.TypeInteger}, MinItems: &one}},
			}},
			{Name: "look", ParametersJsonSchema: schemaMap(t)},
		}}}}
		turns := genai.Text("Give it to Zoë.")
		m := askBard(t, c, turns, config, stream)
		calls := m.Candidates[0].Content.Parts
		if len(calls) != 2 || calls[0].FunctionCall.ID != "fc_1" || !reflect.DeepEqual(calls[0].FunctionCall.Args, map[string]any{"owner": "Zoë", "days": 2.0}) || string(calls[0].ThoughtSignature) != "sig" || calls[1].FunctionCall.Name != "assign" || len(calls[1].FunctionCall.Args) != 0 {
			t.Fatalf("%+v", m.Candidates[0].Content)
		}
		turns = append(turns, m.Candidates[0].Content, genai.NewContentFromParts([]*genai.Part{
			{FunctionResponse: &genai.FunctionResponse{ID: "fc_1", Name: "assign", Response: map[string]any{"output": "given"}}},
			genai.NewPartFromFunctionResponse("assign", map[string]any{"error": "who?"}),
			genai.NewPartFromFunctionResponse("look", map[string]any{"rows": []int{1}}),
		}, genai.RoleUser))
		if m = askBard(t, c, turns, config, stream); m.Text() != "Done." {
			t.Errorf("%+v", m)
		}
		got := (*asked)[1]
		response := func(id, name, out, failed string) wire.Part {
			return wire.Part{FunctionResponse: &wire.FunctionResponse{ID: id, Name: name, Response: wire.Response{Output: out, Error: failed}}}
		}
		want := []wire.Content{
			{Role: "user", Parts: []wire.Part{{Text: "Give it to Zoë."}}},
			{Role: "model", Parts: []wire.Part{call("fc_1", `{"days":2,"owner":"Zoë"}`, "c2ln"), {FunctionCall: &wire.FunctionCall{Name: "assign"}}}},
			{Role: "user", Parts: []wire.Part{response("fc_1", "assign", "given", ""), response("", "assign", "", "who?"), response("", "look", `{"rows":[1]}`, "")}},
		}
		if !reflect.DeepEqual(got.Contents, want) {
			t.Errorf("%+v\n%+v", got.Contents, want)
		}
		if len(got.functions) != 2 || got.functions[0].Name != "assign" || got.functions[0].Description != "Gives work." {
			t.Fatalf("%+v", got.functions)
		}
		p := got.functions[0].Parameters
		if p.Type != "object" || p.Properties["owner"].Type != "string" || p.Properties["days"].Items.Type != "integer" || p.Properties["days"].MinItems != "1" || !reflect.DeepEqual(p.Required, []string{"owner"}) {
			t.Errorf("%+v", p)
		}
		same(t, got.functions[1].ParametersJSONSchema, []byte(schema))
	}
}

func TestGemini_PicturesAndForms(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := bard(t, bardSays("STOP", wire.Part{Text: `{"owner":"Zoë"}`}), bardSays("STOP", wire.Part{Text: `{"owner":"Zoë"}`}))
		turns := []*genai.Content{genai.NewContentFromParts([]*genai.Part{genai.NewPartFromText("Who?"), genai.NewPartFromBytes([]byte(picture), "image/png")}, genai.RoleUser)}
		for _, config := range []*genai.GenerateContentConfig{
			{ResponseMIMEType: "application/json", ResponseJsonSchema: schemaMap(t)},
			{ResponseMIMEType: "application/json", ResponseSchema: &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{"owner": {Type: genai.TypeString}}}},
		} {
			if m := askBard(t, c, turns, config, stream); m.Text() != `{"owner":"Zoë"}` {
				t.Errorf("%+v", m)
			}
		}
		first, second := (*asked)[0], (*asked)[1]
		if b := first.Contents[0].Parts[1].InlineData; b == nil || *b != (wire.Blob{MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString([]byte(picture))}) {
			t.Errorf("%+v", b)
		}
		same(t, first.GenerationConfig.ResponseJSONSchema, []byte(schema))
		if g := second.GenerationConfig; g.ResponseMIMEType != "application/json" || g.ResponseSchema.Properties["owner"].Type != "string" {
			t.Errorf("%+v", g)
		}
	}
}

func TestGemini_Refusal(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		blocked := bardSays("PROHIBITED_CONTENT")
		blocked.Blocked = true
		c, _ := bard(t, bardSays("SAFETY", wire.Part{Text: "To begin"}), blocked)
		if m := askBard(t, c, genai.Text("Do it"), nil, stream); m.Candidates[0].FinishReason != genai.FinishReasonSafety || m.Text() != "To begin" {
			t.Errorf("%+v", m)
		}
		if m := askBard(t, c, genai.Text("Do it"), nil, stream); len(m.Candidates) != 0 || m.PromptFeedback == nil || m.PromptFeedback.BlockReason != genai.BlockedReasonProhibitedContent {
			t.Errorf("%+v", m)
		}
	}
}

func TestGemini_Errors(t *testing.T) {
	t.Parallel()
	c, _ := bard(t)
	var e genai.APIError
	if _, err := c.Models.GenerateContent(t.Context(), "gemini-x", []*genai.Content{{Role: "judge", Parts: []*genai.Part{{Text: "x"}}}}, nil); !errors.As(err, &e) || e.Code != http.StatusBadRequest || e.Status != "INVALID_ARGUMENT" || !strings.Contains(e.Message, "judge") {
		t.Errorf("%v", err)
	}
	url := serve(t, "/v1beta/models/gemini-x:", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		s := wire.NewStream(streamed(w), "r_1", "gemini-x")
		must(t, s.Add(wire.Part{Text: "Half"}))
		must(t, s.Fail(&wire.Failure{Code: 503, Status: "UNAVAILABLE", Message: "Overloaded", Details: []wire.Detail{{Type: "type.googleapis.com/google.rpc.RetryInfo", RetryDelay: "3s"}}}))
	})
	text := ""
	var last error
	for chunk, err := range newGemini(t, url).Models.GenerateContentStream(t.Context(), "gemini-x", genai.Text("x"), nil) {
		if last = err; err == nil {
			text += chunk.Text()
		}
	}
	if !errors.As(last, &e) || e.Code != 503 || e.Status != "UNAVAILABLE" || len(e.Details) != 1 || text != "Half" {
		t.Errorf("%v after %q", last, text)
	}
}

// TestGemini_ReadsOurCalls compares what the SDK understands of a call with what was sent.
func TestGemini_ReadsOurCalls(t *testing.T) {
	t.Parallel()
	for how, show := range calls() {
		for _, form := range []*model.Schema{nil, {Name: "answer", Schema: json.RawMessage(schema)}} {
			r := conversation()
			r.Output = form
			sent := sentBy(t, ours.Open, "/v1beta/models/gemini-3-x:", r, show)
			var call struct {
				SystemInstruction *genai.Content          `json:"systemInstruction,omitempty"`
				Contents          []*genai.Content        `json:"contents"`
				Tools             []*genai.Tool           `json:"tools,omitempty"`
				GenerationConfig  *genai.GenerationConfig `json:"generationConfig"`
			}
			d := json.NewDecoder(bytes.NewReader(sent))
			d.DisallowUnknownFields()
			must(t, d.Decode(&call))
			if len(call.Contents) != 3 || call.Contents[2].Parts[1].FunctionResponse.Response["error"] != "not there" || (len(call.Tools) == 0) != (form != nil) || (call.GenerationConfig.ResponseSchema != nil) != (form != nil) {
				t.Errorf("%s: %+v", how, call)
			}
			again, err := json.Marshal(call)
			must(t, err)
			same(t, again, sent)
		}
	}
}
