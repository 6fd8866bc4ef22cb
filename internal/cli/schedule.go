package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

type scheduleOut struct {
	ID       string   `json:"scheduleId"`
	Agent    string   `json:"agentId"`
	Enabled  bool     `json:"enabled"`
	Timezone string   `json:"timezone"`
	Type     string   `json:"scheduleType"`
	Cron     string   `json:"cronExpr,omitempty"`
	Times    []string `json:"timesOfDay,omitempty"`
	Every    int      `json:"intervalMinutes,omitempty"`
	Scope    string   `json:"projectScope"`
	Project  string   `json:"projectId,omitempty"`
	Policy   struct {
		MaxConcurrent int   `json:"maxConcurrent"`
		Priority      int   `json:"priority"`
		MaxAttempts   int   `json:"maxAttempts"`
		Backoff       int64 `json:"retryBackoffMs"`
	} `json:"executorPolicy"`
	Inputs struct {
		Window  int    `json:"windowMinutes,omitempty"`
		Threads string `json:"threadFilter,omitempty"`
	} `json:"inputsPolicy"`
	Next    time.Time `json:"nextExecutionAt,omitzero"`
	Last    *pastOut  `json:"lastExecution,omitempty"`
	Problem string    `json:"problem,omitempty"`
	Version int64     `json:"version"`
}

type pastOut struct {
	ID      string    `json:"pastExecutionId"`
	Agent   string    `json:"agentId"`
	Project string    `json:"projectId"`
	At      time.Time `json:"scheduledAt"`
	Ended   time.Time `json:"endedAt"`
	Result  string    `json:"resultStatus"`
	Error   string    `json:"errorMessage,omitempty"`
	Summary string    `json:"responseSummary,omitempty"`
	Attempt int       `json:"attempt"`
	Run     string    `json:"runId,omitempty"`
}

