package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/wire/gemini"
)

type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

func must(t failing, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// compact returns parts whose arguments are written without spaces, as we write them.
func compact(t failing, parts []gemini.Part) (out []gemini.Part) {
	t.Helper()
	for _, p := range parts {
		if p.FunctionCall != nil && p.FunctionCall.Args != nil {
			var b bytes.Buffer
			must(t, json.Compact(&b, p.FunctionCall.Args))
			c := *p.FunctionCall
			c.Args = b.Bytes()
			p.FunctionCall = &c
		}
		out = append(out, p)
	}
	return out
}

// stream writes what was read of an answer, its texts in pieces of n letters, and what
// ended it.
func stream(t failing, a gemini.Answer, ended error, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	s := gemini.NewStream(&out, a.ID, a.Model)
	for _, p := range a.Parts {
		rest := []rune(p.Text)
		for ; len(rest) > n; rest = rest[n:] {
			must(t, s.Add(gemini.Part{Text: string(rest[:n]), Thought: p.Thought}))
		}
		p.Text = string(rest)
		must(t, s.Add(p))
	}
	var failed *gemini.Failure
	switch {
	case errors.As(ended, &failed):
		must(t, s.Fail(failed))
	case a.Blocked:
		must(t, s.Block(a.FinishReason, a.Usage))
	case ended == nil:
		must(t, s.End(a.FinishReason, a.Usage))
	}
	return out.Bytes()
}

// checkAgain holds that an answer, or what came of one, is the same after it was written
// and read again.
func checkAgain(t *testing.T, a gemini.Answer, ended error) {
	t.Helper()
	if ended != nil {
		a.FinishReason, a.Usage = "", gemini.Usage{} // they are said at the end
		if len(a.Parts) == 0 {
			return // nothing of it came
		}
	}
	a.Parts = compact(t, a.Parts)
	got, err := read(t, bytes.NewReader(stream(t, a, ended, 3)))
	if !reflect.DeepEqual(got, a) || (err == nil) != (ended == nil) {
		t.Fatalf("%v, before %v\n%+v\n%+v", err, ended, got, a)
	}
	var failed, before *gemini.Failure
	if errors.As(ended, &before) && (!errors.As(err, &failed) || !reflect.DeepEqual(failed, before)) {
		t.Fatalf("%v, before %v", err, ended)
	}
}

// TestServer_AnyAnswerIsReadAsWritten cuts texts anywhere.
func TestServer_AnyAnswerIsReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := gemini.Answer{
			ID: rapid.String().Draw(t, "id"), Model: rapid.String().Draw(t, "model"), FinishReason: rapid.SampledFrom([]string{"STOP", "MAX_TOKENS", "SAFETY"}).Draw(t, "finish"), Blocked: rapid.Bool().Draw(t, "blocked"),
			Usage: gemini.Usage{PromptTokenCount: rapid.IntRange(0, 9).Draw(t, "prompt"), CachedContentTokenCount: rapid.IntRange(0, 9).Draw(t, "cached"), CandidatesTokenCount: rapid.IntRange(0, 9).Draw(t, "out"), ThoughtsTokenCount: rapid.IntRange(0, 9).Draw(t, "thoughts")},
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "parts") {
			if want.Blocked {
				break
			}
			s := rapid.StringN(1, 20, -1).Draw(t, "text")
			want.Parts = append(want.Parts, rapid.SampledFrom([]gemini.Part{ // a signature keeps texts apart
				{Text: s, ThoughtSignature: "c2ln"}, {Text: s, Thought: true, ThoughtSignature: "c2ln"}, call("", s, `{"a":[1,{"b":null}]}`, ""), call("fc_1", "f", "{}", "c2ln"), {ThoughtSignature: string(rune('a' + i))},
			}).Draw(t, "part"))
		}
		got, err := gemini.ReadStream(bytes.NewReader(stream(t, want, nil, rapid.IntRange(1, 40).Draw(t, "n"))), nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v", err, got, want)
		}
		var whole bytes.Buffer
		must(t, gemini.WriteResponse(&whole, want))
		if got, err := gemini.ReadResponse(whole.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("whole: %v\n%+v\n%+v", err, got, want)
		}
	})
}

