package cli

import (
	"context"

	"github.com/spf13/cobra"

	"chela/internal/forecast"
	"chela/internal/gateway/client"
)

func (a *app) forecast() *cobra.Command {
	var q client.ForecastQuery
	c := a.inProject("forecast [SPRINT]", "Say when the open tickets will be done, and how likely they are by a day", cobra.MaximumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if len(args) == 1 {
			q.Sprint = args[0]
		}
		f, err := cl.Forecast(ctx, project, q)
		if err != nil {
			return err
		}
		return a.print(f, func() { a.foretold(f) })
	})
	c.Long = "Says when the open tickets of a project or a sprint will be done, from how many were done on each of the last 13 weeks' days: the days to come are taken to be like those, working days and weekends apart, as if no more tickets came. Of a sprint, and with --until, it also says how likely all are done by that day, and how many will be. No model is asked, and nobody has to estimate anything."
	c.Example = "  chela forecast -p Payments\n  chela forecast \"Sprint 7\" -p Payments\n  chela forecast -p Payments --until 2026-12-24"
	c.Flags().StringVar(&q.Until, "until", "", "the day by which they should be done: 2026-12-24; the sprint's end when left out")
	asOfFlag(c, &q.AsOf)
	return c
}

func (a *app) foretold(f forecast.Forecast) {
	if f.Sprint != "" {
		a.printf("%s: ", f.Sprint)
	}
	a.printf("%s.\n", plural(f.Open, "open ticket"))
	for _, line := range f.Lines() {
		a.printf("%s\n", line)
	}
	for _, n := range f.Notes {
		a.printf("Note: %s\n", n)
	}
}
