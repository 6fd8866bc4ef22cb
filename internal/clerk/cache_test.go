package clerk_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
)

// TestView_FollowsAnyChange changes a project between looks: a view of some kinds shows what reading them for the first time
// shows, is computed only when one of them changed, and follows instead of being read again.
func TestView_FollowsAnyChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	computed, read := 0, 0
	cache := clerk.NewCache(w.db.Desk)
	view := clerk.NewView(cache, func(b *clerk.Book) *clerk.Board {
		computed++
		read++
		return clerk.NewBoard(b)
	}, func(before *clerk.Board, b *clerk.Book, changed []clerk.Changed) *clerk.Board {
		computed++
		return before.Follow(b, changed)
	}, clerk.BoardKinds()...)
	tickets := []string{w.make(desk.Ticket, `{"title":"The first"}`)}
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		pick := rapid.IntRange(0, len(tickets)-1).Draw(r, "ticket")
		n++
		before := computed
		change := rapid.SampledFrom([]string{"create", "edit", "own", "delete", "merge", "idea", "nothing"}).Draw(r, "change")
		other := change == "idea" || change == "nothing"
		switch change {
		case "create":
			tickets = append(tickets, w.make(desk.Ticket, fmt.Sprintf(`{"title":"Ticket %d"}`, n)))
		case "edit":
			w.patch(desk.Ticket, tickets[pick], fmt.Sprintf(`{"title":"Ticket %d","storyPoints":%d}`, n, n%13))
		case "own":
			w.patch(desk.Ticket, tickets[pick], fmt.Sprintf(`{"owner":"Person %d"}`, n%3))
		case "delete", "merge":
			if pick == 0 {
				r.Skip()
			}
			w.must(func(c *clerk.Work) error {
				if change == "merge" {
					return c.Merge(desk.Ticket, tickets[0], []string{tickets[pick]})
				}
				_, err := c.Remove(desk.Ticket, tickets[pick])
				return err
			})
			tickets = append(tickets[:pick], tickets[pick+1:]...)
		case "idea":
			w.make(desk.Idea, fmt.Sprintf(`{"title":"Idea %d"}`, n))
		}
		board, err := view.Get(t.Context(), w.project)
		if err != nil {
			r.Fatal(err)
		}
		fresh, err := clerk.LoadStaffing(t.Context(), w.db.Desk, w.project)
		if err != nil {
			r.Fatal(err)
		}
		now := w.db.Mint().Now()
		if kept, fresh := board.Report(now), capacity.Estimated(fresh.People, fresh.Tickets, fresh.Shares, now); !reflect.DeepEqual(kept, fresh) {
			r.Errorf("after %s it is kept as\n%+v\nand is\n%+v", change, kept, fresh)
		}
		if other && before > 0 && computed != before {
			r.Errorf("it was computed anew after %s", change)
		}
		if before > 0 && computed > before+1 { // it may be as it was
			r.Errorf("it was computed %d times after %s, want once at most", computed-before, change)
		}
		if read > 1 {
			r.Errorf("it was read again after %s", change)
		}
	})
}
