package intake

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/findings"
	"chela/internal/flow"
)

// desk returns what the reports are made from, read once for those that follow each other
// without a model between them.
func (p *player) desk(ctx context.Context) (*findings.Survey, error) {
	if p.survey != nil {
		return p.survey, nil
	}
	s, err := findings.Read(ctx, p.in.clerk.Store(), p.s.Run.Project)
	if err == nil {
		p.survey = s
	}
	return s, err
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
	return fmt.Sprintf("%s; %d of %d tickets serve none.", many(len(s.Objectives), "objective"), len(flow.Unmapped(s.Objectives, tickets)), len(tickets)), nil
}

// drift records where records disagree, as one delta pack, and what nobody looks at.
func (p *player) drift(ctx context.Context) (string, error) {
	s, err := p.desk(ctx)
	if err != nil {
		return "", err
	}
	d := s.Desk()
	d.Now = p.s.Run.CreatedAt
	found := drift.Find(d)
	err = p.change(ctx, func(w *clerk.Work) error {
		return findings.Record(w, found, findings.Occasion{
			Title: "After the intake of " + p.body.Title, Compared: []string{"the intake", "the project's records"}, Run: string(p.s.Run.ID), Source: desk.Source{Intake: p.id},
		})
	})
	return many(len(found.Deltas), "delta") + ", " + many(len(found.Blindspots), "blindspot") + ".", err
}

// capacity reports who has room.
func (p *player) capacity(ctx context.Context) (string, error) {
	s, err := p.desk(ctx)
	if err != nil {
		return "", err
	}
	r := capacity.Estimated(s.People, s.Tickets, s.Shares, p.s.Run.CreatedAt)
	return fmt.Sprintf("%d people, %d overloaded, %d idle; %d of %d open tickets are unassigned.", len(r.Lines), r.Overloaded, r.IdleCount, len(r.Unassigned), r.Open), nil
}

// findings tells a model what rules found.
func (p *player) findings() string {
	var b strings.Builder
	for _, s := range p.sources {
		m := p.read(s, func(string) {})
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
