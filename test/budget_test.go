package test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/fault"
)

// spent is a budget as the API gives it.
type spent struct {
	ID   string `json:"id"`
	Used struct {
		Tokens, Calls int64
	} `json:"used"`
	Reserved struct {
		Calls int64
	} `json:"reserved"`
}

func (d *daemon) budget(t *testing.T, limit map[string]any) {
	t.Helper()
	d.must(t, http.MethodPut, "/api/budgets", limit, nil)
}

// pendingOf returns the questions that wait for an answer.
func pendingOf(t *testing.T, d *daemon) []question {
	t.Helper()
	var out []question
	d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &out)
	return out
}

// TestBudget_TwoRunsAndTheLastCall has two conversations ask at once for what is enough for one
// call. One is answered; the other waits and says so, goes on when the budget is raised,
// and is not asked about any more.
func TestBudget_TwoRunsAndTheLastCall(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		release := make(chan struct{})
		w := newWorld(t, func(request) any {
			<-release
			return text("Here it is.")
		})
		s.env = w.env()
		d := s.running(t)
		d.budget(t, map[string]any{"scope": "organization", "per": "day", "calls": 1})
		var both [2]chatAnswer
		for i := range both {
			d.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Give it", "agent": "generalist"}, &both[i])
		}
		until(t, "the reservation of one", func() bool {
			var all []spent
			d.must(t, http.MethodGet, "/api/budgets", nil, &all)
			return len(all) == 1 && all[0].ID == "organization:day" && all[0].Reserved.Calls == 1
		})
		close(release)
		until(t, "the end of one and the question of the other", func() bool {
			states := stateOf(t, d, both[0].Run) + " " + stateOf(t, d, both[1].Run)
			return states == "done waiting" || states == "waiting done"
		})
		q := pendingOf(t, d)
		if len(q) != 1 || q[0].Kind != "budget_reached" || strings.Join(q[0].Choices, " ") != "raise stop" || total(w.asked) != 1 {
			t.Fatalf("%+v after %v", q, w.asked)
		}
		d.budget(t, map[string]any{"scope": "organization", "per": "day", "calls": 2})
		until(t, "both runs", func() bool { return stateOf(t, d, both[0].Run)+stateOf(t, d, both[1].Run) == "donedone" })
		if q := pendingOf(t, d); len(q) != 0 || total(w.asked) != 2 {
			t.Errorf("%+v still waits; asked %v", q, w.asked)
		}
		d.stop()
		s.verified(t)
	})
}

func stateOf(t *testing.T, d *daemon, run string) string {
	t.Helper()
	var r runAnswer
	d.must(t, http.MethodGet, "/api/runs/"+run, nil, &r)
	return r.Run.State
}

// TestBudget_TwoNodesAndTheLastCall has both daemons of one database begin many runs at once.
func TestBudget_TwoNodesAndTheLastCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("Here it is.") })
	_, sb, a, b := pair(t, w.env())
	a.budget(t, map[string]any{"scope": "agent", "of": "generalist", "per": "total", "calls": 3})
	until(t, "both to know of it", func() bool {
		var all []spent
		b.must(t, http.MethodGet, "/api/budgets", nil, &all)
		return len(all) == 1
	})
	knows := time.NewTimer(1100 * time.Millisecond) // what the other node keeps in memory is that old at most
	<-knows.C
	var wait sync.WaitGroup
	runs := make([]string, 8)
	for i := range runs {
		wait.Go(func() {
			var out chatAnswer
			if err := []*daemon{a, b}[i%2].try(http.MethodPost, "/api/chat", map[string]any{"text": "Give it", "agent": "generalist"}, &out); err != nil {
				t.Error(err)
			}
			runs[i] = out.Run
		})
	}
	wait.Wait()
	until(t, "three answers and five questions", func() bool {
		n := make(map[string]int)
		for _, r := range runs {
			n[stateOf(t, a, r)]++
		}
		return n["done"] == 3 && n["waiting"] == 5
	})
	w.mu.Lock()
	if total(w.asked) != 3 {
		t.Errorf("the model was asked %v", w.asked)
	}
	w.mu.Unlock()
	a.must(t, http.MethodDelete, "/api/budgets/agent:generalist:total", nil, nil)
	until(t, "all of them", func() bool {
		for _, r := range runs {
			if stateOf(t, b, r) != "done" {
				return false
			}
		}
		return true
	})
	a.stop()
	b.stop()
	sb.verified(t)
}

