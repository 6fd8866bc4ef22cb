package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"chela/internal/wire"
	"chela/internal/wire/anthropic"
)

const (
	sonnet = "claude-sonnet-4-5-20250929"
	msg    = "msg_014p7gG3wDgGV9EUtLvnow3U"
)

func text(s string) anthropic.Block { return anthropic.Block{Type: "text", Text: s} }

func call(id, name, input string) anthropic.Block {
	b := anthropic.Block{Type: "tool_use", ID: id, Name: name}
	if input != "" {
		b.Input = json.RawMessage(input)
	}
	return b
}

func answer(id, model, stop string, u anthropic.Usage, blocks ...anthropic.Block) anthropic.Response {
	return anthropic.Response{ID: id, Type: "message", Model: model, Content: blocks, StopReason: stop, Usage: u}
}

// streams are the recorded streams that end well, and what they say.
func streams() map[string]anthropic.Response {
	return map[string]anthropic.Response{
		"text.sse": answer("msg_1", "claude-sonnet-4-20250514", "end_turn", anthropic.Usage{InputTokens: 120, OutputTokens: 9, CacheReadInputTokens: 64, CacheCreationInputTokens: 8}, text("It is due on Friday — 17 h.")),
		"tools.sse": answer("msg_2", "claude-sonnet-4", "tool_use", anthropic.Usage{InputTokens: 50, OutputTokens: 20},
			anthropic.Block{Type: "thinking", Thinking: "The tickets first.", Signature: "c2ln"}, call("toolu_a", "read_tickets", `{"status":"TODO"}`), call("toolu_b", "read_threads", "")),
		"parallel.sse": answer(msg, sonnet, "tool_use", anthropic.Usage{InputTokens: 10682, OutputTokens: 89, CacheReadInputTokens: 512, CacheCreationInputTokens: 30}, // as the end counts them
			text("I look at „Zürich“ first. 🚚"), call("toolu_01T1x1fJ34qAmk2tNTrN7Up6", "read_tickets", `{"text": "Z\u00fcrich"}`), call("toolu_01A09q90qw90lq917835lq9", "capacity_report", "{}")),
		"thinking.sse": answer("msg_01Bv7nQ2dPq", "claude-opus-4-1-20250805", "end_turn", anthropic.Usage{InputTokens: 43, OutputTokens: 71, CacheReadInputTokens: 2048},
			anthropic.Block{Type: "thinking", Thinking: "Seven tickets are open, „MOB-4“ is blocked.", Signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl"},
			anthropic.Block{Type: "redacted_thinking", Data: "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP"}, text("One of seven is blocked: <MOB-4>.")),
		"zai.sse": answer("202511211014520f3c8a", "glm-4.6", "tool_use", anthropic.Usage{InputTokens: 310, OutputTokens: 46, CacheReadInputTokens: 192}, // counted at its end only
			anthropic.Block{Type: "thinking", Thinking: "\nTwo things to look at."}, call("call_bf2e6d1c", "read_tickets", `{"status":"BLOCKED"}`), call("call_5a90c7e2", "read_tickets", `{"status":"TODO"}`)),
		"refusal.sse": answer(msg, sonnet, "refusal", anthropic.Usage{InputTokens: 472, OutputTokens: 12}, text("I cannot go on.")),
		"length.sse":  answer(msg, sonnet, "max_tokens", anthropic.Usage{InputTokens: 20, OutputTokens: 1024}, text("One."), call("toolu_1", "create_ticket", `{"title": "Mo`)),
	}
}

// read reads a stream, and checks that what was shown is what is answered.
func read(t *testing.T, in io.Reader) (anthropic.Response, error) {
	t.Helper()
	var shown strings.Builder
	r, err := anthropic.ReadStream(in, func(s string) { shown.WriteString(s) })
	if len(shown.String()) != len(textOf(r)) || len(r.Content) == 1 && shown.String() != textOf(r) { // blocks may take turns
		t.Fatalf("shown %q, answered %q", shown.String(), textOf(r))
	}
	return r, err
}

func TestRecorded_Streams(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			raw := recorded(t, name)
			for how, in := range map[string]io.Reader{
				"at once":         bytes.NewReader(raw),
				"byte by byte":    iotest.OneByteReader(bytes.NewReader(raw)),
				"with CRLF":       bytes.NewReader(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))),
				"without names":   bytes.NewReader(withoutNames(raw)),
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

// withoutNames leaves the lines with the events' names out.
func withoutNames(raw []byte) []byte {
	var out []byte
	for line := range bytes.Lines(raw) {
		if !bytes.HasPrefix(line, []byte("event:")) {
			out = append(out, line...)
		}
	}
	return out
}

// TestRecorded_EveryCut cuts every stream at every byte, once as if the server had closed it
// and once as if the connection had broken.
func TestRecorded_EveryCut(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			whole := recorded(t, name)
			const last = `data: {"type":"message_stop"}`
			stop := bytes.Index(whole, []byte(last)) + len(last)
			for n := range whole {
				got, err := read(t, bytes.NewReader(whole[:n]))
				checkAgain(t, got, err)
				switch {
				case n < stop && err == nil:
					t.Fatalf("cut at %d it is a whole answer: %+v", n, got)
				case n >= stop && (err != nil || !reflect.DeepEqual(got, want)):
					t.Fatalf("cut at %d, after its end: %+v %v", n, got, err)
				case !strings.HasPrefix(textOf(want), textOf(got)) || len(got.Content) > len(want.Content):
					t.Fatalf("cut at %d it says %+v", n, got)
				}
				if _, err = read(t, io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))); err == nil && n <= stop {
					t.Fatalf("a connection that breaks at %d gives a whole answer", n)
				}
			}
		})
	}
}

