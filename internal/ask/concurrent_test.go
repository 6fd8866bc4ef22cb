package ask_test

import (
	"fmt"
	"sync"
	"testing"

	"chela/internal/ask"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
)

// TestAsker_ManyAskWhileRecordsChange asks from many sides while tickets are made, edited and taken away: each answer is of
// one moment, and the last is of all that was made.
func TestAsker_ManyAskWhileRecordsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cache := clerk.NewCache(w.db.Desk)
	asker := ask.New(cache, w.db.Budgets, w.db.Log, w.model, w.db.Roster)
	boards := clerk.NewView(cache, clerk.NewBoard, (*clerk.Board).Follow, clerk.BoardKinds()...)
	count := func() (asked, open int, err error) {
		a, err := asker.Ask(t.Context(), ask.Question{Project: w.project, Text: "How many tickets are open?", Computed: true, By: event.Party{AgentID: "agent:person/per_1", Role: "person"}})
		if err != nil {
			return 0, 0, err
		}
		b, err := boards.Get(t.Context(), w.project)
		if err != nil {
			return 0, 0, err
		}
		r := b.Report(w.db.Mint().Now())
		if len(r.Unassigned)+r.Assigned != r.Open {
			return 0, 0, fmt.Errorf("%d are assigned and %d are not, of %d open ones", r.Assigned, len(r.Unassigned), r.Open)
		}
		return a.Total, r.Open, nil
	}
	const made = 12
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 6 {
				if _, _, err := count(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range made {
		id := w.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d","owner":"Bob"}`, i))
		if i%3 == 0 {
			w.change(func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, id); return err })
		}
	}
	wg.Wait()
	if asked, open, err := count(); err != nil || asked != 2+made-4 || open != asked {
		t.Errorf("got %d tickets of Ask and %d of capacity, %v, want %d", asked, open, err, 2+made-4)
	}
}
