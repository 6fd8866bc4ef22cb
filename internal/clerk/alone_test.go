package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
)

// TestAlone: what would say again what a record says, or let one refer to itself, is refused.
func TestAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.make(desk.Resource, `{"name":"Dana"}`)
	one, two := w.make(desk.Ticket, `{"title":"One"}`), w.make(desk.Ticket, `{"title":"Two"}`)
	w.patch(desk.Ticket, two, fmt.Sprintf(`{"parentTicketId":%q}`, one))
	w.make(desk.Assignment, fmt.Sprintf(`{"ticketId":%q,"resourceId":%q}`, one, dana))
	w.make(desk.SprintPlan, `{"name":"Sprint 1"}`)
	step := w.make(desk.Milestone, `{"name":"Beta","targetDate":"2026-03-01"}`)
	for _, c := range []struct {
		kind     desk.Kind
		id, body string
		want     fault.Kind
		says     string
	}{
		{desk.Assignment, "", fmt.Sprintf(`{"ticketId":%q,"resourceId":%q}`, one, dana), fault.Conflict, "has the ticket already"},
		{desk.SprintPlan, "", `{"name":" sprint 1 "}`, fault.Conflict, "sprint plan of"},
		{desk.Ticket, one, fmt.Sprintf(`{"blockedBy":[%q]}`, one), fault.Invalid, "blockedBy"},
		{desk.Ticket, one, fmt.Sprintf(`{"parentTicketId":%q}`, one), fault.Invalid, "parentTicketId"},
		{desk.Ticket, one, fmt.Sprintf(`{"duplicateOf":%q}`, one), fault.Invalid, "duplicateOf"},
		{desk.Ticket, one, fmt.Sprintf(`{"parentTicketId":%q}`, two), fault.Invalid, "stands below"},
		{desk.Milestone, step, fmt.Sprintf(`{"dependencies":[%q]}`, step), fault.Invalid, "itself"},
		{desk.Ticket, "", "{\"title\":\"\u200b\"}", fault.Invalid, "title"},
	} {
		err := w.act("run_x", func(k *clerk.Work) (err error) {
			if c.id == "" {
				_, err = k.Create(c.kind, json.RawMessage(c.body))
			} else {
				_, err = k.Patch(c.kind, c.id, json.RawMessage(c.body))
			}
			return err
		})
		if fault.KindOf(err) != c.want || !strings.Contains(fmt.Sprint(err)+fault.TextOf(err), c.says) {
			t.Errorf("%s %s %s: %v, want it to say %q", c.kind, c.id, c.body, err, c.says)
		}
	}
	w.patch(desk.Ticket, one, fmt.Sprintf(`{"blockedBy":[%q]}`, two)) // others may wait for each other
}

// TestAlone_NamesAreKeptInOneForm: letters that look alike are the same, and what shows nothing is left out.
func TestAlone_NamesAreKeptInOneForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Ticket, "{\"title\":\"Mu\u0308ller\",\"sprint\":\" S1 \",\"labels\":[\" a \",\" \",\"\"]}")
	if b := open[desk.TicketBody](w, id); b.Title != "M\u00fcller" || b.Sprint != "S1" || !slices.Equal(b.Labels, []string{"a"}) {
		t.Errorf("it is kept as %+q %+q %q", b.Title, b.Sprint, b.Labels)
	}
	w.make(desk.Resource, "{\"name\":\"Jose\u0301\"}")
	ticket := w.make(desk.Ticket, "{\"title\":\"X\",\"owner\":\"Jos\u00e9\"}")
	if n := strings.Count(fmt.Sprint(w.bodies()), "Jos"); n != 1 || ticket == "" {
		t.Errorf("there are %d persons of the name", n)
	}
}

// TestUndo_NobodyHasATicketTwice: a person loses a ticket, gets it again, and the loss is taken back.
func TestUndo_NobodyHasATicketTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana, one := w.make(desk.Resource, `{"name":"Dana"}`), w.make(desk.Ticket, `{"title":"One","owner":"Dana"}`)
	w.run("run_loss", func(c *clerk.Work) error { return c.Own(one, "") })
	w.make(desk.Assignment, fmt.Sprintf(`{"ticketId":%q,"resourceId":%q}`, one, dana))
	got := w.undo("run_loss", "run_back")
	n := 0
	for id := range w.bodies() {
		if strings.HasPrefix(id, "asg_") {
			n++
		}
	}
	if n != 1 || len(got.Changed) != 0 || len(got.Kept) != 1 || !strings.Contains(got.Kept[0].Reason, "already") {
		t.Errorf("there are %d assignments after %+v, want one, and the other kept", n, got)
	}
}

// TestUndo_SaysWhatBecameOfWhatWasDeletedSince, and names no field as kept that changed with another.
func TestUndo_SaysWhatBecameOfWhatWasDeletedSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.make(desk.Ticket, `{"title":"One"}`), w.make(desk.Ticket, `{"title":"Two"}`)
	w.run("run_bulk", func(c *clerk.Work) error {
		for _, id := range []string{one, two} {
			if _, err := c.Patch(desk.Ticket, id, json.RawMessage(`{"priority":"HIGH"}`)); err != nil {
				return err
			}
		}
		return nil
	})
	w.run("run_gone", func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, one); return err })
	got := w.undo("run_bulk", "run_back")
	if len(got.Changed) != 1 || len(got.Kept) != 1 || got.Kept[0].ID != one || got.Kept[0].Reason != "It was deleted since." {
		t.Errorf("got %+v, want one change, and the ticket that is gone kept", got)
	}
	w.run("run_closed", func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, two, json.RawMessage(`{"status":"CLOSED","outcome":"WONT_FIX"}`))
		return err
	})
	w.patch(desk.Ticket, two, `{"outcome":"REJECTED"}`)
	if got := w.undo("run_closed", "run_open"); len(got.Kept) != 0 || open[desk.TicketBody](w, two).Outcome != "" {
		t.Errorf("got %+v, want it open without an outcome", got)
	}
}
