package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
)

func buildRoutes(a *api) {
	route(a, http.MethodPost, "/api/workflows/build", "build-workflow", "Plan how a workflow is built or changed from a sentence; nothing is changed before the plan is executed. It answers when the plan is made, within 5 minutes", org.Editor, a.build)
	route(a, http.MethodGet, "/api/workflows/plans", "list-build-plans", "List plans, newest first", org.Viewer, a.buildPlans)
	route(a, http.MethodGet, "/api/workflows/plans/{id}", "get-build-plan", "Get a plan with what came of its steps", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[BuildPlanOut], error) {
		return planBody(a.Builder.Store.BuildPlan(ctx, in.ID))
	})
	route(a, http.MethodPut, "/api/workflows/plans/{id}", "change-build-plan", "Replace the steps of a plan that waits for approval", org.Editor, func(ctx context.Context, in *struct {
		IDPath
		Body BuildPlanBody
	},
	) (*Body[BuildPlanOut], error) {
		return planBody(a.Builder.Change(ctx, party(ctx), in.ID, blueprint.Plan{Steps: in.Body.Steps}))
	})
	route(a, http.MethodPost, "/api/workflows/plans/{id}/execute", "execute-build-plan", "Do a plan; one that failed goes on", org.Editor, func(ctx context.Context, in *IDPath) (*Body[BuildPlanOut], error) {
		return planBody(a.Builder.Execute(ctx, party(ctx), in.ID))
	})
	route(a, http.MethodPost, "/api/workflows/plans/{id}/drop", "drop-build-plan", "Give up a plan that waits for approval", org.Editor, func(ctx context.Context, in *IDPath) (*Body[BuildPlanOut], error) {
		if err := a.Builder.Drop(ctx, party(ctx), in.ID); err != nil {
			return nil, err
		}
		return planBody(a.Builder.Store.BuildPlan(ctx, in.ID))
	})
	route(a, http.MethodPost, "/api/workflows/plans/{id}/undo", "undo-build-plan", "Take back what a plan did; others' edits stay", org.Editor, func(ctx context.Context, in *IDPath) (*Body[BuildPlanOut], error) {
		return planBody(a.Builder.Undo(ctx, party(ctx), in.ID))
	})
	route(a, http.MethodPost, "/api/workflows/plans/{id}/deploy", "deploy-build-plan", "Save the draft that a plan built as a version, and deploy it", org.Editor, func(ctx context.Context, in *IDPath) (*Body[WorkflowOut], error) {
		v, err := a.Builder.Deploy(ctx, party(ctx), in.ID)
		return body(workflowOut(v), err)
	})
}

// BuildPlanBody are the steps of a plan.
type BuildPlanBody struct {
	Steps []blueprint.Step `json:"steps" nullable:"false" minItems:"1" maxItems:"100"`
}

// BuildPlanOut is a plan with how it stands.
type BuildPlanOut struct {
	blueprint.Plan

	State   builder.State    `json:"state" enum:"pending,executing,completed,failed,dropped,undone"`
	MadeBy  string           `json:"madeBy" doc:"rules, or model"`
	Thread  string           `json:"threadId,omitempty" doc:"the conversation that asked for it"`
	Results []builder.Result `json:"stepResults" nullable:"false"`
	At      time.Time        `json:"at" doc:"of its last move"`
}

func buildPlanOut(k builder.Kept) BuildPlanOut {
	return BuildPlanOut{k.Plan, k.State, k.By, k.Thread, append([]builder.Result{}, k.Results...), k.At}
}

func planBody(k builder.Kept, err error) (*Body[BuildPlanOut], error) {
	return body(buildPlanOut(k), err)
}

// BuildBody is a request.
type BuildBody struct {
	Text     string `json:"text" minLength:"1" maxLength:"8000" doc:"what to build or change"`
	Workflow string `json:"workflow,omitempty" doc:"the slug of the workflow to change; a new one is built when left out"`
}

// BuildOut is what a request came to.
type BuildOut struct {
	Run        run.ID           `json:"runId"`
	Intent     blueprint.Intent `json:"intent,omitempty" enum:"BUILD,EDIT,QUERY,EXPORT,CONFIGURE,UNKNOWN"`
	Confidence float64          `json:"confidence,omitempty"`
	Text       string           `json:"text,omitempty" doc:"an answer, when no plan is wanted"`
	Plan       *BuildPlanOut    `json:"plan,omitempty"`
}

func (a *api) build(ctx context.Context, in *struct{ Body BuildBody }) (*Body[BuildOut], error) {
	begun, err := a.Builder.Start(ctx, party(ctx), in.Body.Text, in.Body.Workflow)
	if err != nil {
		return nil, err
	}
	if _, err := a.Talk.Await(ctx, inbox.Accepted{Thread: begun.Thread, Run: string(begun.Run)}); err != nil {
		return nil, err
	}
	out := BuildOut{Run: begun.Run}
	ends, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Run: string(begun.Run), Type: run.FinishedKind.Name, Limit: 1})
	if err != nil || len(ends) == 0 {
		return body(out, err)
	}
	end, _, err := run.FinishedKind.Open(ends[0].Event)
	if err != nil {
		return nil, err
	}
	if end.State != run.Done {
		return nil, fault.New(fault.Invalid, "%s", end.Reason)
	}
	var answer builder.Answer
	if err := json.Unmarshal(end.Result, &answer); err != nil {
		return nil, err
	}
	out.Intent, out.Confidence, out.Text = answer.Intent, answer.Confidence, answer.Text
	if answer.Plan != nil {
		k, err := a.Builder.Store.BuildPlan(ctx, begun.Plan)
		if err != nil {
			return nil, err
		}
		p := buildPlanOut(k)
		out.Plan = &p
	}
	return body(out, nil)
}

func (a *api) buildPlans(ctx context.Context, in *struct {
	Workflow string `query:"workflow" doc:"of this workflow alone"`
	Limit    int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
},
) (*Body[[]BuildPlanOut], error) {
	list, err := a.Builder.Store.BuildPlans(ctx, in.Workflow, in.Limit)
	out := []BuildPlanOut{}
	for _, k := range list {
		out = append(out, buildPlanOut(k))
	}
	return body(out, err)
}
