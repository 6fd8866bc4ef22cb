package storetest

import (
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/webhook"
)

// webhooks holds that one node at a time tells an endpoint, from when it was set on, and that what it did not take can be
// sent again.
func webhooks(t *testing.T, open Opener) {
	db, _ := open(t)
	e := webhook.Endpoint{ID: "whk_1", Name: "CI", URL: "https://ci.example.com", Events: []string{"run.*"}}
	at := place(event.OrgStream)
	set, err := db.Log.Append(t.Context(), webhook.EndpointSetKind.Draft(at, e), webhook.IncomingSetKind.Draft(at, webhook.Incoming{Name: "in", Kind: webhook.GitHub}))
	check(t, err)
	soon := db.Mint().Now().Add(time.Minute)
	p, mine, err := db.Webhooks.Hold(t.Context(), "whk_1", "a", soon)
	check(t, err)
	if !mine || p.Cursor != set[0].Seq {
		t.Errorf("the first node holds it: %t, from %d, want from %d", mine, p.Cursor, set[0].Seq)
	}
	if _, mine, err := db.Webhooks.Hold(t.Context(), "whk_1", "b", soon); err != nil || mine {
		t.Errorf("another node holds it, too (%v)", err)
	}
	if _, mine, err := db.Webhooks.Hold(t.Context(), "whk_1", "a", db.Mint().Now().Add(-time.Second)); err != nil || !mine {
		t.Errorf("the first does not hold it any more (%v)", err)
	}
	want := webhook.Progress{Cursor: 7, Attempts: 2, Since: db.Mint().Now().UTC().Truncate(time.Microsecond), Next: soon.UTC().Truncate(time.Microsecond), Why: "It answered 500."}
	failed := webhook.Failed{ID: "whf_1", Endpoint: "whk_1", Seq: 6, Type: "run.finished", Why: "x", Attempts: 9}
	check(t, db.Webhooks.Advance(t.Context(), "whk_1", want, webhook.FailedKind.Draft(at, failed)))
	if p, mine, err := db.Webhooks.Hold(t.Context(), "whk_1", "b", soon); err != nil || !mine || !p.Since.Equal(want.Since) || !p.Next.Equal(want.Next) || p.Cursor != 7 || p.Attempts != 2 || p.Why != want.Why {
		t.Errorf("the next node (holds: %t, %v) goes on from %+v, want %+v", mine, err, p, want)
	}
	_, err = db.Log.Append(t.Context(), webhook.EndpointSetKind.Draft(at, e), webhook.SentAgainKind.Draft(at, webhook.SentAgain{ID: "whf_1", Why: "no"}))
	check(t, err)
	list, err := db.Webhooks.Failures(t.Context(), "", 10)
	check(t, err)
	if len(list) != 1 || list[0].Failed != failed || list[0].SentAt != nil {
		t.Errorf("what failed: %+v", list)
	}
	_, err = db.Log.Append(t.Context(), webhook.SentAgainKind.Draft(at, webhook.SentAgain{ID: "whf_1"}), webhook.IncomingRemovedKind.Draft(at, webhook.Removed{ID: "in"}))
	check(t, err)
	if f, err := db.Webhooks.Failure(t.Context(), "whf_1"); err != nil || f.SentAt == nil {
		t.Errorf("sent again: %+v, %v", f, err)
	}
	if in, err := db.Webhooks.Incoming(t.Context()); err != nil || len(in) != 0 {
		t.Errorf("incoming webhooks: %+v, %v", in, err)
	}
	if p, err := db.Webhooks.Progress(t.Context(), "whk_1"); err != nil || p.Cursor != 7 {
		t.Errorf("set anew, it goes on from %d (%v), want 7", p.Cursor, err)
	}
}
