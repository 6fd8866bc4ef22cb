package storetest

import (
	"encoding/json"
	"testing"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/run"
	"chela/internal/store"
)

// payloads registers revisions of a payload type and takes the newest back.
func payloads(t *testing.T, open Opener) {
	db, _ := open(t)
	org := place(event.OrgStream)
	for n, schema := range []string{`{"type":"object"}`, `{"type":"object","required":["sum"]}`} {
		_, err := db.Log.Append(t.Context(), library.RegisteredKind.Draft(org, library.Registered{Name: "invoice.total.v1", Revision: n + 1, Schema: json.RawMessage(schema), Note: "n"}))
		check(t, err)
	}
	all, err := db.Workflows.Payloads(t.Context())
	if err != nil || len(all) != 1 || all[0].Revision != 2 || all[0].By != "agent:test" || all[0].At.IsZero() {
		t.Errorf("%+v %v, want the newest revision", all, err)
	}
	if schema, ok := db.Workflows.Types(t.Context())("invoice.total.v1"); !ok || schema["required"] == nil {
		t.Errorf("%v %v, want the schema of the newest", schema, ok)
	}
	_, err = db.Log.Append(t.Context(), library.UnregisteredKind.Draft(org, library.Registered{Name: "invoice.total.v1", Revision: 2}))
	check(t, err)
	revisions, err := db.Workflows.Revisions(t.Context(), "invoice.total.v1")
	if err != nil || len(revisions) != 1 || revisions[0].Revision != 1 || string(revisions[0].Schema) != `{"type":"object"}` {
		t.Errorf("%+v %v, want the first", revisions, err)
	}
	if _, ok := db.Workflows.Types(t.Context())("invoice.other.v1"); ok {
		t.Error("a type is known that nobody registered")
	}
}

// proofs keeps what was found of contracts of tickets, and what was done unasked.
func proofs(t *testing.T, open Opener) {
	db, _ := open(t)
	at := place(event.OrgStream)
	_, err := db.Log.Append(t.Context(),
		contract.EvidenceKind.Draft(at, contract.Evidence{Ticket: "tkt_1", Agent: "agent:pm", Said: "all", Found: []contract.Found{{Condition: "tests pass", Detail: "It ended with 1."}}}),
		contract.EvidenceKind.Draft(at, contract.Evidence{Ticket: "tkt_1", Agent: "agent:pm", Met: true}),
		agent.OutsideKind.Draft(at, agent.Outside{Agent: "agent:pm", Tool: "update_ticket", Changed: []string{"tkt_2", "tkt_3"}, Named: []string{"tkt_1"}}))
	check(t, err)
	found, err := db.Workflows.Proofs(t.Context(), "tkt_1")
	if err != nil || len(found) != 2 || !found[0].Met || found[1].Found[0].Detail != "It ended with 1." || found[1].At.IsZero() {
		t.Errorf("%+v %v, want both, the newest first", found, err)
	}
	if of, err := db.Workflows.Evidence(t.Context(), run.ID(at.Run)); err != nil || len(of) != 0 {
		t.Errorf("%+v %v, want no evidence of an instance", of, err)
	}
	counts, err := db.Workflows.Contracts(t.Context())
	if err != nil || len(counts) != 1 || counts[0].Said != 2 || counts[0].Unmet != 1 || counts[0].Rate != 0.5 || counts[0].Outside != 2 || counts[0].Tasks != 1 {
		t.Errorf("%+v %v, want 1 of 2 refuted, and 2 changes in a task", counts, err)
	}
	if out, err := db.Workflows.Outside(t.Context(), "agent:pm", 10); err != nil || len(out) != 1 || len(out[0].Changed) != 2 {
		t.Errorf("%+v %v, want what was changed", out, err)
	}
}

