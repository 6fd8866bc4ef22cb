package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// boss may begin children; they are workers.
var boss = strings.NewReplacer("agent:worker", "agent:boss", `"tools":["fake_write","fake_read"]`, `"tools":["*"]`, `"permissions":{"network":true}`, `"permissions":{"network":true,"records":true}`).Replace(worker)

// family has the boss begin a worker for each task, beside each other, and wait for them.
// Each does what do says at its n-th call, and then says what it was told last.
func family(tasks []string, do func(task string, n int) any) func(request) any {
	return func(r request) any {
		n, _ := r.since()
		first := ""
		for _, m := range r.Messages {
			if m.Role == "user" {
				first = string(m.Content)
				break
			}
		}
		for _, task := range tasks {
			if strings.Contains(first, task) {
				if a := do(task, n); a != nil {
					return a
				}
				return text(task + " is done: " + lastResult(r))
			}
		}
		switch n {
		case 0:
			var calls []any
			for i, task := range tasks {
				args, _ := json.Marshal(map[string]any{"agent": "worker", "task": task})
				calls = append(calls, map[string]any{"index": i, "id": "call_" + task, "type": "function", "function": map[string]any{"name": "agent_spawn", "arguments": string(args)}})
			}
			return map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}
		case len(tasks):
			return toolCall("agent_wait", `{}`)
		}
		return text("All: " + lastResult(r))
	}
}

func (d *daemon) hire(t *testing.T) {
	t.Helper()
	for _, a := range []string{worker, boss} {
		d.must(t, http.MethodPost, "/api/agents", rawJSON(a), nil)
	}
}

// approveAll answers every question of a run with yes until it has ended.
func approveAll(t *testing.T, d *daemon, run string) {
	t.Helper()
	until(t, "the end of the run", func() bool {
		for _, q := range pendingOf(t, d) {
			if q.Run == run && q.Kind == "tool_calls" && stateOf(t, d, run) == "waiting" {
				d.must(t, http.MethodPost, "/api/approvals/"+q.ID, map[string]any{"choice": "approve", "digest": q.Digest}, nil)
			}
		}
		s := stateOf(t, d, run)
		return s == "done" || s == "failed"
	})
}

// TestChild_ChildrenAreKilledWithTheirDaemon kills the daemon while two children wait for the
// model, one after its call that changed the world. What is recorded is not done again, and the
// results come to the conversation.
func TestChild_ChildrenAreKilledWithTheirDaemon(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		thinking, release := make(chan string, 8), make(chan struct{})
		w := newWorld(t, family([]string{"alpha", "beta"}, func(task string, n int) any {
			switch {
			case n == 0 && task == "alpha":
				return toolCall("fake_write", `{"text":"it"}`)
			case n == 0:
				return toolCall("fake_read", `{"text":"it"}`)
			}
			thinking <- task
			<-release
			return nil
		}))
		s.env = w.env()
		d := s.running(t)
		d.hire(t)
		var said chatAnswer
		d.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Do both", "agent": "boss"}, &said)
		if a, b := <-thinking, <-thinking; a == b {
			t.Fatalf("%s twice: they do not work beside each other", a)
		}
		until(t, "what was answered in the log", func() bool { // while the model thinks about the next
			var page struct{ Events []struct{} }
			d.must(t, http.MethodGet, "/api/log?type=model.answered&run="+said.Run, nil, &page)
			return len(page.Events) == 4 // two of the boss, and the first of each child
		})
		d.kill()
		close(release)
		d = s.running(t)
		until(t, "the end of the run", func() bool { return stateOf(t, d, said.Run) == "done" })
		var out struct {
			Tasks []struct{ Agent, State, Parent, Title string } `json:"tasks"`
		}
		d.must(t, http.MethodGet, "/api/runs/"+said.Run, nil, &out)
		kids := 0
		for _, k := range out.Tasks {
			if k.Agent == "agent:worker" && k.State == "done" {
				kids++
			}
		}
		if kids != 2 {
			t.Errorf("%+v", out.Tasks)
		}
		var messages []struct {
			Message string `json:"message"`
		}
		d.must(t, http.MethodGet, "/api/conversations/"+said.Thread+"/messages", nil, &messages)
		if last := messages[len(messages)-1].Message; !strings.Contains(last, "alpha is done") || !strings.Contains(last, "beta is done") {
			t.Errorf("%q", last)
		}
		w.mu.Lock()
		if total(w.writes) != 1 {
			t.Errorf("the world was changed %v", w.writes)
		}
		for said, n := range w.asked {
			if strings.HasPrefix(said, "0 after") && n > 1 {
				t.Errorf("a recorded step was asked again: %v", w.asked)
			}
		}
		w.mu.Unlock()
		d.stop()
		s.verified(t)
	})
}