// TestBudget_ARunOverItsBudgetIsRaisedOnceOrStopped answers the question both ways; a daemon that
// dies meanwhile changes nothing.
func TestBudget_ARunOverItsBudgetIsRaisedOnceOrStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, workOnce)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPost, "/api/agents", rawJSON(worker), nil)
	if out, errs, code := s.chela(t, "", "budget", "set", "agent", "worker", "--per", "run", "--calls", "2"); code != 0 || !strings.Contains(out, "agent:worker:run: 2 calls") {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	for _, choice := range []string{"raise", "stop"} {
		var out chatAnswer
		d.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Do it", "agent": "worker", "wait": true}, &out)
		if out.State != "waiting" || !strings.Contains(out.Reply, "The budget of agent worker for each run is reached: 2 calls of 2 calls are used") {
			t.Fatalf("%+v", out)
		}
		q := pendingOf(t, d)
		if len(q) != 1 {
			t.Fatalf("%+v", q)
		}
		d.kill()
		d = s.running(t)
		d.must(t, http.MethodPost, "/api/approvals/"+q[0].ID, map[string]any{"choice": choice}, nil)
		want := map[string]string{"raise": "done", "stop": "failed"}[choice]
		until(t, "the end of the run", func() bool { return stateOf(t, d, out.Run) == want })
	}
	if total(w.writes) != 2 {
		t.Errorf("%v", w.writes)
	}
	out, errs, code := s.chela(t, "", "budget", "list")
	if code != 0 || !strings.Contains(out, "agent:worker:run") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if err := d.try(http.MethodPut, "/api/budgets", map[string]any{"scope": "key", "of": "key_none", "per": "day", "calls": 0}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a budget of a key that is not there: %v, want that it is not found", err)
	}
	if err := d.try(http.MethodPut, "/api/budgets", map[string]any{"scope": "agent", "of": "nobody", "per": "day", "calls": 0}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a budget of nobody: %v", err)
	}
	d.stop()
	s.verified(t)
}

// TestBudget_ACallOfAToolThatDoesNotFitWaits has the budget end before a call that changes the world,
// of a child and of an agent that is spoken to. It is not made, also not by a daemon that
// starts again; raised, it is made once, without anybody being asked whether it happened.
func TestBudget_ACallOfAToolThatDoesNotFitWaits(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, family([]string{"alpha"}, func(_ string, n int) any {
			if n == 0 {
				return toolCall("fake_write", `{"text":"it"}`)
			}
			return nil
		}))
		s.env = w.env()
		d := s.running(t)
		d.hire(t)
		d.budget(t, map[string]any{"scope": "agent", "of": "worker", "per": "run", "calls": 1})
		for n, said := range []map[string]any{{"agent": "worker", "text": "Do alpha"}, {"agent": "boss", "text": "Have it done"}} {
			var out chatAnswer
			d.must(t, http.MethodPost, "/api/chat", said, &out)
			for limit := 1; limit <= 2; limit++ { // before the tool, and before the answer
				until(t, "the question", func() bool { return stateOf(t, d, out.Run) == "waiting" })
				q := pendingOf(t, d)
				if len(q) != 1 || q[0].Kind != "budget_reached" || total(w.writes) != n+limit-1 {
					t.Fatalf("%+v, %v", q, w.writes)
				}
				d.kill()
				d = s.running(t)
				d.must(t, http.MethodPost, "/api/approvals/"+q[0].ID, map[string]any{"choice": "raise"}, nil)
			}
			until(t, "the end of the run", func() bool { return stateOf(t, d, out.Run) == "done" })
			if total(w.writes) != n+1 {
				t.Errorf("%v", w.writes)
			}
		}
		var all []spent
		d.budget(t, map[string]any{"scope": "agent", "of": "worker", "per": "day", "calls": 100})
		d.must(t, http.MethodGet, "/api/budgets", nil, &all)
		if len(all) != 2 || all[0].Used.Calls != 6 || all[0].Reserved.Calls != 0 {
			t.Errorf("two runs with two model calls and one call of a tool each: %+v", all)
		}
		d.stop()
		s.verified(t)
	})
}

