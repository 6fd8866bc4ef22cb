package api

import (
	"context"
	"net/http"

	"chela/internal/clerk"
	"chela/internal/flow"
	"chela/internal/org"
)

// planRoutes adds what is made of ideas and of the plan.
func planRoutes(a *api) {
	route(a, http.MethodPost, "/api/projects/{project}/ideas/{id}/promote", "promote-idea", "Promote an idea to a ticket", org.Editor, a.promote)
	route(a, http.MethodGet, "/api/projects/{project}/plan", "plan", "Get the plan as Markdown: phases, and milestones by day", org.Viewer, a.plan)
	route(a, http.MethodGet, "/api/projects/{project}/checklist-progress", "checklist-progress", "Compute the progress of checklists", org.Viewer, a.checklistProgress)
}

// Promoted says which ticket an idea became.
type Promoted struct {
	TicketID string `json:"ticketId"`
	IdeaID   string `json:"ideaId"`
}

func (a *api) promote(ctx context.Context, in *RecordPath) (*Body[Promoted], error) {
	out := Promoted{IdeaID: in.ID}
	err := a.Clerk.Do(ctx, a.place(ctx), in.Project, a.commit(ctx), func(w *clerk.Work) error {
		t, err := w.Promote(in.ID)
		out.TicketID = t.ID
		return err
	})
	return body(out, err)
}

// PlanOut is a project's plan.
type PlanOut struct {
	Markdown   string `json:"markdown"`
	Phases     int    `json:"phaseCount"`
	Milestones int    `json:"milestoneCount"`
}

func (a *api) plan(ctx context.Context, in *LookPath) (*Body[PlanOut], error) {
	p, err := a.loadPlan(ctx, *in)
	return body(PlanOut{flow.Outline(p.Phases, p.Milestones, true), len(p.Phases), len(p.Milestones)}, err)
}

// loadPlan loads the plan of a project that exists.
func (a *api) loadPlan(ctx context.Context, in LookPath) (clerk.Plan, error) {
	s, err := a.of(ctx, in.Project, in.AsOf)
	if err != nil {
		return clerk.Plan{}, err
	}
	return clerk.LoadPlan(ctx, s, in.Project)
}

func (a *api) checklistProgress(ctx context.Context, in *LookPath) (*Body[[]flow.Progress], error) {
	p, err := a.loadPlan(ctx, *in)
	out := make([]flow.Progress, len(p.Checklists))
	for i, c := range p.Checklists {
		out[i] = flow.ProgressOf(c)
	}
	return body(out, err)
}
