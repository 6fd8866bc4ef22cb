package intake

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/event"
)

// TestFit_AThreadKeepsWhatOneEventCanHold: what the thread had stays, of what comes the first for which there is room, and the rest is
// told of.
func TestFit_AThreadKeepsWhatOneEventCanHold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1900)
	before := desk.ThreadBody{Title: "Sync", Questions: []string{"Why?"}}
	now := before
	for i := range 600 {
		now.Decisions = append(now.Decisions, desk.Decision{Text: fmt.Sprint(i, long[:200])})
		now.Actions = append(now.Actions, desk.Action{Text: fmt.Sprint(i, long), Status: actionOpen})
	}
	r := &recorder{p: &player{}, src: source{doc: doc{Name: "m.md"}}}
	r.fit(&before, &now)
	raw, err := json.Marshal(now)
	if err != nil || len(raw) > event.MaxPayload {
		t.Errorf("the thread has %d bytes, %v", len(raw), err)
	}
	if len(now.Decisions) != 600 || len(now.Questions) != 1 || len(now.Actions) < 200 || len(now.Actions) == 600 {
		t.Errorf("%d decisions, %d questions and %d actions are kept", len(now.Decisions), len(now.Questions), len(now.Actions))
	}
	want := fmt.Sprintf("m.md: the thread %q keeps %d of 600 actions; there is no room in it for more.", "Sync", len(now.Actions))
	if len(r.p.body.Problems) != 1 || !strings.HasPrefix(r.p.body.Problems[0], want) {
		t.Errorf("problems are %q, want %q", r.p.body.Problems, want)
	}
	full := now
	if r.fit(&full, &now); len(now.Actions) != len(full.Actions) || len(r.p.body.Problems) != 1 {
		t.Errorf("the same again: %d actions, problems %q", len(now.Actions), r.p.body.Problems)
	}
}
