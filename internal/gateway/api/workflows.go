package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
)

// Workflows reads the library and the instances.
type Workflows interface {
	library.Store
	Evidence(ctx context.Context, id run.ID) ([]contract.Evidence, error)
	Reviews(ctx context.Context, id run.ID) ([]instance.Reviewed, error)
	Contracts(ctx context.Context) ([]library.Contracts, error)
	Proofs(ctx context.Context, record string) ([]library.Proof, error)
	Outside(ctx context.Context, agent string, limit int) ([]library.Outside, error)
	Instances(ctx context.Context, slug string, open bool, limit int) ([]library.Instance, error)
	RouterSessions(ctx context.Context, thread string, limit int) ([]router.Session, error)
}

func workflowRoutes(a *api) {
	route(a, http.MethodGet, "/api/workflows", "list-workflows", "List workflows: of each the deployed version, else the newest", org.Viewer, a.workflows)
	route(a, http.MethodPost, "/api/workflows", "save-workflow", "Save a file as a new version of its workflow, as a draft", org.Editor, a.saveWorkflow, status(http.StatusCreated))
	route(a, http.MethodPost, "/api/workflows/check", "check-workflow", "Say what is wrong with a file; nothing is recorded", org.Viewer, a.checkWorkflow)
	route(a, http.MethodGet, "/api/workflows/schema", "get-workflow-schema", "Get the JSON Schema of workflow files", org.Viewer, func(context.Context, *struct{}) (*Body[json.RawMessage], error) {
		return body(json.RawMessage(definition.FileSchema()), nil)
	})
	route(a, http.MethodGet, "/api/workflows/{slug}", "get-workflow", "Get a version of a workflow with its file and its other versions", org.Viewer, a.workflow)
	route(a, http.MethodGet, "/api/workflows/{slug}/diff", "diff-workflow", "Compare two versions of a workflow", org.Viewer, a.diffWorkflow)
	route(a, http.MethodPost, "/api/workflows/{slug}/deploy", "deploy-workflow", "Deploy a version; its instances may do what you may, and what who runs them may", org.Editor, a.deployWorkflow)
	route(a, http.MethodPost, "/api/workflows/{slug}/rollback", "rollback-workflow", "Deploy the version again that was deployed before", org.Editor, a.rollbackWorkflow)
	route(a, http.MethodPost, "/api/workflows/{slug}/retire", "retire-workflow", "Retire the deployed version; instances in progress go on", org.Editor, a.retireWorkflow)
	route(a, http.MethodPost, "/api/workflows/{slug}/run", "run-workflow", "Begin an instance of a workflow", org.Editor, a.runWorkflow, status(http.StatusAccepted))
	route(a, http.MethodGet, "/api/workflows/{slug}/export", "export-workflow", "Export a version as a bundle: a zip with its file, its agents, what it needs, and secrets by name", org.Editor, a.exportWorkflow)
	route(a, http.MethodPost, "/api/workflows/bundle", "read-workflow-bundle", "Read a bundle and show what it needs; nothing is kept, nothing is run", org.Viewer, a.readBundle, largeBundle)
	route(a, http.MethodPost, "/api/workflows/import", "import-workflow", "Import a bundle's workflow as a draft; its agents are not, nothing is run", org.Editor, a.importBundle, status(http.StatusCreated), largeBundle)
	route(a, http.MethodGet, "/api/instances", "list-instances", "List instances of workflows, newest first", org.Viewer, a.instances)
	route(a, http.MethodGet, "/api/instances/{id}", "get-instance", "Get an instance with its steps; the id is that of its run", org.Viewer, a.instance)
	route(a, http.MethodGet, "/api/instances/{id}/changes", "instance-changes", "List what became of an instance, oldest first: where it and its steps stood, what was found, what they cost", org.Viewer, a.instanceChanges)
	route(a, http.MethodGet, "/api/contracts", "list-contracts", "Count for each agent how often it said that something was done, how often its contract said no, and what it changed that it was not asked for", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]library.Contracts], error) {
		out, err := a.Store.Workflows.Contracts(ctx)
		return body(append([]library.Contracts{}, out...), err)
	})
	route(a, http.MethodGet, "/api/projects/{project}/contracts/lacking", "list-lacking-contracts", "List open tickets whose contracts can never be met here as things stand, and why", org.Viewer, a.lackingContracts)
	route(a, http.MethodPost, "/api/workflows/test", "test-workflow", "Play the tests of a file without a model; nothing is recorded", org.Viewer, a.testWorkflow)
	route(a, http.MethodPost, "/api/instances/{id}/undo", "undo-instance", "Compensate what a cancelled instance had done, by an instance of its own", org.Editor, func(ctx context.Context, in *IDPath) (*Body[BegunOut], error) {
		id, err := a.Library.Undo(ctx, party(ctx), run.ID(in.ID))
		return body(BegunOut{id}, err)
	}, status(http.StatusAccepted))
	route(a, http.MethodPost, "/api/instances/{id}/retry", "retry-instance", "Begin an ended instance anew from a step, with other inputs if you like", org.Editor, a.retryInstance, status(http.StatusAccepted))
}

