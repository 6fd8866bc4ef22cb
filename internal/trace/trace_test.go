package trace_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/route"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
	"chela/internal/trace"
)

var begun = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const (
	root  = "task_1"
	coder = root + ".coder"
)

// A tape is the events of a run, as they would be recorded.
type tape struct {
	events []event.Event
}

// at records a draft so many milliseconds after the run was asked for.
func (t *tape) at(ms int, d event.Draft) event.Seq {
	seq := event.Seq(len(t.events) + 10)
	d.Message.ID = "msg_" + string(rune('a'+len(t.events)))
	t.events = append(t.events, event.Event{Seq: seq, At: begun.Add(time.Duration(ms) * time.Millisecond), Message: d.Message})
	return seq
}

func by(task, from string) event.Place {
	parent := root
	if task == root {
		parent = ""
	}
	return event.Place{Stream: event.ThreadStream("thr_1"), Thread: "thr_1", Run: "run_1", Task: task, ParentTask: parent, From: event.Party{AgentID: from}}
}

func asked() run.Run {
	return run.Run{Spec: run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", Title: "Mend it"}, State: run.Running, Seq: 10, CreatedAt: begun}
}

func find(t *testing.T, tr trace.Trace, id string) trace.Span {
	t.Helper()
	i := slices.IndexFunc(tr.Spans, func(s trace.Span) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("there is no span %s in %+v", id, tr.Spans)
	}
	return tr.Spans[i]
}

// TestTrace_Work tells a run in which a controller names an agent, which asks a model, which has
// two files read beside each other and asks a person.
func TestTrace_Work(t *testing.T) {
	t.Parallel()
	var tp tape
	tp.at(0, run.QueuedKind.Draft(by(root, "agent:person/per_1"), run.Spec{}))
	tp.at(40, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 1, Attempt: 1}))
	control := by(root+".controller", "agent:controller")
	control.To = []event.Party{{AgentID: "agent:controller"}}
	tp.at(50, run.RequestKind.Draft(control, run.TaskRequest{Title: "Choose who answers"}))
	tp.at(55, run.AcceptKind.Draft(by(root+".controller", "agent:controller"), run.TaskAccept{StartedAt: begun.Add(45 * time.Millisecond)}))
	d := route.Decision{
		Selected: "agent:coder", Candidates: []org.AgentID{"agent:coder", "agent:writer"}, Scores: map[org.AgentID]float64{"agent:coder": 1, "agent:writer": 0.5},
		Rejected: map[org.AgentID]string{"agent:writer": "scored 0.500", "agent:checker": "is not a specialist"}, Reason: "asked for by name",
	}
	tp.at(60, run.AsStep(route.DecisionKind.Draft(by(root+".controller", "agent:router"), d), "route", true))
	out, _ := json.Marshal(map[string]any{"delegate": "coder", "requires": []string{"code.write"}})
	tp.at(60, run.ResultKind.Draft(control, run.TaskResult{Success: true, Output: out, Summary: "Handed to coder."}))
	work := by(coder, "agent:coder")
	work.To = []event.Party{{AgentID: "agent:coder"}}
	tp.at(70, run.RequestKind.Draft(work, run.TaskRequest{Title: "Mend"}))
	answer := model.Answer{
		Text: "I read two files.", Calls: []model.ToolCall{{}, {}}, Model: "m-1", Provider: "p", Duration: 100 * time.Millisecond, CostUSD: 0.25, CostKnown: true,
		Usage: model.Usage{InputTokens: 10, CacheReadTokens: 5, OutputTokens: 7},
	}
	tp.at(200, run.AsStep(agent.AnsweredKind.Draft(work, agent.Answered{Agent: "agent:coder", Answer: answer}), "coder/m0", true))
	call := func(n string) event.Draft {
		return run.AsStep(tool.CallKind.Draft(work, tool.CallPayload{Tool: "read_file", Args: json.RawMessage(`{"path":"a"}`), Call: n, Risk: tool.ReadOnly, Rule: "reads"}), "coder/m0/c"+n, false)
	}
	tp.at(500, call("0"))
	tp.at(500, run.AsStep(tool.ResultKind.Draft(work, tool.ResultPayload{Tool: "read_file", Result: "long", Call: "0", MS: 300}), "coder/m0/c0", true))
	tp.at(500, call("1"))
	tp.at(500, run.AsStep(tool.ErrorKind.Draft(work, tool.ErrorPayload{Tool: "read_file", Error: "It is not there.", Call: "1", MS: 100}), "coder/m0/c1", true))
	tp.at(600, approval.RequestedKind.Draft(work, approval.Request{ID: "apr_1", Question: "May it?"}))
	tp.at(600, run.WaitingKind.Draft(by(root, "agent:chela"), run.Waits{For: run.ForPerson + "apr_1"}))
	tr := trace.Of(asked(), tp.events, begun.Add(time.Second))

	type row struct {
		id, parent string
		start, ms  float64
		state      trace.State
	}
	want := []row{
		{root, "", 0, 1000, trace.Running},
		{root + ".controller", root, 45, 15, trace.Done},
		{root + ".controller/route", root + ".controller", 60, 0, trace.Done},
		{coder, root, 70, 930, trace.Running},
		{"coder/m0", coder, 100, 100, trace.Done},
		{"coder/m0/c0", "coder/m0", 200, 300, trace.Done},
		{"coder/m0/c1", "coder/m0", 200, 100, trace.Failed},
		{"apr_1", coder, 600, 400, trace.Waiting},
	}
	var got []row
	for _, s := range tr.Spans {
		got = append(got, row{s.ID, s.Parent, s.Start, s.MS, s.State})
	}
	if !slices.Equal(got, want) || tr.MS != 1000 {
		t.Errorf("it tells of %v ms\n%v, not\n%v", tr.MS, got, want)
	}
	m := find(t, tr, "coder/m0")
	if a := m.Answer; a == nil || a.Input != 15 || a.Cached != 5 || a.Output != 7 || a.CostUSD != 0.25 || a.Calls != 2 || m.Agent != "coder" || m.Name != "m-1" {
		t.Errorf("the model's call is %+v with %+v", m, m.Answer)
	}
	if c := find(t, tr, "coder/m0/c0"); string(c.Call.Args) != `{"path":"a"}` || c.Text != "long" || c.Call.Rule != "reads" {
		t.Errorf("the tool's call is %+v with %+v", c, c.Call)
	}
	sel := find(t, tr, root+".controller/route").Routing
	if sel.By != trace.ByModel || sel.Selected != "coder" || !slices.Equal(sel.Requires, []string{"code.write"}) {
		t.Errorf("the decision is %+v", sel)
	}
	agents := []trace.Option{{"coder", true, 1, ""}, {"writer", true, 0.5, "scored 0.500"}, {"checker", false, 0, "is not a specialist"}}
	if !slices.Equal(sel.Agents, agents) {
		t.Errorf("the agents are %+v", sel.Agents)
	}
}

