package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/blueprint"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) workflowBuild() *cobra.Command {
	var slug string
	var yes, deploy bool
	c := a.asked("build TEXT", "Plan a workflow, or a change of one, from a sentence; --yes builds it", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.BuildWorkflow(ctx, client.BuildBody{Text: strings.Join(args, " "), Workflow: client.Given(slug)})
		if err != nil {
			return err
		}
		if out.Plan == nil || !yes && !deploy {
			return a.print(out, func() {
				if out.Text != "" {
					a.printf("%s\n", out.Text)
				}
				if out.Plan != nil {
					a.buildPlan(*out.Plan)
					a.printf("`chela workflow plan %s --execute` builds it.\n", out.Plan.ID)
				}
			})
		}
		done, err := cl.ExecuteBuildPlan(ctx, out.Plan.ID)
		if err != nil {
			return err
		}
		if !deploy || done.State != "completed" {
			return a.print(done, func() { a.buildPlan(done) })
		}
		w, err := cl.DeployBuildPlan(ctx, done.ID)
		if err != nil {
			return err
		}
		return a.print(w, func() { a.buildPlan(done); a.workflow(w) })
	})
	c.Flags().StringVar(&slug, "workflow", "", "change this workflow")
	c.Flags().BoolVar(&yes, "yes", false, "build it at once, as a draft")
	c.Flags().BoolVar(&deploy, "deploy", false, "build it at once, save it and deploy it")
	return c
}

func (a *app) buildPlan(p client.BuildPlanOut) {
	a.printf("%s  %s  %s\n", p.ID, p.Workflow, p.State)
	results := make(map[string]string)
	for _, r := range p.StepResults {
		switch {
		case r.Success:
			results[r.Step] = "done"
		case r.Skipped:
			results[r.Step] = "skipped: " + r.Error
		default:
			results[r.Step] = "failed: " + r.Error
		}
	}
	t := table{columns: []column{{head: "Step"}, {head: "Does"}, {head: "What", gives: true}, {head: "Result"}}}
	for _, s := range p.Steps {
		t.rows = append(t.rows, []string{s.ID, string(s.Action), s.Name, results[s.ID]})
	}
	a.tabulate(t, false)
	for _, u := range p.Unread {
		a.printf("Not understood, and not in the plan: %s\n", u)
	}
	for _, f := range p.Findings {
		a.printf("Still to put right: %s\n", f)
	}
}

func (a *app) workflowPlan() *cobra.Command {
	var execute, drop, undo, deploy bool
	var steps string
	c := a.asked("plan [PLAN]", "Show a plan, or list them; change its steps, execute, drop, undo or deploy it", cobra.MaximumNArgs(1), func(ctx context.Context, cl *client.Client, args []string) (err error) {
		if len(args) == 0 {
			all, err := cl.ListBuildPlans(ctx, client.ListBuildPlansQuery{})
			if err != nil {
				return err
			}
			return a.print(all, func() {
				t := table{columns: []column{{head: "Plan"}, {head: "Workflow", gives: true}, {head: "State"}, {head: "Made"}}}
				for _, p := range all {
					t.rows = append(t.rows, []string{p.ID, p.Workflow, p.State, moment(p.At)})
				}
				a.tabulate(t, false)
			})
		}
		var p client.BuildPlanOut
		switch {
		case execute:
			p, err = cl.ExecuteBuildPlan(ctx, args[0])
		case drop:
			p, err = cl.DropBuildPlan(ctx, args[0])
		case undo:
			p, err = cl.UndoBuildPlan(ctx, args[0])
		case steps != "":
			var list []blueprint.Step
			if list, err = planSteps(steps); err == nil {
				p, err = cl.ChangeBuildPlan(ctx, args[0], client.BuildPlanBody{Steps: list})
			}
		case deploy:
			w, err := cl.DeployBuildPlan(ctx, args[0])
			if err != nil {
				return err
			}
			return a.print(w, func() { a.workflow(w) })
		default:
			p, err = cl.GetBuildPlan(ctx, args[0])
		}
		if err != nil {
			return err
		}
		return a.print(p, func() { a.buildPlan(p) })
	})
	c.Flags().BoolVar(&execute, "execute", false, "do it; one that failed goes on")
	c.Flags().BoolVar(&drop, "drop", false, "give it up")
	c.Flags().BoolVar(&undo, "undo", false, "take back what it did")
	c.Flags().BoolVar(&deploy, "deploy", false, "save the draft that it built, and deploy it")
	c.Flags().StringVar(&steps, "steps", "", "replace its steps by the JSON list in this file, - is standard input")
	c.MarkFlagsMutuallyExclusive("execute", "drop", "undo", "deploy", "steps")
	return c
}

// planSteps reads the steps of a plan.
func planSteps(file string) (out []blueprint.Step, err error) {
	var raw []byte
	if file == "-" {
		raw, err = io.ReadAll(io.LimitReader(os.Stdin, 4<<20))
	} else {
		raw, err = os.ReadFile(filepath.Clean(file))
	}
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The steps of %s cannot be read: %s.", file, err)
	}
	return out, nil
}
