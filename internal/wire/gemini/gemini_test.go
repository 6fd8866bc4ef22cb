package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"chela/internal/wire"
	"chela/internal/wire/gemini"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func text(s string) gemini.Part { return gemini.Part{Text: s} }

func call(id, name, args, signature string) gemini.Part {
	return gemini.Part{FunctionCall: &gemini.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}, ThoughtSignature: signature}
}

// streams are the streams that end well, and what they say.
func streams() map[string]gemini.Answer {
	return map[string]gemini.Answer{
		"text.sse": {ID: "q1", Model: "gemini-2.5-flash", FinishReason: "STOP", Usage: gemini.Usage{PromptTokenCount: 120, CachedContentTokenCount: 64, CandidatesTokenCount: 9}, Parts: []gemini.Part{text("It is due on Friday — 17 h.")}},
		"tool.sse": {ID: "q2", Model: "gemini-2.5-flash", FinishReason: "STOP", Usage: gemini.Usage{PromptTokenCount: 50, CandidatesTokenCount: 20}, Parts: []gemini.Part{call("", "read_tickets", `{"status": "TODO"}`, "")}},
		"parallel.sse": {
			ID: "q3", Model: "gemini-3-pro-preview", FinishReason: "STOP", Usage: gemini.Usage{PromptTokenCount: 1310, CachedContentTokenCount: 1024, CandidatesTokenCount: 58, ThoughtsTokenCount: 50},
			Parts: []gemini.Part{text("I look at „Zürich“ first. 🚚"), call("fc_1", "read_tickets", `{"text": "Zürich"}`, "CpwBAQ=="), call("fc_2", "capacity_report", "{}", "")},
		},
		"thinking.sse": {
			ID: "q4", Model: "gemini-2.5-pro", FinishReason: "STOP", Usage: gemini.Usage{PromptTokenCount: 30, CandidatesTokenCount: 4, ThoughtsTokenCount: 45},
			Parts: []gemini.Part{{Text: "**Counting** I count the tickets.", Thought: true}, {Text: "There are seven.", ThoughtSignature: "EvQBCg=="}},
		},
		"safety.sse":  {Model: "gemini-2.5-flash", FinishReason: "SAFETY", Usage: gemini.Usage{PromptTokenCount: 12}, Parts: []gemini.Part{text("To begin")}},
		"blocked.sse": {Model: "gemini-2.5-flash", FinishReason: "PROHIBITED_CONTENT", Blocked: true, Usage: gemini.Usage{PromptTokenCount: 12}},
		"length.sse":  {Model: "gemini-2.0-flash", FinishReason: "MAX_TOKENS", Usage: gemini.Usage{PromptTokenCount: 5, CandidatesTokenCount: 6}, Parts: []gemini.Part{text("One, two, thr")}},
	}
}

// read reads a stream, and checks that what was shown is what is answered.
func read(t *testing.T, in io.Reader) (gemini.Answer, error) {
	t.Helper()
	var shown strings.Builder
	a, err := gemini.ReadStream(in, func(s string) { shown.WriteString(s) })
	if shown.String() != a.Text() {
		t.Fatalf("shown %q, answered %q", shown.String(), a.Text())
	}
	return a, err
}

func TestGemini_RecordedStreams(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			raw := recorded(t, name)
			for how, in := range map[string]io.Reader{
				"at once":         bytes.NewReader(raw),
				"byte by byte":    iotest.OneByteReader(bytes.NewReader(raw)),
				"with CRLF":       bytes.NewReader(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))),
				"without its end": bytes.NewReader(bytes.TrimRight(raw, "\n")),
			} {
				got, err := read(t, in)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v\n%+v\n%+v", how, err, got, want)
				}
				checkAgain(t, got, err)
			}
		})
	}
}

// TestGemini_EveryCut cuts every stream at every byte, once as if the server had closed it
// and once as if the connection had broken.
func TestGemini_EveryCut(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			whole := recorded(t, name)
			for n := range whole {
				got, err := read(t, bytes.NewReader(whole[:n]))
				checkAgain(t, got, err)
				switch {
				case err == nil && !reflect.DeepEqual(got, want):
					t.Fatalf("cut at %d it lacks something: %+v", n, got)
				case !strings.HasPrefix(want.Text(), got.Text()) || len(got.Parts) > len(want.Parts):
					t.Fatalf("cut at %d it says %+v", n, got)
				}
				if _, err = read(t, io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))); err == nil {
					t.Fatalf("a connection that breaks at %d gives a whole answer", n)
				}
			}
		})
	}
	raw := recorded(t, "parallel.sse")
	if _, err := read(t, bytes.NewReader(raw[:bytes.Index(raw, []byte("\n\n"))+2])); !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("cut between chunks: %v", err)
	}
}

