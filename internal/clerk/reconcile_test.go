package clerk_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
)

func TestReconcile_AComparisonThatSetsNothingSaysSo(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"", "{"} {
		w := newWorld(t)
		ticket := w.make(desk.Ticket, `{"title":"Split the handler","dueDate":"2026-04-01"}`)
		of := w.make(desk.Reconciliation, fmt.Sprintf(`{"status":"REVIEWED","conflicts":[{"ticketId":%q,"title":"Split the handler","field":"dueDate","sourceValue":"2026-05-01","ticketValue":"2026-04-01","asked":true,"set":%q}]}`, ticket, set))
		take := func(taken desk.Taken) error {
			return w.do(func(c *clerk.Work) error {
				_, err := c.Reconcile(of, nil, taken)
				return err
			})
		}
		if err := take(desk.Theirs); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "dueDate of Split the handler") {
			t.Errorf("%q: %v", set, err)
		}
		if err := take(desk.Mine); err != nil {
			t.Error(err)
		}
	}
}
