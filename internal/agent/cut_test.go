package agent_test

import (
	"context"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/model"
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
