package agent_test

import (
	"context"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
)

// TestLoop_WhoLosesTheirRightsIsHeldToThem: a person whose role is lowered, or who is disabled, while the model thinks. What it then wants
// is not done, and for a person who may do nothing no model is asked again.
func TestLoop_WhoLosesTheirRightsIsHeldToThem(t *testing.T) {
	t.Parallel()
	viewer, off := org.Viewer, false
	for name, c := range map[string]struct {
		change org.PersonChanged
		state  run.State
		says   string
		asked  int
	}{
		"a viewer":  {org.PersonChanged{ID: "per_ann", Role: &viewer}, run.Done, "needs the role editor", 2},
		"a nobody":  {org.PersonChanged{ID: "per_ann", Enabled: &off}, run.Failed, "The work stops here", 1},
		"no change": {org.PersonChanged{ID: "per_ann"}, run.Done, "", 2},
	} {
		w := newWorld(t, agent.Options{})
		w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
			if n > 0 {
				return says("I noted it. " + r.Messages[len(r.Messages)-1].Parts[0].Result.Text), nil
			}
			_, err := w.db.Log.Append(ctx, org.PersonChangedKind.Draft(w.place(), c.change))
			return uses(`note {"what":"x"}`), err
		}
		r, said := w.tell("Note it.")
		if r.State != c.state || !strings.Contains(said.Message+r.Reason, c.says) || len(w.asked) != c.asked {
			t.Errorf("%s: the run is %s after %d calls of the model and says %q (%s)", name, r.State, len(w.asked), said.Message, r.Reason)
		}
		if made := w.made() != ""; made != (c.says == "") {
			t.Errorf("%s: the call was made: %v", name, made)
		}
	}
}

// TestCaller_ADisabledPerson: the run of somebody who was disabled is told that, and the way out.
func TestCaller_ADisabledPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	disabled := false
	if _, err := w.db.Log.Append(t.Context(), org.PersonChangedKind.Draft(w.place(), org.PersonChanged{ID: "per_ann", Enabled: &disabled})); err != nil {
		t.Fatal(err)
	}
	w.played([]string{`note {"what":"x"}`}, nil)
	_, last := w.tell("Write")
	if want := "note was not called: Ann is disabled; an admin can enable them."; !strings.Contains(last.Message, want) || w.made() != "" {
		t.Errorf("got %q, and %q was done; want %q", last.Message, w.made(), want)
	}
}

// TestLoop_AnAgentThatIsChangedMeanwhile: an agent that is disabled, or loses a tool or a permission, while the model thinks. What it then
// wants is not done, and one that is disabled is not asked again.
func TestLoop_AnAgentThatIsChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(a *org.Agent)
		state  run.State
		says   string
		asked  int
	}{
		"disabled":       {func(a *org.Agent) { a.Enabled = false }, run.Failed, "The agent pm was disabled. The work stops here.", 1},
		"without it":     {func(a *org.Agent) { a.Tools = []string{"look"} }, run.Done, "may not use note", 2},
		"barred":         {func(a *org.Agent) { a.Card.Security.ToolDenylist = []string{"note"} }, run.Done, "which its card bars", 2},
		"without leave":  {func(a *org.Agent) { a.Permissions = nil }, run.Done, "may not change records", 2},
		"another prompt": {func(a *org.Agent) { a.Prompt = "You are the pm." }, run.Done, "", 2},
	} {
		w := newWorld(t, agent.Options{})
		pm, err := w.db.Roster.Agent(t.Context(), "agent:pm")
		if err != nil {
			t.Fatal(err)
		}
		w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
			if n > 0 {
				return says("I noted it. " + r.Messages[len(r.Messages)-1].Parts[0].Result.Text), nil
			}
			c.change(&pm)
			_, err := w.db.Log.Append(ctx, org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Card: &pm.Card, Profile: &pm.Profile}))
			return uses(`note {"what":"x"}`), err
		}
		r, said := w.tell("Note it.")
		if r.State != c.state || !strings.Contains(said.Message+r.Reason, c.says) || len(w.asked) != c.asked {
			t.Errorf("%s: the run is %s after %d calls of the model and says %q (%s)", name, r.State, len(w.asked), said.Message, r.Reason)
		}
		if made := w.made() != ""; made != (c.says == "") {
			t.Errorf("%s: the call was made: %v", name, made)
		}
	}
}

// TestChild_EndsWithItsParent: a child of an agent that is disabled meanwhile does nothing more, though it is enabled itself.
func TestChild_EndsWithItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	pm, err := w.db.Roster.Agent(t.Context(), "agent:pm")
	if err != nil {
		t.Fatal(err)
	}
	w.played([]string{spawn("one"), `agent_wait {}`}, map[string][]string{"one": {`ponder {}`, `note {"what":"x"}`}})
	w.during = func(ctx context.Context) {
		pm.Enabled = false
		if _, err := w.db.Log.Append(ctx, org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Card: &pm.Card, Profile: &pm.Profile})); err != nil {
			t.Error(err)
		}
	}
	r, _ := w.tell("Do it")
	if r.State != run.Failed || !strings.Contains(r.Reason, "The agent pm was disabled.") || strings.Contains(w.made(), "note") {
		t.Errorf("the run is %s (%s) and made %q", r.State, r.Reason, w.made())
	}
}
