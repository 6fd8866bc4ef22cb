package desk_test

import (
	"testing"
	"time"

	"chela/internal/desk"
)

// The day on which a ticket was closed is that of the change that closed it last, or that of its tracker.
func TestApply_DatesWhatIsClosed(t *testing.T) {
	t.Parallel()
	type step struct{ set, want string }
	for name, steps := range map[string][]step{
		"closed here, worked on, closed again": {
			{`{"status":"TODO","title":"T"}`, ""},
			{`{"status":"DONE"}`, "2026-03-02"},
			{`{"title":"U"}`, "2026-03-02"},
			{`{"status":"CLOSED","outcome":"WONT_FIX"}`, "2026-03-02"},
			{`{"status":"IN_PROGRESS","outcome":null}`, ""},
			{`{"status":"DONE"}`, "2026-03-06"},
		},
		"the tracker's day wins": {
			{`{"status":"TODO","title":"T"}`, ""},
			{`{"externalResolved":"2026-01-07","status":"DONE"}`, "2026-01-07"},
			{`{"externalResolved":"2026-01-09"}`, "2026-01-09"},
			{`{"externalResolved":null}`, "2026-01-09"},
			{`{"status":"BLOCKED"}`, ""},
			{`{"externalResolved":"2026-02-01"}`, ""},
			{`{"status":"DONE"}`, "2026-02-01"},
		},
		"closed from the beginning":              {{`{"status":"DONE","title":"T"}`, ""}, {`{"status":"CLOSED"}`, ""}, {`{"externalResolved":"2026-01-07"}`, "2026-01-07"}},
		"closed from the beginning by a tracker": {{`{"externalResolved":"2026-01-07","status":"DONE","title":"T"}`, "2026-01-07"}},
		"what an event claims counts for nothing": {
			{`{"closedOn":"2020-01-01","status":"TODO","title":"T"}`, ""}, {`{"closedOn":"2020-01-01","status":"DONE"}`, "2026-03-02"}, {`{"closedOn":"2020-01-01"}`, "2026-03-02"}, {`{"closedOn":null}`, "2026-03-02"},
		},
	} {
		var r desk.Record
		for i, s := range steps {
			op := desk.Updated
			if i == 0 {
				op = desk.Created
			}
			at := time.Date(2026, 3, 1+i, 23, 30, 0, 0, time.UTC)
			next, err := desk.Apply(r, desk.Change{ID: "tkt_1", Kind: desk.Ticket, Project: "prj_1", Op: op, Version: int64(i + 1), Set: []byte(s.set)}, at, "person/ann")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := desk.Open[desk.TicketBody](next)
			if err != nil || string(b.ClosedOn) != s.want {
				t.Errorf("%s, after %s: it was closed on %q, want %q (%v)", name, s.set, b.ClosedOn, s.want, err)
			}
			r = next
		}
	}
}

// What is sent of the day has no effect, and what is only planned has none.
func TestClosedOn_IsNotWritten(t *testing.T) {
	t.Parallel()
	r, err := desk.Apply(desk.Record{}, desk.Change{ID: "tkt_1", Kind: desk.Ticket, Project: "prj_1", Op: desk.Created, Version: 1, Set: []byte(`{"priority":"MEDIUM","status":"TODO","title":"T"}`)}, time.Unix(1_700_000_000, 0), "person/ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, next, ok, err := desk.Edit(r, []byte(`{"closedOn":"2026-03-01"}`)); err != nil || ok || string(next.Body) != string(r.Body) {
		t.Errorf("written, it makes %s %v %v", next.Body, ok, err)
	}
	_, planned, ok, err := desk.Edit(r, []byte(`{"status":"DONE"}`))
	if b, _ := desk.Open[desk.TicketBody](planned); err != nil || !ok || b.ClosedOn != "" || !planned.UpdatedAt.Equal(r.UpdatedAt) {
		t.Errorf("planned, it is %s %v %v", planned.Body, ok, err)
	}
}
