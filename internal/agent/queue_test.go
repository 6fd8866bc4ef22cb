package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A queued world has its inbox say what waits. The first call of the model is held up.
type queued struct {
	*world
	called, goOn chan struct{}
}

func newQueued(t *testing.T) *queued {
	w := &queued{newWorld(t, agent.Options{}), make(chan struct{}, 1), make(chan struct{})}
	w.answer = func(ctx context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			w.called <- struct{}{}
			select {
			case <-w.goOn:
			case <-ctx.Done():
				return model.Answer{}, ctx.Err()
			}
		}
		return says(fmt.Sprintf("answer %d", n)), nil
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.inbox.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	_, err := w.db.Log.Append(t.Context(), org.PersonAddedKind.Draft(w.place(), org.PersonAdded{ID: "per_bob", Name: "Bob", Role: org.Viewer}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// begin says a first thing in a conversation of a mode and waits until the agent works on it.
func (w *queued) begin(mode session.Mode) inbox.Accepted {
	w.t.Helper()
	first := w.say(inbox.Message{Text: "One", Agent: "agent:pm", Queue: mode})
	<-w.called
	return first
}

// until waits for what is said in a conversation.
func (w *queued) until(thread string, done func(all []string) bool) {
	w.t.Helper()
	grown, leave := w.db.Subscribe(event.LogGrew)
	defer leave()
	for {
		messages, err := w.db.Conversations.Messages(w.t.Context(), thread, 0, 500)
		if err != nil {
			w.t.Fatal(err)
		}
		var all []string
		for _, m := range messages {
			all = append(all, string(m.Role)+": "+m.Message)
		}
		if done(all) {
			return
		}
		select {
		case <-grown:
		case <-w.t.Context().Done():
			w.t.Fatalf("%q", all)
		}
	}
}

func (w *queued) waiting(thread string) (texts []string) {
	w.t.Helper()
	held, err := w.db.Conversations.Waiting(w.t.Context(), thread)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, h := range held {
		texts = append(texts, h.Message)
	}
	return texts
}

func is(want ...string) func([]string) bool {
	return func(all []string) bool { return slices.Equal(all, want) }
}

func TestQueue_CollectBundlesWhatWaits(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin(session.Collect)
	for _, text := range []string{"Two", "Three"} {
		if out := w.say(inbox.Message{Text: text, Thread: first.Thread, Queue: session.Collect, Key: text, Origins: []string{"a.example"}}); !out.Queued || out.Joined || (out.Run == "") != (text == "Three") {
			t.Errorf("%s: %+v", text, out)
		}
	}
	if again := w.say(inbox.Message{Text: "Two", Thread: first.Thread, Queue: session.Collect, Key: "Two"}); !again.Again || !again.Queued {
		t.Errorf("the same again: %+v", again)
	}
	close(w.goOn)
	w.until(first.Thread, is("person: One", "agent: answer 0", "person: Two", "person: Three", "agent: answer 1"))
	if heard := w.heard(1); !strings.Contains(heard, "Two") || !strings.Contains(heard, "Three") {
		t.Errorf("the second turn hears %s", heard)
	}
	said, err := w.db.Conversations.Messages(t.Context(), first.Thread, 0, 500)
	if err != nil || len(said[1].Origins) > 0 {
		t.Fatalf("the first answer has the origins %v: %v", said[1].Origins, err)
	}
	for _, m := range said[2:] { // also the answer to them
		if !slices.Contains(m.Origins, "a.example") {
			t.Errorf("%q has the origins %v", m.Message, m.Origins)
		}
	}
	if left := w.waiting(first.Thread); len(left) > 0 {
		t.Errorf("%q still waits", left)
	}
}

func TestQueue_FollowupsGoOneByOneWithTheirOwnSender(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin(session.Followup)
	w.say(inbox.Message{Text: "Two", Thread: first.Thread, Queue: session.Followup})
	bob := org.Person{ID: "per_bob"}.Party()
	out, err := w.inbox.Take(t.Context(), inbox.Message{Text: "Three", Thread: first.Thread, Queue: session.Followup, From: bob})
	if err != nil {
		t.Fatal(err)
	}
	close(w.goOn)
	w.until(first.Thread, is("person: One", "agent: answer 0", "person: Two", "agent: answer 1", "person: Three", "agent: answer 2"))
	r, err := w.db.Runs.Run(t.Context(), run.ID(out.Run))
	if err != nil || r.By.AgentID != bob.AgentID {
		t.Errorf("the run that was promised is of %+v: %v", r.By, err)
	}
	if strings.Contains(w.heard(1), "Three") {
		t.Error("the second turn hears what is for the third")
	}
}

func TestQueue_OfTooManyTheOldestIsDroppedAndToldSo(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin(session.Followup)
	for i := range session.MostHeld + 1 {
		w.say(inbox.Message{Text: fmt.Sprintf("Number %d", i), Thread: first.Thread, Queue: session.Followup})
	}
	if left := w.waiting(first.Thread); len(left) != session.MostHeld || left[0] != "Number 1" {
		t.Errorf("%q wait", left)
	}
	w.until(first.Thread, func(all []string) bool { return strings.Contains(all[len(all)-1], "“Number 0”") })
	stopped := w.say(inbox.Message{Text: "/stop", Thread: first.Thread})
	if left := w.waiting(first.Thread); len(left) > 0 || !strings.Contains(stopped.Reply, "20 will not be answered") {
		t.Errorf("after /stop %q wait: %s", left, stopped.Reply)
	}
}

func TestQueue_AMessageInterrupts(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin(session.Interrupt)
	second := w.say(inbox.Message{Text: "Stop, do this", Thread: first.Thread, Queue: session.Interrupt})
	if second.Joined || second.Queued || second.Run == first.Run {
		t.Errorf("%+v", second)
	}
	if r, _ := w.end(second.Run); r.State != run.Done {
		t.Errorf("the second run is %s", r.State)
	}
	if r, _ := w.end(first.Run); r.State != run.Cancelled {
		t.Errorf("the first run is %s", r.State)
	}
}

// TestQueue_WhoMayNotStopDoesNotInterrupt: a viewer's message waits where an editor's would stop the work.
func TestQueue_WhoMayNotStopDoesNotInterrupt(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin(session.Interrupt)
	out, err := w.inbox.Take(t.Context(), inbox.Message{Text: "Me too", Thread: first.Thread, Queue: session.Interrupt, From: org.Person{ID: "per_bob"}.Party()})
	if err != nil || !out.Queued {
		t.Errorf("%+v %v", out, err)
	}
	close(w.goOn)
	w.until(first.Thread, is("person: One", "agent: answer 0", "person: Me too", "agent: answer 1"))
}

// TestDebounce_OneTurn: what is said in several messages, one right after the other, is one turn.
func TestDebounce_OneTurn(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	close(w.goOn)
	first := w.say(inbox.Message{Text: "One", Agent: "agent:pm", Debounce: true})
	second := w.say(inbox.Message{Text: "Two", Thread: first.Thread, Debounce: true})
	if !first.Queued || !second.Queued {
		t.Errorf("%+v %+v", first, second)
	}
	w.until(first.Thread, is("person: One", "person: Two", "agent: answer 0"))
}

func TestQueue_Command(t *testing.T) {
	t.Parallel()
	w := newQueued(t)
	first := w.begin("")
	if out := w.say(inbox.Message{Text: "/queue followup", Thread: first.Thread}); !strings.Contains(out.Reply, "waits for its turn") {
		t.Error(out.Reply)
	}
	if out := w.say(inbox.Message{Text: "Two", Thread: first.Thread}); !out.Queued {
		t.Errorf("%+v", out)
	}
	if out := w.say(inbox.Message{Text: "/queue", Thread: first.Thread}); !strings.Contains(out.Reply, "`followup`") || !strings.Contains(out.Reply, "One message waits") {
		t.Error(out.Reply)
	}
	if _, err := w.inbox.Take(t.Context(), inbox.Message{Text: "/queue soon", Thread: first.Thread, From: ann}); fault.KindOf(err) != fault.Invalid {
		t.Error(err)
	}
	close(w.goOn)
	w.until(first.Thread, func(all []string) bool { return all[len(all)-1] == "agent: answer 1" })
	if n := w.count(session.HeldKind.Name); n != 1 {
		t.Errorf("%d were held", n)
	}
	if n := w.count(event.ChatMessage); n < 4 {
		t.Errorf("%d messages", n)
	}
}
