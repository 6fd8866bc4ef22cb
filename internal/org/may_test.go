package org_test

import (
	"testing"

	"chela/internal/fault"
	"chela/internal/org"
)

// TestMayChange_EveryRoleAndAct plays every act of every role about every role.
func TestMayChange_EveryRoleAndAct(t *testing.T) {
	t.Parallel()
	// Of whom each role may change what belongs to them.
	of := map[org.Role][]org.Role{
		org.Owner:  {org.Owner, org.Admin, org.Editor, org.Viewer},
		org.Admin:  {org.Admin, org.Editor, org.Viewer},
		org.Editor: {}, org.Viewer: {}, "": {}, "root": {},
	}
	roles := []org.Role{org.Owner, org.Admin, org.Editor, org.Viewer, "", "root"}
	for _, actor := range roles {
		for _, target := range roles {
			for _, act := range org.Acts() {
				want := false
				for _, r := range of[actor] {
					want = want || r == target && (act != org.PairIdentity || actor == org.Owner)
				}
				me := org.Person{ID: "per_me", Name: "Me", Role: actor, Enabled: true}
				err := org.MayChange(me, act, org.Person{ID: "per_you", Role: target, Enabled: true})
				if (err == nil) != want || err != nil && fault.KindOf(err) != fault.Denied {
					t.Errorf("%q to %s %q: %v, want allowed: %v", actor, act, target, err, want)
				}
				me.Enabled = false
				if org.MayChange(me, act, org.Person{ID: "per_you", Role: target}) == nil || org.MayChange(me, act, me) == nil {
					t.Errorf("%q, who is disabled, may %s %q", actor, act, target)
				}
			}
		}
		me := org.Person{ID: "per_me", Role: actor, Enabled: true}
		if err := org.MayChange(me, org.RevokeToken, me); err != nil {
			t.Errorf("%q may not revoke their own token: %v", actor, err)
		}
		if nobody := (org.Person{Role: org.Viewer, Enabled: true}); org.MayChange(nobody, org.RevokeToken, org.Person{}) == nil {
			t.Error("who has no id revokes what has no person")
		}
	}
}

func TestStrongest_OfAChannel(t *testing.T) {
	t.Parallel()
	all := []org.Person{
		{ID: "per_v", Role: org.Viewer, Identities: []string{"slack:U1", "telegram:1"}},
		{ID: "per_o", Role: org.Owner, Identities: []string{"slack-two:U2", "telegram:2"}},
		{ID: "per_a", Role: org.Admin, Identities: []string{"slack:U3"}},
	}
	for channel, want := range map[string]string{"slack": "per_a", "slack-two": "per_o", "telegram": "per_o", "discord": "", "sl": "", "": ""} {
		if got, ok := org.Strongest(all, channel); got.ID != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", channel, got.ID, want)
		}
	}
}
