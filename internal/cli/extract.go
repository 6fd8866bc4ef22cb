package cli

import (
	"context"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) extract() *cobra.Command {
	var in client.ExtractBody
	var dry bool
	c := a.inProject("extract", "Let the thread extractor look through threads for what nobody has written down", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		in.DryRun = client.Given(dry)
		out, err := cl.Extract(ctx, project, in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, t := range out.ThreadIDs {
				a.printf("%s\n", t)
			}
			if out.ExtractionID != "" {
				a.printf("The thread extractor looks through them: run %s. See `chela why %s`.\n", out.ExtractionID, out.ExtractionID)
			}
		})
	})
	f := c.Flags()
	f.StringSliceVar(&in.ThreadIDs, "thread", nil, "ids of threads; the newest 50 when left out")
	f.StringSliceVar(&in.Types, "type", nil, "REMINDERS, CHECKLISTS, TICKETS, IDEAS; all when left out")
	f.BoolVar(&dry, "dry-run", false, "say which threads would be read, and ask nobody")
	return c
}
