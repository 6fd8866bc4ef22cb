package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/desk"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// inFolder is a world whose agents may run any line in one folder with these files.
func inFolder(t *testing.T, files ...string) (w *world, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("as it was"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) {
		return agent.Permitted{Folders: disk.Folders{Work: dir}, Policy: guard.Policy{Rules: []guard.Rule{{Name: "free", Answer: guard.Allow}}}}, nil
	})}), dir
}

// changed are what the results of the log say of files, in its order.
func (w *world) changed() (out []disk.Changes) {
	w.t.Helper()
	events, _, err := w.db.Log.Events(w.t.Context(), 0, event.Filter{Type: tool.ResultKind.Name, Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range events {
		p, _, err := tool.ResultKind.Open(e.Event)
		if err != nil {
			w.t.Fatal(err)
		}
		if p.Changed != nil {
			out = append(out, *p.Changed)
		}
	}
	return out
}

// TestWriters_ALineIsSeen: what a line changed is in its result and in the ticket's evidence, and counts as unasked where
// the request names other files. A line that only reads tells nothing.
func TestWriters_ALineIsSeen(t *testing.T) {
	t.Parallel()
	w, dir := inFolder(t, "pay.go", "fee.go")
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	ticket := w.files(project, desk.Ticket, `{"title":"Retry","contract":[{"holds":"true"}]}`)
	n := 0
	w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		if n++; n == 1 {
			return uses(`program {"command":"cat pay.go"}`, `program {"command":"echo a > pay.go; echo b > fee.go; echo c > new.go"}`, `update_ticket {"ticketId":"`+ticket+`","status":"DONE","result":"It is done."}`), nil
		}
		return says("Done."), nil
	}
	if r, _ := w.end(w.say(inbox.Message{Text: "Finish " + ticket + " in pay.go", Agent: "agent:pm", Project: project}).Run); r.State != run.Done {
		t.Fatalf("the run is %s: %s", r.State, r.Reason)
	}
	want := []disk.Change{{Path: dir + "/fee.go", How: disk.Changed}, {Path: dir + "/pay.go", How: disk.Changed}, {Path: dir + "/new.go", How: disk.Made}}
	if got := w.changed(); len(got) != 1 || !slices.Equal(got[0].Files, want) || got[0].Beside {
		t.Errorf("recorded %+v, want %+v alone", got, want)
	}
	if proofs, err := w.db.Workflows.Proofs(t.Context(), ticket); err != nil || len(proofs) != 1 || proofs[0].Changed == nil || !slices.Equal(proofs[0].Changed.Files, want) {
		t.Errorf("the evidence has %+v %v, want %+v", proofs, err, want)
	}
	out, err := w.db.Workflows.Outside(t.Context(), "agent:pm", 10)
	if err != nil || len(out) != 1 || !slices.Equal(out[0].Changed, []string{dir + "/fee.go"}) || out[0].Beside {
		t.Errorf("counted as unasked: %+v %v, want fee.go alone", out, err)
	}
}

// TestWriters_TwoAtOnce: what two lines change at once in one folder is not said to be one's without saying that it may be the
// other's.
func TestWriters_TwoAtOnce(t *testing.T) {
	t.Parallel()
	w, dir := inFolder(t, "pay.go", "fee.go")
	w.join("other", org.Specialist)
	project := w.files("", desk.Project, `{"name":"Payments"}`)
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		if r.Messages[len(r.Messages)-1].Role == model.Tool {
			return says("Done."), nil
		}
		if strings.Contains(r.System, "You are other.") {
			return uses(`program {"command":"until [ -e in ]; do sleep 0.01; done; echo b > fee.go; touch go"}`), nil
		}
		return uses(`program {"command":"touch in; until [ -e go ]; do sleep 0.01; done; echo a > pay.go"}`), nil
	}
	one := w.say(inbox.Message{Text: "Change pay.go", Agent: "agent:pm", Project: project})
	two := w.say(inbox.Message{Text: "Change fee.go", Agent: "agent:other", Project: project})
	for _, id := range []string{one.Run, two.Run} {
		if r, _ := w.end(id); r.State != run.Done {
			t.Fatalf("the run is %s: %s", r.State, r.Reason)
		}
	}
	all := w.changed()
	if len(all) != 2 || !all[0].Beside || !all[1].Beside {
		t.Errorf("recorded %+v, want two that say that the other wrote there, too", all)
	}
	out, err := w.db.Workflows.Outside(t.Context(), "agent:pm", 10)
	if err != nil || len(out) != 1 || !out[0].Beside || !slices.Equal(out[0].Changed, []string{dir + "/fee.go"}) {
		t.Errorf("counted of pm: %+v %v, want fee.go, which may be another's", out, err)
	}
}
