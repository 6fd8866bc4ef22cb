package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/library"
)

func (a *app) workflowExport() *cobra.Command {
	var version int
	c := a.asked("export SLUG", "Write a version as a bundle, SLUG-bundle.zip: its file, its agents, what it needs, its payload types, secrets by name", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		b, err := cl.ExportWorkflow(ctx, args[0], client.ExportWorkflowQuery{Version: version})
		if err != nil {
			return err
		}
		file := args[0] + "-bundle.zip"
		if err := writeNew(file, b.Bundle); err != nil {
			return err
		}
		return a.print(map[string]string{"file": file}, func() { a.printf("Wrote %s.\n", file) })
	})
	c.Flags().IntVar(&version, "version", 0, "this version (default the deployed one)")
	return c
}

func (a *app) workflowImport() *cobra.Command {
	var yes bool
	c := a.asked("import FILE", "Show what a bundle needs; --yes registers its payload types and saves its workflow as a draft. Nothing of it is run", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		info, err := os.Stat(args[0])
		if err == nil && info.Size() > library.MaxBundle {
			return fault.New(fault.TooLarge, "The bundle has %d bytes; the limit is %d.", info.Size(), library.MaxBundle)
		}
		raw, err := os.ReadFile(filepath.Clean(args[0]))
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", args[0])
		}
		b, err := cl.ReadWorkflowBundle(ctx, client.BundleBody{Bundle: raw})
		if err != nil {
			return err
		}
		if len(b.Problems) > 0 {
			return fault.New(fault.Invalid, "%s", definition.Problems(b.Problems).In("workflow.yaml"))
		}
		if !yes {
			return a.print(b, func() { a.manifest(b.Manifest, b.Schemas) })
		}
		w, err := cl.ImportWorkflow(ctx, client.BundleBody{Bundle: raw})
		if err != nil {
			return err
		}
		return a.print(w, func() { a.workflow(w) })
	})
	c.Flags().BoolVar(&yes, "yes", false, "register its payload types and save it as a draft")
	return c
}

// manifest shows what a workflow from elsewhere would do.
func (a *app) manifest(m library.Manifest, brings []library.Brought) {
	a.printf("%s: %s\n%s\n", m.Slug, m.Name, m.Description)
	for _, l := range []struct {
		what string
		list []string
	}{
		{"It calls the tools", m.Tools},
		{"It names the agents", m.Agents},
		{"Its agents must have", m.Requires},
		{"It plays the workflows", m.Workflows},
		{"It uses the secrets", m.Secrets},
		{"It runs the commands", m.Commands},
	} {
		if len(l.list) > 0 {
			a.printf("%s: %s\n", l.what, strings.Join(l.list, ", "))
		}
	}
	if m.Triggers > 0 {
		a.printf("Deployed, it begins by itself: it has %d triggers.\n", m.Triggers)
	}
	for _, p := range brings {
		switch {
		case p.Revision == 0:
			a.printf("It brings the payload type %s, which is new here:\n%s", p.Name, p.Diff)
		case p.Diff == "":
			a.printf("It brings the payload type %s, which is here as revision %d.\n", p.Name, p.Revision)
		default:
			a.printf("It brings the payload type %s, which changes what is here:\n%s", p.Name, p.Diff)
		}
		if p.Problem != "" {
			a.printf("It cannot be imported. %s\n", p.Problem)
		}
	}
	a.printf("Nothing was kept. `chela workflow import --yes` saves it as a draft.\n")
}
