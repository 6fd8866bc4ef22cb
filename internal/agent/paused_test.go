package agent_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/disk"
	"chela/internal/org"
	"chela/internal/run"
)

// TestPause_CutsOffACallAndSaysSo: a call that changes the world is cut off by a pause; when the run goes on, a person is asked what became of it,
// and not told that the daemon stopped.
func TestPause_CutsOffACallAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) { return agent.Permitted{Folders: disk.Folders{Work: dir}}, nil })})
	r, q := w.waits("Deploy", `program {"command":"touch begun; sleep 20; touch ended"}`)
	if err := w.decide(org.Editor, approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(dir + "/begun"); err == nil {
			break
		}
		if time.Since(begun) > 15*time.Second {
			t.Fatal("the call does not begin")
		}
	}
	for _, change := range []func(*run.Batch) error{
		func(b *run.Batch) error { return b.Pause(r.ID, ann) },
		func(b *run.Batch) error { return b.Resume(r.ID, ann, "A person resumed it.") },
	} {
		if err := w.runs.Write(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	r, _ = w.end(string(r.ID))
	asked, err := w.db.Questions.Approval(t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
	if err != nil || asked.Kind != approval.OutcomeUnknown || !strings.Contains(asked.Question, "the run was paused, or the daemon stopped") {
		t.Fatalf("it is %s and asks %+v %v", r.State, asked, err)
	}
	if err := w.decide(org.Editor, approval.Answer{ID: asked.ID, Choice: approval.Skip}); err != nil {
		t.Fatal(err)
	}
	if r, _ = w.end(string(r.ID)); r.State != run.Done {
		t.Errorf("it is %s", r.State)
	}
	if _, err := os.Stat(dir + "/ended"); err == nil {
		t.Error("the call went on after the pause")
	}
}
