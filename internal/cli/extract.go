package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) extract() *cobra.Command {
	var in struct {
		Threads []string `json:"threadIds,omitempty"`
		Types   []string `json:"types,omitempty"`
		DryRun  bool     `json:"dryRun,omitempty"`
	}
	c := a.inProject("extract", "Let the thread extractor look through threads for what nobody has written down", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		var out struct {
			ID      string   `json:"extractionId,omitempty"`
			Session string   `json:"sessionId,omitempty"`
			Status  string   `json:"status"`
			Threads []string `json:"threadIds"`
		}
		if err := cl.Call(ctx, http.MethodPost, "/api/projects/"+project+"/extract", in, &out); err != nil {
			return err
		}
		return a.print(out, func() {
			for _, t := range out.Threads {
				a.printf("%s\n", t)
			}
			if out.ID != "" {
				a.printf("The thread extractor looks through them: run %s. See `chela why %s`.\n", out.ID, out.ID)
			}
		})
	})
	f := c.Flags()
	f.StringSliceVar(&in.Threads, "thread", nil, "ids of threads; the newest 50 when left out")
	f.StringSliceVar(&in.Types, "type", nil, "REMINDERS, CHECKLISTS, TICKETS, IDEAS; all when left out")
	f.BoolVar(&in.DryRun, "dry-run", false, "say which threads would be read, and ask nobody")
	return c
}
