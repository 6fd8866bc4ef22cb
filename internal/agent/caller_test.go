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