// TestRecorded_ACutBetweenEventsIsNamed holds what callers may ask of the error.
func TestRecorded_ACutBetweenEventsIsNamed(t *testing.T) {
	t.Parallel()
	raw := recorded(t, "parallel.sse")
	first := raw[:bytes.Index(raw, []byte("\n\n"))+2]
	if _, err := read(t, bytes.NewReader(first)); !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("closed: %v", err)
	}
	if _, err := read(t, io.MultiReader(bytes.NewReader(first), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken: %v", err)
	}
}

func TestRecorded_AnErrorInsideAStream(t *testing.T) {
	t.Parallel()
	got, err := read(t, bytes.NewReader(recorded(t, "error.sse")))
	var se *anthropic.StreamError
	if !errors.As(err, &se) || se.Type != "overloaded_error" || se.Message != "Overloaded" || textOf(got) != "Half" || got.StopReason != "" {
		t.Errorf("%+v %v", got, err)
	}
	checkAgain(t, got, err)
}

func TestRecorded_AWholeReply(t *testing.T) {
	t.Parallel()
	raw := recorded(t, "whole.json")
	want := answer("msg_01Aq9w938a90dw8q", sonnet, "tool_use", anthropic.Usage{InputTokens: 472, OutputTokens: 89, CacheReadInputTokens: 64, CacheCreationInputTokens: 8},
		anthropic.Block{Type: "thinking", Thinking: "The tickets first.", Signature: "c2ln"}, text("I look."), call("toolu_01A09q90qw90lq917835lq9", "read_tickets", "{\n        \"text\": \"Zürich\"\n      }"))
	if got, err := anthropic.ReadResponse(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
	var again bytes.Buffer
	if err := anthropic.WriteResponse(&again, want); err != nil {
		t.Fatal(err)
	}
	for i := range want.Content { // their JSON is written without spaces
		if c := &want.Content[i]; c.Input != nil {
			c.Input = json.RawMessage(`{"text":"Zürich"}`)
		}
	}
	if got, err := anthropic.ReadResponse(again.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("again: %v\n%+v\n%+v", err, got, want)
	}
	for n := range len(bytes.TrimSpace(raw)) {
		if got, err := anthropic.ReadResponse(raw[:n]); err == nil {
			t.Fatalf("cut at %d it is %+v", n, got)
		}
	}
}

// TestRecorded_OddServers holds what compatible servers do beside the published format.
func TestRecorded_OddServers(t *testing.T) {
	t.Parallel()
	event := func(s string) string { return "data: " + s + "\n\n" }
	begin := event(`{"type":"message_start","message":{"type":"message","usage":{"input_tokens":7,"cache_read_input_tokens":3}}}`)
	end := event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`) + event(`{"type":"message_delta","delta":{},"usage":{"output_tokens":2}}`) + event(`{"type":"message_stop"}`)
	for name, c := range map[string]struct{ in, text, input string }{
		"text at a block's start": {event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}`) + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}`), "Hello", ""},
		"a block without its end": {event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f"}}`) + event(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`), "", `{"a":1}`},
		"an event of tomorrow":    {event(`{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`) + event(`{"type":"mood","index":9}`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := read(t, strings.NewReader(begin+c.in+end))
			if err != nil || len(r.Content) != 1 || textOf(r) != c.text || string(r.Content[0].Input) != c.input || r.StopReason != "end_turn" {
				t.Errorf("%+v %v", r, err)
			}
			if r.Usage != (anthropic.Usage{InputTokens: 7, OutputTokens: 2, CacheReadInputTokens: 3}) {
				t.Errorf("%+v", r.Usage)
			}
		})
	}
	var many strings.Builder
	for i := range 300 {
		many.WriteString(event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text"}}`, i)))
	}
	if r, err := read(t, strings.NewReader(begin+many.String()+end)); err == nil || len(r.Content) != 256 {
		t.Errorf("too many blocks: %d, %v", len(r.Content), err)
	}
	many.Reset()
	for i := range 300 {
		many.WriteString(event(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"a","name":"f"}}`, i)))
		many.WriteString(event(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, i)))
	}
	if r, err := read(t, strings.NewReader(begin+many.String()+end)); err != nil || len(r.Content) != 256 || r.Over != 44 {
		t.Errorf("too many calls: %d and %d over, %v", len(r.Content), r.Over, err)
	}
}
