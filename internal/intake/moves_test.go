package intake

import (
	"context"
	"slices"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
)

// TestMinutes_ProposeMovedMilestones: where a sentence names one milestone, the new day is put to a person, and the milestone stays as it is.
func TestMinutes_ProposeMovedMilestones(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	ids := make(map[string]string)
	b.plan(func(w *clerk.Work) error {
		for _, m := range []desk.MilestoneBody{
			{Name: "Beta launch", TargetDate: "2026-04-20"},
			{Name: "Freeze", TargetDate: "2026-04-10"},
			{Name: "Audit"},
			{Name: "Kickoff", TargetDate: "2026-03-01", Status: desk.MilestoneCompleted},
			{Name: "Release 3.1", TargetDate: "2026-05-03"},
		} {
			r, err := clerk.Add(w, desk.Milestone, &m)
			if err != nil {
				return err
			}
			ids[m.Name] = r.ID
		}
		return nil
	})
	b.outsideText("# Weekly 2026-04-01\n\nAttendees: Ann Lee, Joe Martinez\n\n- We move the beta launch to May 3.\n- Freeze slips by one week.\n- Audit slips by one week\n- We move the kickoff to May 3\n- We move the picnic to May 3\n- Release 3.1 moves to May 3\n- Should we move the audit to May 3?\n")
	all, err := b.db.Desk.Records(context.WithoutCancel(t.Context()), clerk.Query{Project: b.project, Kind: desk.Reconciliation, Limit: 10})
	if err != nil || len(all.Records) != 1 {
		t.Fatalf("%d reconciliations %v", len(all.Records), err)
	}
	body, err := desk.Open[desk.ReconciliationBody](all.Records[0])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range body.Conflicts {
		if !c.Open() || c.Field != "targetDate" || c.TicketID != ids[c.Title] {
			t.Errorf("%+v", c)
		}
		got = append(got, c.Title+": "+c.Ticket+" → "+c.Source)
	}
	if want := []string{"Beta launch: 2026-04-20 → 2026-05-03", "Freeze: 2026-04-10 → 2026-04-17"}; !slices.Equal(got, want) || body.Status != desk.ReconciliationReviewed {
		t.Errorf("proposed are %q (%s), want %q", got, body.Status, want)
	}
	b.plan(func(w *clerk.Work) error {
		r, err := w.Get(desk.Milestone, ids["Beta launch"])
		if err != nil {
			return err
		}
		m, err := desk.Open[desk.MilestoneBody](r)
		if m.TargetDate != "2026-04-20" {
			t.Errorf("it was moved silently: %s", m.TargetDate)
		}
		return err
	})
}
