package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) undo() *cobra.Command {
	var preview bool
	c := &cobra.Command{
		Use: "undo [RUN|EVENT]", Short: "Take back your last change of the project, or what a run or an event changed", Args: cobra.MaximumNArgs(1),
		Example: "  chela undo -p Payments\n  chela undo run_06h280gvep7k3c9x --preview",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			body := client.UndoBody{Preview: &preview}
			if err := a.toUndo(cmd.Context(), cl, args, &body); err != nil {
				return err
			}
			out, err := cl.Undo(cmd.Context(), body)
			if err != nil {
				return err
			}
			return a.print(out, func() { a.undone(out) })
		},
	}
	a.projectFlag(c)
	c.Long = "Takes back what an act did to records: an edit, a bulk edit, an agent's work, an import or, for an admin, the deletion of a project. What somebody changed since stays as it is, field by field, and is named. An undo can be undone. A run or an event needs no project."
	c.Flags().BoolVar(&preview, "preview", false, "say what would change, and change nothing")
	return c
}

// toUndo fills in what is taken back. A run and an event say themselves of which project they are, which may be deleted.
func (a *app) toUndo(ctx context.Context, cl *client.Client, args []string, body *client.UndoBody) error {
	if len(args) == 0 {
		project, err := a.findProject(ctx, cl)
		body.ProjectID = &project
		return err
	}
	switch id := args[0]; {
	case strings.HasPrefix(id, "run_"):
		body.Run = &id
	case strings.HasPrefix(id, "msg_"):
		body.Event = &id
	default:
		return fault.New(fault.Invalid, "%q is neither a run (run_…) nor an event (msg_…). The history of a record names both.", id)
	}
	return nil
}

func (a *app) undone(out client.UndoOut) {
	for _, d := range out.Changed {
		a.printf("%s %s %s  %s\n", d.Op, d.Kind, d.ID, d.Title)
		if d.Op != desk.Updated {
			continue
		}
		for _, f := range d.Fields {
			a.printf("  %s: %s -> %s\n", f.Field, orNothing(f.From), orNothing(f.To))
		}
	}
	for _, k := range out.Kept {
		a.printf("kept %s\n", strings.TrimSpace(string(k.Kind)+" "+k.ID+" "+k.Field+": "+k.Reason))
	}
	if len(out.Changed)+len(out.Kept) == 0 {
		a.printf("Nothing is left to take back.\n")
	}
}
