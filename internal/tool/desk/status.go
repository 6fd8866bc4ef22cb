package desk

import (
	"context"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/report"
	"chela/internal/tool"
)

// Reports compute the status of projects. Days is how many are reported on; 0 is a week, and of a sprint its own.
type Reports interface {
	Status(ctx context.Context, project, sprint string, days int) (report.Report, error)
}

// StatusIn says what is reported on.
type StatusIn struct {
	Sprint string `json:"sprint,omitempty" doc:"only this sprint; without one the project"`
	Days   int    `json:"days,omitempty" doc:"the last so many days; a week when left out, and of a sprint its own days"`
}

// mostDays bounds the days of a report.
const mostDays = 366

// Check implements [tool.Checker].
func (in StatusIn) Check() error {
	if in.Days < 0 || in.Days > mostDays {
		return fault.BadField("days", "The days are a number from 1 to 366; leave them out for a week.")
	}
	return nil
}

// StatusOut is a status as Markdown.
type StatusOut struct {
	Markdown string `json:"markdown"`
}

// StatusTools returns the tools that say how a project is doing, as its page does.
func StatusTools(r Reports) []*tool.Tool {
	spec := tool.Spec{Name: "status_report", Help: tool.HelpFile(help, "status_report"), Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true, Private: true, Untrusted: tool.FromImports}
	return []*tool.Tool{tool.Func(spec, func(ctx context.Context, c tool.Call, in StatusIn) (StatusOut, error) {
		out, err := r.Status(ctx, c.Run.Project, in.Sprint, in.Days)
		if err != nil {
			return StatusOut{}, err
		}
		return StatusOut{out.Text()}, nil
	})}
}
