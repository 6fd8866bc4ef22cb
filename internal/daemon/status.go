package daemon

import (
	"context"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/report"
	"chela/internal/store/past"
)

// Status implements [tooldesk.Reports]: the status as the page has it now.
func (d *Daemon) Status(ctx context.Context, project, sprint string, days int) (report.Report, error) {
	var none report.Report
	r, err := d.db.Desk.Record(ctx, project)
	if err != nil {
		return none, err
	}
	b, err := desk.Open[desk.ProjectBody](r)
	if err != nil {
		return none, err
	}
	s := report.Source{Project: project, Name: b.Name}
	if s.History, s.Now, err = d.past.Charts(ctx, project, past.Now()); err != nil {
		return none, err
	}
	board, err := d.figures.Board(ctx, project)
	if err != nil {
		return none, err
	}
	plan, err := clerk.LoadPlan(ctx, d.db.Desk, project)
	if err != nil {
		return none, err
	}
	s.State = board.Status(plan, s.Now)
	if days > 0 {
		s.From = s.Now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	}
	until, err := d.sprintOf(ctx, &s, sprint)
	if err != nil {
		return none, err
	}
	if s.Spent, err = d.db.Spending.SpentByDay(ctx, project, s.From, s.Now); err != nil {
		return none, err
	}
	out, err := report.Compute(s)
	if err == nil {
		out.Foretell(s, until)
	}
	return out, err
}

// sprintOf narrows a report to a sprint, and returns the end of one that is not over.
func (d *Daemon) sprintOf(ctx context.Context, s *report.Source, sprint string) (desk.Date, error) {
	if sprint == "" {
		s.Fill(nil)
		return "", nil
	}
	l, now, err := d.past.Sprints(ctx, s.Project, past.Now())
	if err != nil {
		return "", err
	}
	h, ok := l.Health(sprint, now)
	if !ok {
		return "", fault.New(fault.NotFound, "No ticket, no objective and no plan names the sprint %q.", sprint)
	}
	s.Sprint = h.Name
	s.Fill(&h.Sprint)
	if h.State == flow.SprintOver {
		return "", nil
	}
	return h.End, nil
}
