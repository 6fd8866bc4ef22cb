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

// TestForked_OfAForkKnowsWhatWasSaid: a fork of a fork is shown what was said in both conversations before it, and nothing that was said
// in them afterwards; it reads the same again.
func TestForked_OfAForkKnowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) { return says("Understood."), nil }
	first, _ := w.tellIn("", "The code word is Xylophone.")
	w.fork("thr_second", first.Thread)
	w.tellIn(first.Thread, "Forget it: it is Trumpet.")
	w.tellIn("thr_second", "The river is the Aare.")
	w.fork("thr_third", "thr_second")
	w.tellIn("thr_second", "No, the Rhine.")
	w.asked = nil
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(`reread {"of":"conversation"}`), nil
		}
		return says("Xylophone, at the Aare."), nil
	}
	w.tellIn("thr_third", "Which word, and which river?")
	for what, text := range map[string]string{"the prompt": sent(w.asked[0]), "what is read again": w.results()[0].Text} {
		for _, want := range []string{"Xylophone", "Aare"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %s: %.500s", what, want, text)
			}
		}
		for _, other := range []string{"Trumpet", "Rhine"} {
			if strings.Contains(text, other) {
				t.Errorf("%s says %s, which was said after the fork", what, other)
			}
		}
	}
}

// TestForked_KnowsASummary: what stood for the older part of a conversation stands for it in a fork, too.
func TestForked_KnowsASummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) { return says("Understood."), nil }
	first, _ := w.tellIn("", "The code word is Xylophone.")
	w.chat(first.Thread, 4)
	at := event.Place{Stream: event.ThreadStream(first.Thread), Thread: first.Thread, Run: "run_c", Task: "task_c", From: org.Person{ID: "per_ann"}.Party()}
	said, err := w.db.Conversations.Messages(t.Context(), first.Thread, 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Log.Append(t.Context(), session.CompactedKind.Draft(at, session.Compacted{
		UpTo: said[3].Seq, Messages: 4, Since: time.Unix(0, 0), Until: time.Unix(0, 0), Strategy: "summarize", Summary: "They agreed on a word.",
	})); err != nil {
		t.Fatal(err)
	}
	w.chat(first.Thread, 2)
	w.fork("thr_second", first.Thread)
	w.asked = nil
	w.tellIn("thr_second", "Which word?")
	text := sent(w.asked[0])
	if strings.Contains(text, "Xylophone") || !strings.Contains(text, "They agreed on a word.") || !strings.Contains(text, "the first 4 messages") {
		t.Errorf("the fork is shown %.1500s", text)
	}
}

// fork begins a conversation that has what was said in another until now.
func (w *world) fork(id, from string) {
	w.t.Helper()
	said, err := w.db.Conversations.LastMessages(w.t.Context(), from, event.Newest, 1)
	if err != nil || len(said) == 0 {
		w.t.Fatal(len(said), err)
	}
	at := event.Place{Stream: event.ThreadStream(id), Thread: id, Run: "run_" + id, Task: "task_" + id, From: org.Person{ID: "per_ann"}.Party()}
	opened := session.Opened{Agent: "agent:pm", Channel: "page", Title: "Fork", Person: at.From.AgentID, ForkedFrom: from, ForkedSeq: said[0].Seq}
	if _, err := w.db.Log.Append(w.t.Context(), session.OpenedKind.Draft(at, opened)); err != nil {
		w.t.Fatal(err)
	}
}