func TestServer_ARequestIsRead(t *testing.T) {
	t.Parallel()
	raw := `{"systemInstruction":{"parts":[{"text":"Be brief."}],"role":"user"},"contents":[
		{"role":"user","parts":[{"text":"Look"},{"inlineData":{"mimeType":"image/png","data":"cG5n"}}]},
		{"role":"model","parts":[{"functionCall":{"name":"look","args":{"x":1}},"thoughtSignature":"c2ln"}]},
		{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"output":"seen"}}},{"functionResponse":{"name":"look","response":{"seen":[1]}}},{"functionResponse":{"name":"look","response":{"error":"not seen"}}}]}],
		"tools":[{"functionDeclarations":[{"name":"look","description":"Looks.","parameters":{"type":"OBJECT","properties":{"x":{"type":"INTEGER"}}}},{"name":"hear","parametersJsonSchema":{"type":"object"}}]}],
		"generationConfig":{"maxOutputTokens":5,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}},"safetySettings":[]}`
	r, tools, err := gemini.ReadRequest([]byte(raw))
	must(t, err)
	response := func(out, failed string) gemini.Part {
		return gemini.Part{FunctionResponse: &gemini.FunctionResponse{Name: "look", Response: gemini.Response{Output: out, Error: failed}}}
	}
	want := gemini.Request{
		SystemInstruction: &gemini.Content{Role: "user", Parts: []gemini.Part{text("Be brief.")}}, Tools: r.Tools,
		Contents: []gemini.Content{
			{Role: "user", Parts: []gemini.Part{text("Look"), {InlineData: &gemini.Blob{MIMEType: "image/png", Data: "cG5n"}}}},
			{Role: "model", Parts: []gemini.Part{call("", "look", `{"x":1}`, "c2ln")}},
			{Role: "user", Parts: []gemini.Part{response("seen", ""), response(`{"seen":[1]}`, ""), response("", "not seen")}},
		},
		GenerationConfig: gemini.GenerationConfig{MaxOutputTokens: 5, ResponseMIMEType: "application/json", ResponseJSONSchema: json.RawMessage(`{"type":"object"}`)},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%+v\n%+v", r, want)
	}
	if f := tools[0].FunctionDeclarations; len(tools) != 1 || len(f) != 2 || f[0].Parameters.Type != "object" || f[0].Parameters.Properties["x"].Type != "integer" || string(f[1].ParametersJSONSchema) != `{"type":"object"}` {
		t.Errorf("%+v", tools)
	}
}

func TestServer_ACallThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for raw, says := range map[string]string{
		"":                      "the call cannot be read",
		"[]":                    "the call cannot be read",
		"{}":                    "contents",
		`{"contents":["text"]}`: "the call cannot be read",
		`{"contents":[{"parts":[]},{"role":"me"}]}`:   `contents[1].role: it is "me"`,
		`{"contents":[{"parts":[]}],"tools":{"x":1}}`: "tools",
	} {
		if _, _, err := gemini.ReadRequest([]byte(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestServer_ARefusedCallIsWritten(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := &gemini.Failure{Code: 429, Status: "RESOURCE_EXHAUSTED", Message: "Slower.", Details: []gemini.Detail{{Type: "type.googleapis.com/google.rpc.RetryInfo", RetryDelay: "3s"}}}
	must(t, gemini.WriteError(&out, f))
	var got *gemini.Failure
	if _, err := gemini.ReadResponse(out.Bytes()); !errors.As(err, &got) || !reflect.DeepEqual(got, f) || got.RetryAfter() != 3*time.Second {
		t.Errorf("%+v %v", got, err)
	}
	broken := brokenWriter{}
	if err := gemini.NewStream(broken, "id", "m").Add(text("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
	if err := gemini.WriteResponse(broken, gemini.Answer{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","minItems":"1"}}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, tools, err := gemini.ReadRequest(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, sameTools, err := gemini.ReadRequest(again)
		if err != nil || len(sameTools) != len(tools) || len(got.Contents) != len(r.Contents) {
			t.Fatalf("%v\n%s\n%s", err, raw, again)
		}
	})
}
