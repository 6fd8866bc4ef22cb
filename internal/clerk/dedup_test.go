package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// raw records drafts past the clerk, which would not make twins.
func (w *world) raw(k desk.Kind, body string) string {
	w.t.Helper()
	c, r, err := newRecord(k, w.project, []byte(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.db.Log.Append(w.t.Context(), []event.Draft{c.Draft(place())}...); err != nil {
		w.t.Fatal(err)
	}
	return r.ID
}

func TestDedup_TwinsBecomeOneAndNothingIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, twin := w.raw(desk.Resource, `{"name":"Ann Lee","skills":["go"]}`), w.raw(desk.Resource, `{"name":"ann  lee","email":"ann@example.com","skills":["go","sql"]}`)
	first, second := w.raw(desk.Ticket, `{"title":"Retry"}`), w.raw(desk.Ticket, `{"title":"retry","description":"Three times.","labels":["pay"]}`)
	other := w.raw(desk.Ticket, `{"title":"Ship","blockedBy":["`+second+`"]}`)
	w.patch(desk.Ticket, second, `{"blockedBy":["`+first+`"]}`)
	w.raw(desk.Assignment, `{"ticketId":"`+first+`","resourceId":"`+ann+`"}`)
	w.raw(desk.Assignment, `{"ticketId":"`+second+`","resourceId":"`+twin+`"}`)
	third := w.raw(desk.Ticket, `{"title":"RETRY"}`)
	bob := w.raw(desk.Resource, `{"name":"Bob"}`)
	for _, id := range []string{second, third} {
		w.raw(desk.Assignment, `{"ticketId":"`+id+`","resourceId":"`+bob+`"}`)
	}
	objective := w.raw(desk.Objective, `{"outcome":"O","ticketIds":["`+second+`"]}`)
	checklist := w.raw(desk.Checklist, `{"name":"C","items":[{"text":"a","linkedTicketId":"`+second+`"}]}`)
	a, b := w.raw(desk.Thread, `{"title":"T","decisions":[{"text":"x"}]}`), w.raw(desk.Thread, `{"title":"t","decisions":[{"text":"y"}]}`)
	var found []clerk.Twins
	w.must(func(c *clerk.Work) (err error) {
		found, _, err = c.Dedup()
		return err
	})
	want := fmt.Sprint([]clerk.Twins{
		{Kind: desk.Ticket, Kept: first, Title: "Retry", Merged: []string{second, third}},
		{Kind: desk.Resource, Kept: ann, Title: "Ann Lee", Merged: []string{twin}},
		{Kind: desk.Thread, Kept: a, Title: "T", Merged: []string{b}},
	})
	if fmt.Sprint(found) != want {
		t.Fatalf("%v\nwant %s", found, want)
	}
	person := open[desk.ResourceBody](w, ann)
	if person.Email != "ann@example.com" || !slices.Equal(person.Skills, []string{"go", "sql"}) {
		t.Errorf("%+v", person)
	}
	ticket := open[desk.TicketBody](w, first)
	if ticket.Description != "Three times." || len(ticket.Labels) != 1 || len(ticket.BlockedBy) != 0 {
		t.Errorf("%+v", ticket)
	}
	if x := open[desk.TicketBody](w, other); !slices.Equal(x.BlockedBy, []string{first}) {
		t.Errorf("%+v", x)
	}
	if x := open[desk.ObjectiveBody](w, objective); !slices.Equal(x.TicketIDs, []string{first}) {
		t.Errorf("%+v", x)
	}
	if x := open[desk.ChecklistBody](w, checklist); x.Items[0].TicketID != first {
		t.Errorf("%+v", x)
	}
	if x := open[desk.ThreadBody](w, a); len(x.Decisions) != 2 {
		t.Errorf("%+v", x)
	}
	shares, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Kind: desk.Assignment})
	if err != nil || shares.Total != 2 {
		t.Errorf("%d assignments %v", shares.Total, err)
	}
	w.must(func(c *clerk.Work) (err error) {
		found, _, err = c.Dedup()
		return err
	})
	if len(found) != 0 {
		t.Errorf("a second time: %v", found)
	}
	err = w.do(func(c *clerk.Work) error { return c.Merge(desk.Ticket, other, []string{second}) })
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("merged twice: %v", err)
	}
}

