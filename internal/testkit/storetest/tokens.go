package storetest

import (
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

func tokens(t *testing.T, open Opener) {
	db, _ := open(t)
	check(t, db.Credentials.Grant(t.Context(), "secret", org.Access{Person: "per_1", Purpose: org.LoginToken}))
	_, err := db.Credentials.Access(t.Context(), "secret")
	check(t, err)
	check(t, db.Credentials.RedeemToken(t.Context(), "secret"))
	for _, err := range []error{db.Credentials.RedeemToken(t.Context(), "secret"), func() error { _, err := db.Credentials.Access(t.Context(), "secret"); return err }()} {
		if fault.KindOf(err) != fault.Unauthenticated {
			t.Fatalf("a used link: %v", err)
		}
	}
	check(t, db.Credentials.Grant(t.Context(), "stale", org.Access{Person: "per_1", Purpose: org.APIToken, ExpiresAt: time.Now().Add(-time.Minute)}))
	if _, err := db.Credentials.Access(t.Context(), "stale"); fault.KindOf(err) != fault.Unauthenticated {
		t.Fatalf("an expired token: %v", err)
	}
	check(t, db.Credentials.Grant(t.Context(), "open", org.Access{Person: "per_1", Purpose: org.APIToken, Label: "laptop"}))
	_, _, _ = db.Credentials.Guest(t.Context(), "open") // it is kept in memory now; there is nobody of that id
	list, err := db.Credentials.Tokens(t.Context())
	check(t, err)
	if len(list) != 1 || list[0].Label != "laptop" || list[0].Person != "per_1" || list[0].ID == "" {
		t.Fatalf("what opens something: %+v", list)
	}
	draft := org.TokenRevokedKind.Draft(place(event.OrgStream), org.TokenRevoked{ID: list[0].ID, Purpose: org.APIToken})
	check(t, db.Credentials.Revoke(t.Context(), list[0].ID, draft))
	if _, _, err := db.Credentials.Guest(t.Context(), "open"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a revoked token: %v", err)
	}
	if err := db.Credentials.Revoke(t.Context(), list[0].ID, draft); fault.KindOf(err) != fault.NotFound {
		t.Errorf("revoked twice: %v", err)
	}
}