// WorkflowOut is a version of a workflow as lists have it.
type WorkflowOut struct {
	library.Version

	Description string               `json:"description"`
	Category    string               `json:"category,omitempty"`
	Label       string               `json:"label,omitempty" doc:"the version as its author calls it"`
	Examples    []string             `json:"examples" nullable:"false" doc:"messages that ask for it"`
	Inputs      []definition.Input   `json:"inputs" nullable:"false"`
	Triggers    []definition.Trigger `json:"triggers" nullable:"false"`
	CostUSD     float64              `json:"estimatedCostUsd,omitempty"`
	Steps       []StepOut            `json:"steps" nullable:"false"`
	Problem     string               `json:"problem,omitempty" doc:"why it cannot be run any more, a sentence"`

	Failures []library.TriggerFailure `json:"failures" nullable:"false" doc:"of lists and of one that is got: the last times that a trigger of the version began nothing although what it waits for came, newest first"`
}

// StepOut is a step as the page draws it.
type StepOut struct {
	Path     string          `json:"path"`
	Kind     definition.Kind `json:"kind"`
	Title    string          `json:"title,omitempty"`
	Needs    []string        `json:"needs" nullable:"false" doc:"paths of steps, with an outcome after a dot where only that leads on"`
	Parent   string          `json:"parent,omitempty" doc:"the path of the loop or map that it is in"`
	Does     string          `json:"does,omitempty" doc:"in a few words: whom it asks, what it calls, what it waits for"`
	When     string          `json:"when,omitempty" doc:"the condition under which it is done"`
	Cases    []string        `json:"cases" nullable:"false" doc:"the outcomes of a branch"`
	Reviewed bool            `json:"reviewed,omitempty" doc:"others look at what it gives"`
	Contract []string        `json:"contract" nullable:"false" doc:"what has to be true when it is done"`
	Line     int             `json:"line" doc:"in the file"`
}

// WorkflowWhole is a version with its file.
type WorkflowWhole struct {
	WorkflowOut

	Source   string            `json:"source"`
	Versions []library.Version `json:"versions" nullable:"false" doc:"newest first"`
}

func workflowOut(v library.Version) WorkflowOut {
	out := WorkflowOut{Version: v, Examples: []string{}, Inputs: []definition.Input{}, Triggers: []definition.Trigger{}, Steps: []StepOut{}, Failures: []library.TriggerFailure{}}
	c, problems := definition.ReadFile([]byte(v.Source), v.Types)
	if problems != nil {
		out.Problem = problems.In(v.Slug + ".yaml")
		return out
	}
	out.Description, out.Category, out.Label, out.CostUSD = c.Description, c.Category, c.Label, c.CostUSD
	out.Examples, out.Inputs, out.Triggers = append(out.Examples, c.Examples...), append(out.Inputs, c.Inputs...), append(out.Triggers, c.Triggers...)
	stepsOut(c, c.Graph, "", &out.Steps)
	return out
}

