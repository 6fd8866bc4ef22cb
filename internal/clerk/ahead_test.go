package clerk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
)

// counting counts what a clerk asks of the store.
type counting struct {
	clerk.Store
	asked int
}

func (c *counting) Record(ctx context.Context, id string) (desk.Record, error) {
	c.asked++
	return c.Store.Record(ctx, id)
}

func (c *counting) Records(ctx context.Context, q clerk.Query) (clerk.Page, error) {
	c.asked++
	return c.Store.Records(ctx, q)
}

// TestAhead_ManyEditsAskLittle edits many tickets, their owners too, of which the work has read what they look at: the
// store is asked no more for many than for few, and the edits are those that single looks would plan.
func TestAhead_ManyEditsAskLittle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		w.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d","owner":"Person %d"}`, i, i%3))
	}
	tickets, err := clerk.Every(t.Context(), w.db.Desk, clerk.Query{Project: w.project, Kind: desk.Ticket})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(ahead bool) (drafts []event.Draft, asked int) {
		s := &counting{Store: w.db.Desk}
		work, err := clerk.New(s).Begin(t.Context(), place(), w.project)
		if err == nil && ahead {
			err = work.Ahead(tickets)
		}
		for _, r := range tickets {
			if err != nil {
				t.Fatal(err)
			}
			_, err = work.Patch(desk.Ticket, r.ID, json.RawMessage(`{"priority":"CRITICAL","owner":"Person 1"}`))
		}
		if err == nil {
			drafts, err = work.Drafts()
		}
		if err != nil {
			t.Fatal(err)
		}
		return drafts, s.asked
	}
	few, asked := edit(true)
	many, looks := edit(false)
	if perTicket := 2; asked > len(tickets)*perTicket || asked >= looks/2 {
		t.Errorf("the store was asked %d times after a look ahead and %d without, want at most %d", asked, looks, len(tickets)*perTicket)
	}
	if len(few) != len(many) {
		t.Fatalf("%d changes were planned after a look ahead, %d without", len(few), len(many))
	}
	for i := range few {
		if few[i].Message.Type != many[i].Message.Type || few[i].Stream != many[i].Stream {
			t.Errorf("change %d is %s after a look ahead, %s without", i, few[i].Message.Type, many[i].Message.Type)
		}
	}
}

// TestSeek_OneLookForManyNames looks for tickets by name at once: the store is asked once, and what is found, and what is
// not, is what single looks find, also when one is made meanwhile.
func TestSeek_OneLookForManyNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var names []string
	for i := range 40 {
		b := desk.TicketBody{Title: fmt.Sprintf("Ticket %d", i)}
		names = append(names, desk.Identity(&b))
		if i%2 == 0 {
			w.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d"}`, i))
		}
	}
	s := &counting{Store: w.db.Desk}
	work, err := clerk.New(s).Begin(t.Context(), place(), w.project)
	if err != nil {
		t.Fatal(err)
	}
	s.asked = 0
	if err := work.Seek(desk.Ticket, names); err != nil {
		t.Fatal(err)
	}
	alone, err := clerk.New(w.db.Desk).Begin(t.Context(), place(), w.project)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		got, is, err := work.Find(desk.Ticket, name)
		want, was, wrong := alone.Find(desk.Ticket, name)
		if err != nil || wrong != nil || is != was || is != (i%2 == 0) || got.ID != want.ID {
			t.Errorf("%s was found as %q, %v, %v, and alone as %q, %v, %v", name, got.ID, is, err, want.ID, was, wrong)
		}
	}
	if s.asked != 1 {
		t.Errorf("the store was asked %d times, want once", s.asked)
	}
	made, err := clerk.Add(work, desk.Ticket, &desk.TicketBody{Title: "Ticket 1"})
	if err != nil {
		t.Fatal(err)
	}
	if got, is, err := work.Find(desk.Ticket, names[1]); err != nil || !is || got.ID != made.ID {
		t.Errorf("what was planned after the look was found as %q, %v, %v, want %q", got.ID, is, err, made.ID)
	}
}
