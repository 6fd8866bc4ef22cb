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
