package storetest

import (
	"encoding/json"
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/store"
)

// changes names what happened to a project's records, each once, and nothing else.
func changes(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	before, err := db.Desk.Changed(t.Context(), project, 0, 100)
	check(t, err)
	if before.More || before.End == 0 || !slices.Contains(before.IDs, project) {
		t.Errorf("from the beginning: %+v", before)
	}
	all, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Limit: clerk.All})
	check(t, err)
	id := all.Records[0].ID
	patch := func(text string) {
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), func(w *clerk.Work) error {
			_, err := w.Patch(desk.Ticket, id, json.RawMessage(text))
			return err
		}))
	}
	patch(`{"title":"B"}`)
	patch(`{"title":"C"}`)
	_, err = db.Log.Append(t.Context(), draft(event.ProjectStream(project), "not a record"), draft("elsewhere", "nor this"))
	check(t, err)
	after, err := db.Desk.Changed(t.Context(), project, before.End, 100)
	check(t, err)
	if !slices.Equal(after.IDs, []string{id}) || after.More || after.End != before.End+3 {
		t.Errorf("two edits and a note are %+v after %d", after, before.End)
	}
	touched(t, db, project)
	for limit, more := range map[int]bool{0: true, 1: true, 2: false} {
		some, err := db.Desk.Changed(t.Context(), project, before.End, limit)
		check(t, err)
		if some.More != more || some.End != after.End {
			t.Errorf("at most %d: %+v", limit, some)
		}
	}
	var titles []string
	end, err := db.Desk.ChangesOf(t.Context(), project, before.End, []desk.Kind{desk.Ticket}, func(e event.Event) error {
		c, _, err := desk.ChangeOf(e)
		titles = append(titles, string(c.Set))
		return err
	})
	check(t, err)
	if want := []string{`{"title":"B"}`, `{"title":"C"}`}; !slices.Equal(titles, want) || end != after.End {
		t.Errorf("the changes of tickets: got %v up to %d, want %v up to %d", titles, end, want, after.End)
	}
	if end, err := db.Desk.ChangesOf(t.Context(), project, before.End, []desk.Kind{desk.Milestone}, func(e event.Event) error {
		t.Errorf("no milestone was changed: %s", e.Message.Type)
		return nil
	}); err != nil || end != after.End {
		t.Errorf("the changes of milestones: got up to %d, %v, want %d", end, err, after.End)
	}
	none, err := db.Desk.Changed(t.Context(), project, after.End, 100)
	check(t, err)
	if len(none.IDs) > 0 || none.More || none.End != after.End {
		t.Errorf("nothing happened: %+v", none)
	}
}

// touched names the projects of which records of some kinds changed past a position.
func touched(t *testing.T, db *store.DB, project string) {
	t.Helper()
	events, end, err := db.Log.Events(t.Context(), 0, event.Filter{Type: "desk.ticket.*"})
	check(t, err)
	first, last := events[0], events[len(events)-1]
	of := func(k desk.Kind) func(desk.Kind) bool { return func(is desk.Kind) bool { return is == k } }
	got, upTo, err := db.Log.Touched(t.Context(), 0, of(desk.Ticket))
	if want := (clerk.Touch{First: first.At, Last: last.At}); err != nil || len(got) != 1 || !got[project].First.Equal(want.First) || !got[project].Last.Equal(want.Last) || upTo != end {
		t.Errorf("from the beginning %v up to %d (%v), want %v of %s up to %d", got, upTo, err, want, project, end)
	}
	if got, _, err = db.Log.Touched(t.Context(), last.Seq-1, of(desk.Ticket)); err != nil || !got[project].First.Equal(last.At) {
		t.Errorf("before the last change: %v (%v), want it alone, at %v", got, err, last.At)
	}
	for _, k := range []desk.Kind{desk.Ticket, desk.DeltaPack} {
		if got, upTo, err = db.Log.Touched(t.Context(), last.Seq, of(k)); err != nil || len(got) != 0 || upTo != end {
			t.Errorf("after the last change, of %s: %v up to %d (%v), want nothing up to %d", k, got, upTo, err, end)
		}
	}
}
