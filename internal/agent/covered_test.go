package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/session"
)

// TestCovered_FiveThousandTurns: a conversation of 5,000 turns keeps a prompt of one size, whose summary says what it stands for, and
// the agent reads turn 10 again.
func TestCovered_FiveThousandTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) { return says("Understood."), nil }
	r, _ := w.tellIn("", "Let us talk.")
	w.chat(r.Thread, 5000)
	all, err := w.db.Conversations.LastMessages(t.Context(), r.Thread, event.Newest, 41)
	if err != nil {
		t.Fatal(err)
	}
	at := event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: "run_c", Task: "task_c", From: org.Person{ID: "per_ann"}.Party()}
	if _, err := w.db.Log.Append(t.Context(), session.CompactedKind.Draft(at, session.Compacted{
		UpTo: all[0].Seq, Messages: 4962, Since: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), Strategy: "summarize", Summary: "They spoke of the weather.",
	})); err != nil {
		t.Fatal(err)
	}
	w.asked = nil
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(`reread {"of":"conversation","offset":10}`), nil
		}
		for _, p := range r.Messages[len(r.Messages)-1].Parts {
			if p.Result != nil && strings.HasPrefix(p.Result.Text, "[10] ") && strings.Contains(p.Result.Text, "Remark 8 about") {
				return says("It was remark 8."), nil
			}
		}
		return says("I do not know."), nil
	}
	w.tellIn(r.Thread, "What was said at turn 10?")
	last, err := w.db.Conversations.LastMessages(t.Context(), r.Thread, event.Newest, 1)
	if err != nil || last[0].Message != "It was remark 8." {
		t.Errorf("the agent says %+v %v", last, err)
	}
	first := sent(w.asked[0])
	if n := len(first); n > 30_000 || len(w.asked[0].Messages) > 45 {
		t.Errorf("the prompt has %d bytes and %d messages", n, len(w.asked[0].Messages))
	}
	for _, want := range []string{"the first 4962 messages", "They spoke of the weather.", "a summary of the messages 0 to 4961, of 2026-03-01 to 2026-03-09"} {
		if !strings.Contains(first, want) {
			t.Errorf("the prompt does not say %q", want)
		}
	}
}
