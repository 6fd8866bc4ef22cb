package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/tool"
)

func always(a model.Answer) func(context.Context, model.Request, int) (model.Answer, error) {
	return func(context.Context, model.Request, int) (model.Answer, error) { return a, nil }
}

// script gives the answers in turn, and the last one again.
func script(answers ...model.Answer) func(context.Context, model.Request, int) (model.Answer, error) {
	return func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		return answers[min(n, len(answers)-1)], nil
	}
}

func TestAgent_AForcedAgentAnswersWithoutControllerAndChecker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller, org.Checker)
	w.answer = always(says("Here it is."))
	r, last := w.tell("Give it")
	if r.State != run.Done || last.Message != "Here it is." || last.Confirmed != nil {
		t.Errorf("%+v %+v", r, last)
	}
	if len(w.asked) != 1 || !strings.Contains(w.asked[0].System, "You are pm.") || w.asked[0].Tools == nil {
		t.Errorf("%d calls, the first is %+v", len(w.asked), w.asked[0])
	}
	for kind, n := range map[string]int{event.TaskRequest: 1, event.TaskAccept: 1, event.TaskResult: 1} {
		if got := w.count(kind); got != n {
			t.Errorf("%d %s, want %d", got, kind, n)
		}
	}
}

const (
	delegate = `{"delegate":"pm","sub_task":"do it","respond":"","requires":[]}`
	pass     = `{"pass":true,"summary":"fine","feedback":""}`
	fail     = `{"pass":false,"summary":"no","feedback":"It names no date."}`
)

// team answers as the three kinds of agents do.
func team(choice string, specialist, checker func(n int) string) func(context.Context, model.Request, int) (model.Answer, error) {
	var s, c int
	return func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		switch r.Agent {
		case "agent:controller":
			return says(choice), nil
		case "agent:checker":
			c++
			return says(checker(c)), nil
		}
		s++
		return says(specialist(s)), nil
	}
}

func fixed(s string) func(int) string { return func(int) string { return s } }

func TestAgent_TheControllerHandsToASpecialistAndTheCheckerReviews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller, org.Checker)
	w.answer = team(delegate, fixed("It is due on Friday."), fixed(pass))
	r, last := w.end(w.say(inbox.Message{Text: "When is it due?"}).Run)
	if r.State != run.Done || last.Message != "It is due on Friday." || last.Confirmed != nil {
		t.Errorf("%+v %+v", r, last)
	}
	if w.asked[0].Output == nil || w.asked[2].Output == nil || w.asked[0].Tools != nil || w.asked[2].Tools != nil {
		t.Error("controller and checker are asked for their contract, and have no tools")
	}
	if w.asked[0].Job != model.Controlling || w.asked[1].Job != model.Specializing || w.asked[2].Job != model.Checking {
		t.Errorf("the jobs are %s, %s and %s", w.asked[0].Job, w.asked[1].Job, w.asked[2].Job)
	}
	if review := w.heard(2); !strings.Contains(review, "It is due on Friday.") || strings.Contains(w.heard(1), "Friday") {
		t.Error("the forks are not isolated: the checker sees the answer, nobody else")
	}
	if w.count(route.DecisionKind.Name) != 1 || w.count(event.TaskRequest) != 4 || w.count(event.TaskResult) != 4 {
		t.Errorf("%d decisions, %d requests, %d results", w.count(route.DecisionKind.Name), w.count(event.TaskRequest), w.count(event.TaskResult))
	}
}

func TestAgent_AControllerMayAnswerItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller, org.Checker)
	w.answer = team(`{"delegate":"","sub_task":"","respond":"Good morning.","requires":[]}`, nil, nil)
	if _, last := w.end(w.say(inbox.Message{Text: "Hello"}).Run); last.Message != "Good morning." || len(w.asked) != 1 {
		t.Errorf("%+v after %d calls", last, len(w.asked))
	}
}

func TestAgent_ARefusedAnswerIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checker   func(int) string
		tries     int
		confirmed bool
	}{
		"the second is accepted": {func(n int) string { return map[bool]string{true: fail, false: pass}[n < 2] }, 2, true},
		"none is accepted":       {fixed(fail), 4, false},
		"the checker keeps no form": {
			fixed("I like it."), 4, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, agent.Options{}, org.Controller, org.Checker)
			w.answer = team(delegate, func(n int) string { return fmt.Sprintf("try %d", n) }, c.checker)
			r, last := w.end(w.say(inbox.Message{Text: "When?"}).Run)
			if r.State != run.Done || last.Message != fmt.Sprintf("try %d", c.tries) {
				t.Errorf("%s: %q, want the try %d", r.State, last.Message, c.tries)
			}
			if confirmed := last.Confirmed == nil; confirmed != c.confirmed {
				t.Errorf("confirmed: %v", confirmed)
			}
			if !c.confirmed && last.Review == "" {
				t.Error("it does not say why it is not confirmed")
			}
		})
	}
}