// shelved saves, deploys and retires versions, and looks at what the library has then.
func shelved(t *testing.T, open Opener) {
	db, _ := open(t)
	org := place(event.OrgStream)
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	saved := func(slug string, n int) event.Draft {
		return library.SavedKind.Draft(org, library.Saved{Slug: slug, Version: n, Name: slug, Digest: "d", Source: "slug: " + slug})
	}
	add(saved("a", 1), saved("a", 2), saved("b", 1), saved("b", 2))
	if _, err := db.Workflows.Version(t.Context(), "a", 0); fault.KindOf(err) != fault.NotFound {
		t.Errorf("nothing is deployed: %v", err)
	}
	add(library.DeployedKind.Draft(org, library.Moved{Slug: "a", Version: 1}), library.DeployedKind.Draft(org, library.Moved{Slug: "a", Version: 2}))
	if v, err := db.Workflows.Version(t.Context(), "a", 1); err != nil || v.State != library.Retired || v.DeployedBy.AgentID != "agent:test" || v.Source != "slug: a" {
		t.Errorf("%+v %v", v, err)
	}
	if v, err := db.Workflows.Version(t.Context(), "a", 0); err != nil || v.Number != 2 || v.State != library.Deployed {
		t.Errorf("%+v %v", v, err)
	}
	add(library.DeployedKind.Draft(org, library.Moved{Slug: "a", Version: 1, Back: true}))
	list, err := db.Workflows.Workflows(t.Context())
	check(t, err)
	if len(list) != 2 || list[0].Number != 1 || list[0].State != library.Deployed || list[1].Number != 2 || list[1].State != library.Draft {
		t.Errorf("%+v", list)
	}
	add(library.RetiredKind.Draft(org, library.Moved{Slug: "a", Version: 1}))
	versions, err := db.Workflows.Versions(t.Context(), "a")
	check(t, err)
	if len(versions) != 2 || versions[0].Number != 2 || versions[1].State != library.Retired {
		t.Errorf("%+v", versions)
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		newest, ok, err := tx.Newest("a")
		if !ok || newest.Number != 2 {
			t.Errorf("the newest is %+v, %v", newest, ok)
		}
		if _, ok, _ := tx.Numbered("c", 1); ok {
			t.Error("there is a version of what is not there")
		}
		return err
	}))
	played(t, db)
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("different after a rebuild: %v", d)
	}
}

// played looks at the steps of an instance as they go on.
func played(t *testing.T, db *store.DB) {
	t.Helper()
	at := place(event.ThreadStream("thr_1"))
	input, err := json.Marshal(instance.Input{Slug: "a", Version: 1, Inputs: json.RawMessage(`{"x":1}`)})
	check(t, err)
	step := func(path string, s instance.State) event.Draft {
		return instance.StepKind.Draft(at, instance.Step{Path: path, Kind: "transform", State: s})
	}
	_, err = db.Log.Append(t.Context(), library.StartedKind.Draft(at, library.Started{Slug: "a", Version: 1}),
		run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Thread: "thr_1", Kind: instance.RunKind, By: at.From, Input: input}),
		step("one", instance.Started), step("two", instance.Started), step("two", instance.Done), step("one", instance.Failed))
	check(t, err)
	in, err := db.Workflows.Instance(t.Context(), "run_1")
	if err != nil || in.Slug != "a" || in.Name != "a" || in.Run.State != run.Queued || string(in.Input.Inputs) != `{"x":1}` {
		t.Errorf("%+v %v", in, err)
	}
	steps, err := db.Workflows.Steps(t.Context(), "run_1")
	if err != nil || len(steps) != 2 || steps[0].Path != "one" || steps[0].State != instance.Failed || steps[0].StartedAt.IsZero() || steps[1].EndedAt.IsZero() {
		t.Errorf("%+v %v", steps, err)
	}
	_, err = db.Log.Append(t.Context(), instance.StepKind.Draft(at, instance.Step{Path: "three", Kind: "wait", State: instance.Waiting, Event: "desk.ticket.created", Reason: "wait/three#1"}))
	check(t, err)
	if w, err := db.Workflows.Waits(t.Context()); err != nil || len(w) != 1 || w[0].Type != "desk.ticket.created" || w[0].Step != "wait/three#1" || w[0].Since == 0 {
		t.Errorf("%+v %v", w, err)
	}
	_, err = db.Log.Append(t.Context(), step("three", instance.Done), contract.EvidenceKind.Draft(at, contract.Evidence{Path: "one", Agent: "agent:pm"}),
		contract.EvidenceKind.Draft(at, contract.Evidence{Path: "two", Agent: "agent:pm", Met: true}), instance.ReviewedKind.Draft(at, instance.Reviewed{Path: "one", To: "created"}),
		instance.ReviewedKind.Draft(at, instance.Reviewed{Path: "one", From: "created", To: "assigned"}))
	check(t, err)
	if w, err := db.Workflows.Waits(t.Context()); err != nil || len(w) != 0 {
		t.Errorf("%+v %v", w, err)
	}
	if c, err := db.Workflows.Contracts(t.Context()); err != nil || len(c) != 1 || c[0].Said != 2 || c[0].Unmet != 1 || c[0].Rate != 0.5 {
		t.Errorf("%+v %v", c, err)
	}
	if r, err := db.Workflows.Reviews(t.Context(), "run_1"); err != nil || len(r) != 1 || r[0].To != "assigned" {
		t.Errorf("%+v %v", r, err)
	}
	if a, err := db.Workflows.Author(t.Context(), "a"); err != nil || a.AgentID != "agent:test" {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := db.Workflows.Instance(t.Context(), "run_2"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an instance that is not there: %v", err)
	}
	if open, err := db.Workflows.Instances(t.Context(), "a", true, 10); err != nil || len(open) != 1 {
		t.Errorf("%+v %v", open, err)
	}
	if none, err := db.Workflows.Instances(t.Context(), "b", false, 10); err != nil || len(none) != 0 {
		t.Errorf("%+v %v", none, err)
	}
}