func stepsOut(c *definition.Compiled, g *definition.Graph, parent string, out *[]StepOut) {
	for _, n := range g.Nodes {
		s := StepOut{
			Path: n.Path, Kind: n.Kind, Title: n.Title, Needs: []string{}, Parent: parent, Does: n.Does(), When: n.Step.When, Cases: []string{}, Reviewed: n.Step.Review != nil, Contract: []string{},
			Line: c.LineOf(n.Place),
		}
		for _, b := range n.Step.Branch {
			s.Cases = append(s.Cases, b.Case)
		}
		for _, term := range n.Terms {
			s.Contract = append(s.Contract, term.Title())
		}
		for _, need := range n.Needs {
			path := g.Nodes[need.Node].Path
			if need.Outcome != "" {
				path += "." + need.Outcome
			}
			s.Needs = append(s.Needs, path)
		}
		*out = append(*out, s)
		if n.Body != nil {
			stepsOut(c, n.Body, n.Path, out)
		}
	}
}

func (a *api) workflows(ctx context.Context, _ *struct{}) (*Body[[]WorkflowOut], error) {
	list, err := a.Store.Workflows.Workflows(ctx)
	if err != nil {
		return nil, err
	}
	failures, err := a.Store.Workflows.TriggerFailures(ctx, "")
	out := []WorkflowOut{}
	for _, v := range list {
		w := workflowOut(v)
		w.Failures = library.FailuresOf(failures, v.Slug, v.Number)
		out = append(out, w)
	}
	return body(out, err)
}

// SourceBody is a workflow file.
type SourceBody struct {
	Source string `json:"source" maxLength:"262144" doc:"YAML"`
	Note   string `json:"note,omitempty" maxLength:"500" doc:"what changed"`
}

func (a *api) saveWorkflow(ctx context.Context, in *struct{ Body SourceBody }) (*Body[WorkflowOut], error) {
	v, err := a.Library.Save(ctx, party(ctx), []byte(in.Body.Source), in.Body.Note)
	if err != nil {
		return nil, err
	}
	return body(workflowOut(v), nil)
}

// CheckOut says what is wrong with a file.
type CheckOut struct {
	Problems []definition.Problem `json:"problems" nullable:"false"`
	Lacks    []string             `json:"lacks" nullable:"false" doc:"steps that can never be done and checks that can never be met here as things stand; no reason to refuse the file"`
	Steps    []StepOut            `json:"steps" nullable:"false"`
}

func (a *api) checkWorkflow(ctx context.Context, in *struct{ Body SourceBody }) (*Body[CheckOut], error) {
	out := CheckOut{Problems: []definition.Problem{}, Lacks: []string{}, Steps: []StepOut{}}
	c, problems := a.Library.Check(ctx, []byte(in.Body.Source))
	out.Problems = append(out.Problems, problems...)
	if c != nil {
		stepsOut(c, c.Graph, "", &out.Steps)
		if problems == nil {
			out.Lacks = append(out.Lacks, a.Library.Lacks(ctx, c)...)
		}
	}
	return body(out, nil)
}

// TestOut is what came of the tests of a file.
type TestOut struct {
	Problems []definition.Problem `json:"problems" nullable:"false"`
	Tests    []instance.Tested    `json:"tests" nullable:"false"`
}

func (a *api) testWorkflow(ctx context.Context, in *struct{ Body SourceBody }) (*Body[TestOut], error) {
	out := TestOut{Problems: []definition.Problem{}, Tests: []instance.Tested{}}
	c, problems := a.Library.Check(ctx, []byte(in.Body.Source))
	if out.Problems = append(out.Problems, problems...); problems == nil {
		for _, t := range c.Tests {
			out.Tests = append(out.Tests, instance.Test(ctx, c, t))
		}
	}
	return body(out, nil)
}

// BundleBody is a bundle.
type BundleBody struct {
	Bundle []byte `json:"bundle" doc:"the zip, in base64"`
}

// largeBundle lets a body hold the largest bundle in base64.
func largeBundle(op *huma.Operation) {
	op.MaxBodyBytes = int64(base64.StdEncoding.EncodedLen(library.MaxBundle)) + 1<<10
}

// BundleOut says what a bundle is and needs.
type BundleOut struct {
	Manifest library.Manifest     `json:"manifest"`
	Source   string               `json:"source"`
	Problems []definition.Problem `json:"problems" nullable:"false"`
	Schemas  []library.Brought    `json:"schemas" nullable:"false" doc:"payload types that it brings along, and what they would change here"`
}

