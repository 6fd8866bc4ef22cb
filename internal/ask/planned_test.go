package ask_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/ask"
	"chela/internal/event"
	"chela/internal/model"
)

// plan is what a model says that wants something computed.
func plan(members string) string {
	return `{"reading":1,"sentences":[],"plan":{"base":""` + members + `}}`
}

// sent is all that a request says.
func sent(r model.Request) string {
	return r.Messages[0].Parts[0].Text
}

// TestAsk_AModelReadsWhatRulesDoNot holds that a question which rules make a search of is computed as a model reads it, that the answer
// says who read it, and that the log has it so.
func TestAsk_AModelReadsWhatRulesDoNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready = true
	w.model.answer = func(model.Request) string {
		return plan(`,"measure":"group","kind":"ticket","by":"owner","filter":"-status:DONE"`)
	}
	a := w.ask("How is the unfinished stuff spread over the crew, headcount wise?")
	if !a.Computed || a.Searched || a.ReadAs != "tickets, not done, grouped by owner" || a.Table == nil || len(a.Table.Rows) != 2 || len(a.Sentences) != 0 {
		t.Errorf("got %+v, want the open tickets by owner", a)
	}
	if a.ReadBy == "" || slices.ContainsFunc(a.Notes, func(n string) bool { return strings.HasPrefix(n, "No record has") }) || len(a.Citations) != 2 || len(a.Others) == 0 {
		t.Errorf("got it read by %q with the notes %q and %d sources; want the model, no words that are left out, and both tickets", a.ReadBy, a.Notes, len(a.Citations))
	}
	if said := sent(w.model.asked[0]); len(w.model.asked) != 1 || !strings.Contains(said, "priority (LOW MEDIUM HIGH CRITICAL)") || !strings.Contains(string(w.model.asked[0].Output.Schema), `"plan"`) {
		t.Errorf("got %d calls, and the model is told %q; want one call with the fields and a form with a plan", len(w.model.asked), said)
	}
	events, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Type: ask.AnsweredKind.Name})
	if err != nil || len(events) != 1 {
		t.Fatalf("got %d questions in the log, %v", len(events), err)
	}
	if recorded, _, err := ask.AnsweredKind.Open(events[0].Event); err != nil || recorded.Answer.ReadBy != a.ReadBy || recorded.Answer.Plan.By != "owner" {
		t.Errorf("the log has it read by %q, %v", recorded.Answer.ReadBy, err)
	}
}

// TestAsk_RulesReadFirst holds that a model is asked for no plan where rules read all of the question, and that one which it gives
// nevertheless is not computed.
func TestAsk_RulesReadFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready = true
	w.model.answer = func(model.Request) string { return plan(`,"measure":"count","kind":"idea"`) }
	a := w.ask("What is blocked?")
	if a.ReadBy != "" || a.Total != 1 || a.Plan.Kind != "ticket" {
		t.Errorf("got %+v, want the blocked ticket as the rules read it", a)
	}
	if r := w.model.asked[0]; strings.Contains(sent(r), "HOW TO HAVE IT COMPUTED") || strings.Contains(string(r.Output.Schema), `"plan"`) {
		t.Errorf("the model is asked for a plan: %s", r.Output.Schema)
	}
}

// TestAsk_APlanOfWordsThatAreLeftOut asks a model for what the rules leave out, and takes its plan in the place of theirs.
func TestAsk_APlanOfWordsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready = true
	w.model.answer = func(r model.Request) string {
		if !strings.Contains(sent(r), `They left out "worked"`) {
			t.Errorf("the model is not told what is left out: %s", sent(r))
		}
		return plan(`,"measure":"list","kind":"ticket","filter":"updated:>=2020-01-01","sort":"-updated"`)
	}
	a := w.ask("which tickets were worked on this year")
	if a.ReadBy == "" || a.Total != 2 || slices.ContainsFunc(a.Notes, func(n string) bool { return strings.HasPrefix(n, "Not taken into account") }) {
		t.Errorf("got %+v, want both tickets and nothing left out", a)
	}
}

// TestAsk_PlansThatCannotBeComputed holds that what a model may not ask for, or writes wrongly, changes no answer and is said in a line.
func TestAsk_PlansThatCannotBeComputed(t *testing.T) {
	t.Parallel()
	const question = "How is the unfinished stuff spread over the crew?"
	for name, members := range map[string]string{
		"a measure":    `,"measure":"delete","kind":"ticket"`,
		"facts":        `,"measure":"facts","kind":"ticket"`,
		"a kind":       `,"measure":"list","kind":"person"`,
		"no kind":      `,"measure":"list","kind":""`,
		"a comment":    `,"measure":"list","kind":"comment"`,
		"a filter":     `,"measure":"list","kind":"ticket","filter":"status:(DONE"`,
		"a field":      `,"measure":"group","kind":"ticket","by":"salary"`,
		"no group":     `,"measure":"group","kind":"ticket"`,
		"no number":    `,"measure":"sum","kind":"ticket","of":"title"`,
		"a limit":      `,"measure":"list","kind":"ticket","limit":-3`,
		"a percentile": `,"measure":"percentile","kind":"ticket","of":"storyPoints","percent":400`,
		"a long one":   fmt.Sprintf(`,"measure":"list","kind":"ticket","filter":%q`, strings.Repeat("(", 20_000)),
	} {
		w := newWorld(t)
		w.model.ready = true
		w.model.answer = func(model.Request) string { return plan(members) }
		a := w.ask(question)
		if a.ReadBy != "" || !a.Searched || !slices.ContainsFunc(a.Notes, func(n string) bool {
			return strings.HasPrefix(n, "The model read the question as something that cannot be computed. ")
		}) {
			t.Errorf("%s: got %+v, want the search, and a line on the plan", name, a)
		}
	}
}

// TestAsk_AModelThatNeedsNoPlan takes its sentences where it wants nothing computed.
func TestAsk_AModelThatNeedsNoPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.model.ready = true
	w.model.answer = func(model.Request) string {
		return fmt.Sprintf(`{"reading":1,"sentences":[{"text":"Retry payments is Bob's.","records":[%q]}],"plan":{"measure":"none","kind":"","filter":"","base":"","by":"","per":"","of":"","each":"","percent":0,"sort":"","limit":0}}`, w.ids["Retry payments"])
	}
	if a := w.ask("What about the flux of retries?"); a.ReadBy != "" || a.Answer != "Retry payments is Bob's." || len(a.Sentences) != 1 {
		t.Errorf("got %+v, want the model's sentence", a)
	}
}
