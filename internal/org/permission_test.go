package org_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chela/internal/fault"
	"chela/internal/org"
)

func TestPermissions_JSON(t *testing.T) {
	t.Parallel()
	before := org.PermissionsOf(org.Records, org.Git)
	after := before
	if err := json.Unmarshal([]byte(`{"git":false,"shell":true}`), &after); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(org.PermissionsOf(org.Records, org.Shell), after); d != "" {
		t.Errorf("the merged permissions differ (-want +got): %s", d)
	}
	if d := cmp.Diff(org.PermissionsOf(org.Records, org.Git), before); d != "" {
		t.Errorf("the permissions before changed (-want +got): %s", d)
	}
	got, err := json.Marshal(after)
	if want := `{"browser":false,"file":false,"git":false,"network":false,"records":true,"shell":true}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if d := cmp.Diff(org.PermissionsOf(org.Shell), after.And(org.PermissionsOf(org.Shell, org.Git))); d != "" {
		t.Errorf("what both have differs (-want +got): %s", d)
	}
}

func TestPatch_SaysWhereAFieldOfTheCardStands(t *testing.T) {
	t.Parallel()
	_, err := org.Patch(pm(t), []byte(`{"security":{"network":"none"}}`))
	if got, want := fault.TextOf(err), "security: It is a field of the card: the key is card.security."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	next, err := org.Patch(pm(t), []byte(`{"card":{"security":{"network":"none","sandbox":true}}}`))
	if err != nil || next.Card.Security.Network != "none" {
		t.Errorf("got %+v (%v), want no network", next.Card.Security, err)
	}
}

func TestPatch_UnknownPermission(t *testing.T) {
	t.Parallel()
	for _, patch := range []string{`{"permissions":{"colour":true}}`, `{"permissions":{"colour":false}}`} {
		_, err := org.Patch(pm(t), []byte(patch))
		if got, want := field(t, err), "permissions.colour"; got != want {
			t.Errorf("%s: got the field %q (%v), want %q", patch, got, err, want)
		}
	}
}
