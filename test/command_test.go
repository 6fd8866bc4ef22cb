package test

import (
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestCommands gives commands in a conversation: they show and decide what it asks, stop what
// works on it, and none of them reaches the model.
func TestCommands(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		h := newHands(t, s, map[string][]string{
			"Write it": {`write_file {"path":"x.txt","content":"x"}`}, "Go on": {`write_file {"path":"y.txt","content":"y"}`},
		}, "")
		vera, _ := h.d.member(t, "Vera", "viewer")
		var begun chatAnswer
		h.d.must(t, "POST", "/api/chat", map[string]any{"agent": "coder", "text": "Write it", "wait": true}, &begun)
		say := func(text string) chatAnswer {
			t.Helper()
			var out chatAnswer
			h.d.must(t, "POST", "/api/chat", map[string]any{"threadId": begun.Thread, "text": text, "wait": true}, &out)
			return out
		}
		var asked []question
		h.d.must(t, "GET", "/api/approvals?status=pending", nil, &asked)
		if len(asked) != 1 {
			t.Fatalf("%+v", asked)
		}
		id := asked[0].ID
		if out := say("/approve"); !strings.Contains(out.Reply, id) || !strings.Contains(out.Reply, "+x") || out.Run != "" {
			t.Errorf("what is asked: %+v", out)
		}
		if err := vera.try("POST", "/api/chat", map[string]any{"threadId": begun.Thread, "text": "/approve " + id}, nil); fault.KindOf(err) != fault.Denied {
			t.Errorf("a viewer approves: %v", err)
		}
		if out := say("/approve " + id + " it is fine"); !strings.Contains(out.Reply, "Approved") {
			t.Errorf("%+v", out)
		}
		if out := h.wait(begun); out.State != "done" || h.file("x.txt") != "x" {
			t.Errorf("%+v, %s", out, h.file("x.txt"))
		}
		if err := h.d.try("POST", "/api/chat", map[string]any{"threadId": begun.Thread, "text": "/deny " + id}, nil); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.TextOf(err), "Owner answered this already") {
			t.Errorf("decided twice: %v", err)
		}

		if out := say("Go on"); out.State != "waiting" {
			t.Errorf("%+v", out)
		}
		if out := say("/stop"); !strings.Contains(out.Reply, "Cancelled") {
			t.Errorf("%+v", out)
		}
		if out := say("/status"); !strings.Contains(out.Reply, "Nothing works on it") {
			t.Errorf("%+v", out)
		}
		if out := say("/usage"); !strings.Contains(out.Reply, "This conversation: 3 calls, 30 tokens in") {
			t.Errorf("%+v", out)
		}
		if out := say("/model fake"); !strings.Contains(out.Reply, "/fake") {
			t.Errorf("%+v", out)
		}
		if out := say("//usage of what?"); out.State != "done" || !strings.Contains(out.Reply, "no script") {
			t.Errorf("two slashes are said to the agent: %+v", out)
		}
		if next := say("/new"); next.Thread == begun.Thread || next.Run != "" {
			t.Errorf("%+v", next)
		}
		type command struct {
			Name string `json:"name"`
		}
		var mine, hers []command
		h.d.must(t, "GET", "/api/commands", nil, &mine)
		vera.must(t, "GET", "/api/commands", nil, &hers)
		if len(mine) != 13 || len(hers) != 8 {
			t.Errorf("%v, %v", mine, hers)
		}
		if out, errs, code := h.s.chela(t, "", "chat", "-m", "/helo"); code != 0 || !strings.Contains(out, "/help") {
			t.Errorf("%d %s%s", code, out, errs)
		}
		h.end()
	})
}
