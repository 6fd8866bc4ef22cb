package test

import (
	"testing"

	"chela/internal/fault"
)

// TestDecide_DeltasAreDecided accepts one delta with a change of a ticket and dismisses another; the
// log tells of both after a kill.
func TestDecide_DeltasAreDecided(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		type record struct {
			ID   string `json:"id"`
			Body struct {
				DueDate string `json:"dueDate"`
				Deltas  []struct {
					Decision  string `json:"decision"`
					DecidedBy string `json:"decidedBy"`
					Changed   string `json:"changedId"`
				} `json:"deltas"`
			} `json:"body"`
		}
		var ticket, pack record
		d.must(t, "POST", base+"/tickets", map[string]any{"title": "Split the handler", "dueDate": "2026-04-01"}, &ticket)
		delta := map[string]any{"deltaType": "DATE_DRIFT", "title": "Two due dates", "fieldName": "dueDate", "sourceA": "the minutes", "valueA": "2026-03-01", "sourceB": ticket.ID, "valueB": "2026-04-01"}
		d.must(t, "POST", base+"/delta-packs", map[string]any{"deltas": []any{delta, delta}}, &pack)
		decisions := base + "/delta-packs/" + pack.ID + "/decisions"
		accept := map[string]any{"delta": 0, "decision": "ACCEPTED", "take": "A"}
		d.must(t, "POST", decisions, accept, nil)
		if err := d.try("POST", decisions, accept, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("accepted twice: %v", err)
		}
		if err := d.try("POST", decisions, map[string]any{"delta": 1, "decision": "ACCEPTED", "take": "A"}, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("the ticket was changed, and the delta does not know: %v", err)
		}
		d.must(t, "POST", decisions, map[string]any{"delta": 1, "decision": "DISMISSED"}, nil)
		d.kill()
		d = s.running(t)
		d.must(t, "GET", base+"/delta-packs/"+pack.ID, nil, &pack)
		d.must(t, "GET", base+"/tickets/"+ticket.ID, nil, &ticket)
		if of := pack.Body.Deltas; of[0].Decision != "ACCEPTED" || of[0].Changed != ticket.ID || of[0].DecidedBy == "" || of[1].Decision != "DISMISSED" || of[1].Changed != "" {
			t.Errorf("%+v", of)
		}
		if ticket.Body.DueDate != "2026-03-01" {
			t.Errorf("%+v", ticket)
		}
		d.stop()
		s.verified(t)
	})
}
