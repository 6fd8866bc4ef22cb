package intake

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/findings"
)

// awayInMinutes are the absences that are proposed on a day.
func (b *notebook) awayInMinutes(now time.Time) (out []desk.Delta) {
	b.t.Helper()
	survey, err := findings.Read(b.t.Context(), b.db.Desk, b.project)
	if err != nil {
		b.t.Fatal(err)
	}
	d := survey.Desk()
	d.Now = now
	for _, x := range drift.Find(d).Deltas {
		if x.Type == desk.AbsenceSaid {
			out = append(out, x)
		}
	}
	return out
}

// TestMinutes_ProposeAbsences: minutes propose days away of people who are known, with the line; a person accepts them, and they are added to
// the days away that are there.
func TestMinutes_ProposeAbsences(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	b.plan(func(w *clerk.Work) error {
		for _, body := range []*desk.ResourceBody{{Name: "Joe Martinez", Away: []string{"2026-02-02"}}, {Name: "Eva Stein"}, {Name: "Eva Braun"}} {
			if _, err := clerk.Add(w, desk.Resource, body); err != nil {
				return err
			}
		}
		return nil
	})
	const text = "# Weekly 2026-02-27\n\nAttendees: Ann Lee, Joe Martinez\n\n## Notes\n- Ann is on vacation 3-14 March\n- Joe ist vom 3. bis 14. März im Urlaub\n- Is Joe out next week?\n- Eva is out next week\n- Nadia is out next week\n- Payments are out next week\n"
	b.take(text, false)
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	found := b.awayInMinutes(now)
	var titles []string
	for _, d := range found {
		titles = append(titles, d.Title)
	}
	if want := []string{"Away in the minutes: Ann Lee, 2026-03-03 to 2026-03-14", "Away in the minutes: Joe Martinez, 2026-03-03 to 2026-03-14"}; !slices.Equal(titles, want) {
		t.Fatalf("proposed are %q, want %q", titles, want)
	}
	if joe := found[1]; !strings.Contains(joe.Text, "The minutes of 2026-02-27 say that Joe Martinez is away") || !strings.Contains(joe.Text, "“- Joe ist vom 3. bis 14. März im Urlaub” (m.md, line 7)") || joe.Suggestion != "Add the days to the days away of Joe Martinez." {
		t.Errorf("it says %+v", joe)
	}
	b.take(text, true) // again, they are proposed once
	if got := b.awayInMinutes(now); len(got) != 2 {
		t.Errorf("taken in again they propose %+v", got)
	}
	if got := b.awayInMinutes(now.AddDate(0, 0, 20)); len(got) != 0 {
		t.Errorf("when they are over %+v is proposed", got)
	}
	for _, take := range []clerk.Side{"", clerk.SideA} {
		at := 1 // Joe's
		if take != "" {
			at = 0
		}
		b.plan(func(w *clerk.Work) error {
			pack, err := clerk.Add(w, desk.DeltaPack, &desk.DeltaPackBody{Title: "P", Deltas: []desk.Delta{found[at]}})
			if err == nil {
				_, err = w.Decide(pack.ID, 0, clerk.Verdict{Decision: desk.Accepted, Take: take})
			}
			return err
		})
	}
	if got := b.awayInMinutes(now); len(got) != 0 {
		t.Errorf("when they are accepted %+v is proposed", got)
	}
	away := make(map[string]string)
	b.plan(func(w *clerk.Work) error {
		all, err := w.List(clerk.Query{Kind: desk.Resource, Limit: clerk.All})
		for _, r := range all {
			p, err := desk.Open[desk.ResourceBody](r)
			if err != nil {
				return err
			}
			away[p.Name] = strings.Join(p.Away, ", ")
		}
		return err
	})
	if away["Joe Martinez"] != "2026-02-02, 2026-03-03 to 2026-03-14" || away["Ann Lee"] != "2026-03-03 to 2026-03-14" || len(away) != 4 || away["Eva Stein"]+away["Eva Braun"] != "" {
		t.Errorf("away are %q", away)
	}
}
