package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// played has pm play its calls in turn, each an answer, and say "All: " and its last result
// at the end; a child plays the calls of its task likewise.
func (w *world) played(pm []string, kids map[string][]string) {
	w.answer = func(_ context.Context, r model.Request, _ int) (model.Answer, error) {
		script := pm
		for task, calls := range kids {
			if strings.HasPrefix(r.Messages[0].Parts[0].Text, task) {
				script = calls
			}
		}
		n, last := 0, ""
		for _, m := range r.Messages {
			if m.Role == model.Assistant {
				n++
			}
			for _, p := range m.Parts {
				last = p.Text
				if p.Result != nil {
					last = p.Result.Text
				}
			}
		}
		if n < len(script) {
			return uses(strings.Split(script[n], " & ")...), nil
		}
		return says("All: " + last), nil
	}
}

// tasks of a run by their titles.
func (w *world) tasks(id run.ID) map[string]run.Task {
	w.t.Helper()
	list, err := w.db.Runs.Tasks(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	out := make(map[string]run.Task)
	for _, t := range list {
		out[t.Title] = t
	}
	return out
}

func spawn(task string) string { return `agent_spawn {"agent":"helper","task":"` + task + `"}` }

func TestChild_ChildrenWorkBesideEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{spawn("one") + " & " + spawn("two"), `agent_wait {}`}, map[string][]string{"one": {`meet {}`}, "two": {`meet {}`}}) // neither ends alone
	r, last := w.tell("Do both")
	if r.State != run.Done || !strings.Contains(last.Message, "child-1 (helper) is done") || !strings.Contains(last.Message, "child-2 (helper) is done") || strings.Count(last.Message, `All: "met"`) != 2 {
		t.Fatalf("%s: %q", r.State, last.Message)
	}
	all := w.tasks(r.ID)
	if one := all["one"]; one.State != run.TaskDone || one.Parent != run.RootTask(r.ID) || one.Agent != "agent:helper" || one.Run != r.ID {
		t.Errorf("%+v", all)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, q := range w.asked {
		if q.Agent != "agent:helper" {
			continue
		}
		if len(q.Messages) > 0 && strings.Contains(q.Messages[0].Parts[0].Text, "Do both") {
			t.Error("a child has the history of its parent")
		}
		for _, s := range q.Tools.Specs {
			if strings.HasPrefix(s.Name, "agent_") {
				t.Errorf("a child is shown %s", s.Name)
			}
		}
	}
}

func TestChild_AParentThatEndsWaitsForItsChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{spawn("one")}, map[string][]string{"one": {`look {"what":"a"}`}})
	r, last := w.tell("Do it")
	if r.State != run.Done || !strings.Contains(last.Message, "Your children have ended") || !strings.Contains(last.Message, `All: "got a"`) {
		t.Errorf("%s: %q", r.State, last.Message)
	}
}

func TestChild_Hole1SubagentActsAsOwner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		role  org.Role
		wrote bool
	}{"a viewer": {org.Viewer, false}, "an editor, the twin": {org.Editor, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, agent.Options{})
			w.join("helper", org.Specialist)
			if _, err := w.db.Log.Append(t.Context(), org.PersonChangedKind.Draft(w.place(), org.PersonChanged{ID: "per_ann", Role: &c.role})); err != nil {
				t.Fatal(err)
			}
			w.played([]string{spawn("one"), `agent_wait {}`}, map[string][]string{"one": {`note {"what":"x"}`}})
			r, last := w.tell("Write")
			if got := w.made() == "note x"; got != c.wrote || r.State != run.Done {
				t.Errorf("%s, it wrote: %v; %q", r.State, got, last.Message)
			}
			if !c.wrote && !strings.Contains(last.Message, "needs the role editor; it acts for a person with the role viewer") {
				t.Errorf("%q", last.Message)
			}
		})
	}
}

func TestChild_AChildHasNoChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{spawn("one"), `agent_wait {}`}, map[string][]string{"one": {spawn("two")}})
	r, last := w.tell("Do it")
	if r.State != run.Done || len(w.tasks(r.ID)) != 2 || !strings.Contains(last.Message, "A child agent has no children of its own.") {
		t.Errorf("%q %v", last.Message, w.tasks(r.ID))
	}
}

func TestChild_AChildHasNoMoreThanItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	narrow := org.Agent{Card: org.Card{V: event.Version, AgentID: "agent:pm", Limits: org.Limits{MaxConcurrency: 10}, Security: org.Security{Network: "none"}}}
	narrow.Kind, narrow.Prompt, narrow.Tools, narrow.Enabled = org.Specialist, "You are pm.", []string{"agent_spawn", "agent_wait", "look", "send", "note"}, true
	narrow.Permissions = org.Permissions{org.Network: true}
	if _, err := w.db.Log.Append(t.Context(), org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Card: &narrow.Card, Profile: &narrow.Profile})); err != nil {
		t.Fatal(err)
	}
	w.played([]string{spawn("one"), `agent_wait {}`}, map[string][]string{"one": {`send {"what":"a"} & note {"what":"b"} & write {"what":"c"} & look {"what":"d"}`}})
	r, last := w.tell("Do it")
	if r.State != run.Done || w.made() != "look d" {
		t.Errorf("%s: made %q; %q", r.State, w.made(), last.Message)
	}
}