func (a *api) readBundle(ctx context.Context, in *struct{ Body BundleBody }) (*Body[BundleOut], error) {
	b, problems, err := library.ReadBundle(in.Body.Bundle, a.Store.Workflows.Types(ctx))
	if err != nil {
		return nil, err
	}
	if problems == nil {
		problems = a.Library.CheckBundle(ctx, b)
	}
	brings, err := a.Library.Brings(ctx, b)
	return body(BundleOut{b.Manifest, string(b.Source), append([]definition.Problem{}, problems...), brings}, err)
}

func (a *api) importBundle(ctx context.Context, in *struct{ Body BundleBody }) (*Body[WorkflowOut], error) {
	b, problems, err := library.ReadBundle(in.Body.Bundle, a.Store.Workflows.Types(ctx))
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return nil, library.Misfit(problems)
	}
	v, err := a.Library.Import(ctx, party(ctx), b)
	if err != nil {
		return nil, err
	}
	return body(workflowOut(v), nil)
}

func (a *api) exportWorkflow(ctx context.Context, in *struct {
	SlugPath
	Version int `query:"version" doc:"the deployed one when left out"`
},
) (*Body[BundleBody], error) {
	raw, err := a.Library.Export(ctx, a.Store.Roster, in.Slug, in.Version)
	return body(BundleBody{raw}, err)
}

// SlugPath names a workflow.
type SlugPath struct {
	Slug string `path:"slug"`
}

func (a *api) workflow(ctx context.Context, in *struct {
	SlugPath
	Version int `query:"version" doc:"the deployed one, else the newest, when left out"`
},
) (*Body[WorkflowWhole], error) {
	versions, err := a.Store.Workflows.Versions(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	number := in.Version
	for _, v := range versions {
		if number == 0 && v.State == library.Deployed {
			number = v.Number
		}
	}
	if number == 0 && len(versions) > 0 {
		number = versions[0].Number
	}
	v, err := a.Store.Workflows.Version(ctx, in.Slug, number)
	if err != nil {
		return nil, err
	}
	failures, err := a.Store.Workflows.TriggerFailures(ctx, in.Slug)
	out := workflowOut(v)
	out.Failures = library.FailuresOf(failures, v.Slug, v.Number)
	return body(WorkflowWhole{out, v.Source, append([]library.Version{}, versions...)}, err)
}

// DiffOut is what changed from one version to another.
type DiffOut struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff" doc:"a unified diff; empty when nothing changed"`
}

func (a *api) diffWorkflow(ctx context.Context, in *struct {
	SlugPath
	From int `query:"from" required:"true"`
	To   int `query:"to" required:"true"`
},
) (*Body[DiffOut], error) {
	text, err := a.Library.Diff(ctx, in.Slug, in.From, in.To)
	return body(DiffOut{in.From, in.To, text}, err)
}

// DeployBody names a version.
type DeployBody struct {
	Version int `json:"version,omitempty" doc:"the newest when left out"`
}

func (a *api) deployWorkflow(ctx context.Context, in *struct {
	SlugPath
	Body DeployBody
},
) (*Body[WorkflowOut], error) {
	number := in.Body.Version
	if number == 0 {
		var err error
		if number, err = a.Library.Latest(ctx, in.Slug); err != nil {
			return nil, err
		}
	}
	v, err := a.Library.Deploy(ctx, party(ctx), in.Slug, number)
	return body(workflowOut(v), err)
}

func (a *api) rollbackWorkflow(ctx context.Context, in *SlugPath) (*Body[WorkflowOut], error) {
	v, err := a.Library.Rollback(ctx, party(ctx), in.Slug)
	return body(workflowOut(v), err)
}

func (a *api) retireWorkflow(ctx context.Context, in *SlugPath) (*Body[WorkflowOut], error) {
	v, err := a.Library.Retire(ctx, party(ctx), in.Slug)
	return body(workflowOut(v), err)
}

// RunWorkflowBody is what an instance begins with.
type RunWorkflowBody struct {
	Inputs  definition.Given `json:"inputs,omitempty" doc:"values by name"`
	Version int              `json:"version,omitempty" doc:"the deployed one when left out"`
	Project string           `json:"projectId,omitempty"`
	Key     string           `json:"idempotencyKey,omitempty" maxLength:"200" doc:"asked again under it, no other instance begins"`
}

// BegunOut is an instance that was begun.
type BegunOut struct {
	Run run.ID `json:"runId"`
}

