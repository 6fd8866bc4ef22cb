package storetest

import (
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
)

// ownersByOtherNames: a list of what somebody has is found by each name that the person goes by, and by no part of one.
func ownersByOtherNames(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(
		t, db,
		[2]string{"resource", `{"name":"Dana Reyes","aliases":["dreyes","Dana@Acme.io"]}`}, [2]string{"resource", `{"name":"Bo Kim","aliases":["bk"]}`},
		[2]string{"ticket", `{"title":"A","owner":"Dana Reyes"}`}, [2]string{"ticket", `{"title":"B","owner":"dreyes"}`},
		[2]string{"ticket", `{"title":"C","owner":"Bo Kim"}`}, [2]string{"ticket", `{"title":"D"}`},
	)
	other, _ := add(t, db, [2]string{"resource", `{"name":"Dora Roth","aliases":["dreyes"]}`}, [2]string{"ticket", `{"title":"E","owner":"Dora Roth"}`})
	for filter, want := range map[string]string{
		`owner:dreyes`: "A B", `owner:DREYES`: "A B", `owner:"dana@acme.io"`: "A B", `owner:"Dana Reyes"`: "A B", `owner:dana`: "A B",
		`owner:dreyes,bk`: "A B C", `-owner:dreyes`: "C D", `owner:none`: "D", `owner:drey`: "", `owner:acme`: "",
	} {
		e := where(t, desk.Ticket, filter)
		p, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Where: e})
		check(t, err)
		if got := titles(t, p.Records); got != want {
			t.Errorf("%s lists %q, want %q", filter, got, want)
		}
		all, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Where: e, Limit: clerk.All})
		check(t, err)
		if got := titles(t, all.Records); got != want {
			t.Errorf("%s finds %q, want %q", filter, got, want)
		}
	}
	p, err := db.Desk.Records(t.Context(), clerk.Query{Project: other, Kind: desk.Ticket, Where: where(t, desk.Ticket, "owner:dreyes")})
	check(t, err)
	if got := titles(t, p.Records); got != "E" {
		t.Errorf("in another project it lists %q, want E", got)
	}
}