// TestChild_IsToldWhatItLacks: a call that a child may not make is refused with what keeps it from that,
// and with whom it can be left to.
func TestChild_IsToldWhatItLacks(t *testing.T) {
	t.Parallel()
	all, records := []string{"*"}, org.Permissions{org.Records: true}
	own := []string{"agent_spawn", "agent_wait", "look"}
	for name, c := range map[string]struct {
		parent, child []string
		may           org.Permissions // of the parent
		given         string          // the tools that it names
		says          string
	}{
		"what its parent did not give":        {all, all, records, `,"tools":["look"]`, "The agent pm, which began this child, did not give it note. Leave it to pm, which may use it."},
		"what its parent has not":             {own, all, records, "", "The agent agent:pm may not use note; an admin can allow it on the agent's page. Its children may do no more than it."},
		"what its parent may not":             {all, all, org.Permissions{}, "", "The agent agent:pm may not change records; an admin can permit it on the agent's page. Its children may do no more than it."},
		"what it has not, and its parent has": {all, []string{"look"}, records, "", "The agent agent:helper may not use note; an admin can allow it on the agent's page. Leave it to pm, which may use it."},
		"what neither has":                    {own, []string{"look"}, records, "", "The agent agent:helper may not use note; an admin can allow it on the agent's page."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent.Options{})
			w.join("helper", org.Specialist, c.child...)
			pm := org.Agent{Card: org.Card{V: event.Version, AgentID: "agent:pm", Limits: org.Limits{MaxConcurrency: 10}}}
			pm.Kind, pm.Prompt, pm.Tools, pm.Enabled, pm.Permissions = org.Specialist, "You are pm.", c.parent, true, c.may
			if _, err := w.db.Log.Append(t.Context(), org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Card: &pm.Card, Profile: &pm.Profile})); err != nil {
				t.Fatal(err)
			}
			w.played([]string{`agent_spawn {"agent":"helper","task":"one"` + c.given + `}`, `agent_wait {}`}, map[string][]string{"one": {`note {"what":"a"}`}})
			if _, last := w.tell("Do it"); !strings.Contains(last.Message, "All: "+c.says+"\n========") || w.made() != "" {
				t.Errorf("got %q, and made %q; want %q", last.Message, w.made(), c.says)
			}
		})
	}
}

func TestChild_WhatAChildSawCountsForItsParent(t *testing.T) {
	t.Parallel()
	for name, kid := range map[string][]string{"it saw data from outside": {`fetch {"url":"http://example.com/x"}`}, "the twin": {`look {"what":"a"}`}} {
		t.Run(name, func(t *testing.T) {
			policy, err := guard.ParsePolicy([]byte("version: 1\nrules: [{name: sends, tools: [fetch, send], answer: allow}]\n"))
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) { return agent.Permitted{Policy: policy}, nil })})
			w.join("helper", org.Specialist)
			w.played([]string{spawn("one"), `agent_wait {}`, `send {"what":"x"}`}, map[string][]string{"one": kid})
			r, _ := w.tell("Send")
			if waits := r.State == run.Waiting; waits != (name != "the twin") {
				t.Errorf("it is %s: %s", r.State, r.Reason)
			}
		})
	}
}

func TestChild_AChildThatAsksParksTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{spawn("one") + " & " + spawn("two"), `agent_wait {}`},
		map[string][]string{"one": {`edit {"what":"a"}`}, "two": {`look {"what":"b"}`}})
	r, _ := w.tell("Edit")
	if r.State != run.Waiting || !strings.HasPrefix(r.WaitsFor, run.ForPerson) {
		t.Fatalf("%s: %s", r.State, r.Reason)
	}
	q, err := w.db.Questions.Approval(t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
	if err != nil || len(q.Calls) != 1 || q.Calls[0].Agent != "agent:helper" {
		t.Fatalf("%+v, %v", q, err)
	}
	if err := w.decide(org.Editor, approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}); err != nil {
		t.Fatal(err)
	}
	r, last := w.end(string(r.ID))
	made := strings.Split(w.made(), ",")
	slices.Sort(made)
	if r.State != run.Done || strings.Join(made, ",") != "edit a,look b" || !strings.Contains(last.Message, `All: "got a"`) || !strings.Contains(last.Message, `All: "got b"`) {
		t.Errorf("%s: made %v; %q", r.State, made, last.Message)
	}
}

