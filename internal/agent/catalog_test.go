package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"chela/internal/agent"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// hub is a source whose tools a test changes.
type hub struct {
	mu      sync.Mutex // guards names and partner
	names   []string
	partner []*tool.Tool  // the tools of an agent of others
	changed chan struct{} // unbuffered: a send ends when the catalog follows
}

// Tools implements [tool.Source].
func (h *hub) Tools(context.Context) ([]*tool.Tool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Clone(h.partner)
	for _, n := range h.names {
		s := tool.Spec{Name: n, Help: "A tool of others.", Risk: tool.ReadOnly, Role: org.Viewer}
		out = append(out, tool.StandIn(s, json.RawMessage(`{"type":"object"}`), nil, func(context.Context, tool.Call) (tool.Result, error) {
			if n == "refuse" {
				return tool.Result{Text: "answer of " + n, Failed: true, From: []string{"hub.example"}}, nil
			}
			return tool.Result{Text: "answer of " + n}, nil
		}))
	}
	return out, nil
}

// Changed implements [tool.Source].
func (h *hub) Changed() <-chan struct{} { return h.changed }

// offers has the hub offer these tools, and waits until the catalog has them.
func (w *world) offers(names ...string) {
	w.hub.mu.Lock()
	w.hub.names = names
	w.hub.mu.Unlock()
	w.hub.changed <- struct{}{}
	w.hub.changed <- struct{}{} // taken after the list of the first was read
}

// shownOfHub returns the names of the hub's tools in a request.
func shownOfHub(r model.Request) string {
	var out []string
	for _, t := range r.Tools.Specs {
		if strings.HasPrefix(t.Name, "hub__") {
			out = append(out, t.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestCatalog_ChangesWhileAnAgentWorks: an agent is shown the tools there are at each step, and a
// call of one that went away fails with a sentence.
func TestCatalog_ChangesWhileAnAgentWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("worker", org.Specialist, "ponder", "hub__ping", "hub__ask_all")
	w.offers("ping")
	w.during = func(context.Context) { w.offers("askAll") }
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		switch n {
		case 0:
			return uses("hub__ping {}", "ponder {}"), nil
		case 1:
			return uses("hub__ping {}", "hub__ask_all {}"), nil
		}
		return says("Done."), nil
	}
	if r, _ := w.end(w.say(inbox.Message{Text: "Go", Agent: "agent:worker"}).Run); r.State != run.Done {
		t.Fatalf("the run is %s, want it done", r.State)
	}
	if len(w.asked) != 3 {
		t.Fatalf("the model was asked %d times, want 3", len(w.asked))
	}
	for n, want := range []string{"hub__ping", "hub__ask_all", "hub__ask_all"} {
		if got := shownOfHub(w.asked[n]); got != want {
			t.Errorf("at step %d the agent is shown %q of the hub, want %q", n, got, want)
		}
	}
	var got []string
	for _, r := range w.results() {
		got = append(got, r.Text)
	}
	for n, want := range []string{"answer of ping", "got ", "The tool hub__ping is not there any more: its source hub does not offer it now.", "answer of askAll"} {
		if n >= len(got) || !strings.Contains(got[n], want) {
			t.Errorf("the results are %q, want %q in number %d", got, want, n)
		}
	}
}
