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
	c := a.inProject("undo [RUN|EVENT]", "Take back your last change of the project, or what a run or an event changed", cobra.MaximumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		body := client.UndoBody{ProjectID: &project, Preview: &preview}
		if len(args) > 0 {
			switch id := args[0]; {
			case strings.HasPrefix(id, "run_"):
				body.Run = &id
			case strings.HasPrefix(id, "msg_"):
				body.Event = &id
			default:
				return fault.New(fault.Invalid, "%q is neither a run (run_…) nor an event (msg_…). The history of a record names both.", id)
			}
		}
		out, err := cl.Undo(ctx, body)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.undone(out) })
	})
	c.Long = "Takes back what an act did to records: an edit, a bulk edit, an agent's work or an import. What somebody changed since stays as it is, field by field, and is named. An undo can be undone."
	c.Flags().BoolVar(&preview, "preview", false, "say what would change, and change nothing")
	return c
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