func (a *api) runWorkflow(ctx context.Context, in *struct {
	SlugPath
	Body RunWorkflowBody
},
) (*Body[BegunOut], error) {
	if in.Body.Project != "" {
		if err := a.Clerk.Exists(ctx, in.Body.Project); err != nil {
			return nil, err
		}
	}
	id, err := a.Library.Start(ctx, library.Start{
		Slug: in.Slug, Version: in.Body.Version, Inputs: in.Body.Inputs, Project: in.Body.Project, By: party(ctx), Key: in.Body.Key, Trace: run.TraceOf(ctx),
	})
	if library.Asked(err) {
		var asked event.Event
		asked, err = a.Store.Log.ByKey(ctx, party(ctx).AgentID, "workflow/"+in.Body.Key)
		id = run.ID(asked.Message.RunID)
	}
	return body(BegunOut{id}, err)
}

func (a *api) instances(ctx context.Context, in *struct {
	Slug  string `query:"workflow" doc:"of this workflow alone"`
	Open  bool   `query:"open" doc:"only those that have not ended"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
},
) (*Body[[]library.Instance], error) {
	out, err := a.Store.Workflows.Instances(ctx, in.Slug, in.Open, in.Limit)
	return body(append([]library.Instance{}, out...), err)
}

// InstanceOut is an instance with its steps.
type InstanceOut struct {
	library.Instance

	Inputs json.RawMessage    `json:"inputs"`
	Steps  []library.Standing `json:"steps" nullable:"false"`
	// Reviews are the last moves of the reviews, Evidence what was found of contracts.
	Reviews  []instance.Reviewed `json:"reviews" nullable:"false"`
	Evidence []contract.Evidence `json:"evidence" nullable:"false"`
	Plan     []StepOut           `json:"plan" nullable:"false" doc:"the steps of its version"`
	Spend    agent.Spend         `json:"spend"`
	Output   json.RawMessage     `json:"output,omitempty"`
	EndedAt  *time.Time          `json:"endedAt,omitempty"`
}

func (a *api) instance(ctx context.Context, in *IDPath) (*Body[InstanceOut], error) {
	out := InstanceOut{Steps: []library.Standing{}, Plan: []StepOut{}}
	var err error
	if out.Instance, err = a.Store.Workflows.Instance(ctx, run.ID(in.ID)); err != nil {
		return nil, err
	}
	out.Inputs = out.Input.Inputs
	if !out.Instance.Run.EndedAt.IsZero() {
		out.EndedAt = &out.Instance.Run.EndedAt
	}
	steps, err := a.Store.Workflows.Steps(ctx, run.ID(in.ID))
	if err != nil {
		return nil, err
	}
	out.Steps = append(out.Steps, steps...)
	reviews, err := a.Store.Workflows.Reviews(ctx, run.ID(in.ID))
	if err != nil {
		return nil, err
	}
	evidence, err := a.Store.Workflows.Evidence(ctx, run.ID(in.ID))
	if err != nil {
		return nil, err
	}
	out.Reviews, out.Evidence = append([]instance.Reviewed{}, reviews...), append([]contract.Evidence{}, evidence...)
	if v, err := a.Store.Workflows.Version(ctx, out.Slug, out.Instance.Version); err == nil {
		out.Plan = workflowOut(v).Steps
	}
	if out.Spend, err = a.Store.Spending.Spend(ctx, run.ID(in.ID)); err != nil {
		return nil, err
	}
	ends, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Run: in.ID, Type: run.FinishedKind.Name, Limit: 1})
	if err == nil && len(ends) > 0 {
		end, _, err := run.FinishedKind.Open(ends[0].Event)
		if err != nil {
			return nil, err
		}
		out.Output = end.Result
	}
	return body(out, err)
}

// RetryBody says from where an instance begins anew.
type RetryBody struct {
	From   string           `json:"from" doc:"the id of a step of the workflow itself; it and what needs it is done again"`
	Inputs definition.Given `json:"inputs,omitempty" doc:"values that replace those of the instance"`
}

func (a *api) retryInstance(ctx context.Context, in *struct {
	IDPath
	Body RetryBody
},
) (*Body[BegunOut], error) {
	id, err := a.Library.Retry(ctx, party(ctx), run.ID(in.ID), in.Body.From, in.Body.Inputs)
	return body(BegunOut{id}, err)
}