func TestAgent_AContractIsRepairedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller)
	said := 0
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		if r.Agent != "agent:controller" {
			return says("Done."), nil
		}
		if said++; said == 1 {
			return says("I think pm should do it."), nil
		}
		return says("```json\n" + delegate + "\n```"), nil
	}
	if r, last := w.end(w.say(inbox.Message{Text: "Do it"}).Run); r.State != run.Done || last.Message != "Done." {
		t.Errorf("%+v %+v", r, last)
	}
	if !strings.Contains(w.heard(1), "does not fit") {
		t.Errorf("the repair says: %s", w.heard(1))
	}

	w = newWorld(t, agent.Options{}, org.Controller)
	w.answer = always(says("no form"))
	if r, last := w.end(w.say(inbox.Message{Text: "Do it"}).Run); r.State != run.Failed || !strings.Contains(last.Message, "twice") {
		t.Errorf("%+v %+v", r, last)
	}
}

func TestAgent_NobodyFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller)
	w.answer = always(says(`{"delegate":"","sub_task":"fly","respond":"","requires":["skill:fly"]}`))
	r, last := w.end(w.say(inbox.Message{Text: "Fly"}).Run)
	if r.State != run.Failed || !strings.Contains(last.Message, "skill:fly") || w.count(route.FailureKind.Name) != 1 {
		t.Errorf("%+v %+v, %d failures", r, last, w.count(route.FailureKind.Name))
	}
}

func TestAgent_ToolsAreCalledAndTheirResultsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = script(uses(`look {"what":"a"}`, `functions.Look {"what":"b"}`, `send {"what":"c"}`, `nothing {}`, `look {"wat":"d"}`, `broken {}`, `slow {}`, `admin_only {}`), says("Done."))
	if r, last := w.tell("Use them"); r.State != run.Done || last.Message != "Done." {
		t.Fatalf("%+v %+v", r, last)
	}
	want := []struct {
		bad  bool
		says string
	}{
		{false, "got a"},
		{false, "got b"},
		{false, "got c"},
		{true, `no tool named "nothing"`},
		{true, "wat"},
		{true, "broken broke"},
		{true, "did not end within 50ms"},
		{true, "role"},
	}
	got := w.results()
	if len(got) != len(want) {
		t.Fatalf("%d results: %+v", len(got), got)
	}
	for i, c := range want {
		if got[i].IsError != c.bad || !strings.Contains(got[i].Text, c.says) || got[i].CallID == "" {
			t.Errorf("result %d: %+v, want %q", i, got[i], c.says)
		}
	}
	for _, kind := range []string{tool.CallKind.Name, tool.ResultKind.Name, tool.ErrorKind.Name} {
		if w.count(kind) == 0 {
			t.Errorf("no %s in the log", kind)
		}
	}
	for _, c := range w.calls {
		if strings.HasPrefix(c, "admin_only") {
			t.Error("a tool beyond the person's role was called")
		}
	}
}

func TestAgent_ReadingIsDoneBesideEachOtherAndWritingInTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = script(uses(`meet {}`, `meet {}`, `write {"what":"1"}`, `write {"what":"2"}`, `write {"what":"3"}`), says("Done."))
	if r, _ := w.tell("Meet"); r.State != run.Done {
		t.Fatalf("%+v", r)
	}
	for i, r := range w.results() {
		if r.IsError {
			t.Errorf("result %d: %s", i, r.Text)
		}
	}
	if order := strings.Join(w.calls[2:], ","); w.most != 1 || order != "write 1,write 2,write 3" {
		t.Errorf("%d at once, in the order %s", w.most, order)
	}
}

func TestAgent_ThePolicyOfAMessageNarrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = script(uses(`send {"what":"x"}`), says("Done."))
	id := w.say(inbox.Message{Text: "Send", Agent: "agent:pm", Policy: &event.Policy{ToolAllowlist: []string{"look"}}}).Run
	if r, _ := w.end(id); r.State != run.Done || len(w.calls) != 0 || !w.results()[0].IsError {
		t.Errorf("%+v, calls %v", r, w.calls)
	}
}