// TestDedup_LeavesAlone: tickets of one title that different people have, or that have different keys, are two, and it is said why.
func TestDedup_LeavesAlone(t *testing.T) {
	t.Parallel()
	type ticket struct{ body, who string }
	for name, c := range map[string]struct {
		tickets []ticket
		merged  int
		apart   string // what is said of the titles that stay apart
	}{
		"the same people":       {[]ticket{{`{"title":"Weekly report"}`, "Ann"}, {`{"title":"weekly  report"}`, "Ann"}}, 1, ""},
		"one has nobody":        {[]ticket{{`{"title":"Weekly report"}`, "Ann"}, {`{"title":"Weekly report"}`, ""}}, 1, ""},
		"one of the two":        {[]ticket{{`{"title":"Weekly report"}`, "Ann Bob"}, {`{"title":"Weekly report"}`, "Bob"}}, 1, ""},
		"different people":      {[]ticket{{`{"title":"Weekly report"}`, "Ann"}, {`{"title":"Weekly report"}`, "Bob"}}, 0, "[0 1] Different people have them."},
		"each finds their own":  {[]ticket{{`{"title":"Weekly report"}`, "Ann"}, {`{"title":"Weekly report"}`, "Bob"}, {`{"title":"Weekly report"}`, "Bob"}, {`{"title":"Weekly report"}`, ""}}, 2, "[0 1] Different people have them."},
		"one key":               {[]ticket{{`{"title":"Weekly report","externalRef":"A-1"}`, "Ann"}, {`{"title":"Report","externalRef":"A-1"}`, "Bob"}}, 1, ""},
		"different keys":        {[]ticket{{`{"title":"Weekly report","externalRef":"A-1"}`, "Ann"}, {`{"title":"Weekly report","externalRef":"A-2"}`, "Ann"}}, 0, "[0 1] They have different keys of a tracker."},
		"a key and none":        {[]ticket{{`{"title":"Weekly report","externalRef":"A-1"}`, ""}, {`{"title":"Weekly report"}`, ""}}, 0, "[0 1] Some have a key of a tracker and others have none."},
		"keys and people":       {[]ticket{{`{"title":"Weekly report","externalRef":"A-1"}`, ""}, {`{"title":"Weekly report"}`, "Ann"}, {`{"title":"Weekly report"}`, "Bob"}}, 0, "[0 1 2] Some have a key of a tracker and others have none. Different people have them."},
		"twins of a person too": {[]ticket{{`{"title":"Weekly report"}`, "Ann"}, {`{"title":"Weekly report"}`, "ann"}}, 2, ""}, // the people as well
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			people, place := make(map[string]string), make(map[string]int)
			for i, x := range c.tickets {
				id := w.raw(desk.Ticket, x.body)
				place[id] = i
				for _, who := range strings.Fields(x.who) {
					if people[who] == "" {
						people[who] = w.raw(desk.Resource, `{"name":"`+who+`"}`)
					}
					w.raw(desk.Assignment, `{"ticketId":"`+id+`","resourceId":"`+people[who]+`"}`)
				}
			}
			var found []clerk.Twins
			var apart []clerk.Apart
			w.must(func(cw *clerk.Work) (err error) {
				found, apart, err = cw.Dedup()
				return err
			})
			merged := 0
			for _, f := range found {
				merged += len(f.Merged)
			}
			said := ""
			for _, a := range apart {
				var places []int
				for _, id := range a.IDs {
					places = append(places, place[id])
				}
				said += fmt.Sprint(places, " ", a.Why)
			}
			if merged != c.merged || said != c.apart {
				t.Errorf("%d merged, %q; want %d, %q", merged, said, c.merged, c.apart)
			}
		})
	}
}

// newRecord makes a record from outside JSON.
func newRecord(k desk.Kind, project string, body json.RawMessage) (desk.Change, desk.Record, error) {
	thing, err := desk.Parse(k, body)
	if err != nil {
		return desk.Change{}, desk.Record{}, err
	}
	return desk.New(nil, k, project, thing)
}
