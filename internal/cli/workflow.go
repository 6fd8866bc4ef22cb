package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/instance"
	"chela/internal/library"
)

func (a *app) workflows() *cobra.Command {
	c := &cobra.Command{Use: "workflow", Short: "Write, deploy and run workflows", Long: "Write, deploy and run workflows. docs/workflows.md teaches them in ten minutes."}
	c.AddCommand(a.workflowNew(), a.workflowSchema(), a.workflowLint(), a.workflowTest(), a.workflowDeploy(), a.workflowRun(), a.workflowList(), a.workflowShow(), a.workflowDiff(),
		a.workflowMove("rollback", "Deploy the version again that was deployed before", (*client.Client).RollbackWorkflow),
		a.workflowMove("retire", "Retire the deployed version; instances in progress go on", (*client.Client).RetireWorkflow),
		a.instanceList(), a.instanceShow(), a.instanceRetry(), a.instanceUndo(), a.contracts(), a.workflowExport(), a.workflowImport(), a.workflowDraft(), a.workflowEdit(), a.workflowBuild(), a.workflowPlan())
	return c
}

// firstWorkflow is what a new file begins with.
const firstWorkflow = `# yaml-language-server: $schema=workflow.schema.json
slug: %s
name: %s
description: Says what comes in, and asks a person whether that is right.
examples:
  - Check this note
inputs:
  - {name: note, type: text, required: true, description: What to look at.}
steps:
  - id: look
    agent:
      name: generalist
      task: |
        Sum up this note in one sentence.
        ${inputs.note}
  - id: ask
    wait:
      person:
        ask: Is this right?
        detail: ${look.text}
    timeout: 3d
  - id: decide
    branch:
      - {case: fits, when: ask.choice == "approve"}
      - {case: differs}
  - id: kept
    needs: [decide.fits]
    transform: {summary: "${look.text}", by: "${ask.by}"}
  - id: dropped
    needs: [decide.differs]
    transform: {why: "${ask.note}"}
`

func (a *app) workflowNew() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use: "new SLUG", Short: "Write a first file for a workflow, and the schema for editors beside it", Args: cobra.ExactArgs(1),
		Long: "Write a first file for a workflow, and the schema for editors beside it. --from begins with one that comes with Chela: " + strings.Join(library.Shipped(), ", ") + ".",
		RunE: func(_ *cobra.Command, args []string) error {
			slug := args[0]
			if !definition.ValidSlug(slug) {
				return usageError{fmt.Errorf("%q is no slug: use lower-case letters, digits and hyphens", slug)}
			}
			file := slug + ".yaml"
			name := strings.ToUpper(slug[:1]) + strings.ReplaceAll(slug[1:], "-", " ")
			source := fmt.Appendf(nil, firstWorkflow, slug, name)
			if from != "" {
				raw, err := library.ShippedSource(from)
				if err != nil {
					return err
				}
				source = []byte(strings.Replace(string(raw), "slug: "+from+"\n", "slug: "+slug+"\n", 1))
			}
			if err := writeNew(file, source); err != nil {
				return err
			}
			if err := writeNew("workflow.schema.json", definition.FileSchema()); err != nil && fault.KindOf(err) != fault.Conflict {
				return err
			}
			return a.print(map[string]string{"file": file}, func() {
				a.printf("Wrote %s. Edit it, then: chela workflow lint %s; chela workflow deploy %s\n", file, file, file)
			})
		},
	}
	c.Flags().StringVar(&from, "from", "", "begin with a workflow that comes with Chela")
	return c
}

// writeNew writes a file that is not there yet.
func writeNew(file string, raw []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the person names it, and reads it
	if os.IsExist(err) {
		return fault.Wrap(err, fault.Conflict, "The file %s is there already.", file)
	}
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The file %s cannot be written.", file)
	}
	_, err = f.Write(raw)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func (a *app) workflowSchema() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of workflow files, for editors", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		_, err := a.out.Write(definition.FileSchema())
		return err
	}}
}

