package storetest

import (
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/tracker"
)

// trackers holds that a tracker is read on from where a sync ended, that a look is one node's, and that what is set to
// another place is read anew.
func trackers(t *testing.T, open Opener) {
	db, _ := open(t)
	at := place(event.OrgStream)
	web := tracker.Tracker{Name: "web", Kind: tracker.GitHub, Address: "https://api.github.com", Scope: "acme/web", Project: "prj_1", Every: 15, Thread: "thr_1", Afresh: true}
	set, err := db.Log.Append(t.Context(), tracker.ConfiguredKind.Draft(at, web))
	check(t, err)
	s, err := db.Trackers.Tracker(t.Context(), "web")
	check(t, err)
	if s.Tracker != web || s.NextAt != nil || s.SyncedAt != nil || s.Since != set[0].Seq || !s.Cursor.From.IsZero() {
		t.Errorf("set up, it is %+v", s)
	}
	soon := db.Mint().Now().Add(time.Minute).UTC().Truncate(time.Microsecond)
	for n, want := range []bool{true, false} {
		if mine, err := db.Trackers.Look(t.Context(), "web", time.Time{}, soon); err != nil || mine != want {
			t.Errorf("look %d is the node's: %t, %v", n, mine, err)
		}
	}
	check(t, db.Trackers.Keep(t.Context(), "web", `W/"1"`, soon.Add(time.Hour)))
	to := tracker.Cursor{From: soon.Add(-time.Hour), Seen: []string{"a1"}}
	brought := tracker.Synced{Name: "web", Cursor: to, Issues: 2, Run: "run_1", New: map[string]int{"ticket": 2}}
	_, err = db.Log.Append(t.Context(), tracker.FailedKind.Draft(at, tracker.Failed{Name: "web", Why: "Gone.", Row: 2}))
	check(t, err)
	if s, err := db.Trackers.Tracker(t.Context(), "web"); err != nil || s.Failures != 2 || s.Problem != "Gone." || s.FailedAt == nil || s.Check != `W/"1"` {
		t.Errorf("that failed: %+v, %v", s, err)
	}
	_, err = db.Log.Append(t.Context(), tracker.SyncedKind.Draft(at, brought), tracker.SyncedKind.Draft(at, tracker.Synced{Name: "web", Cursor: to}))
	check(t, err)
	list, err := db.Trackers.Trackers(t.Context())
	check(t, err)
	if s := list[0]; len(list) != 1 || !s.Cursor.From.Equal(to.From) || !slices.Equal(s.Cursor.Seen, to.Seen) || s.Failures != 0 || s.Problem != "" || s.Last == nil || s.Last.Run != "run_1" || s.SyncedAt == nil || s.NextAt == nil || !s.NextAt.Equal(soon.Add(time.Hour)) {
		t.Errorf("that was read: %+v", list)
	}
	_, err = db.Log.Append(t.Context(), tracker.SyncedKind.Draft(at, tracker.Synced{Name: "web", Cursor: to, More: true}))
	check(t, err)
	if s, err := db.Trackers.Tracker(t.Context(), "web"); err != nil || s.NextAt != nil {
		t.Errorf("that has more is looked at next: %v, %v, want at once", s.NextAt, err)
	}
	trackersSetAnew(t, db, web, to)
}

func trackersSetAnew(t *testing.T, db *store.DB, web tracker.Tracker, to tracker.Cursor) {
	t.Helper()
	at := place(event.OrgStream)
	err := db.Trackers.Change(t.Context(), "web", func(s tracker.State) ([]event.Draft, error) {
		web.Afresh, web.Every = false, 30
		return []event.Draft{tracker.ConfiguredKind.Draft(at, web)}, nil
	})
	check(t, err)
	if s, err := db.Trackers.Tracker(t.Context(), "web"); err != nil || !s.Cursor.From.Equal(to.From) || s.Every != 30 || s.Check != "" {
		t.Errorf("changed, it goes on from %v: %+v, %v", to.From, s, err)
	}
	web.Afresh, web.Scope = true, "acme/shop"
	_, err = db.Log.Append(t.Context(), tracker.ConfiguredKind.Draft(at, web))
	check(t, err)
	if s, err := db.Trackers.Tracker(t.Context(), "web"); err != nil || !s.Cursor.From.IsZero() || s.Last != nil {
		t.Errorf("of another place, it goes on from %+v, %v", s.Cursor, err)
	}
	_, err = db.Log.Append(t.Context(), tracker.RemovedKind.Draft(at, tracker.Removed{Name: "web"}), tracker.SyncedKind.Draft(at, tracker.Synced{Name: "web", Cursor: to}))
	check(t, err)
	if _, err := db.Trackers.Tracker(t.Context(), "web"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed, it is there: %v", err)
	}
}
