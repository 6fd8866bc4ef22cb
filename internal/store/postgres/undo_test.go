package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/testkit/pgtest"
)

// TestPostgres_ManyChangesAreFewLooks has one transaction delete many records, as the undo of an import does: they are read together, and
// what each refers to is found by its own row, not among all that refer to the same.
func TestPostgres_ManyChangesAreFewLooks(t *testing.T) {
	t.Parallel()
	const many = 600
	home := pgtest.URL(t)
	address, wire := pgtest.Watch(t, home)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it goes with the test
	at := event.Place{Stream: event.ProjectStream("prj_1"), Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	var made, gone []event.Draft
	var records []desk.Record
	for i := range many {
		c, r, err := desk.New(nil, desk.Assignment, "prj_1", &desk.AssignmentBody{TicketID: fmt.Sprintf("tkt_%d", i), ResourceID: "res_1"})
		if err != nil {
			t.Fatal(err)
		}
		made, records = append(made, c.Draft(at)), append(records, r)
	}
	record := func(drafts []event.Draft) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Append(drafts...); return err }); err != nil {
			t.Fatal(err)
		}
	}
	record(made)
	for _, r := range records {
		gone = append(gone, desk.Remove(r).Draft(at))
	}
	wire.Take()
	record(gone)
	looks, drop := 0, ""
	for _, trip := range wire.Take() {
		for _, s := range trip.Statements {
			if strings.Contains(s, "FROM desk_records r WHERE r.id") {
				looks++
			}
			if strings.HasPrefix(s, "DELETE FROM desk_refs") {
				drop = s
			}
		}
	}
	if looks == 0 || looks > 4 {
		t.Errorf("%d records that are deleted at once are read in %d looks, want few", many, looks)
	}
	for _, r := range records {
		if now, err := db.Desk.Record(t.Context(), r.ID); err != nil || !now.Deleted || now.Version != 2 {
			t.Fatalf("%s is %+v (%v)", r.ID, now, err)
		}
	}
	if drop == "" {
		t.Fatal("no reference is taken out by a statement of its own")
	}
	conn, err := pgx.Connect(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }() // it goes with the test
	for _, s := range []string{"INSERT INTO desk_refs (from_id, field, to_id, since) SELECT 'asg_' || i, 'resourceId', 'res_' || i % 4, 0 FROM generate_series(1, 20000) i", "ANALYZE desk_refs", "SET plan_cache_mode = force_generic_plan", "PREPARE drop_ref(text, text, text) AS " + drop} {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE drop_ref('a', 'b', 'c')", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || !strings.Contains(strings.Join(plan, "\n"), "desk_refs_pkey") {
		t.Errorf("a reference is found by %q (%v)", plan, err)
	}
}
