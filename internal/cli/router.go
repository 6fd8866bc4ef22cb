package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/definition"
	"chela/internal/gateway/client"
	"chela/internal/router"
)

func (a *app) route() *cobra.Command {
	var thread string
	c := a.asked("route TEXT", "Say what would become of a message: an answer, a question, or a workflow", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		body := client.RouteBody{Text: strings.Join(args, " "), ThreadID: &thread}
		if a.project != "" {
			id, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			body.ProjectID = &id
		}
		d, err := cl.RouteMessage(ctx, body)
		if err != nil {
			return err
		}
		return a.print(d, func() { a.decision(d) })
	})
	c.Long = "Says what would become of a message that names no agent, and why. Nothing is recorded and no model is asked; in a conversation one is, when something is near."
	a.projectFlag(c)
	c.Flags().StringVar(&thread, "thread", "", "the conversation in which it would be said")
	return c
}

// decision prints what the router would do.
func (a *app) decision(d router.Decision) {
	what := map[router.Kind]string{
		router.Direct: "It is answered", router.Clarify: "Inputs of " + d.Name + " are asked for", router.Confirm: "It is asked whether " + d.Name + " is meant",
		router.Trigger: d.Name + " begins", router.Cancelled: d.Name + " is dropped",
	}[d.Kind]
	a.printf("%s. %s\n", what, d.Reason)
	for _, name := range slices.Sorted(maps.Keys(d.Inputs)) {
		a.printf("  %s: %s (by %s)\n", name, definition.Text(d.Inputs[name].Value), d.Inputs[name].How)
	}
	if len(d.Missing) > 0 {
		a.printf("  missing: %s\n", strings.Join(d.Missing, ", "))
	}
	for _, m := range d.Shortlist {
		a.printf("%5.2f  %s  %s\n", m.Confidence, m.ID, m.Nearest)
	}
}