// readWorkflow reads a file that a person names, within the limit of workflows.
func readWorkflow(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > definition.MaxFile {
		return nil, fault.New(fault.TooLarge, "%s: The file has %d bytes; a workflow has at most %d.", file, info.Size(), definition.MaxFile)
	}
	raw, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", file)
	}
	return raw, nil
}

func (a *app) workflowLint() *cobra.Command {
	return &cobra.Command{
		Use: "lint FILE…", Short: "Check workflow files; without a daemon, and with its tools and agents when there is one", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var wrong []string
			for _, file := range args {
				raw, err := readWorkflow(file)
				if err != nil {
					wrong = append(wrong, fault.TextOf(err))
					continue
				}
				_, problems := definition.ReadFile(raw, a.ownTypes(cmd.Context()))
				if problems == nil {
					if cl, err := a.client(); err == nil {
						if out, err := cl.CheckWorkflow(cmd.Context(), client.SourceBody{Source: string(raw)}); err == nil {
							problems = out.Problems
						}
					}
				}
				if len(problems) > 0 {
					wrong = append(wrong, problems.In(file))
				}
			}
			if wrong != nil {
				return fault.New(fault.Invalid, "%s", strings.Join(wrong, "\n"))
			}
			return a.print(map[string]any{"problems": []string{}}, func() { a.printf("%s: no problems\n", strings.Join(args, ", ")) })
		},
	}
}

func (a *app) workflowTest() *cobra.Command {
	return &cobra.Command{
		Use: "test FILE…", Short: "Play the tests of workflow files; no model is asked and no tool is called", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, failed := []instance.Tested{}, 0
			var untested []string
			for _, file := range args {
				raw, err := readWorkflow(file)
				if err != nil {
					return err
				}
				c, problems := definition.ReadFile(raw, a.ownTypes(cmd.Context()))
				if problems != nil {
					return fault.New(fault.Invalid, "%s", problems.In(file))
				}
				if len(c.Tests) == 0 {
					untested = append(untested, file)
				}
				for _, t := range c.Tests {
					got := instance.Test(cmd.Context(), c, t)
					if all = append(all, got); !got.OK {
						failed++
					}
				}
			}
			err := a.print(all, func() {
				for _, t := range all {
					a.printf("%s  %s\n", map[bool]string{true: "ok  ", false: "FAIL"}[t.OK], t.Name)
					for _, why := range t.Failed {
						a.printf("      %s\n", why)
					}
				}
				for _, file := range untested {
					a.printf("%s has no tests. docs/workflows.md shows how they are written.\n", file)
				}
			})
			if err == nil && failed > 0 {
				err = fault.New(fault.Invalid, "%d of %d tests failed.", failed, len(all))
			}
			return err
		},
	}
}

func (a *app) contracts() *cobra.Command {
	return a.asked("contracts", "Count for each agent how often it said that something was done, how often its contract said no, and what it changed unasked", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListContracts(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, c := range all {
				a.printf("%-24s  said done %d times, refuted %d times (%.0f%%); changed %d unasked in %d tasks\n", strings.TrimPrefix(c.Agent, "agent:"), c.Said, c.Unmet, 100*c.Rate, c.Outside, c.Tasks)
			}
		})
	})
}

