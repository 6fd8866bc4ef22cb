package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/org"
	"chela/internal/run"
)

func (a *app) runCommands() *cobra.Command {
	c := &cobra.Command{Use: "run", Short: "List runs; cancel, pause or resume one"}
	act := func(name, short string, do func(cl *client.Client, ctx context.Context, id string) (run.Run, error)) *cobra.Command {
		return a.asked(name+" RUN", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
			out, err := do(cl, ctx, args[0])
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("Done.\n") })
		})
	}
	c.AddCommand(a.runList(), act("cancel", "Cancel a run", (*client.Client).CancelRun), act("pause", "Pause a run", (*client.Client).PauseRun), act("resume", "Resume a paused run", (*client.Client).ResumeRun))
	return c
}

func (a *app) runList() *cobra.Command {
	var q client.ListRunsQuery
	c := a.asked("list", "List runs, the newest first; `chela why RUN` explains one", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) (err error) {
		if a.project != "" {
			if q.Project, err = a.findProject(ctx, cl); err != nil {
				return err
			}
		}
		all, err := cl.ListRuns(ctx, q)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			if len(all) == 0 {
				a.printf("No run is so.\n")
				return
			}
			a.tabulate(runTable(all), false)
		})
	})
	f := c.Flags()
	f.StringVar(&q.State, "state", "", "only these: queued, running, waiting, done, failed or cancelled")
	f.StringVar(&q.Kind, "kind", "", "only this kind, such as chat, intake or workflow")
	f.StringVarP(&q.Agent, "agent", "a", "", "only runs in which this agent has a task")
	f.StringVarP(&a.project, "project", "p", "", "only this project's, by name or id")
	f.IntVar(&q.Limit, "limit", 20, "how many at most, up to 200")
	return c
}

// runTable is a row for each run: what it is, whose, how it stands, and what it took.
func runTable(all []client.RunRow) table {
	t := table{columns: []column{
		{head: "Run"}, {head: "State", shade: stateShade}, {head: "What", gives: true}, {head: "Kind"}, {head: "Agent"}, {head: "Began"}, {head: "Took", right: true}, {head: "USD", right: true},
	}}
	for _, r := range all {
		cost := ""
		if r.Spend.Calls > 0 {
			cost = atLeast(r.Spend.CostUSD, r.Spend.Unpriced)
		}
		t.rows = append(t.rows, []string{r.ID, r.State, r.Title, r.Kind, org.AgentID(r.Agent).Name(), moment(r.CreatedAt), tookAbout(time.Duration(r.Ms) * time.Millisecond), cost})
	}
	return t
}

// stateShade is the colour of a run's state.
func stateShade(state string) int {
	switch run.State(state) {
	case run.Failed:
		return red
	case run.Waiting, run.Queued:
		return yellow
	case run.Done:
		return green
	case run.Cancelled:
		return grey
	case run.Running:
	}
	return 0
}

// tookAbout is a length of time as closely as somebody cares for it.
func tookAbout(took time.Duration) string {
	switch {
	case took >= time.Minute:
		took = took.Round(time.Second)
	case took >= time.Second:
		took = took.Round(100 * time.Millisecond)
	}
	return took.String()
}
