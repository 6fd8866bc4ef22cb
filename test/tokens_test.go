package test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestTokens_AreRevoked lists what opens something, and revokes it: everybody their own, an
// admin everybody's but an owner's.
func TestTokens_AreRevoked(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		type token struct{ ID, Person, Purpose, Label string }
		list := func(d *daemon, purpose string) (out []token) {
			t.Helper()
			d.must(t, "GET", "/api/tokens", nil, &out)
			return slices.DeleteFunc(out, func(t token) bool { return t.Purpose != purpose })
		}
		admin, _ := d.member(t, "Ann", "admin")
		viewer, _ := d.member(t, "Vic", "viewer")
		if got := list(viewer, "token"); len(got) != 1 || got[0].Label != "invitation" {
			t.Fatalf("a viewer sees %+v", got)
		}
		own := list(viewer, "token")[0]
		all := list(admin, "token")
		if len(all) != 3 {
			t.Fatalf("an admin sees %+v", all)
		}
		owners := all[slices.IndexFunc(all, func(t token) bool { return t.Label == "first start" })]
		if err := viewer.try("DELETE", "/api/tokens/"+owners.ID, nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a viewer revoked the owner's: %v", err)
		}
		if err := admin.try("DELETE", "/api/tokens/"+owners.ID, nil, nil); fault.KindOf(err) != fault.Denied {
			t.Errorf("an admin revoked the owner's: %v", err)
		}
		var link struct{ Token string }
		admin.must(t, "POST", "/api/persons/invite", map[string]string{"name": "Bob", "role": "viewer"}, &link)
		admin.must(t, "DELETE", "/api/tokens/"+list(admin, "invite")[0].ID, nil, nil)
		if err := d.try("POST", "/api/persons/accept", map[string]string{"token": link.Token}, nil); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("a revoked invitation: %v", err)
		}
		if out, errs, code := s.chela(t, "", "person", "tokens"); code != 0 || !strings.Contains(out, own.ID) {
			t.Errorf("%d %s %s", code, out, errs)
		}
		if out, errs, code := s.chela(t, "", "person", "revoke", own.ID); code != 0 || !strings.Contains(out, "opens nothing any more") {
			t.Errorf("%d %s %s", code, out, errs)
		}
		if err := viewer.try("GET", "/api/me", nil, nil); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("a revoked token opens: %v", err)
		}
		d.stop()
		s.verified(t)
	})
}