func (a *app) workflowDeploy() *cobra.Command {
	var note string
	var version int
	var draft bool
	c := a.asked("deploy FILE|SLUG", "Save a file as a new version and deploy it; or deploy a version that is there, or a workflow that comes with Chela", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		slug := args[0]
		if strings.ContainsAny(slug, "./") {
			raw, err := readWorkflow(args[0])
			if err != nil {
				return err
			}
			if _, problems := definition.ReadFile(raw, a.ownTypes(ctx)); problems != nil {
				return fault.New(fault.Invalid, "%s", problems.In(args[0]))
			}
			saved, err := cl.SaveWorkflow(ctx, client.SourceBody{Source: string(raw), Note: client.Given(note)})
			if err != nil {
				return err
			}
			if slug, version = saved.Slug, saved.Version; draft || saved.State == "deployed" {
				return a.print(saved, func() { a.workflow(saved) })
			}
		}
		w, err := cl.DeployWorkflow(ctx, slug, client.DeployBody{Version: &version})
		if raw, no := library.ShippedSource(slug); fault.KindOf(err) == fault.NotFound && err != nil && no == nil && version == 0 {
			var saved client.WorkflowOut
			if saved, err = cl.SaveWorkflow(ctx, client.SourceBody{Source: string(raw)}); err == nil {
				w, err = cl.DeployWorkflow(ctx, slug, client.DeployBody{Version: &saved.Version})
			}
		}
		if err != nil {
			return err
		}
		return a.print(w, func() { a.workflow(w) })
	})
	c.Flags().StringVar(&note, "note", "", "what changed")
	c.Flags().IntVar(&version, "version", 0, "of a slug: this version (default the newest)")
	c.Flags().BoolVar(&draft, "draft", false, "save the file and do not deploy it")
	return c
}

func (a *app) workflow(w client.WorkflowOut) {
	a.printf("%s  version %d  %s  %s\n", w.Slug, w.Version, w.State, w.Name)
	if w.Problem != "" {
		a.printf("    %s\n", w.Problem)
	}
}

func (a *app) workflowMove(use, short string, call func(*client.Client, context.Context, string) (client.WorkflowOut, error)) *cobra.Command {
	return a.asked(use+" SLUG", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		w, err := call(cl, ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(w, func() { a.workflow(w) })
	})
}

func (a *app) workflowList() *cobra.Command {
	return a.asked("list", "List workflows: of each the deployed version, else the newest", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListWorkflows(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			if len(all) == 0 {
				a.printf("There are no workflows. `chela workflow new SLUG` writes a first one; these come with Chela: %s.\n", strings.Join(library.Shipped(), ", "))
			}
			for _, w := range all {
				a.workflow(w)
			}
		})
	})
}

func (a *app) workflowShow() *cobra.Command {
	var version int
	var source bool
	c := a.asked("show SLUG", "Show a workflow: its inputs, steps and versions, and when its triggers failed", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		w, err := cl.GetWorkflow(ctx, args[0], client.GetWorkflowQuery{Version: version})
		if err != nil {
			return err
		}
		return a.print(w, func() {
			if source {
				a.printf("%s", w.Source)
				return
			}
			a.printf("%s, version %d (%s): %s\n%s\n", w.Slug, w.Version, w.State, w.Name, w.Description)
			for _, in := range w.Inputs {
				a.printf("  input %s (%s): %s%s\n", in.Name, in.Type, in.Description, map[bool]string{true: " Required."}[in.Required])
			}
			for _, s := range w.Steps {
				a.printf("  %-24s %-10s %s\n", s.Path, s.Kind, afterWhat(s.Needs))
			}
			for _, f := range w.Failures {
				a.printf("  failed  %s  %s: %s%s\n", moment(f.At), f.Cause(), f.Problem, map[bool]string{true: fmt.Sprintf(" (%d times)", f.Count)}[f.Count > 1])
			}
			for _, v := range w.Versions {
				a.printf("  version %d  %s  %s  %s\n", v.Number, v.State, moment(v.SavedAt), v.Note)
			}
		})
	})
	c.Flags().IntVar(&version, "version", 0, "this version (default the deployed one)")
	c.Flags().BoolVar(&source, "source", false, "print the file")
	return c
}

func afterWhat(needs []string) string {
	if len(needs) == 0 {
		return ""
	}
	return "after " + strings.Join(needs, ", ")
}