func TestGemini_AnErrorInsideAStream(t *testing.T) {
	t.Parallel()
	got, err := read(t, bytes.NewReader(recorded(t, "error.sse")))
	var f *gemini.Failure
	if !errors.As(err, &f) || f.Code != 503 || f.Status != "UNAVAILABLE" || got.Text() != "Half" || f.RetryAfter() != 0 || !strings.Contains(f.Error(), "overloaded") {
		t.Errorf("%+v %v", got, err)
	}
	checkAgain(t, got, err)
	raw := `{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.Help","links":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"35.5s"}]}}`
	for how, read := range map[string]func() (gemini.Answer, error){
		"streamed": func() (gemini.Answer, error) { return read(t, strings.NewReader("data: "+raw+"\n\n")) },
		"whole":    func() (gemini.Answer, error) { return gemini.ReadResponse([]byte(raw)) },
	} {
		if a, err := read(); !errors.As(err, &f) || f.Code != 429 || f.RetryAfter() != 35500*time.Millisecond || a.Parts != nil {
			t.Errorf("%s: %+v %v", how, a, err)
		}
	}
}

func TestGemini_WhatIsNoStream(t *testing.T) {
	t.Parallel()
	calls := strings.Repeat(`{"functionCall":{"name":"f"}},`, 300)
	whole := `{"candidates":[{"content":{"parts":[` + strings.TrimSuffix(calls, ",") + `]},"finishReason":"STOP"}]}`
	if a, err := gemini.ReadResponse([]byte(whole)); err != nil || len(a.Parts) != 256 || a.Over != 44 {
		t.Errorf("too many calls: %d and %d over, %v", len(a.Parts), a.Over, err)
	}
	many := strings.Repeat(`{"functionCall":{"name":"f"}},`, 256) + `{"text":"x"}`
	for name, in := range map[string]string{
		"nothing":        "",
		"a page":         "<html>502 Bad Gateway</html>",
		"no JSON":        "data: {\n\n",
		"an error":       `data: {"error":{"message":"overloaded"}}` + "\n\n",
		"no end":         `data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}` + "\n\n",
		"no reason":      `data: {"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}` + "\n\n",
		"too many parts": `data: {"candidates":[{"content":{"parts":[` + many + `]},"finishReason":"STOP"}]}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			if a, err := gemini.ReadStream(strings.NewReader(in), nil); err == nil {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestGemini_AWholeReply(t *testing.T) {
	t.Parallel()
	raw := recorded(t, "whole.json")
	want := gemini.Answer{
		ID: "q9", Model: "gemini-2.5-flash", FinishReason: "STOP", Usage: gemini.Usage{PromptTokenCount: 82, CandidatesTokenCount: 17},
		Parts: []gemini.Part{text("I look."), call("", "read_tickets", `{"text": "Zürich"}`, "CpwB"), call("", "capacity_report", "{}", "")},
	}
	if got, err := gemini.ReadResponse(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
	var again bytes.Buffer
	must(t, gemini.WriteResponse(&again, want))
	want.Parts = compact(t, want.Parts)
	if got, err := gemini.ReadResponse(again.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("again: %v\n%+v\n%+v", err, got, want)
	}
	for n := range len(bytes.TrimSpace(raw)) {
		if got, err := gemini.ReadResponse(raw[:n]); err == nil {
			t.Fatalf("cut at %d it is %+v", n, got)
		}
	}
}

func TestGemini_TheSchemaHasOnlyWhatTheWireTakes(t *testing.T) {
	t.Parallel()
	s, err := gemini.SchemaOf(json.RawMessage(`{"$schema":"x","type":"object","additionalProperties":false,"required":["a"],"properties":{
		"a":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1},"b":{"type":"object","additionalProperties":false,"properties":{"c":{"type":"number","minimum":0,"description":"C."}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	want := `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1},"b":{"type":"object","properties":{"c":{"type":"number","description":"C.","minimum":0}}}},"required":["a"]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
	if s, err := gemini.SchemaOf(json.RawMessage(`{"type":"object","additionalProperties":false}`)); err != nil || s != nil {
		t.Errorf("no arguments: %+v %v", s, err)
	}
	for _, bad := range []string{``, `[]`, `{"type":["string","null"]}`} {
		if s, err := gemini.SchemaOf(json.RawMessage(bad)); err == nil {
			t.Errorf("%s is %+v", bad, s)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	names, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		f.Add(recorded(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		shown := ""
		a, _ := gemini.ReadStream(bytes.NewReader(raw), func(s string) { shown += s })
		if shown != a.Text() {
			t.Fatalf("shown %q, answered %q", shown, a.Text())
		}
	})
}

func FuzzReadResponse(f *testing.F) {
	f.Add(recorded(f, "whole.json"))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = gemini.ReadResponse(raw) }) // it does not panic
}

func FuzzSchemaOf(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := gemini.SchemaOf(raw)
		if err != nil || s == nil {
			return
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("it cannot be written: %v", err)
		}
	})
}
