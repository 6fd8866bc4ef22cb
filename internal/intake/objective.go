package intake

import (
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// objective makes an objective of what a document says, with the tickets that it names as far as they are there. It is a proposal until a
// person accepts it, unless the document writes out its status. One that is there stays as it is: only what it does not say yet is added.
func (r *recorder) objective(g extract.Goal, threads []string) error {
	body := &desk.ObjectiveBody{
		Outcome: clipped(outcomeOf(g), 500), SprintName: g.Sprint, Signal: clipped(g.Signal, 2000), StartDate: day(g.Start), EndDate: day(g.End),
		Status: desk.Proposed, ThreadIDs: threads, Sources: r.source("goals", g.Span),
	}
	for _, risk := range g.Risks {
		body.Risks = append(body.Risks, clipped(risk, 1000))
	}
	if said := statusIn(g.Status, desk.ObjectiveStatuses()); g.Written && said != "" {
		body.Status = said
	}
	for _, key := range g.Keys {
		t, ok, err := r.w.Find(desk.Ticket, desk.Identity(&desk.TicketBody{ExternalRef: key}))
		if err != nil {
			return err
		}
		if ok {
			body.TicketIDs = union(body.TicketIDs, []string{t.ID})
		}
	}
	rec, there, err := r.objectiveThere(g, body)
	if err != nil {
		return err
	}
	if !there {
		return r.ensured(clerk.Ensure(r.w, desk.Objective, body))
	}
	if _, err := r.tally(rec, false); err != nil {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Objective, rec.ID, func(b *desk.ObjectiveBody) { complete(b, body, free(rec)) })
	return err
}

// outcomeOf is what an objective is to come to: behind its name, where it has both.
func outcomeOf(g extract.Goal) string {
	if g.Outcome == "" || strings.EqualFold(g.Outcome, g.Text) {
		return g.Text
	}
	return g.Text + ": " + g.Outcome
}

// objectiveThere finds the objective that a document means: of the same words, or of the same name in the same sprint.
func (r *recorder) objectiveThere(g extract.Goal, body *desk.ObjectiveBody) (desk.Record, bool, error) {
	rec, ok, err := r.w.Find(desk.Objective, desk.Identity(body))
	if ok || err != nil || !g.Written {
		return rec, ok, err
	}
	all, err := r.w.List(clerk.Query{Kind: desk.Objective, Limit: clerk.All})
	if err != nil {
		return rec, false, err
	}
	for _, o := range all {
		b, err := desk.Open[desk.ObjectiveBody](o)
		if err != nil {
			return rec, false, err
		}
		name, _, _ := strings.Cut(b.Outcome, ": ")
		if strings.EqualFold(name, g.Text) && (g.Sprint == "" || strings.EqualFold(b.SprintName, g.Sprint)) {
			return o, true, nil
		}
	}
	return rec, false, nil
}

// complete adds to an objective what it does not say yet. A proposal that nobody touched takes over the status that a later document says.
func complete(b, said *desk.ObjectiveBody, free bool) {
	b.TicketIDs, b.ThreadIDs = union(b.TicketIDs, said.TicketIDs), union(b.ThreadIDs, said.ThreadIDs)
	for _, risk := range said.Risks {
		if !slices.ContainsFunc(b.Risks, func(x string) bool { return strings.EqualFold(x, risk) }) {
			b.Risks = append(slices.Clone(b.Risks), risk)
		}
	}
	if b.Signal == "" {
		b.Signal = said.Signal
	}
	if b.StartDate == "" {
		b.StartDate = said.StartDate
	}
	if b.EndDate == "" {
		b.EndDate = said.EndDate
	}
	if free && b.Status == desk.Proposed {
		b.Status = said.Status
	}
}