// TestTrace_End tells what becomes of what is open when its run ends.
func TestTrace_End(t *testing.T) {
	t.Parallel()
	var tp tape
	tp.at(0, run.QueuedKind.Draft(by(root, "agent:person/per_1"), run.Spec{}))
	tp.at(10, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 1, Attempt: 1}))
	tp.at(20, tool.CallKind.Draft(by(root, "agent:coder"), tool.CallPayload{Tool: "write_file", Call: "x"}))
	tp.at(30, approval.RequestedKind.Draft(by(root, "agent:chela"), approval.Request{ID: "apr_1"}))
	tp.at(40, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 1, Attempt: 2, Node: "b"}))
	tp.at(50, session.SaidKind.Draft(by(root, "agent:coder"), session.Said{Message: "Sorry."}))
	tp.at(60, run.FinishedKind.Draft(by(root, "agent:chela"), run.Finished{State: run.Failed, Reason: "It broke."}))
	r := asked()
	r.State, r.EndedAt = run.Failed, begun.Add(60*time.Millisecond)
	tr := trace.Of(r, tp.events, begun.Add(time.Hour))
	if s := find(t, tr, root); s.State != trace.Failed || s.MS != 60 || s.Text != "It broke." {
		t.Errorf("the run is %+v", s)
	}
	if s := find(t, tr, root+"/x"); s.State != trace.Unknown || s.MS != 40 {
		t.Errorf("the call without a result is %+v", s)
	}
	if s := find(t, tr, "apr_1"); s.State != trace.Cancelled {
		t.Errorf("the question is %+v", s)
	}
	if i := slices.IndexFunc(tr.Spans, func(s trace.Span) bool { return s.Name == "begun again" }); i < 0 {
		t.Error("it does not tell that a worker died")
	}
}

// TestTrace_Waits tells how long a run was paused, and not the moment until it was claimed.
func TestTrace_Waits(t *testing.T) {
	t.Parallel()
	var tp tape
	tp.at(0, run.QueuedKind.Draft(by(root, "agent:person/per_1"), run.Spec{}))
	tp.at(10, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 1, Attempt: 1}))
	tp.at(50, run.WaitingKind.Draft(by(root, "agent:person/per_1"), run.Waits{For: run.ForResume, Reason: "Somebody paused it."}))
	tp.at(550, run.ResumedKind.Draft(by(root, "agent:person/per_1"), run.Resumed{Segment: 2}))
	tp.at(560, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 2, Attempt: 1}))
	tr := trace.Of(asked(), tp.events, begun.Add(time.Second))
	if len(tr.Spans) != 2 || tr.Spans[1].Kind != trace.Wait || tr.Spans[1].MS != 500 || tr.Spans[1].State != trace.Done || tr.Spans[1].Text != "Somebody paused it." {
		t.Errorf("it tells %+v", tr.Spans)
	}
}

