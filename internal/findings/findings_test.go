package findings_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/findings"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A world is a project in a real store, and a keeper that never rests.
type world struct {
	t       *testing.T
	db      *store.DB
	clerk   *clerk.Clerk
	keeper  *findings.Keeper
	kept    *clerk.View[*clerk.Board]
	project string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, clerk: clerk.New(db.Desk)}
	t.Cleanup(func() {
		rebuilt, err := db.Rebuild(context.Background()) //nolint:forbidigo // the test's context has ended
		if err != nil || len(rebuilt.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v %v", rebuilt.Different(), err)
		}
		_ = db.Close() // its file goes with the test
	})
	w.kept = clerk.NewView(clerk.NewCache(db.Desk), clerk.NewBoard, (*clerk.Board).Follow, clerk.BoardKinds()...)
	w.keeper = findings.NewKeeper(w.clerk, db.Log, db.Directory, findings.Options{Kept: w.kept})
	w.project = w.make(desk.Project, `{"name":"Payments"}`)
	return w
}

func (w *world) do(plan func(*clerk.Work) error) {
	w.t.Helper()
	at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:person/per_ann", Role: "person"}}
	err := w.clerk.Do(w.t.Context(), at, w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, plan)
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) make(k desk.Kind, body string) (id string) {
	w.t.Helper()
	w.do(func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(body))
		id = r.ID
		return err
	})
	return id
}

func (w *world) patch(k desk.Kind, id, body string) {
	w.t.Helper()
	w.do(func(c *clerk.Work) error { _, err := c.Patch(k, id, json.RawMessage(body)); return err })
}

// look has the keeper look, and returns the titles of what counts now, with what was decided.
func (w *world) look() (deltas []string, blindspots map[string]string, pack desk.Record) {
	w.t.Helper()
	if err := w.keeper.Look(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.kept.Get(w.t.Context(), w.project); err != nil { // the next look finds the records kept
		w.t.Fatal(err)
	}
	packs, err := w.db.Desk.Records(w.t.Context(), clerk.Query{Project: w.project, Kind: desk.DeltaPack, Status: "FINAL"})
	if err != nil || len(packs.Records) > 1 {
		w.t.Fatalf("%d packs count, want one at most: %v", len(packs.Records), err)
	}
	if len(packs.Records) == 1 {
		pack = packs.Records[0]
		b, err := desk.Open[desk.DeltaPackBody](pack)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range b.Deltas {
			deltas = append(deltas, strings.TrimSpace(d.Title+" "+string(d.Decision)))
		}
	}
	blindspots = make(map[string]string)
	all, err := w.db.Desk.Records(w.t.Context(), clerk.Query{Project: w.project, Kind: desk.Blindspot})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range all.Records {
		b, err := desk.Open[desk.BlindspotBody](r)
		if err != nil {
			w.t.Fatal(err)
		}
		blindspots[b.Title] = b.Status
	}
	return deltas, blindspots, pack
}

func (w *world) end() event.Seq {
	w.t.Helper()
	end, err := w.db.Log.End(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return end
}

// TestKeeper_FollowsTheRecords: what is found comes and goes with the records, and what was decided stays.
func TestKeeper_FollowsTheRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	late := w.make(desk.Ticket, `{"title":"Sign the contract","dueDate":"2020-01-01","priority":"HIGH"}`)
	w.make(desk.Ticket, `{"title":"Call the bank","dueDate":"2020-01-02"}`)
	deltas, blind, pack := w.look()
	if strings.Join(deltas, "|") != "Overdue: Sign the contract|Overdue: Call the bank" || blind["Important tickets without anybody"] != "OPEN" {
		t.Fatalf("found %q and %v", deltas, blind)
	}
	b, err := desk.Open[desk.DeltaPackBody](pack)
	if err != nil {
		t.Fatal(err)
	}
	b.Deltas = append(b.Deltas, desk.Delta{Type: "SCOPE_MISMATCH", Title: "Read by an agent"})
	raw, err := json.Marshal(map[string]any{"deltas": b.Deltas})
	if err != nil {
		t.Fatal(err)
	}
	w.make(desk.DeltaPack, string(raw))
	_, _, pack = w.look()
	before := w.end()
	if w.look(); w.end() != before {
		t.Errorf("%d events for what has not changed", w.end()-before)
	}
	w.do(func(c *clerk.Work) error {
		_, err := c.Decide(pack.ID, 1, clerk.Verdict{Decision: desk.Dismissed})
		return err
	})
	w.patch(desk.Ticket, late, `{"priority":"LOW"}`)
	if _, blind, _ := w.look(); blind["Important tickets without anybody"] != "RESOLVED" {
		t.Errorf("the blindspot is %v, want it resolved", blind)
	}
	w.patch(desk.Ticket, late, `{"dueDate":"2999-01-01"}`)
	if deltas, _, _ := w.look(); strings.Join(deltas, "|") != "Overdue: Call the bank DISMISSED|Read by an agent" {
		t.Errorf("after the new date %q, want what was dismissed, and what an agent read", deltas)
	}
	w.patch(desk.Ticket, late, `{"dueDate":"2020-01-01","priority":"CRITICAL"}`)
	deltas, blind, _ = w.look()
	if len(deltas) != 3 || blind["Important tickets without anybody"] != "OPEN" {
		t.Errorf("found again %q and %v", deltas, blind)
	}
}

// TestKeeper_LeavesArchivedProjects: what changed before a project was archived is not looked at for ever.
func TestKeeper_LeavesArchivedProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.make(desk.Ticket, `{"title":"Sign the contract","dueDate":"2020-01-01"}`)
	w.patch(desk.Project, w.project, `{"status":"ARCHIVED"}`)
	if deltas, _, _ := w.look(); len(deltas) != 0 {
		t.Errorf("found %q in an archived project, want nothing", deltas)
	}
}

