package storetest

import (
	"testing"
	"time"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/run"
)

// approvals asks, answers, and remembers what is allowed for always; all of it comes from
// the log alone.
func approvals(t *testing.T, open Opener) {
	db, _ := open(t)
	at := place(event.ThreadStream("thr_1"))
	add := func(d ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), d...)
		check(t, err)
	}
	q := approval.Request{
		ID: "apr_1", Run: "run_1", Kind: approval.ToolCalls, Choices: []string{approval.Approve, approval.Refuse}, Until: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Calls: []approval.Asked{{Call: "c1", Agent: "agent:coder", Tool: "write_file", Args: []byte(`{"path":"a","content":"é"}`), Folder: "/src"}},
	}
	check(t, approval.Bind(&q))
	add(run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", Lane: run.UserLane, Title: "T", By: at.From}), approval.RequestedKind.Draft(at, q))
	got, err := db.Questions.Approval(t.Context(), "apr_1")
	check(t, err)
	bound, err := approval.DigestOf(got.Calls[0]) // of the arguments as they are kept, in canonical form
	check(t, err)
	if got.Status != approval.Pending || got.Digest != q.Digest || !got.Until.Equal(q.Until) || bound != q.Calls[0].Digest {
		t.Errorf("asked: %+v", got)
	}
	other := q
	other.ID, other.Run = "apr_2", "run_2"
	add(approval.RequestedKind.Draft(at, other))
	of, err := db.Questions.ApprovalsOf(t.Context(), "run_1")
	check(t, err)
	if len(of) != 1 || of[0].ID != "apr_1" {
		t.Errorf("run_1 asked %v, want apr_1", of)
	}
	said := at
	said.Run, said.Key, said.From = "run_1", "approval:apr_1", event.Party{AgentID: "agent:person/per_1", Role: "person"}
	add(approval.AnsweredKind.Draft(said, approval.Answer{ID: "apr_1", Choice: approval.Approve, Digest: q.Digest, Calls: []string{"c1"}}))
	if got, err = db.Questions.Approval(t.Context(), "apr_1"); err != nil || got.Status != approval.Answered || got.By != "agent:person/per_1" || !got.Answer.Allows("c1") || got.Answer.Allows("c2") {
		t.Errorf("answered: %+v %v", got, err)
	}
	org := place(event.OrgStream)
	one := guard.Allowance{ID: "alw_1", Agent: "agent:coder", Tool: "shell_exec", Shape: "npm test", Folder: "/src"}
	two := one
	two.ID, two.Shape = "alw_2", "go vet ./..."
	add(guard.AllowedKind.Draft(org, one), guard.AllowedKind.Draft(org, two))
	allowed := func(want ...guard.Allowance) {
		t.Helper()
		got, err := db.Policy.Allowances(t.Context())
		check(t, err)
		if len(got) != len(want) {
			t.Fatalf("allowed are %+v, want %+v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("allowed are %+v, want %+v", got, want)
			}
		}
	}
	allowed(one, two)
	add(guard.ForgottenKind.Draft(org, guard.Forgotten{ID: "alw_1"}))
	allowed(two)
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("rebuilt, these differ: %v", d)
	}
	allowed(two)
}
