package clerk_test

import (
	"reflect"
	"testing"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
)

// TestView changes a project between looks: a view of some kinds shows what reading them for the first time shows, and
// is computed only when one of them changed.
func TestView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	computed := 0
	cache := clerk.NewCache(w.db.Desk)
	view := clerk.NewView(cache, func(b *clerk.Book) *clerk.Board {
		computed++
		return clerk.NewBoard(b)
	}, func(before *clerk.Board, b *clerk.Book, changed []clerk.Changed) *clerk.Board {
		computed++
		return before.Follow(b, changed)
	}, clerk.BoardKinds()...)
	first := w.make(desk.Ticket, `{"title":"The first"}`)
	for _, c := range []struct {
		what string
		do   func()
		want int
	}{
		{"nothing", func() {}, 1},
		{"an idea", func() { w.make(desk.Idea, `{"title":"Idea"}`) }, 1},
		{"a ticket", func() { w.make(desk.Ticket, `{"title":"Another"}`) }, 2},
		{"an edit", func() { w.patch(desk.Ticket, first, `{"owner":"Bob","storyPoints":3}`) }, 3},
	} {
		c.do()
		got, err := view.Get(t.Context(), w.project)
		if err != nil {
			t.Fatal(err)
		}
		if computed != c.want {
			t.Errorf("after %s it was computed %d times, want %d", c.what, computed, c.want)
		}
		s, err := clerk.LoadStaffing(t.Context(), w.db.Desk, w.project)
		if err != nil {
			t.Fatal(err)
		}
		now := w.db.Mint().Now()
		if got, want := got.Report(now), capacity.Estimated(s.People, s.Tickets, s.Shares, now); !reflect.DeepEqual(got, want) {
			t.Errorf("after %s got %+v, want %+v", c.what, got, want)
		}
	}
}