// TestKeeper_WaitsUntilAProjectIsQuiet: an import changes a project for a while, and is not looked at with each part of it.
func TestKeeper_WaitsUntilAProjectIsQuiet(t *testing.T) {
	t.Parallel()
	o := findings.Options{Settle: 3 * time.Second, Longest: time.Minute, Rest: 30 * time.Second}
	at := func(seconds int) time.Time {
		return time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
	}
	for name, c := range map[string]struct{ first, last, rested, want time.Time }{
		"one change":                       {at(0), at(0), time.Time{}, at(3)},
		"changes for forty seconds":        {at(0), at(40), time.Time{}, at(43)},
		"changes without an end":           {at(0), at(59), time.Time{}, at(60)},
		"a change soon after a look":       {at(10), at(10), at(30), at(30)},
		"a new day":                        {time.Time{}, time.Time{}, time.Time{}, time.Time{}.Add(3 * time.Second)},
		"a new day while it is left alone": {time.Time{}, time.Time{}, at(30), at(30)},
	} {
		if got := findings.Due(o, c.first, c.last, c.rested); !got.Equal(c.want) {
			t.Errorf("%s: looked at %v, want %v", name, got, c.want)
		}
	}
}

// A broken store tells of a change and lists no projects; it counts how often it is asked.
type broken struct{ asked int }

func (*broken) Subscribe(event.Topic) (<-chan struct{}, func()) {
	changed := make(chan struct{}, 1)
	changed <- struct{}{}
	return changed, func() {}
}

func (*broken) End(context.Context) (event.Seq, error) { return 0, nil }

func (*broken) Touched(context.Context, event.Seq, func(desk.Kind) bool) (map[string]clerk.Touch, event.Seq, error) {
	at := time.Now().Add(-time.Hour)
	return map[string]clerk.Touch{"prj_1": {First: at, Last: at}}, 1, nil
}

func (*broken) Append(context.Context, ...event.Draft) ([]event.Event, error) { return nil, nil }

func (*broken) Mint() *event.Mint { return nil } // the real one

func (b *broken) Projects(context.Context) ([]desk.Record, error) {
	b.asked++
	return nil, errors.New("the disk is away")
}

// TestKeeper_WaitsForAStoreThatFails: it asks again after some seconds, not without end.
func TestKeeper_WaitsForAStoreThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(broken)
		k := findings.NewKeeper(nil, b, b, findings.Options{Settle: 3 * time.Second, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := k.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if b.asked < 5 || b.asked > 25 {
			t.Errorf("it asked %d times within a minute", b.asked)
		}
	})
}

// TestKeeper_FollowsThePlan: what is found of milestones and phases comes and goes with them and with the tickets for which they wait, and accepting
// it does what it suggests.
func TestKeeper_FollowsThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	accept := func(pack desk.Record, value string) {
		t.Helper()
		w.do(func(c *clerk.Work) error {
			_, err := c.Decide(pack.ID, 0, clerk.Verdict{Decision: desk.Accepted, Value: value})
			return err
		})
	}
	phase := w.make(desk.Phase, `{"name":"Build","status":"COMPLETED"}`)
	ticket := w.make(desk.Ticket, `{"title":"Sign","phaseId":"`+phase+`"}`)
	deltas, _, pack := w.look()
	if strings.Join(deltas, "|") != "Phase completed before its work: Build" {
		t.Fatalf("found %q", deltas)
	}
	accept(pack, "")
	r, err := w.db.Desk.Record(t.Context(), phase)
	if err != nil || !strings.Contains(string(r.Body), `"status":"IN_PROGRESS"`) {
		t.Fatalf("the phase is %s, %v", r.Body, err)
	}
	near := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	milestone := w.make(desk.Milestone, `{"name":"Go-live","targetDate":"2020-01-01","phaseId":"`+phase+`"}`)
	deltas, blind, pack := w.look()
	if strings.Join(deltas, "|") != "Milestone overdue: Go-live" || blind["Milestone of 2020-01-01 overdue: Go-live"] != "OPEN" {
		t.Fatalf("found %q and %v", deltas, blind)
	}
	accept(pack, near)
	deltas, blind, _ = w.look()
	if strings.Join(deltas, "|") != "Milestone at risk: Go-live" || blind["Milestone of 2020-01-01 overdue: Go-live"] != "RESOLVED" || blind["Milestone of "+near+" at risk: Go-live"] != "OPEN" {
		t.Fatalf("with another day found %q and %v", deltas, blind)
	}
	w.patch(desk.Ticket, ticket, `{"status":"DONE"}`)
	if deltas, blind, _ = w.look(); len(deltas) > 0 || blind["Milestone of "+near+" at risk: Go-live"] != "RESOLVED" {
		t.Errorf("with its work done found %q and %v", deltas, blind)
	}
	w.patch(desk.Milestone, milestone, `{"status":"COMPLETED"}`)
	w.patch(desk.Phase, phase, `{"endDate":"2020-02-01"}`)
	if deltas, _, _ = w.look(); strings.Join(deltas, "|") != "Phase past its end: Build" {
		t.Errorf("found %q", deltas)
	}
}
