package agent_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/redact"
	"chela/internal/run"
)

// TestLoop_SecretsAreMasked: a value of the vault that a person types or a model says is in no event,
// also not in the arguments of a call, and the call that is approved is the one that is made.
func TestLoop_SecretsAreMasked(t *testing.T) {
	t.Parallel()
	const secret, hidden = "hunter2hunter2", "[redacted TOKEN]"
	mint := event.RealMint(func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte(secret), []byte(hidden)) })
	w := newWorldAt(t, mint, agent.Options{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(`edit {"what":"` + secret + `"}`), nil
		}
		return says("I used " + secret + "."), nil
	}
	r, _ := w.tell("The password is " + secret)
	if r.State != run.Waiting {
		t.Fatalf("got %s, want a question", r.State)
	}
	q, err := w.db.Questions.Approval(t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.decide(org.Editor, approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	r, said := w.end(string(r.ID))
	for r.State == run.Waiting && time.Now().Before(deadline) {
		r, said = w.end(string(r.ID))
	}
	if r.State != run.Done || said.Message != "I used "+hidden+"." {
		t.Errorf("got %s: %q, want done, masked", r.State, said.Message)
	}
	if want := "edit " + hidden; w.made() != want {
		t.Errorf("got the call %q, want %q", w.made(), want)
	}
	events, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if strings.Contains(string(e.Message.Payload), secret) {
			t.Errorf("%s holds the secret: %s", e.Message.Type, e.Message.Payload)
		}
	}
}

// TestLoop_SecretsAreMaskedWhileItWrites: what is shown of an answer that is being written has no value of the
// vault either, and is what is recorded in the end.
func TestLoop_SecretsAreMaskedWhileItWrites(t *testing.T) {
	t.Parallel()
	live := new(redact.Live)
	live.Set("vault", []redact.Value{{Name: "TOKEN", Text: "hunter2hunter2"}})
	w := newWorldAt(t, event.RealMint(live.JSON), agent.Options{Hidden: live})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		return says("I used hunter2\x00hunter2 as you said,\x00 and the hunter"), nil
	}
	heard := w.ticks.Subscribe("")
	defer heard.Close()
	_, said := w.tell("Go on")
	shown := ""
	for len(heard.C) > 0 {
		if tick := <-heard.C; tick.Kind == "delta" {
			if tick.At != len(shown) {
				t.Errorf("%q is said to begin at %d, want %d", tick.Text, tick.At, len(shown))
			}
			shown += tick.Text
		}
	}
	if want := "I used [redacted TOKEN] as you said, and the hunter"; shown != want || said.Message != want {
		t.Errorf("got %q, and %q recorded; want %q", shown, said.Message, want)
	}
}