// TestChild_Hole1SubagentActsAsOwner has a viewer's conversation begin a child that writes.
func TestChild_Hole1SubagentActsAsOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, family([]string{"alpha"}, func(_ string, n int) any {
		if n == 0 {
			return toolCall("fake_write", `{"text":"it"}`)
		}
		return nil
	}))
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.hire(t)
	viewer, _ := d.member(t, "Vera", "viewer")
	for _, who := range []*daemon{viewer, d} { // the owner is the twin
		var said chatAnswer
		who.must(t, http.MethodPost, "/api/chat", map[string]any{"text": "Do it", "agent": "boss"}, &said)
		approveAll(t, d, said.Run)
		w.mu.Lock()
		n := total(w.writes)
		w.mu.Unlock()
		if want := map[*daemon]int{viewer: 0, d: 1}[who]; n != want {
			t.Errorf("%d writes, want %d", n, want)
		}
	}
	d.stop()
	s.verified(t)
}

// TestChild_Hole2JobsRunAsOwner: what the clock begins may do what the one who made its schedule
// may now, and no more. The twin stays an editor.
func TestChild_Hole2JobsRunAsOwner(t *testing.T) {
	t.Parallel()
	for role, may := range map[string]bool{"viewer": false, "editor": true} {
		t.Run(role, func(t *testing.T) {
			w := newWorld(t, workOnce)
			s := setup{data: t.TempDir(), env: w.env()}
			d := s.running(t)
			d.quiet(t)
			d.hire(t)
			d.must(t, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, nil)
			ed, id := d.member(t, "Ed", "editor")
			ed.must(t, http.MethodPost, "/api/schedules", map[string]any{"agentId": "worker", "cronExpr": "* * * * * *", "inputsPolicy": map[string]bool{"always": true}}, nil)
			d.must(t, http.MethodPatch, "/api/persons/"+id, map[string]string{"role": role}, nil)
			d.stop()
			s.clock = true // only now it begins
			d = s.running(t)
			var runs []struct {
				ID string `json:"id"`
			}
			until(t, "a run of the schedule", func() bool {
				d.must(t, http.MethodGet, "/api/runs?state=done", nil, &runs)
				return len(runs) > 0
			})
			w.mu.Lock()
			if n := total(w.writes); n > 0 != may {
				t.Errorf("%d writes", n)
			}
			w.mu.Unlock()
			d.stop()
			s.verified(t)
		})
	}
}

// member invites a person, accepts, and returns the daemon as that person sees it.
func (d *daemon) member(t *testing.T, name, role string) (*daemon, string) {
	t.Helper()
	var link, out struct {
		Token string `json:"token"`
	}
	d.must(t, http.MethodPost, "/api/persons/invite", map[string]string{"name": name, "role": role}, &link)
	d.must(t, http.MethodPost, "/api/persons/accept", map[string]string{"token": link.Token}, &out)
	var all []struct{ ID, Name string }
	d.must(t, http.MethodGet, "/api/persons", nil, &all)
	for _, p := range all {
		if p.Name == name {
			return &daemon{t: t, cmd: d.cmd, cl: client.New(d.address, out.Token), done: d.done}, p.ID
		}
	}
	t.Fatalf("%s is not there: %+v", name, all)
	return nil, ""
}
