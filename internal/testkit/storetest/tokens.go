package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/store"
)

func tokens(t *testing.T, open Opener) {
	db, _ := open(t)
	check(t, db.Credentials.Grant(t.Context(), "secret", org.Access{Person: "per_1", Purpose: org.LoginToken}))
	_, err := db.Credentials.Access(t.Context(), "secret")
	check(t, err)
	over := time.Now().Add(-time.Minute)
	check(t, opened(t, db, "secret", over))
	for _, err := range []error{opened(t, db, "secret", over), func() error { _, err := db.Credentials.Access(t.Context(), "secret"); return err }()} {
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
	if len(list) != 1 || list[0].Label != "laptop" || list[0].Person != "per_1" || list[0].ID == "" || !list[0].UsedAt.IsZero() {
		t.Fatalf("what opens something: %+v", list)
	}
	check(t, db.Credentials.Use(t.Context(), "open"))
	if list, err = db.Credentials.Tokens(t.Context()); err != nil || len(list) != 1 || time.Since(list[0].UsedAt) > time.Minute {
		t.Errorf("a used token: %+v %v", list, err)
	}
	check(t, db.Credentials.Grant(t.Context(), "invited", org.Access{Purpose: org.InviteToken, Role: "viewer", By: "per_1", Label: "Bob"}))
	if a, err := db.Credentials.Access(t.Context(), "invited"); err != nil || a.By != "per_1" || a.Role != "viewer" || a.Person != "" {
		t.Errorf("an invitation: %+v %v", a, err)
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

// opened opens a link, with a login whose token is "of " and the link.
func opened(t *testing.T, db *store.DB, link string, until time.Time, more ...event.Draft) error {
	t.Helper()
	return db.Credentials.LogIn(t.Context(), link, "of "+link, org.Access{Person: "per_1", Purpose: org.CookieToken, ExpiresAt: until}, func(id string) []event.Draft {
		return append([]event.Draft{org.LoggedInKind.Draft(place(event.PersonStream("per_1")), org.Login{Person: "per_1", How: org.ByLink, Token: id, Address: "192.0.2.7"})}, more...)
	})
}

// wholeLogin holds that a link is opened whole or not at all: where what is recorded of it is refused, it opens once more, and nothing
// else of it is there.
func wholeLogin(t *testing.T, open Opener) {
	db, _ := open(t)
	added := org.PersonAddedKind.Draft(place(event.OrgStream), org.PersonAdded{ID: "per_1", Name: "Ann", Role: org.Editor})
	_, err := db.Log.Append(t.Context(), added)
	check(t, err)
	check(t, db.Credentials.Grant(t.Context(), "link", org.Access{Person: "per_1", Purpose: org.LoginToken}))
	before, err := db.Log.End(t.Context())
	check(t, err)
	if err := opened(t, db, "link", time.Time{}, org.PersonAddedKind.Draft(place(event.OrgStream), org.PersonAdded{ID: "per_1", Name: "Ann again", Role: org.Owner})); err == nil {
		t.Fatal("a person is there twice")
	}
	if _, err := db.Credentials.Access(t.Context(), "of link"); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("the login of a link that was not opened: %v", err)
	}
	if logins, _, err := db.Log.Events(t.Context(), before, event.Filter{Type: "org.*"}); err != nil || len(logins) != 0 {
		t.Errorf("%d events are recorded of it (%v)", len(logins), err)
	}
	check(t, opened(t, db, "link", time.Time{}))
	a, err := db.Credentials.Access(t.Context(), "of link")
	check(t, err)
	logins, _, err := db.Log.Events(t.Context(), before, event.Filter{Type: org.LoggedInKind.Name})
	check(t, err)
	if len(logins) != 1 || !strings.Contains(string(logins[0].Message.Payload), `"token":"`+a.ID+`"`) || strings.Contains(string(logins[0].Message.Payload), "of link") {
		t.Fatalf("the login %s is recorded as %+v", a.ID, logins)
	}
	out, err := db.Audit.Erase(t.Context(), place(event.OrgStream), "per_1", "asked for")
	check(t, err)
	if logins, _, err = db.Log.Events(t.Context(), before, event.Filter{Type: org.LoggedInKind.Name}); err != nil || out.Events != 1 || !logins[0].Erased {
		t.Errorf("an erasure leaves %+v (%v, %v)", logins, out, err)
	}
	if r, err := db.Audit.Verify(t.Context()); err != nil || !r.OK() {
		t.Errorf("the log does not verify after it: %+v %v", r, err)
	}
}

// eventsCounted holds that the log counts its events, whatever positions are left out.
func eventsCounted(t *testing.T, open Opener) {
	db, _ := open(t)
	for i := range 3 {
		added := org.PersonAddedKind.Draft(place(event.OrgStream), org.PersonAdded{ID: fmt.Sprintf("per_%d", i), Name: "Ann", Role: org.Editor})
		_, err := db.Log.Append(t.Context(), added)
		check(t, err)
		if _, err := db.Log.Append(t.Context(), org.PersonAddedKind.Draft(place(event.PersonStream("x")), org.PersonAdded{ID: fmt.Sprintf("per_%d", i), Name: "Bob", Role: org.Editor})); err == nil {
			t.Fatal("a person is there twice")
		}
	}
	n, err := db.Log.Count(t.Context())
	check(t, err)
	all, _, err := db.Log.Events(t.Context(), 0, event.Filter{Limit: 100})
	check(t, err)
	if int(n) != len(all) || n < 3 {
		t.Errorf("%d events are counted, there are %d", n, len(all))
	}
}

// keys holds that a key opens within its bounds, that its budget counts what was used by it, and that
// what it began ends when it is revoked.
func keys(t *testing.T, open Opener) {
	db, _ := open(t)
	at := place(event.OrgStream)
	_, err := db.Log.Append(t.Context(), org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_1", Name: "Ann", Role: org.Admin}))
	check(t, err)
	ends := time.Now().Add(time.Hour)
	k, err := db.Credentials.MakeKey(t.Context(), "secret", org.Key{Name: "build", Person: "per_1", Role: org.Viewer, Tools: []string{"read_tickets"}, Expires: &ends},
		func(k org.Key) []event.Draft { return []event.Draft{org.KeyMadeKind.Draft(at, k)} })
	check(t, err)
	_, a, err := db.Credentials.Guest(t.Context(), "secret")
	check(t, err)
	if a.Key == nil || a.Key.ID != k.ID || a.Key.Role != org.Viewer || a.ID != k.ID {
		t.Fatalf("what the key opens: %+v", a)
	}
	check(t, db.Credentials.Use(t.Context(), "secret"))
	if list, err := db.Credentials.Keys(t.Context()); err != nil || len(list) != 1 || list[0].Used == nil || time.Since(*list[0].Used) > time.Minute {
		t.Errorf("a used key: %+v %v", list, err)
	}
	by := org.Person{ID: "per_1"}.Party()
	by.Key = k.ID
	role := func(want org.Role, barred string) {
		t.Helper()
		got, err := db.Roster.RoleOf(t.Context(), by)
		check(t, err)
		why, err := db.Roster.Barred(t.Context(), by)
		check(t, err)
		if got != want || why != barred {
			t.Errorf("who acts by the key has the role %q (%s), want %q (%s)", got, why, want, barred)
		}
	}
	role(org.Viewer, "")
	for _, enabled := range []bool{false, true} {
		_, err := db.Log.Append(t.Context(), org.PersonChangedKind.Draft(at, org.PersonChanged{ID: "per_1", Enabled: &enabled}))
		check(t, err)
		if !enabled {
			role("", "Ann is disabled; an admin can enable them.")
		}
	}

	keyed := at
	keyed.From, keyed.Run = by, "run_keyed"
	_, err = db.Log.Append(t.Context(), answered(keyed, "one", 100, 0.5))
	check(t, err)
	events, _, err := db.Log.Events(t.Context(), 0, event.Filter{Run: "run_keyed"})
	check(t, err)
	if len(events) != 1 || events[0].Message.From.Key != k.ID {
		t.Errorf("the log says who it was from as %+v", events)
	}
	cap100 := int64(100)
	for id, want := range map[string]int64{k.ID: 100, "another": 0} {
		use, err := db.Budgets.Use(t.Context(), budget.Limit{Scope: budget.Key, Of: id, Per: budget.Total, Bound: budget.Bound{Tokens: &cap100}})
		check(t, err)
		if use.Used.Tokens != want {
			t.Errorf("the key %s used %d tokens, want %d", id, use.Used.Tokens, want)
		}
	}
	sums, err := db.Spending.Usage(t.Context(), "", time.Time{}, time.Now().Add(time.Hour), []agent.UsageBy{agent.ByDay, agent.ByKey, agent.ByPerson})
	check(t, err)
	if len(sums) != 1 || sums[0].Key != k.ID || sums[0].Person != by.AgentID || sums[0].InputTokens != 100 || sums[0].Day == nil {
		t.Errorf("usage by day, key and person: %+v", sums)
	}
	check(t, db.Credentials.Revoke(t.Context(), k.ID, org.TokenRevokedKind.Draft(at, org.TokenRevoked{ID: k.ID, Person: "per_1", Purpose: org.APIToken})))
	role("", "There is no key "+k.ID+" any more; make another with `chela key make`.")
	if list, err := db.Credentials.Keys(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after it was revoked: %+v, %v", list, err)
	}
}
