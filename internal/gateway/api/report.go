package api

import (
	"context"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
	"chela/internal/report"
)

// ReportPath asks for the status of a project.
type ReportPath struct {
	LookPath
	Range
	Sprint string `query:"sprint" doc:"only this sprint; its days when from and to are empty"`
	Format string `query:"format" enum:"json,markdown" doc:"markdown as an Accept header with text/markdown asks for it"`
	Base   string `query:"base" maxLength:"200" pattern:"^https?://[^\\s()<>]+$" doc:"where the links of the Markdown lead, such as http://127.0.0.1:7077; they are relative without it"`
	Accept string `header:"Accept"`
}

func (a *api) report(ctx context.Context, in *ReportPath) (*Text, error) {
	r, err := a.reported(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Format == "markdown" || in.Format == "" && accepts(in.Accept, "text/markdown") {
		return &Text{Type: "text/markdown; charset=utf-8", Vary: "Accept", Body: []byte(r.Markdown(in.Base))}, nil
	}
	return inJSON(r)
}

// reported computes the status of a project that exists.
func (a *api) reported(ctx context.Context, in *ReportPath) (report.Report, error) {
	var none report.Report
	f, err := a.figures(ctx, &in.LookPath)
	if err != nil {
		return none, err
	}
	p, err := a.Store.Desk.Record(ctx, in.Project)
	if err != nil {
		return none, err
	}
	b, err := desk.Open[desk.ProjectBody](p)
	if err != nil {
		return none, err
	}
	plan, err := a.loadPlan(ctx, in.LookPath)
	if err != nil {
		return none, err
	}
	h, now, err := a.Past.Charts(ctx, in.Project, in.AsOf)
	if err != nil {
		return none, err
	}
	s := report.Source{Project: in.Project, Name: b.Name, Sprint: in.Sprint, Now: now, State: f.Status(plan, f.now), History: h}
	if in.AsOf != "" {
		s.AsOf = desk.Date(now.UTC().Format(time.RFC3339Nano))
	}
	if s.From, s.To, err = in.days(now); err != nil {
		return none, err
	}
	until, err := a.span(ctx, in, &s)
	if err != nil {
		return none, err
	}
	if s.Past() {
		if s.Then, err = a.then(ctx, in.Project, s.To); err != nil {
			return none, err
		}
	}
	if s.Spent, err = a.Store.Spending.SpentByDay(ctx, in.Project, s.From, now); err != nil {
		return none, err
	}
	out, err := report.Compute(s)
	if err == nil {
		out.Foretell(s, until)
	}
	return out, err
}

// then is what the records of a project said at the end of a day; nothing when it was not there yet.
func (a *api) then(ctx context.Context, project string, day time.Time) (*report.State, error) {
	s, err := a.at(ctx, string(desk.DateOf(day)))
	if err != nil {
		return nil, err
	}
	b, err := a.Figures.kept.Earlier(ctx, project, s)
	if err != nil {
		return nil, err
	}
	plan, err := clerk.LoadPlan(ctx, s, project)
	if err != nil {
		return nil, err
	}
	out := b.Status(plan, day)
	return &out, nil
}

// span fills in the days that the asker leaves open, and returns the end of a sprint that is not over.
func (a *api) span(ctx context.Context, in *ReportPath, s *report.Source) (until desk.Date, err error) {
	if in.Sprint == "" {
		s.Fill(nil)
		return "", nil
	}
	h, err := a.health(ctx, in.LookPath, in.Sprint)
	if err != nil {
		return "", err
	}
	s.Sprint = h.Name
	s.Fill(&h.Sprint)
	if h.State == flow.SprintOver {
		return "", nil
	}
	return h.End, nil
}