type executionOut struct {
	ID      string    `json:"executionId"`
	Agent   string    `json:"agentId"`
	Project string    `json:"projectId"`
	At      time.Time `json:"scheduledAt"`
	Due     time.Time `json:"dueAt"`
	State   string    `json:"execStatus"`
	Attempt int       `json:"attempt"`
	Run     string    `json:"runId,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// when says in words when a schedule works.
func (s scheduleOut) when() string {
	switch s.Type {
	case "CRON":
		return s.Cron + " " + s.Timezone
	case "FIXED_TIMES":
		return strings.Join(s.Times, ", ") + " " + s.Timezone
	case "INTERVAL":
		return fmt.Sprintf("every %d min from midnight %s", s.Every, s.Timezone)
	}
	return "once, at once"
}

func (a *app) scheduleCommands() *cobra.Command {
	c := &cobra.Command{Use: "schedule", Short: "Say which agent works when, and for which projects"}
	c.AddCommand(a.scheduleList(), a.scheduleShow(), a.scheduleWrite("create", "Make a schedule", cobra.NoArgs), a.scheduleWrite("edit SCHEDULE", "Edit a schedule; what is not named stays", cobra.ExactArgs(1)),
		a.scheduleDelete(), a.scheduleRun())
	return c
}

// asked is a command that makes one call.
func (a *app) asked(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, cl *client.Client, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		cl, err := a.client()
		if err != nil {
			return err
		}
		return run(cmd.Context(), cl, args)
	}}
}

func (a *app) scheduleList() *cobra.Command {
	var agent string
	c := a.asked("list", "List schedules with their next instants and last results", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		var all []scheduleOut
		if err := cl.Call(ctx, http.MethodGet, "/api/schedules?"+url.Values{"agentId": {agent}}.Encode(), nil, &all); err != nil {
			return err
		}
		return a.print(all, func() {
			for _, s := range all {
				next := "off"
				if s.Enabled {
					next = "next " + moment(s.Next)
				}
				last := ""
				if s.Last != nil {
					last = ", last " + strings.ToLower(s.Last.Result)
				}
				a.printf("%s  %s  %s  %s%s\n", s.ID, s.Agent, s.when(), next, last)
				if s.Problem != "" {
					a.printf("    %s\n", s.Problem)
				}
			}
		})
	})
	c.Flags().StringVarP(&agent, "agent", "a", "", "only this agent's")
	return c
}

// moment is an instant as people of this machine read it.
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

func (a *app) scheduleShow() *cobra.Command {
	return a.asked("show SCHEDULE", "Show a schedule", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		var s scheduleOut
		if err := cl.Call(ctx, http.MethodGet, "/api/schedules/"+url.PathEscape(args[0]), nil, &s); err != nil {
			return err
		}
		return a.print(s, func() { a.schedule(s) })
	})
}

func (a *app) schedule(s scheduleOut) {
	scope := "each active project"
	if s.Project != "" {
		scope = "the project " + s.Project
	}
	a.printf("%s, version %d: %s works for %s\nWhen: %s", s.ID, s.Version, s.Agent, scope, s.when())
	if !s.Enabled {
		a.printf(" (switched off)")
	}
	a.printf("\nNext: %s\n%d at once, priority %d, up to %d attempts, %s before the second\n", moment(s.Next), s.Policy.MaxConcurrent, s.Policy.Priority, s.Policy.MaxAttempts,
		time.Duration(s.Policy.Backoff)*time.Millisecond)
	if s.Inputs.Window > 0 {
		a.printf("It looks at what changed within %s before.\n", time.Duration(s.Inputs.Window)*time.Minute)
	}
	if s.Inputs.Threads != "" {
		a.printf("Of the threads it looks at those that fit: %s\n", s.Inputs.Threads)
	}
	if s.Last != nil {
		a.printf("Last: %s at %s. %s%s\n", s.Last.Result, moment(s.Last.Ended), s.Last.Error, s.Last.Summary)
	}
	if s.Problem != "" {
		a.printf("%s\n", s.Problem)
	}
}

// scheduleFlags are what is said of a schedule on the command line.
type scheduleFlags struct {
	agent, cron, zone         string
	threads                   string
	window                    time.Duration
	times                     []string
	every, together, priority int
	attempts                  int
	backoff                   time.Duration
	atOnce, everywhere, on    bool
}

func (a *app) scheduleWrite(use, short string, args cobra.PositionalArgs) *cobra.Command {
	var in scheduleFlags
	c := &cobra.Command{
		Use: use, Short: short, Args: args,
		Example: "  chela schedule create --agent reconcile-agent --cron '0 9 * * MON-FRI' --timezone Europe/Berlin\n  chela schedule create --agent pm --times 09:00,17:00 -p \"My project\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			body, err := a.scheduleBody(cmd, cl, in)
			if err != nil {
				return err
			}
			method, path := http.MethodPost, "/api/schedules"
			if len(args) > 0 {
				method, path = http.MethodPut, path+"/"+url.PathEscape(args[0])
			}
			var s scheduleOut
			if err := cl.Call(cmd.Context(), method, path, body, &s); err != nil {
				return err
			}
			return a.print(s, func() { a.schedule(s) })
		},
	}
	f := c.Flags()
	f.StringVarP(&in.agent, "agent", "a", "", "the agent that works")
	f.StringVar(&in.cron, "cron", "", "when: five fields, or six with seconds first")
	f.StringSliceVar(&in.times, "times", nil, "when: times of every day, such as 09:00,17:30")
	f.IntVar(&in.every, "every", 0, "when: every so many minutes, from midnight on")
	f.BoolVar(&in.atOnce, "at-once", false, "when: once, when it is made or switched on")
	f.StringVar(&in.zone, "timezone", "", "in which the times are meant, such as Europe/Berlin (default UTC)")
	f.BoolVar(&in.everywhere, "all-projects", false, "for each active project (the default)")
	f.IntVar(&in.together, "max-concurrent", 0, "executions of it at once (default 1)")
	f.IntVar(&in.priority, "priority", 0, "1 to 10; the higher begins first (default 5)")
	f.IntVar(&in.attempts, "max-attempts", 0, "how often one that fails is begun (default 3)")
	f.DurationVar(&in.backoff, "backoff", 0, "the wait before the second attempt, doubled before each further one (default 1m)")
	f.DurationVar(&in.window, "window", 0, "look only at what changed within so long before, such as 24h; 0 for all")
	f.StringVar(&in.threads, "threads", "", "of the threads look only at those that fit a filter, as lists take it")
	f.BoolVar(&in.on, "enabled", true, "--enabled=false switches it off")
	f.StringVarP(&a.project, "project", "p", "", "for this project alone, by name or id")
	return c
}

// scheduleBody says what the flags say that were given.
func (a *app) scheduleBody(cmd *cobra.Command, cl *client.Client, in scheduleFlags) (map[string]any, error) {
	body, policy := map[string]any{}, map[string]any{}
	put := func(into map[string]any, flag, field string, v any) bool {
		given := cmd.Flags().Changed(flag)
		if given {
			into[field] = v
		}
		return given
	}
	put(body, "agent", "agentId", in.agent)
	put(body, "timezone", "timezone", in.zone)
	put(body, "enabled", "enabled", in.on)
	kind := map[string]bool{
		"CRON": put(body, "cron", "cronExpr", in.cron), "FIXED_TIMES": put(body, "times", "timesOfDay", in.times),
		"INTERVAL": put(body, "every", "intervalMinutes", in.every), "IMMEDIATE": in.atOnce,
	}
	for name, given := range kind {
		if _, two := body["scheduleType"]; given && two {
			return nil, usageError{fmt.Errorf("say one of --cron, --times, --every and --at-once")}
		}
		if given {
			body["scheduleType"] = name
		}
	}
	inputs := map[string]any{}
	put(inputs, "window", "windowMinutes", int(in.window.Minutes()))
	if put(inputs, "threads", "threadFilter", in.threads); len(inputs) > 0 {
		body["inputsPolicy"] = inputs
	}
	put(policy, "max-concurrent", "maxConcurrent", in.together)
	put(policy, "priority", "priority", in.priority)
	put(policy, "max-attempts", "maxAttempts", in.attempts)
	put(policy, "backoff", "retryBackoffMs", in.backoff.Milliseconds())
	if len(policy) > 0 {
		body["executorPolicy"] = policy
	}
	if in.everywhere {
		body["projectScope"] = "GLOBAL"
	}
	if cmd.Flags().Changed("project") {
		project, err := a.findProject(cmd.Context(), cl)
		if err != nil {
			return nil, err
		}
		body["projectId"], body["projectScope"] = project, "PROJECT"
	}
	return body, nil
}

func (a *app) scheduleDelete() *cobra.Command {
	return a.asked("delete SCHEDULE", "Delete a schedule; what it had planned is cancelled, what runs goes on", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.Call(ctx, http.MethodDelete, "/api/schedules/"+url.PathEscape(args[0]), nil, nil); err != nil {
			return err
		}
		return a.print(map[string]string{"deleted": args[0]}, func() { a.printf("Deleted %s.\n", args[0]) })
	})
}

func (a *app) scheduleRun() *cobra.Command {
	return a.triggers("run SCHEDULE", "Have a schedule work now", "scheduleId")
}

// triggers is a command that has something work now.
func (a *app) triggers(use, short, field string) *cobra.Command {
	var wait bool
	c := a.asked(use, short+", for one project or for each", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		body := map[string]any{field: args[0], "wait": wait}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			body["projectId"] = project
		}
		var out struct {
			Executions []executionOut `json:"executions"`
		}
		if err := cl.Call(ctx, http.MethodPost, "/api/executions/trigger", body, &out); err != nil {
			return err
		}
		return a.print(out, func() {
			for _, e := range out.Executions {
				a.execution(e)
			}
		})
	})
	c.Flags().BoolVar(&wait, "wait", false, "answer when the work has ended, or waits for a person")
	c.Flags().StringVarP(&a.project, "project", "p", "", "for this project alone, by name or id")
	return c
}

func (a *app) execution(e executionOut) {
	a.printf("%s  %s  %s  %s  %s", e.ID, e.Agent, e.Project, moment(e.Due), e.State)
	if e.Run != "" {
		a.printf("  %s", e.Run)
	}
	if e.Reason != "" {
		a.printf("  %s", e.Reason)
	}
	a.printf("\n")
}

func (a *app) executionCommands() *cobra.Command {
	c := &cobra.Command{Use: "execution", Short: "List what the clock has planned and has begun; begin an agent at once"}
	cancel := a.asked("cancel EXECUTION", "Take back an execution that has not begun", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		var e executionOut
		if err := cl.Call(ctx, http.MethodPost, "/api/executions/future/"+url.PathEscape(args[0])+"/cancel", nil, &e); err != nil {
			return err
		}
		return a.print(e, func() { a.execution(e) })
	})
	c.AddCommand(a.executionList(), cancel, a.triggers("run AGENT", "Have an agent work now", "agentId"))
	return c
}

func (a *app) executionList() *cobra.Command {
	var past bool
	var agent, schedule string
	c := a.asked("list", "List what is planned and running, or with --past how it ended", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		q := url.Values{"agentId": {agent}, "scheduleId": {schedule}}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			q.Set("projectId", project)
		}
		if !past {
			var all []executionOut
			if err := cl.Call(ctx, http.MethodGet, "/api/executions/future?"+q.Encode(), nil, &all); err != nil {
				return err
			}
			return a.print(all, func() {
				for _, e := range all {
					a.execution(e)
				}
			})
		}
		var page struct {
			Content []pastOut `json:"content"`
			Total   int       `json:"totalElements"`
		}
		q.Set("size", "50")
		if err := cl.Call(ctx, http.MethodGet, "/api/executions/past?"+q.Encode(), nil, &page); err != nil {
			return err
		}
		return a.print(page, func() {
			for _, e := range page.Content {
				a.printf("%s  %s  %s  %s  %s  %s  %s%s\n", e.ID, e.Agent, e.Project, moment(e.Ended), e.Result, e.Run, e.Error, e.Summary)
			}
			a.printf("%d of %d\n", len(page.Content), page.Total)
		})
	})
	f := c.Flags()
	f.BoolVar(&past, "past", false, "those that ended, the newest first")
	f.StringVarP(&agent, "agent", "a", "", "only this agent's")
	f.StringVar(&schedule, "schedule", "", "only this schedule's")
	f.StringVarP(&a.project, "project", "p", "", "only this project's, by name or id")
	return c
}

// examineSchedules names the schedules that cannot work.
func (a *app) examineSchedules(ctx context.Context, cl *client.Client, still bool) []check {
	var all []scheduleOut
	if err := cl.Call(ctx, http.MethodGet, "/api/schedules", nil, &all); err != nil {
		return []check{{"schedules", false, textOf(err)}}
	}
	var out []check
	on := 0
	for _, s := range all {
		if !s.Enabled {
			continue
		}
		on++
		if s.Problem != "" {
			out = append(out, check{"schedule", false, fmt.Sprintf("%s (%s): %s", s.ID, s.when(), s.Problem)})
		}
	}
	text := fmt.Sprintf("%d of %d are switched on.", on, len(all))
	if still {
		text += " This daemon begins none of them: no_schedules."
	}
	return append([]check{{"schedules", true, text}}, out...)
}
