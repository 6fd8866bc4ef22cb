package daemon

import (
	"context"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/store/past"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// TestPrepare_KeepsWhatIsLookedThrough asks for what only records say: the project is read, so that the next who asks does not wait.
func TestPrepare_KeepsWhatIsLookedThrough(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := &Daemon{db: db, kept: clerk.NewCache(db.Desk), past: past.New(db)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.keepWanted(ctx) }()
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	where, err := query.Parse("description:~refund", fields, db.Mint().Now())
	if err != nil {
		t.Fatal(err)
	}
	ask := clerk.Query{Project: "prj_1", Kind: desk.Ticket, Where: where}
	if got, err := d.kept.Narrow(t.Context(), ask); err != nil || got.Where.String() != where.String() {
		t.Fatalf("at first it is %v, %v", got.Where, err)
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		b, err := d.kept.Kept(t.Context(), "prj_1")
		if err != nil {
			t.Fatal(err)
		}
		if b != nil {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatal("nobody has read the project")
		}
	}
	if got, err := d.kept.Narrow(t.Context(), ask); err != nil {
		t.Fatal(err)
	} else if _, known := got.Where.(query.Among); !known {
		t.Errorf("later it is %#v", got.Where)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
