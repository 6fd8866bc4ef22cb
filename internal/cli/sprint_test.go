package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"chela/internal/flow"
)

func TestSprint_NamesTicketsByTheirKeys(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &app{out: &out, err: &out}
	a.health(flow.Health{
		Sprint:     flow.Sprint{Name: "Sprint 7"},
		InTickets:  []flow.Carry{{TicketID: "tkt_1", Ref: "PAY-1", Title: "Retry", Sprints: []string{"Sprint 6"}}},
		OutTickets: []flow.Carry{{TicketID: "tkt_2", Title: "No key", Sprints: []string{"Sprint 8"}}},
		Shifts:     []flow.Shift{{At: time.Unix(0, 0), TicketID: "tkt_3", Ref: "PAY-3", Title: "Keys", Kind: flow.ShiftMovedIn, Other: "Sprint 6", Change: flow.Amount{Tickets: 1, Points: 3}}},
	})
	for _, want := range []string{"  carried in   PAY-1  Retry  from Sprint 6\n", "  carried out  No key  to Sprint 8\n", "  1970-01-01  PAY-3  Keys  moved in +3 points  from Sprint 6\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "tkt_") {
		t.Errorf("an id is shown:\n%s", out.String())
	}
}
