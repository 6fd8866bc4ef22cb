package notify_test

import (
	"testing"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
)

// TestKeeper_TellsWhoDidNotAnswer: a question that nobody answers in time is open no more, and its run goes on and ends well. Who was asked still
// hears that it was denied, once.
func TestKeeper_TellsWhoDidNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := org.Person{ID: "per_joe"}.Party()
	at := w.place(event.ThreadStream("thr_1"), by.AgentID)
	spec := run.Spec{ID: run.ID(at.Run), Thread: "thr_1", Project: w.project, Kind: "chat", Lane: "user", Title: "Note it", By: by}
	calls := []approval.Asked{{Call: "c", Agent: "agent:coder", Tool: "write_file", Shown: "Write 2 bytes to A.md"}}
	w.append(run.QueuedKind.Draft(at, spec),
		approval.RequestedKind.Draft(at, approval.Request{ID: "apr_1", Run: spec.ID, Kind: approval.ToolCalls, Question: "coder wants to call write_file.", Choices: []string{"approve", "deny"}, Project: w.project, Calls: calls}),
		approval.RequestedKind.Draft(at, approval.Request{ID: "apr_2", Run: spec.ID, Kind: approval.ToolCalls, Question: "coder wants to call send_file.", Choices: []string{"approve", "deny"}, Project: w.project}))
	w.pass()
	w.expect("per_dana")
	w.append(approval.Lapse(run.Run{Spec: spec}, "apr_1"), approval.AnsweredKind.Draft(w.place(event.ThreadStream("thr_1"), by.AgentID), approval.Answer{ID: "apr_2", Choice: approval.Refuse}))
	w.append(run.FinishedKind.Draft(at, run.Finished{State: run.Done}))
	w.pass()
	w.restart()
	w.pass()
	want := "Failed: coder wants to call write_file. Nobody answered in time, so it was denied: write_file Write 2 bytes to A.md. Tell the agent in its conversation to try it again."
	w.expect("per_joe", want)
	w.expect("per_ann", want)
	w.expect("per_dana")
}