func TestChild_AChildIsStopped(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{"by its parent": `agent_stop {"child":"child-1"}`, "by its time": `agent_wait {}`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, agent.Options{})
			w.join("helper", org.Specialist)
			w.played([]string{`agent_spawn {"agent":"helper","task":"one","timeout_seconds":1}`, then, `agent_list {}`}, map[string][]string{"one": {`meet {}`}}) // nobody comes
			r, last := w.tell("Do it")
			want := map[string]string{"by its parent": "child-1 (helper) is stopped", "by its time": "child-1 (helper) is failed"}[name]
			if r.State != run.Done || !strings.Contains(last.Message, want) || w.tasks(r.ID)["one"].State == run.TaskDone {
				t.Errorf("%s: %q %+v", r.State, last.Message, w.tasks(r.ID))
			}
		})
	}
}

func TestChild_FourChildrenAtOnce(t *testing.T) {
	t.Parallel()
	var once sync.Once
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{strings.Repeat(spawn("one")+" & ", 4) + spawn("five"), `agent_wait {}`}, map[string][]string{"one": {`meet {}`}})
	parent, asked := w.answer, make(chan struct{})
	w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
		switch {
		case r.Agent == "agent:helper":
			<-asked // by then all five were to begin
		case len(r.Messages) > 1 && r.Messages[len(r.Messages)-1].Role == model.Tool:
			once.Do(func() { close(asked) })
		}
		return parent(ctx, r, n)
	}
	r, last := w.tell("Do it")
	if r.State != run.Done || w.count(tool.ErrorKind.Name) != 1 || strings.Count(last.Message, "is done") != 4 {
		t.Errorf("%s: %q", r.State, last.Message)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.asked); n != 3+4*2 {
		t.Errorf("%d calls", n)
	}
}

func TestChild_ACancelledRunTakesItsChildrenWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	var once sync.Once
	began := make(chan struct{})
	w.played([]string{spawn("one"), `agent_wait {}`}, nil)
	parent := w.answer
	w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
		if r.Agent == "agent:helper" {
			once.Do(func() { close(began) })
			<-ctx.Done()
			return model.Answer{}, context.Cause(ctx)
		}
		return parent(ctx, r, n)
	}
	id := run.ID(w.say(inbox.Message{Text: "Do it", Agent: "agent:pm"}).Run)
	<-began
	if err := w.runs.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(id, ann, "Enough.") }); err != nil {
		t.Fatal(err)
	}
	r, _ := w.end(string(id))
	if one, ok := w.tasks(id)["one"]; r.State != run.Cancelled || ok && one.State != run.TaskCancelled {
		t.Errorf("%s %+v", r.State, one)
	}
}

// TestChild_AChildsTimeSurvives has a child that may take a minute park the run for an hour, after
// some time of work. What a person takes to answer does not count; what it worked does, also
// when it goes on in another segment.
func TestChild_AChildsTimeSurvives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		worked time.Duration
		says   string
	}{"it has time left": {50 * time.Second, `All: "got a"`}, "its time was up before": {61 * time.Second, "It did not end within 1m0s."}} {
		t.Run(name, func(t *testing.T) {
			policy, err := guard.ParsePolicy([]byte("version: 1\nwait: 48h\n"))
			if err != nil {
				t.Fatal(err)
			}
			mint := event.NewMint(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
			w := newWorldAt(t, mint, agent.Options{Rules: rules(func() (agent.Permitted, error) { return agent.Permitted{Policy: policy}, nil })})
			w.join("helper", org.Specialist)
			w.played([]string{`agent_spawn {"agent":"helper","task":"one","timeout_seconds":60}`, `agent_wait {}`}, map[string][]string{"one": {`look {"what":"b"}`, `edit {"what":"a"}`}})
			play, begun := w.answer, make(chan struct{})
			w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
				switch after := len(r.Messages) == 3; {
				case r.Agent == "agent:pm" && after: // else beginning the child would have taken that time
					close(begun)
				case r.Agent == "agent:helper" && after: // it has looked
					<-begun
					mint.Forward(c.worked)
				}
				return play(ctx, r, n)
			}
			r, _ := w.tell("Edit")
			if r.State != run.Waiting {
				t.Fatalf("%s: %s", r.State, r.Reason)
			}
			mint.Forward(time.Hour)
			q, err := w.db.Questions.Approval(t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
			if err != nil {
				t.Fatal(err)
			}
			if err := w.decide(org.Editor, approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}); err != nil {
				t.Fatal(err)
			}
			r, last := w.end(string(r.ID))
			if r.State != run.Done || !strings.Contains(last.Message, c.says) {
				t.Errorf("%s: %q", r.State, last.Message)
			}
			if failed := w.tasks(r.ID)["one"].State == run.TaskFailed; failed != (c.worked > time.Minute) {
				t.Errorf("%+v", w.tasks(r.ID)["one"])
			}
		})
	}
}
