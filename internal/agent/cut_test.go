package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/model"
	"chela/internal/run"
)

// TestLoop_CutAnswers: an answer that reaches the output limit is continued and joined, however the
// model continues; one that is not whole at the end says so.
func TestLoop_CutAnswers(t *testing.T) {
	t.Parallel()
	cut := func(text string) model.Answer {
		a := says(text)
		a.Stop = model.StopMaxTokens
		return a
	}
	broken := func(text string) model.Answer {
		a := says(text)
		a.Stop = model.StopBroken
		return a
	}
	for name, c := range map[string]struct {
		answers []model.Answer
		text    string
		marked  bool
	}{
		"it goes on":        {[]model.Answer{cut("The plan is to"), says(" ship on Friday.")}, "The plan is to ship on Friday.", false},
		"it begins anew":    {[]model.Answer{cut("The plan is to"), says("The plan is to ship on Friday.")}, "The plan is to ship on Friday.", false},
		"it overlaps":       {[]model.Answer{cut("The plan is to ship on"), says("to ship on Friday.")}, "The plan is to ship on Friday.", false},
		"nothing more":      {[]model.Answer{cut("The plan is to"), says("")}, "The plan is to", true},
		"something else":    {[]model.Answer{cut("The plan is to"), says("Sorry, what is it about?")}, "The plan is to\n\nSorry, what is it about?", true},
		"it breaks":         {[]model.Answer{cut("The plan is to"), broken(" ship")}, "The plan is to ship", true},
		"it is never whole": {[]model.Answer{cut("The plan is to"), cut(" ship on"), cut(" Friday,"), cut(" or later"), cut(" than")}, "The plan is to ship on Friday, or later than", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent.Options{Continuations: len(c.answers) - 1})
			w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
				return c.answers[min(n, len(c.answers)-1)], nil
			}
			_, said := w.tell("What is the plan?")
			if said.Message != c.text {
				t.Errorf("got %q, want %q", said.Message, c.text)
			}
			if marked := said.Broken || strings.Contains(said.Review, "cut at the model's output limit"); marked != c.marked {
				t.Errorf("got marked %v (%+v), want %v", marked, said.Said, c.marked)
			}
		})
	}
}

// TestLoop_AnAnswerWithTooManyCalls: as many calls of it are made as may, the model is told how many were left out, and the run goes
// on.
func TestLoop_AnAnswerWithTooManyCalls(t *testing.T) {
	t.Parallel()
	var calls []string
	for n := range 200 {
		calls = append(calls, fmt.Sprintf(`look {"what":"%d"}`, n))
	}
	w := newWorld(t, agent.Options{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(calls...), nil
		}
		return says("Done."), nil
	}
	r, said := w.tell("Look at them all")
	if r.State != run.Done || said.Message != "Done." || len(w.calls) != 128 || len(w.results()) != 128 {
		t.Errorf("%s: %q after %d calls", r.State, said.Message, len(w.calls))
	}
	if want := "Your answer asked for 200 calls, and at most 128 of one answer are made. The last 72 were left out"; !strings.Contains(w.heard(1), want) {
		t.Errorf("the model was told %q, want %q", w.heard(1), want)
	}
}

// TestLoop_ACallThatWasCut: the model is told that its arguments end in the middle, and why, so that it does not make the same call again.
func TestLoop_ACallThatWasCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n > 0 {
			return says("Done."), nil
		}
		a := uses(`look {}`)
		a.Parts[0].Call.Args = []byte(`"{\"what\": \"the begi"`)
		a.Finish()
		a.Stop = model.StopMaxTokens
		return a, nil
	}
	r, said := w.tell("Look")
	if r.State != run.Done || said.Message != "Done." || len(w.results()) != 1 {
		t.Fatalf("%s: %q with %d results", r.State, said.Message, len(w.results()))
	}
	if told := w.results()[0].Text; !strings.Contains(told, `The arguments of look do not fit: They end in the middle, after 18 bytes`) {
		t.Errorf("the call is answered %q", told)
	}
	if want := "Your answer was cut at the output limit in the middle of a call."; !strings.Contains(w.heard(1), want) {
		t.Errorf("the model was told %q, want %q", w.heard(1), want)
	}
}

// TestLoop_ARefusedAnswer: an answer that the model or its provider's filter ended says so, and is not taken for a whole or an empty one.
func TestLoop_ARefusedAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "The model, or a filter of its provider, refused to answer.", "The plan is": "The plan is"} {
		w := newWorld(t, agent.Options{})
		w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
			a := says(text)
			a.Stop = model.StopRefusal
			return a, nil
		}
		_, said := w.tell("What is the plan?")
		if !strings.HasPrefix(said.Message, want) || !strings.Contains(said.Review, "The model, or a filter of its provider, ended the answer here.") {
			t.Errorf("it says %q, and beside it %q", said.Message, said.Review)
		}
	}
}