func (a *app) workflowDiff() *cobra.Command {
	var from, to int
	c := a.asked("diff SLUG", "Show what changed from one version to another", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		d, err := cl.DiffWorkflow(ctx, args[0], client.DiffWorkflowQuery{From: from, To: to})
		if err != nil {
			return err
		}
		return a.print(d, func() { a.printf("%s", d.Diff) })
	})
	c.Flags().IntVar(&from, "from", 1, "the old version")
	c.Flags().IntVar(&to, "to", 2, "the new version")
	return c
}

func (a *app) workflowRun() *cobra.Command {
	var given []string
	var file, key string
	var version int
	var wait bool
	c := a.asked("run SLUG", "Begin an instance of a workflow", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		w, err := cl.GetWorkflow(ctx, args[0], client.GetWorkflowQuery{Version: version})
		if err != nil {
			return err
		}
		inputs, err := inputsOf(w.Inputs, file, given, projectNamed(ctx, cl))
		if err != nil {
			return err
		}
		body := client.RunWorkflowBody{Inputs: inputs, IdempotencyKey: client.Given(key)}
		if version > 0 {
			body.Version = &version
		}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			body.ProjectID = &project
		}
		begun, err := cl.RunWorkflow(ctx, args[0], body)
		if err != nil {
			return err
		}
		if wait {
			return a.followInstance(ctx, cl, begun.RunID)
		}
		return a.print(begun, func() {
			a.printf("Began %s. `chela workflow status %s` shows where it stands.\n", begun.RunID, begun.RunID)
		})
	})
	c.Long = "Begins an instance of a workflow, in its deployed version, and says by which run it is played. `chela workflow show SLUG` lists the inputs that it takes: a project by its name or id, numbers, lists and objects as JSON, texts as they are. An instance works in the project of --project, else in that of its first input of the type project."
	c.Example = "  chela workflow run weekly-report -i project=Payments --wait\n  chela workflow run triage -i report=\"It burns\" -i 'tags=[\"pay\", \"card\"]'"
	f := c.Flags()
	f.StringArrayVarP(&given, "input", "i", nil, "an input, as name=value; again for more")
	f.StringVar(&file, "inputs", "", "a JSON file with inputs")
	f.StringVar(&key, "key", "", "asked again under it, no other instance begins")
	f.IntVar(&version, "version", 0, "this version (default the deployed one)")
	f.BoolVar(&wait, "wait", false, "answer when it has ended, or waits")
	f.StringVarP(&a.project, "project", "p", "", "the project, by name or id")
	return c
}

// projectNamed finds the id of a project by its name or id.
func projectNamed(ctx context.Context, cl *client.Client) func(name string) (string, error) {
	return func(name string) (string, error) { return (&app{project: name}).findProject(ctx, cl) }
}

// inputsOf reads inputs from a file and from name=value, by the types of the workflow. A project is named as project finds it.
func inputsOf(known []definition.Input, file string, given []string, project func(name string) (string, error)) (json.RawMessage, error) {
	out := make(definition.Given)
	if file != "" {
		raw, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", file)
		}
		if err := json.Unmarshal(raw, &out); err != nil || out == nil {
			return nil, fault.Wrap(err, fault.Invalid, "The file %s holds no JSON object.", file)
		}
	}
	said := make(map[string]bool)
	for _, g := range given {
		name, text, ok := strings.Cut(g, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("%q is no input; write name=value", g)}
		}
		if said[name] {
			return nil, usageError{fmt.Errorf("the input %s is given twice", name)}
		}
		said[name] = true
		out[name] = text
		for _, in := range known {
			if in.Name == name && in.Type == definition.Project && text != "" {
				id, err := project(text)
				if err != nil {
					return nil, err
				}
				out[name] = id
			}
			if in.Name != name || !slices.Contains([]definition.Type{definition.Integer, definition.Number, definition.Boolean, definition.List, definition.Object}, in.Type) {
				continue
			}
			v, err := definition.Read([]byte(text))
			if err != nil {
				return nil, fault.BadField("inputs."+name, fmt.Sprintf("%q is no %s.", text, in.Type))
			}
			out[name] = v
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return json.Marshal(out)
}
