package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// TestClient_AProgramThatDoesNotComeBack: a run that waits for a program ends when that does not come back in time. What
// the message allows of our tools says nothing of the program's.
func TestClient_AProgramThatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	mint := event.NewMint(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	w := newWorldAt(t, mint, agent.Options{})
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		if !slices.ContainsFunc(r.Tools.Specs, func(s model.ToolSpec) bool { return s.Name == "theirs" && strings.HasSuffix(s.Help, "Do it there.") }) {
			t.Errorf("the model is shown %v, want the program's tool", r.Tools.Specs)
		}
		return uses(`theirs {"a":1}`, `look {}`), nil
	}
	acc := w.say(inbox.Message{
		Text: "Do it.", Agent: "agent:pm", Policy: &event.Policy{ToolAllowlist: []string{"look"}},
		Client: &session.ClientTools{Tools: []session.ClientTool{{Name: "theirs", As: "Theirs", Help: "Do it there.", Schema: json.RawMessage(`{"type":"object"}`)}}},
	})
	r, _ := w.end(acc.Run)
	if r.State != run.Waiting || !strings.HasPrefix(r.WaitsFor, run.ForClient) || !strings.Contains(r.Reason, "Theirs") {
		t.Fatalf("the run is %s for %q: %s; want it to wait for the program", r.State, r.WaitsFor, r.Reason)
	}
	if w.made() != "look " {
		t.Errorf("made %q, want ours before it waits", w.made())
	}
	resume := func() {
		if err := w.runs.Write(t.Context(), func(b *run.Batch) error { return b.Resume(r.ID, ann, "Look again.") }); err != nil {
			t.Fatal(err)
		}
	}
	resume() // it waits on for the same
	if again, _ := w.end(acc.Run); again.State != run.Waiting || again.WaitsFor != r.WaitsFor {
		t.Fatalf("the run is %s for %q, want it to wait for %s", again.State, again.WaitsFor, r.WaitsFor)
	}
	mint.Forward(agent.ClientTime)
	resume()
	if r, said := w.end(acc.Run); r.State != run.Failed || !strings.Contains(said.Message, "brought no result of Theirs") {
		t.Errorf("the run is %s, and says %q", r.State, said.Message)
	}
	if n := w.count(session.ClientCallsKind.Name); n != 1 {
		t.Errorf("the program was asked %d times, want once", n)
	}
	if n := w.count(tool.ResultKind.Name); n != 1 {
		t.Errorf("got %d results, want that of ours", n)
	}
}
