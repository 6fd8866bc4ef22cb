package daemon

import (
	"testing"

	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// TestInstance_TellsDaemonsApartThatBeganAlike: two logs of one first event are two organizations on SQLite, and the
// nodes of one PostgreSQL are one.
func TestInstance_TellsDaemonsApartThatBeganAlike(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Log.Append(t.Context(), model.ChosenKind.Draft(event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:chela", Role: "agent"}}, model.Chosen{})); err != nil {
		t.Fatal(err)
	}
	named := func(postgres, folder string) string {
		d := &Daemon{db: db}
		d.cfg.Postgres, d.cfg.Data = postgres, folder
		name, err := d.instance(t.Context())
		if err != nil || name == "" {
			t.Fatalf("%q, %v", name, err)
		}
		return name
	}
	if a, b, again := named("", "/a"), named("", "/b"), named("", "/a"); a == b || a != again {
		t.Errorf("two folders are %s and %s, the first again %s", a, b, again)
	}
	if a, b := named("postgres://x", "/a"), named("postgres://x", "/b"); a != b {
		t.Errorf("two nodes of one database are %s and %s", a, b)
	}
}