// TestTrace_PausedWhileItWaits tells both waits, one after the other.
func TestTrace_PausedWhileItWaits(t *testing.T) {
	t.Parallel()
	var tp tape
	tp.at(0, run.QueuedKind.Draft(by(root, "agent:person/per_1"), run.Spec{}))
	tp.at(10, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 1, Attempt: 1}))
	tp.at(50, run.WaitingKind.Draft(by(root, "agent:chela"), run.Waits{For: run.ForTime}))
	tp.at(150, run.WaitingKind.Draft(by(root, "agent:person/per_1"), run.Waits{For: run.ForResume}))
	tp.at(450, run.ResumedKind.Draft(by(root, "agent:person/per_1"), run.Resumed{Segment: 2}))
	tp.at(450, run.StartedKind.Draft(by(root, "agent:chela"), run.Started{Segment: 2, Attempt: 1}))
	tr := trace.Of(asked(), tp.events, begun.Add(time.Second))
	if len(tr.Spans) != 3 || tr.Spans[1].MS != 100 || tr.Spans[1].State != trace.Done || tr.Spans[2].MS != 300 || tr.Spans[2].Name != "waits for resume" {
		t.Errorf("it tells %+v", tr.Spans)
	}
}

// TestTrace_Phases tells the phases of an intake, one of which is tried again.
func TestTrace_Phases(t *testing.T) {
	t.Parallel()
	var tp tape
	say := func(ms int, status, message string) {
		tp.at(ms, run.ProgressKind.Draft(by(root, "agent:chela"), run.TaskProgress{Status: status, Message: message}))
	}
	say(10, "extract running", "")
	say(30, "extract failed", "No.")
	say(40, "extract running", "")
	say(90, "extract done", "Two tickets.")
	say(91, "triage skipped", "No model.")
	tr := trace.Of(asked(), tp.events, begun.Add(time.Second))
	if s := find(t, tr, root+"/phase/extract"); s.State != trace.Done || s.Start != 10 || s.MS != 80 || s.Text != "Two tickets." || s.Kind != trace.Phase {
		t.Errorf("the phase is %+v", s)
	}
	if s := find(t, tr, root+"/phase/triage"); s.State != trace.Skipped || s.MS != 0 {
		t.Errorf("the phase that was left out is %+v", s)
	}
}

// TestTrace_AnyEvents: whatever was recorded, in whatever order, every span has a parent that is
// there, ids are told once, and nothing takes less than no time.
func TestTrace_AnyEvents(t *testing.T) {
	t.Parallel()
	tasks := []string{root, coder, root + ".controller", "task_of_nobody"}
	rapid.Check(t, func(t *rapid.T) {
		var tp tape
		ms := 0
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			ms += rapid.IntRange(0, 50).Draw(t, "later")
			at := by(rapid.SampledFrom(tasks).Draw(t, "task"), "agent:coder")
			id := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "id")
			took := rapid.Int64Range(-5, 5000).Draw(t, "took")
			drafts := []event.Draft{
				run.QueuedKind.Draft(at, run.Spec{}), run.StartedKind.Draft(at, run.Started{Attempt: 2}), run.WaitingKind.Draft(at, run.Waits{For: run.ForResume}), run.ResumedKind.Draft(at, run.Resumed{}),
				run.FinishedKind.Draft(at, run.Finished{State: run.Done}), run.RequestKind.Draft(at, run.TaskRequest{}), run.ResultKind.Draft(at, run.TaskResult{}), run.ErrorKind.Draft(at, run.TaskError{}),
				run.ProgressKind.Draft(at, run.TaskProgress{Status: "extract " + rapid.SampledFrom([]string{"running", "done", "no state"}).Draw(t, "status")}),
				agent.AnsweredKind.Draft(at, agent.Answered{Answer: model.Answer{Duration: time.Duration(took) * time.Millisecond}}), tool.CallKind.Draft(at, tool.CallPayload{Call: id}),
				run.AsStep(tool.ResultKind.Draft(at, tool.ResultPayload{Call: id, MS: took}), "m0/c"+id, true), route.DecisionKind.Draft(at, route.Decision{}),
				approval.RequestedKind.Draft(at, approval.Request{ID: "apr_" + id}), approval.AnsweredKind.Draft(at, approval.Answer{ID: "apr_" + id}),
			}
			d := rapid.SampledFrom(drafts).Draw(t, "event")
			if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
				d.Message.Payload = json.RawMessage(`[]`)
			}
			tp.at(ms, d)
		}
		tr := trace.Of(asked(), tp.events, begun.Add(time.Duration(ms)*time.Millisecond))
		ids := make(map[string]bool)
		for _, s := range tr.Spans {
			if ids[s.ID] {
				t.Fatalf("the span %s is told twice", s.ID)
			}
			ids[s.ID] = true
			if s.MS < 0 || s.Start < 0 {
				t.Fatalf("the span %+v takes less than no time", s)
			}
		}
		for _, s := range tr.Spans {
			if s.ID != root && !ids[s.Parent] {
				t.Fatalf("the span %+v is within nothing", s)
			}
		}
	})
}