// TestBudget_CallsBesideEachOtherAreReservedTogether has an answer of the model ask for three calls
// where two are left: none is made before a person raises that.
func TestBudget_CallsBesideEachOtherAreReservedTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		if n, _ := r.since(); n > 0 {
			return text("It is read.")
		}
		var calls []any
		for i := range 3 {
			calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{"name": "fake_read", "arguments": fmt.Sprintf(`{"text":"%d"}`, i)}})
		}
		return map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPost, "/api/agents", rawJSON(worker), nil)
	d.budget(t, map[string]any{"scope": "organization", "per": "run", "calls": 3, "seconds": 600})
	var out chatAnswer
	d.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Read it", "agent": "worker", "wait": true}, &out)
	if out.State != "waiting" || !strings.Contains(out.Reply, "1 call of 3 calls is used, 0 calls are held by calls under way, and the next 3 calls need 3 calls.") {
		t.Fatalf("%+v", out)
	}
	d.must(t, http.MethodPost, "/api/approvals/"+pendingOf(t, d)[0].ID, map[string]any{"choice": "raise"}, nil)
	until(t, "the end of the run", func() bool { return stateOf(t, d, out.Run) == "done" })
	d.stop()
	s.verified(t)
}

// TestBudget_TheDoctorNamesWhatLimitsCannotDo: budgets of what is gone and of nothing, hooks that
// cannot work, and secrets that are granted and not there, each with the way out.
func TestBudget_TheDoctorNamesWhatLimitsCannotDo(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	must(t, os.WriteFile(filepath.Join(s.data, "policy.yaml"), []byte("version: 1\nsecrets: [{name: DEPLOY_KEY, tools: [shell_exec]}]\n"), 0o600))
	must(t, os.MkdirAll(filepath.Join(s.data, "hooks"), 0o700))
	must(t, os.WriteFile(filepath.Join(s.data, "hooks", "still.sh"), []byte("exit 0\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(s.data, "hooks.yaml"), []byte(`version: 1
hooks:
  - {name: lost, points: [run_end], command: [./lost.sh]}
  - {name: still, points: [run_end], command: [./still.sh]}
  - {name: absent, points: [run_end], command: [no-such-program]}
  - {name: signed, points: [run_end], url: "https://hooks.example/x", secret: HOOK_KEY}
  - {name: well, points: [run_end], command: [sh, still.sh]}
`), 0o600))
	d := s.running(t)
	d.must(t, http.MethodPost, "/api/agents", rawJSON(worker), nil)
	project := newProject(t, d)
	d.budget(t, map[string]any{"scope": "agent", "of": "worker", "per": "day", "calls": 5})
	d.budget(t, map[string]any{"scope": "project", "of": project, "per": "day", "calls": 5})
	d.budget(t, map[string]any{"scope": "organization", "per": "run", "usd": 0})
	d.budget(t, map[string]any{"scope": "organization", "per": "day", "usd": 3})
	d.must(t, http.MethodDelete, "/api/agents/worker", nil, nil)
	d.must(t, http.MethodDelete, "/api/projects/"+project+"?confirm=Payments", nil, nil)
	out, errs, code := s.chela(t, "", "doctor")
	if code != 1 {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for _, want := range []string{
		"Remove its budget: `chela budget rm agent:worker:day`", "The project " + project + " does not exist. Remove its budget: `chela budget rm project:" + project + ":day`",
		"The budget of the organization for each run leaves 0 usd", "`chela budget rm organization:run`",
		"lost.sh of the hook lost is not there. Put it there", "still.sh of the hook still may not be executed; `chmod +x", "The program no-such-program of the hook absent is not installed",
		"The hook signed is signed with HOOK_KEY, which the vault does not hold; `chela vault set HOOK_KEY`", "The policy grants DEPLOY_KEY, which the vault does not hold; `chela vault set DEPLOY_KEY`",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the doctor does not say %q:\n%s", want, out)
		}
	}
	for _, not := range []string{"organization:day", "the hook well"} {
		if strings.Contains(out, not) {
			t.Errorf("the doctor complains about %s:\n%s", not, out)
		}
	}
	d.stop()
	s.verified(t)
}
