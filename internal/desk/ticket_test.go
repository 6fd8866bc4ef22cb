package desk_test

import (
	"testing"

	"chela/internal/desk"
)

func TestTicketBody_Outcome(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Ticket, `{"title":"T","status":"CLOSED","outcome":"DUPLICATE"}`)
	_, r, ok, err := desk.Edit(r, []byte(`{"status":"TODO"}`))
	if got, want := string(r.Body), `{"priority":"MEDIUM","status":"TODO","title":"T"}`; err != nil || !ok || got != want {
		t.Errorf("opened again it is %s (%v), want %s", got, err, want)
	}
	for _, s := range desk.TicketStatuses() {
		if got, want := s.Open(), s != desk.Done && s != desk.Closed; got != want {
			t.Errorf("%s is open: %v, want %v", s, got, want)
		}
	}
}