func TestAgent_ALongResultIsCutAndKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{ResultLimit: 1000})
	w.answer = script(uses(`long {}`), says("Done."))
	w.tell("Read")
	if got := w.results()[0].Text; len(got) > 1200 || !strings.Contains(got, "artifact:") {
		t.Errorf("%d bytes: %s", len(got), got[max(0, len(got)-120):])
	}
}

func TestAgent_LimitsEndWithASummary(t *testing.T) {
	t.Parallel()
	loops := func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		if r.Tools == nil {
			return says("What I found so far."), nil
		}
		return uses(fmt.Sprintf(`look {"what":"%d"}`, n)), nil
	}
	for name, c := range map[string]struct {
		opts  agent.Options
		why   string
		calls int
	}{
		"model calls": {agent.Options{Calls: 4, Continuations: 1, Nudge: 3}, "budget of 8 model calls", 9},
		"tool calls":  {agent.Options{Steps: 3}, "limit of tool calls", 4},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.opts)
			w.answer = loops
			r, last := w.tell("Go on for ever")
			if r.State != run.Done || last.Message != "What I found so far." || !strings.Contains(last.Review, c.why) {
				t.Errorf("%s %q %q", r.State, last.Message, last.Review)
			}
			if len(w.asked) != c.calls {
				t.Errorf("%d model calls, want %d", len(w.asked), c.calls)
			}
			if w.asked[0].Job != model.Specializing || w.asked[len(w.asked)-1].Job != model.Summing {
				t.Errorf("the jobs are %s and, at the end, %s", w.asked[0].Job, w.asked[len(w.asked)-1].Job)
			}
			if c.opts.Nudge > 0 && !strings.Contains(w.heard(3), "You have used 3 of 8") {
				t.Errorf("no reminder: %s", w.heard(3))
			}
		})
	}
}

func TestAgent_RepetitionIsNoticed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		if r.Tools == nil {
			return says("I was going round in circles."), nil
		}
		return uses(`look {"what":"same"}`), nil
	}
	_, last := w.tell("Look")
	if last.Message != "I was going round in circles." || !strings.Contains(last.Review, "five times") || len(w.calls) != 5 {
		t.Errorf("%q %q after %d calls", last.Message, last.Review, len(w.calls))
	}
	if !strings.Contains(w.heard(3), "with the same result before") {
		t.Errorf("no warning: %s", w.heard(3))
	}
}

func TestAgent_ABudgetOfTokensEndsTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	budget := org.Budget{MaxTokens: 20}
	a, err := w.db.Roster.Agent(t.Context(), "agent:pm")
	if err != nil {
		t.Fatal(err)
	}
	a.Budget = budget
	if _, err := w.db.Log.Append(t.Context(), org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Profile: &a.Profile})); err != nil {
		t.Fatal(err)
	}
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		a := uses(fmt.Sprintf(`look {"what":"%d"}`, n))
		if r.Tools == nil {
			a = says("Stopped.")
		}
		a.Usage = model.Usage{InputTokens: 15}
		return a, nil
	}
	if _, last := w.tell("Look"); !strings.Contains(last.Review, "20 tokens") || len(w.asked) != 3 {
		t.Errorf("%+v after %d calls", last, len(w.asked))
	}
}

func TestAgent_AnOverflowingContextIsCutDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{ResultLimit: 50_000})
	size := func(r model.Request) int {
		raw, err := json.Marshal(r.Messages)
		if err != nil {
			t.Error(err)
		}
		return len(raw)
	}
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		switch {
		case n == 0:
			return uses(`long {}`), nil
		case size(r) > 10_000:
			return model.Answer{}, &model.Error{Reason: model.ContextOverflow, Detail: "too long"}
		}
		return says("It fits."), nil
	}
	if r, last := w.tell("Read"); r.State != run.Done || last.Message != "It fits." || len(w.asked) != 3 {
		t.Errorf("%+v %+v after %d calls", r, last, len(w.asked))
	}

	w = newWorld(t, agent.Options{})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		return model.Answer{}, &model.Error{Reason: model.ContextOverflow, Detail: "The conversation is too long for the model."}
	}
	if r, _ := w.tell("Read"); r.State != run.Failed || len(w.asked) != 4 {
		t.Errorf("%+v after %d calls, want one and three retries", r, len(w.asked))
	}
}

func TestAgent_ACutAnswerIsContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	half := says("The first half, ")
	half.Stop = model.StopMaxTokens
	w.answer = script(half, says("and the second."))
	if _, last := w.tell("Tell"); last.Message != "The first half, and the second." {
		t.Errorf("%q", last.Message)
	}
}

func TestAgent_ABrokenAnswerIsMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	a := says("It broke off he")
	a.Stop = model.StopBroken
	w.answer = always(a)
	if _, last := w.tell("Tell"); last.Message != "It broke off he" || !last.Broken {
		t.Errorf("%+v", last)
	}
}

