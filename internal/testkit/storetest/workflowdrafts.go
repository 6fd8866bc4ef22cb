package storetest

import (
	"testing"

	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/library"
)

// drafted edits a draft, saves versions beside it, and discards it.
func drafted(t *testing.T, open Opener) {
	db, _ := open(t)
	org := place(event.OrgStream)
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	saved := func(n int, source string, layout canvas.Layout) event.Draft {
		return library.SavedKind.Draft(org, library.Saved{Slug: "a", Version: n, Name: "a", Digest: source, Source: source, Layout: layout})
	}
	edited := func(revision, version int, from, to string, moved map[string]*canvas.Position) event.Draft {
		return library.EditedKind.Draft(org, library.Edited{Slug: "a", Revision: revision, Version: version, Splices: canvas.Splices(from, to), Moved: moved})
	}
	holds := func(what string, want library.WorkingDraft) {
		t.Helper()
		d, ok, err := db.Workflows.Draft(t.Context(), "a")
		if err != nil || !ok || d.Source != want.Source || d.Revision != want.Revision || d.Version != want.Version || d.Clean != want.Clean || d.Gone != want.Gone || len(d.Layout) != len(want.Layout) {
			t.Errorf("%s: got %+v %v, want %+v", what, d, err, want)
		}
	}
	if _, ok, err := db.Workflows.Draft(t.Context(), "a"); ok || err != nil {
		t.Errorf("a draft of nothing: %v %v", ok, err)
	}
	add(saved(1, "one\n", canvas.Layout{"x": {X: 1}}))
	add(edited(1, 1, "one\n", "one\ntwo\n", map[string]*canvas.Position{"y": {Y: 2}}))
	holds("edited", library.WorkingDraft{Draft: canvas.Draft{Source: "one\ntwo\n", Layout: canvas.Layout{"x": {}, "y": {}}}, Revision: 1, Version: 1})
	add(edited(2, 0, "one\ntwo\n", "three\ntwo\n", map[string]*canvas.Position{"x": nil}))
	edits, err := db.Workflows.Edits(t.Context(), "a", 1)
	if err != nil || len(edits) != 1 || edits[0].Name != "test" || edits[0].Revision != 2 || edits[0].At.IsZero() {
		t.Errorf("%+v %v", edits, err)
	}
	if back, err := canvas.Back("three\ntwo\n", edits[0].Splices); err != nil || back != "one\ntwo\n" {
		t.Errorf("%q %v", back, err)
	}
	add(saved(2, "elsewhere\n", nil))
	holds("another version was saved", library.WorkingDraft{Draft: canvas.Draft{Source: "three\ntwo\n", Layout: canvas.Layout{"y": {}}}, Revision: 2, Version: 1})
	add(saved(3, "three\ntwo\n", canvas.Layout{"y": {}}))
	holds("saved", library.WorkingDraft{Draft: canvas.Draft{Source: "three\ntwo\n", Layout: canvas.Layout{"y": {}}}, Revision: 2, Version: 3, Clean: true})
	if v, err := db.Workflows.Version(t.Context(), "a", 3); err != nil || len(v.Layout) != 1 {
		t.Errorf("%+v %v", v, err)
	}
	add(saved(4, "four\n", nil))
	holds("a clean draft follows", library.WorkingDraft{Draft: canvas.Draft{Source: "four\n"}, Revision: 3, Version: 4, Clean: true})
	if edits, err := db.Workflows.Edits(t.Context(), "a", 0); err != nil || len(edits) != 0 {
		t.Errorf("%+v %v", edits, err)
	}
	add(edited(4, 0, "four\n", "five\n", nil), library.DiscardedKind.Draft(org, library.Discarded{Slug: "a", Revision: 5}))
	holds("discarded", library.WorkingDraft{Revision: 5, Clean: true, Gone: true})
	add(edited(6, 4, "four\n", "six\n", nil))
	holds("begun again", library.WorkingDraft{Draft: canvas.Draft{Source: "six\n"}, Revision: 6, Version: 4})
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("different after a rebuild: %v", d)
	}
}
