package storetest

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/session"
)

// erases holds that what a person said and noted is in no table and in no payload any more, that what others said
// stays, and that the chain verifies and gives the same tables again.
func erases(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db)
	spoken(t, db, "thr_1", project, "per_1", "My secret is Xyzzy.", "I heard it.", "Again: Xyzzy.")
	spoken(t, db, "thr_2", project, "per_2", "Another said Plugh.")
	noted(t, db, "per_1", "note_1", "Xyzzy is noted.")
	noted(t, db, "per_2", "note_2", "Plugh is noted.")
	at := asPerson("per_1")
	at.Thread, at.Stream = "thr_1", event.ThreadStream("thr_1")
	said, err := db.Conversations.Messages(t.Context(), "thr_1", 0, 10)
	check(t, err)
	_, err = db.Log.Append(t.Context(), session.EditedKind.Draft(at, session.Edited{Message: said[0].ID, Text: "My secret is Xyzzy, still."}))
	check(t, err)
	by := asPerson("per_2")
	by.Stream = event.OrgStream
	for i, want := range []int64{5, 0} {
		out, err := db.Audit.Erase(t.Context(), by, "per_1", "asked for")
		if err != nil || out.Events != want {
			t.Fatalf("erasing for time %d: %+v, %v, want %d events", i+1, out, err, want)
		}
	}
	said, err = db.Conversations.Messages(t.Context(), "thr_1", 0, 10)
	check(t, err)
	if len(said) != 3 || said[0].Message != "[erased]" || said[1].Message != "I heard it." || said[2].Message != "[erased]" {
		t.Errorf("the conversation is now %+v", said)
	}
	for person, want := range map[string]int{"per_1": 0, "per_2": 1} {
		if notes, err := db.Recall.Notes(t.Context(), person); err != nil || len(notes) != want {
			t.Errorf("%s has the notes %v, %v, want %d", person, notes, err, want)
		}
	}
	if got := recalled(t, db, memory.Reader{Person: "per_1", Project: project, Thread: "thr_1"}, memory.Question{Text: "Xyzzy"}); got != "" {
		t.Errorf("what was erased is found: %s", got)
	}
	if got := recalled(t, db, memory.Reader{Person: "per_2", Project: project}, memory.Question{Text: "Plugh"}); !strings.Contains(got, "Plugh") {
		t.Errorf("what another said is not found: %q", got)
	}
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	var b bytes.Buffer
	check(t, db.Audit.Export(t.Context(), &b, key))
	if strings.Contains(b.String(), "Xyzzy") || !strings.Contains(b.String(), "Plugh") {
		t.Error("the log still has what was erased, or has lost what another said")
	}
	report, err := db.Audit.Verify(t.Context())
	if err != nil || !report.OK() || len(report.Erased) != 5 {
		t.Errorf("the log does not verify: %+v, %v", report, err)
	}
	r, err := db.Rebuild(t.Context())
	if err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
}