func TestAgent_AMessageSteersBetweenCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	called, goOn := make(chan struct{}, 1), make(chan struct{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			called <- struct{}{}
			<-goOn
			return uses(`look {"what":"a"}`), nil
		}
		return says("Done."), nil
	}
	first := w.say(inbox.Message{Text: "Look", Agent: "agent:pm"})
	<-called
	second := w.say(inbox.Message{Text: "And be brief", Thread: first.Thread})
	if !second.Joined || second.Run != first.Run {
		t.Errorf("the second message did not join the run: %+v", second)
	}
	close(goOn)
	w.end(first.Run)
	if !strings.Contains(w.heard(1), "And be brief") {
		t.Errorf("the second call did not see it: %s", w.heard(1))
	}
	if len(w.asked) != 2 {
		t.Errorf("%d calls", len(w.asked))
	}
}

func TestAgent_AMessageThatComesAtTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	called, goOn := make(chan struct{}, 1), make(chan struct{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			called <- struct{}{}
			<-goOn
		}
		return says(fmt.Sprintf("answer %d", n)), nil
	}
	first := w.say(inbox.Message{Text: "One", Agent: "agent:pm"})
	<-called
	w.say(inbox.Message{Text: "Two", Thread: first.Thread})
	close(goOn)
	if r, last := w.end(first.Run); r.State != run.Done || last.Message != "answer 1" || !strings.Contains(w.heard(1), "Two") {
		t.Errorf("%+v %q", r, last.Message)
	}
}

func TestAgent_ACommandIsShownToNoModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	called, goOn := make(chan struct{}, 1), make(chan struct{})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			called <- struct{}{}
			<-goOn
		}
		return says(fmt.Sprintf("answer %d", n)), nil
	}
	first := w.say(inbox.Message{Text: "One", Agent: "agent:pm"})
	<-called
	if a := w.say(inbox.Message{Text: "/status", Thread: first.Thread}); a.Run != "" || !strings.Contains(a.Reply, "The run "+first.Run) {
		t.Errorf("%+v", a)
	}
	close(goOn)
	if r, last := w.end(first.Run); r.State != run.Done || last.Message != "answer 0" || len(w.asked) != 1 {
		t.Errorf("the command went on with the run: %+v %q, %d calls", r, last.Message, len(w.asked))
	}
	second := w.say(inbox.Message{Text: "Two", Agent: "agent:pm", Thread: first.Thread})
	if w.end(second.Run); strings.Contains(w.heard(1), "/status") {
		t.Errorf("the model was shown the command: %s", w.heard(1))
	}
}

func TestAgent_AConversationChoosesTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{}, org.Controller, org.Checker)
	w.inbox = inbox.New(w.runs, w.db, w.db.ForInbox(), inbox.Options{Models: named{"lab/large"}})
	w.answer = team(delegate, fixed("It is due on Friday."), fixed(pass))
	begun := w.say(inbox.Message{Text: "/model large"})
	w.end(w.say(inbox.Message{Text: "When is it due?", Thread: begun.Thread}).Run)
	w.say(inbox.Message{Text: "/model default", Thread: begun.Thread})
	w.end(w.say(inbox.Message{Text: "And now?", Thread: begun.Thread}).Run)
	for i, r := range w.asked {
		if want := map[bool]string{true: "lab/large"}[i < 3]; r.Model != want {
			t.Errorf("call %d of %s asks %q, want %q", i, r.Agent, r.Model, want)
		}
	}
	if len(w.asked) != 6 {
		t.Errorf("%d calls", len(w.asked))
	}
}

// named are models that can be asked.
type named []string

func (n named) Names() []string { return n }

func TestAgent_AModelThatFailsIsSaidInTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		return model.Answer{}, fault.New(fault.Unavailable, "The model does not answer.")
	}
	r, last := w.tell("Hello")
	if r.State != run.Failed || last.Message != "The model does not answer." || w.count(event.TaskError) != 1 {
		t.Errorf("%+v %+v", r, last)
	}
}

func TestAgent_ACallThatTakesTooLongEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{CallTimeout: 10 * time.Millisecond})
	w.answer = func(ctx context.Context, _ model.Request, _ int) (model.Answer, error) {
		<-ctx.Done()
		return model.Answer{}, context.Cause(ctx)
	}
	if r, last := w.tell("Hello"); r.State != run.Failed || !strings.Contains(last.Message, "10ms") {
		t.Errorf("%+v %q", r, last.Message)
	}
}
