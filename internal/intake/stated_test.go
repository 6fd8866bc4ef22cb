package intake

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/findings"
)

// mismatches are the statuses that are proposed, "title: before → after".
func (b *notebook) mismatches() (out []string, all []desk.Delta) {
	b.t.Helper()
	survey, err := findings.Read(b.t.Context(), b.db.Desk, b.project)
	if err != nil {
		b.t.Fatal(err)
	}
	d := survey.Desk()
	d.Now = time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	for _, x := range drift.Find(d).Deltas {
		if x.Type == "STATUS_MISMATCH" {
			out, all = append(out, fmt.Sprintf("%s: %s → %s", x.Title, x.ValueB, x.ValueA)), append(all, x)
		}
	}
	return out, all
}

// TestMinutes_SayHowTicketsStand: a note proposes a status, with its line; what blocks a ticket is on the ticket; a risk is a blindspot.
func TestMinutes_SayHowTicketsStand(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	ids := make(map[string]string)
	b.plan(func(w *clerk.Work) error {
		for key, status := range map[string]desk.TicketStatus{"J-102": desk.Todo, "J-103": desk.Todo, "J-104": desk.Done, "J-105": desk.InProgress, "J-106": desk.Done, "J-107": desk.Todo} {
			r, err := clerk.Add(w, desk.Ticket, &desk.TicketBody{Title: "Ticket " + key, ExternalRef: key, Status: status})
			if err != nil {
				return err
			}
			ids[key] = r.ID
		}
		return nil
	})
	text := "# Weekly 2026-03-02\n\n## Status of the work\n- J-102 is blocked by J-103, J-999 and J-106\n- J-104 was reopened\n- J-105 is in review\n- J-106 is done\n- J-107: done\n- J-998 is done\n- Risk: the API limits may stop J-105\n- Blocker: no access to the bucket\n"
	b.outsideText(text)
	got, deltas := b.mismatches()
	slices.Sort(got)
	want := []string{"Done in the minutes: Ticket J-107: TODO → DONE", "In review in the minutes: Ticket J-105: IN_PROGRESS → REVIEW", "Reopened in the minutes: Ticket J-104: DONE → TODO"}
	if !slices.Equal(got, want) {
		t.Errorf("proposed are %q, want %q", got, want)
	}
	b.plan(func(w *clerk.Work) error {
		r, err := w.Get(desk.Ticket, ids["J-102"])
		if err != nil {
			return err
		}
		body, err := desk.Open[desk.TicketBody](r)
		if s := body.Sources; err != nil || !slices.Equal(body.BlockedBy, []string{ids["J-103"]}) || len(s) != 1 || s[0].Line != 4 || s[0].Quote != "- J-102 is blocked by J-103, J-999 and J-106" {
			t.Errorf("J-102 is %v by %+v (%v)", body.BlockedBy, s, err)
		}
		spots, err := w.List(clerk.Query{Kind: desk.Blindspot})
		var risks []string
		for _, r := range spots {
			x, err := desk.Open[desk.BlindspotBody](r)
			if err != nil {
				return err
			}
			risks = append(risks, fmt.Sprintf("%s %s %s %d %s", x.Title, x.Category, x.Severity, len(x.RecordIDs), x.Sources[0].Quote))
		}
		slices.Sort(risks)
		if want := []string{"no access to the bucket RISK HIGH 0 - Blocker: no access to the bucket", "the API limits may stop J-105 RISK MEDIUM 1 - Risk: the API limits may stop J-105"}; !slices.Equal(risks, want) {
			t.Errorf("risks are %q, want %q", risks, want)
		}
		return err
	})
	for _, d := range deltas {
		if strings.HasPrefix(d.Title, "Reopened") && !strings.Contains(d.Text, "The minutes of 2026-03-02 say that it is reopened; the ticket is done.\n“- J-104 was reopened” (m.md, line 5)") {
			t.Errorf("it says %q", d.Text)
		}
		b.accept(d)
	}
	if got, _ := b.mismatches(); len(got) > 0 {
		t.Errorf("accepted, there are %q", got)
	}
	b.plan(func(w *clerk.Work) error { // moved on since, the minutes count no more
		_, err := clerk.Edit(w, desk.Ticket, ids["J-105"], func(t *desk.TicketBody) { t.Status = desk.Todo })
		return err
	})
	if got, _ := b.mismatches(); len(got) > 0 {
		t.Errorf("moved on, there are %q", got)
	}
}

// accept accepts a delta as a person does.
func (b *notebook) accept(d desk.Delta) {
	b.t.Helper()
	var pack string
	b.plan(func(w *clerk.Work) error {
		r, err := clerk.Add(w, desk.DeltaPack, &desk.DeltaPackBody{Title: "t", Deltas: []desk.Delta{d}})
		pack = r.ID
		return err
	})
	b.plan(func(w *clerk.Work) error {
		_, err := w.Decide(pack, 0, clerk.Verdict{Decision: desk.Accepted})
		return err
	})
}

// TestMinutes_DependenciesThatAPersonTookOutStayOut.
func TestMinutes_DependenciesThatAPersonTookOutStayOut(t *testing.T) {
	t.Parallel()
	b := newNotebook(t)
	var one string
	b.plan(func(w *clerk.Work) error {
		r, err := clerk.Add(w, desk.Ticket, &desk.TicketBody{Title: "One", ExternalRef: "PAY-1"})
		if err == nil {
			one = r.ID
			_, err = clerk.Add(w, desk.Ticket, &desk.TicketBody{Title: "Two", ExternalRef: "PAY-2"})
		}
		return err
	})
	blockers := func() (n int) {
		b.plan(func(w *clerk.Work) error {
			r, err := w.Get(desk.Ticket, one)
			if err != nil {
				return err
			}
			body, err := desk.Open[desk.TicketBody](r)
			n = len(body.BlockedBy)
			return err
		})
		return n
	}
	if b.outsideText("Monday notes of the team\n\nPAY-1 is blocked by PAY-2.\n"); blockers() != 1 {
		t.Fatal("it is not blocked")
	}
	b.outsideText("Tuesday notes of the team\n\nPAY-2 is blocked by PAY-1.\n") // a circle
	b.plan(func(w *clerk.Work) error {
		_, err := clerk.Edit(w, desk.Ticket, one, func(t *desk.TicketBody) { t.BlockedBy = nil })
		return err
	})
	if b.outsideText("Friday notes of the team\n\nPAY-1 is still blocked by PAY-2.\n"); blockers() != 0 {
		t.Error("what a person took out came back")
	}
}
