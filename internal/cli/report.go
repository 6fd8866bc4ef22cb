package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) statusReport() *cobra.Command {
	var q client.ReportQuery
	var file string
	c := a.inProject("report", "Write the status of a project or a sprint as Markdown", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		if a.json {
			out, err := cl.Report(ctx, project, q)
			if err != nil {
				return err
			}
			return a.print(out, nil)
		}
		q.Format, q.Base = "markdown", a.url
		if raw, err := os.ReadFile(filepath.Join(a.data, addressFile)); q.Base == "" && err == nil {
			q.Base = "http://" + strings.TrimSpace(string(raw))
		}
		in, err := cl.OpenReport(ctx, project, q)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // read to its end
		if file != "" {
			return writeFile(file, in)
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		a.printf("%s", raw)
		return nil
	})
	c.Long = "Writes what was finished, what is late, what stands still, objectives, milestones and who has too much, over the last seven days, the days of a sprint, or those that are given. It is computed from the records and the log, without a model; its numbers link to the records behind them."
	c.Example = "  chela report -p Payments --from monday\n  chela report -p Payments --sprint \"Sprint 7\" -o status.md"
	f := c.Flags()
	f.StringVar(&q.Sprint, "sprint", "", "only this sprint")
	f.StringVar(&q.From, "from", "", "the first day: 2026-03-01, yesterday, monday, or 2w for two weeks ago")
	f.StringVar(&q.To, "to", "", "the last day; today when empty")
	f.StringVarP(&file, "out", "o", "", "file to write; standard output when empty")
	asOfFlag(c, &q.AsOf)
	return c
}
