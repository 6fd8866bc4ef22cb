package ask_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chela/internal/ask"
	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/store/past"
)

// TestAsk_SinceWhenTicketsHaveTheirStatus reads that from the log.
func TestAsk_SinceWhenTicketsHaveTheirStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Ticket, `{"title":"Mend the gate","status":"TODO"}`)
	w.change(func(c *clerk.Work) error {
		_, err := c.Patch(desk.Ticket, id, json.RawMessage(`{"status":"REVIEW"}`))
		return err
	})
	history := past.New(w.db)
	asker := ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster).With(func(ctx context.Context, project, _ string) (chart.History, time.Time, error) {
		return history.Charts(ctx, project, past.Now())
	})
	a, err := asker.Ask(t.Context(), ask.Question{Project: w.project, Text: "How long has Mend the gate been in review?", Computed: true, By: event.Party{AgentID: "agent:person/per_1", Role: "person"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "in this status since " + time.Now().UTC().Format(time.DateOnly) + " (0 days)"; !strings.Contains(a.Answer, want) {
		t.Errorf("got %q, want it to say %q", a.Answer, want)
	}
}
