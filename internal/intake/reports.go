package intake

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/extract"
	"chela/internal/flow"
)

// A survey is what the reports are made from.
type survey struct {
	clerk.Staffing
	objectives []flow.Objective
	threads    []drift.Thread
}

// add takes in a record; what no report looks at, and is most of it, is left out.
func (s *survey) add(e clerk.Entry) error {
	switch t := e.Thing.(type) {
	case *desk.TicketBody:
		t.Description, t.Evidence, t.EvidenceLinks, t.Sources = "", nil, nil, nil
	case *desk.ObjectiveBody:
		s.objectives = append(s.objectives, flow.Objective{ID: e.ID, ObjectiveBody: *t})
	case *desk.ThreadBody:
		s.threads = append(s.threads, drift.Thread{ID: e.ID, ThreadBody: *t})
	}
	s.Add(e)
	return nil
}

// desk returns what the reports are made from, read once for those that follow each other
// without a model between them.
func (p *player) desk(ctx context.Context) (*survey, error) {
	if p.survey != nil {
		return p.survey, nil
	}
	var s survey
	err := clerk.EachEntry(ctx, p.in.clerk.Store(), p.s.Run.Project, s.add, desk.Resource, desk.Ticket, desk.Assignment, desk.Objective, desk.Thread)
	if err == nil {
		p.survey = &s
	}
	return &s, err
}

// coverage reports the objectives' coverage; the clerk keeps it up to date.
func (p *player) coverage(ctx context.Context) (string, error) {
	s, err := p.desk(ctx)
	if err != nil {
		return "", err
	}
	tickets := make([]flow.Ticket, len(s.Tickets))
	for i, t := range s.Tickets {
		tickets[i] = flow.Ticket(t)
	}
	return fmt.Sprintf("%s; %d of %d tickets serve none.", many(len(s.objectives), "objective"), len(flow.Unmapped(s.objectives, tickets)), len(tickets)), nil
}

// drift records where records disagree, as one delta pack, and what nobody looks at.
func (p *player) drift(ctx context.Context) (string, error) {
	s, err := p.desk(ctx)
	if err != nil {
		return "", err
	}
	found := drift.Find(drift.Desk{Tickets: s.Tickets, Touched: s.Touched, Objectives: s.objectives, Threads: s.threads, People: s.People, Shares: s.Shares, Now: p.s.Run.CreatedAt})
	err = p.change(ctx, func(w *clerk.Work) error {
		own := []desk.Source{{Intake: p.id, By: "rule:drift"}}
		if len(found.Deltas) > 0 {
			pack := &desk.DeltaPackBody{Title: "After the intake of " + p.body.Title, Compared: []string{"the intake", "the project's records"}, Deltas: found.Deltas, RunID: string(p.s.Run.ID), Sources: own}
			if _, err := clerk.Add(w, desk.DeltaPack, pack); err != nil {
				return err
			}
		}
		for _, b := range found.Blindspots {
			b.Sources = own
			if _, _, err := clerk.Ensure(w, desk.Blindspot, &b); err != nil {
				return err
			}
		}
		return nil
	})
	return many(len(found.Deltas), "delta") + ", " + many(len(found.Blindspots), "blindspot") + ".", err
}

// capacity reports who has room.
func (p *player) capacity(ctx context.Context) (string, error) {
	s, err := p.desk(ctx)
	if err != nil {
		return "", err
	}
	r := capacity.Compute(s.People, s.Tickets, s.Shares)
	return fmt.Sprintf("%d people, %d overloaded, %d idle; %d of %d open tickets are unassigned.", len(r.Lines), r.Overloaded, r.IdleCount, len(r.Unassigned), r.Open), nil
}

// findings tells a model what rules found.
func (p *player) findings() string {
	var b strings.Builder
	for _, s := range p.sources {
		m := extract.ReadMinutes(s.Text)
		for _, t := range m.Topics[:min(len(m.Topics), 60)] {
			fmt.Fprintf(&b, "topic (line %d): %s\n", t.Span.Line, t.Title)
		}
		for _, d := range m.Decisions[:min(len(m.Decisions), 60)] {
			fmt.Fprintf(&b, "decision (line %d): %s\n", d.Span.Line, d.Text)
		}
		for _, a := range m.Actions[:min(len(m.Actions), 60)] {
			fmt.Fprintf(&b, "action, recorded as a ticket (line %d): %s, owner %q, due %s\n", a.Span.Line, a.Text, a.Owner, day(a.Due))
		}
		for i := range s.Tables {
			fmt.Fprintf(&b, "table of %d rows, recorded as tickets where it is an export\n", s.count(i))
		}
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}
