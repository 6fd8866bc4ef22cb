package storetest

import (
	"testing"

	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

// planned keeps plans for building workflows, changes one, and moves it.
func planned(t *testing.T, open Opener) {
	db, _ := open(t)
	org := place(event.OrgStream)
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	plan := func(id, slug, name string) event.Draft {
		return builder.PlannedKind.Draft(org, builder.Planned{Plan: blueprint.Plan{ID: id, Workflow: slug, Metadata: blueprint.Metadata{Name: name}}, Thread: "thr_1", Person: "agent:person/per_1"})
	}
	add(plan("pln_1", "a", "first"), plan("pln_2", "b", "second"), plan("pln_1", "a", "changed"))
	if k, err := db.Workflows.BuildPlan(t.Context(), "pln_1"); err != nil || k.Plan.Metadata.Name != "changed" || k.State != builder.Pending || k.At.IsZero() {
		t.Errorf("%+v %v", k, err)
	}
	if k, ok, err := db.Workflows.LatestPlan(t.Context(), "thr_1", "agent:person/per_1"); err != nil || !ok || k.Plan.ID != "pln_2" {
		t.Errorf("%+v %v %v", k, ok, err)
	}
	if _, ok, err := db.Workflows.LatestPlan(t.Context(), "thr_1", "agent:person/per_2"); err != nil || ok {
		t.Errorf("another's plan: %v %v", ok, err)
	}
	add(builder.MovedKind.Draft(org, builder.Moved{ID: "pln_1", From: builder.Pending, To: builder.Executing}),
		builder.MovedKind.Draft(org, builder.Moved{ID: "pln_1", From: builder.Executing, To: builder.Failed, Results: []builder.Result{{Step: "x", Tries: 3}}}))
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		k, err := tx.BuildPlan("pln_1")
		if k.State != builder.Failed || len(k.Results) != 1 || k.Results[0].Tries != 3 {
			t.Errorf("%+v", k)
		}
		return err
	}))
	if all, err := db.Workflows.BuildPlans(t.Context(), "a", 10); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := db.Workflows.BuildPlan(t.Context(), "pln_3"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a plan that is not there: %v", err)
	}
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("different after a rebuild: %v", d)
	}
}
