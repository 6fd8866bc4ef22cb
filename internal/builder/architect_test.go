package builder_test

import (
	"context"
	"log/slog"
	"testing"

	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

func TestPlan_TakesStepsForAWorkflowThatNamesNone(t *testing.T) {
	t.Parallel()
	opened, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() }) // its folder goes, too
	db, quiet := store.New(opened.Backend, store.Options{}), slog.New(slog.DiscardHandler)
	runs := run.New(db, db.Runs, local.New(db.Queue, nil, quiet), run.Options{Log: quiet})
	shelf := library.New(runs, db, db.Workflows, all{}, func(_ context.Context, id string) (string, error) { return id, nil })
	b := builder.New(db, builder.Parts{Store: db.Workflows, Library: shelf, Shelf: db.Workflows, Members: db.Roster, People: db.People, Runs: runs, Say: quiet})
	by := org.Person{ID: "per_ann"}.Party()
	for i, c := range []struct {
		text  string
		steps bool
	}{
		{"wait 2 days, then wait until a ticket is created", true},
		{"Each Monday wait 2 days, then list what is late, then wait 1 day", true},
		{"show me how that goes, then wait 1 day", true},
		{"good morning", false},
		{"what is there?", false},
	} {
		got, err := b.Plan(t.Context(), builder.Request{Plan: "pln_" + string(rune('a'+i)), Text: c.text, By: by})
		if err != nil {
			t.Fatal(c.text, err)
		}
		if (got.Plan != nil) != c.steps || c.steps && got.Intent != blueprint.Build || !c.steps && got.Text == "" {
			t.Errorf("%q: got %+v", c.text, got)
		}
	}
}
