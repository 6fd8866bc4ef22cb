package clerk_test

import (
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
)

// TestEnsureNamed_FindsWhatIsPlanned: what a work has planned is found by the title that it has by now, not by one that it had.
func TestEnsureNamed_FindsWhatIsPlanned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work, err := w.clerk.Begin(t.Context(), event.Place{}, w.project)
	if err != nil {
		t.Fatal(err)
	}
	ensure := func(title, key string) (string, bool) {
		t.Helper()
		r, isNew, err := clerk.EnsureNamed(work, desk.Ticket, &desk.TicketBody{Title: title, ExternalRef: key})
		if err != nil {
			t.Fatal(err)
		}
		return r.ID, isNew
	}
	first, _ := ensure("Sign the contract", "PAY-1")
	if id, isNew := ensure("sign  the Contract", ""); isNew || id != first {
		t.Errorf("the title of a planned ticket: %s, %t; want %s", id, isNew, first)
	}
	if _, err := clerk.Edit(work, desk.Ticket, first, func(b *desk.TicketBody) { b.Title = "Sign the lease" }); err != nil {
		t.Fatal(err)
	}
	if id, isNew := ensure("Sign the lease", ""); isNew || id != first {
		t.Errorf("the title that a planned ticket got: %s, %t; want %s", id, isNew, first)
	}
	if id, isNew := ensure("Sign the contract", ""); !isNew {
		t.Errorf("the title that a planned ticket had finds %s", id)
	}
	if _, err := work.Remove(desk.Ticket, first); err != nil {
		t.Fatal(err)
	}
	if id, isNew := ensure("Sign the lease", ""); !isNew {
		t.Errorf("the title of what is removed finds %s", id)
	}
}
