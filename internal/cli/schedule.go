package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

// whenOf says in words when a schedule works.
func whenOf(s client.ScheduleOut) string {
	switch s.ScheduleType {
	case "CRON":
		return s.CronExpr + " " + s.Timezone
	case "FIXED_TIMES":
		return strings.Join(s.TimesOfDay, ", ") + " " + s.Timezone
	case "INTERVAL":
		return fmt.Sprintf("every %d min from midnight %s", client.Value(s.IntervalMinutes), s.Timezone)
	}
	if s.ScheduleType == "ONCE" {
		return "once, at " + s.OnceAt + " " + s.Timezone
	}
	return "once, at once"
}

func (a *app) scheduleCommands() *cobra.Command {
	c := &cobra.Command{Use: "schedule", Short: "List and edit schedules of agents"}
	c.AddCommand(a.scheduleList(), a.scheduleShow(), a.scheduleWrite("create", "Make a schedule", cobra.NoArgs), a.scheduleWrite("edit SCHEDULE", "Edit a schedule; fields that are left out stay", cobra.ExactArgs(1)),
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
	c := a.asked("list", "List schedules with their next times and last results", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListSchedules(ctx, client.ListSchedulesQuery{AgentID: agent})
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, s := range all {
				next := "off"
				switch {
				case client.Value(s.Over):
					next = "over"
				case s.Enabled:
					next = "next " + moment(s.NextExecutionAt)
				}
				last := ""
				if s.InputsPolicy.Always {
					a.printf("It is asked also when nothing has changed or come due.\n")
				}
				if s.LastExecution != nil {
					last = ", last " + strings.ToLower(s.LastExecution.ResultStatus)
				}
				a.printf("%s  %s  %s  %s%s\n", s.ScheduleID, s.AgentID, whenOf(s), next, last)
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
		s, err := cl.GetSchedule(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(s, func() { a.schedule(s) })
	})
}

func (a *app) schedule(s client.ScheduleOut) {
	scope := "each active project"
	if s.ProjectID != "" {
		scope = "the project " + s.ProjectID
	}
	a.printf("%s, version %d: %s works for %s\nWhen: %s", s.ScheduleID, s.Version, s.AgentID, scope, whenOf(s))
	if !s.Enabled {
		a.printf(" (switched off)")
	}
	if client.Value(s.Over) {
		a.printf(" (over: it works once, and its time has passed)")
	}
	if s.Message != "" {
		a.printf("\nAsks: %s", s.Message)
	}
	if d := deliveryOf(s.Deliver); d != "" {
		a.printf("\nAnswers go to: %s", d)
	}
	if s.Through != "" {
		a.printf("\nMade by the agent %s for %s", s.Through, s.ChangedBy)
	}
	a.printf("\nNext: %s\n%d at once, priority %d, up to %d attempts, %s before the second\n", moment(s.NextExecutionAt), s.ExecutorPolicy.MaxConcurrent, s.ExecutorPolicy.Priority, s.ExecutorPolicy.MaxAttempts,
		time.Duration(s.ExecutorPolicy.RetryBackoffMs)*time.Millisecond)
	if s.InputsPolicy.WindowMinutes > 0 {
		a.printf("It looks at what changed within %s before.\n", time.Duration(s.InputsPolicy.WindowMinutes)*time.Minute)
	}
	if s.InputsPolicy.ThreadFilter != "" {
		a.printf("Of the threads it looks at those that fit: %s\n", s.InputsPolicy.ThreadFilter)
	}
	if s.LastExecution != nil {
		a.printf("Last: %s at %s. %s\n", s.LastExecution.ResultStatus, moment(s.LastExecution.EndedAt), cameOf(*s.LastExecution))
	}
	if s.Problem != "" {
		a.printf("%s\n", s.Problem)
	}
}

func (a *app) scheduleWrite(use, short string, args cobra.PositionalArgs) *cobra.Command {
	in := scheduleFlags{
		ScheduleBody: client.ScheduleBody{AgentID: new(""), CronExpr: new(""), Timezone: new(""), IntervalMinutes: new(0), OnceAt: new(""), OnceIn: new(""), Message: new(""), Enabled: new(true)},
		policy:       client.PolicyBody{MaxConcurrent: new(0), Priority: new(0), MaxAttempts: new(0)},
		inputs:       client.InputsBody{ThreadFilter: new(""), Always: new(false)},
	}
	c := &cobra.Command{
		Use: use, Short: short, Args: args,
		Example: "  chela schedule create --agent reconcile-agent --cron '0 9 * * MON-FRI' --timezone Europe/Berlin\n  chela schedule create --agent pm --times 09:00,17:00 -p \"My project\"\n  chela schedule create --agent pm --cron '0 9 * * MON' -m 'Write a status report' --deliver chat:team/C024 -p Shop\n  chela schedule create --agent pm --in 20m -m 'Is the build green again?' --deliver inbox -p Shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			body, err := a.scheduleBody(cmd, cl, in)
			if err != nil {
				return err
			}
			var s client.ScheduleOut
			if len(args) == 0 {
				s, err = cl.CreateSchedule(cmd.Context(), body)
			} else {
				s, err = cl.EditSchedule(cmd.Context(), args[0], body)
			}
			if err != nil {
				return err
			}
			return a.print(s, func() { a.schedule(s) })
		},
	}
	f := c.Flags()
	f.StringVarP(in.AgentID, "agent", "a", "", "the agent that works")
	f.StringVar(in.CronExpr, "cron", "", "when: five fields, or six with seconds first")
	f.StringSliceVar(&in.TimesOfDay, "times", nil, "when: times of every day, such as 09:00,17:30")
	f.IntVar(in.IntervalMinutes, "every", 0, "when: every so many minutes, from midnight on")
	f.StringVar(in.OnceAt, "at", "", "when: once, at a time such as '2026-12-01 09:00'; then it is over")
	f.StringVar(in.OnceIn, "in", "", "when: once, after so long, such as 20m, 3h or 2d; then it is over")
	f.StringVarP(in.Message, "message", "m", "", "what the agent is asked each time; empty for what it is asked by itself")
	f.StringVar(&in.deliver, "deliver", "", "where its answers go: conversation:THREAD, chat:CHANNEL/CHAT, inbox, or none")
	f.BoolVar(&in.atOnce, "at-once", false, "when: once, when it is made or switched on")
	f.StringVar(in.Timezone, "timezone", "", "in which the times are meant, such as Europe/Berlin (default UTC)")
	f.BoolVar(&in.everywhere, "all-projects", false, "for each active project (the default)")
	f.IntVar(in.policy.MaxConcurrent, "max-concurrent", 0, "executions of it at once (default 1)")
	f.IntVar(in.policy.Priority, "priority", 0, "1 to 10; the higher begins first (default 5)")
	f.IntVar(in.policy.MaxAttempts, "max-attempts", 0, "how often one that fails is begun (default 3)")
	f.DurationVar(&in.backoff, "backoff", 0, "the wait before the second attempt, doubled before each further one (default 1m)")
	f.DurationVar(&in.window, "window", 0, "look only at what changed within so long before, such as 24h; 0 for all")
	f.StringVar(in.inputs.ThreadFilter, "threads", "", "of the threads look only at those that fit a filter, as lists take it")
	f.BoolVar(in.inputs.Always, "always", false, "ask the agent also when nothing has changed or come due since it looked last")
	f.BoolVar(in.Enabled, "enabled", true, "--enabled=false switches it off")
	f.StringVarP(&a.project, "project", "p", "", "for this project alone, by name or id")
	return c
}

// cameOf says what came of an execution: why it failed or was not delivered, and what was answered.
func cameOf(e client.PastOut) string {
	return strings.TrimSpace(e.ErrorMessage + " " + e.ResponseSummary)
}

// scheduleFlags are what is said of a schedule on the command line.
type scheduleFlags struct {
	client.ScheduleBody

	policy             client.PolicyBody
	inputs             client.InputsBody
	backoff, window    time.Duration
	atOnce, everywhere bool
	deliver            string
}

// deliverTo reads where answers go.
func deliverTo(text string) (client.DeliverTo, error) {
	to, rest, _ := strings.Cut(strings.TrimSpace(text), ":")
	switch {
	case to == "none" && rest == "":
		return client.DeliverTo{}, nil
	case to == "inbox" && rest == "":
		return client.DeliverTo{To: "INBOX"}, nil
	case to == "conversation" && rest != "":
		return client.DeliverTo{To: "CONVERSATION", ThreadID: &rest}, nil
	case to == "chat":
		name, chat, ok := strings.Cut(rest, "/")
		if chat, branch, _ := strings.Cut(chat, "//"); ok && name != "" && chat != "" {
			return client.DeliverTo{To: "CHAT", Channel: &name, Chat: &chat, Branch: &branch}, nil
		}
	}
	return client.DeliverTo{}, usageError{fmt.Errorf("--deliver takes conversation:THREAD, chat:CHANNEL/CHAT (//BRANCH behind it for a thread there), inbox or none, not %q", text)}
}

// deliveryOf writes what [deliverTo] reads; it is empty when answers go nowhere.
func deliveryOf(d *client.DeliverTo) string {
	switch {
	case d == nil || d.To == "":
		return ""
	case d.To == "CONVERSATION":
		return "conversation:" + client.Value(d.ThreadID)
	case d.To == "CHAT":
		out := "chat:" + client.Value(d.Channel) + "/" + client.Value(d.Chat)
		if branch := client.Value(d.Branch); branch != "" {
			out += "//" + branch
		}
		return out
	}
	return strings.ToLower(d.To)
}

// scheduleBody says what the flags say that were given.
func (a *app) scheduleBody(cmd *cobra.Command, cl *client.Client, in scheduleFlags) (client.ScheduleBody, error) {
	given := cmd.Flags().Changed
	body := in.ScheduleBody
	var kinds []string
	for _, when := range []struct{ flag, kind string }{{"cron", "CRON"}, {"times", "FIXED_TIMES"}, {"every", "INTERVAL"}, {"at-once", "IMMEDIATE"}, {"at", "ONCE"}, {"in", "ONCE"}} {
		if given(when.flag) && (when.flag != "at-once" || in.atOnce) {
			kinds = append(kinds, when.kind)
		}
	}
	if len(kinds) > 1 {
		return body, usageError{fmt.Errorf("say one of --cron, --times, --every, --at, --in and --at-once")}
	}
	if given("project") && in.everywhere {
		return body, usageError{fmt.Errorf("say one of --project and --all-projects")}
	}
	if in.window%time.Minute != 0 {
		return body, usageError{fmt.Errorf("--window takes whole minutes, such as 90m or 24h, not %s", in.window)}
	}
	if in.backoff%time.Millisecond != 0 {
		return body, usageError{fmt.Errorf("--backoff takes whole milliseconds, such as 500ms or 1m, not %s", in.backoff)}
	}
	if len(kinds) == 1 {
		body.ScheduleType = &kinds[0]
	}
	keep(given("agent"), &body.AgentID)
	keep(given("timezone"), &body.Timezone)
	keep(given("enabled"), &body.Enabled)
	keep(given("cron"), &body.CronExpr)
	keep(given("every"), &body.IntervalMinutes)
	keep(given("at"), &body.OnceAt)
	keep(given("in"), &body.OnceIn)
	keep(given("message"), &body.Message)
	if given("deliver") {
		d, err := deliverTo(in.deliver)
		if err != nil {
			return body, err
		}
		body.Deliver = &d
	}
	if !given("times") {
		body.TimesOfDay = nil
	}
	keep(given("threads"), &in.inputs.ThreadFilter)
	keep(given("always"), &in.inputs.Always)
	if given("window") {
		in.inputs.WindowMinutes = new(int(in.window.Minutes()))
	}
	if in.inputs != (client.InputsBody{}) {
		body.InputsPolicy = &in.inputs
	}
	keep(given("max-concurrent"), &in.policy.MaxConcurrent)
	keep(given("priority"), &in.policy.Priority)
	keep(given("max-attempts"), &in.policy.MaxAttempts)
	if given("backoff") {
		in.policy.RetryBackoffMs = new(int(in.backoff.Milliseconds()))
	}
	if in.policy != (client.PolicyBody{}) {
		body.ExecutorPolicy = &in.policy
	}
	if in.everywhere {
		body.ProjectScope = new("GLOBAL")
	}
	if given("project") {
		project, err := a.findProject(cmd.Context(), cl)
		if err != nil {
			return body, err
		}
		body.ProjectID, body.ProjectScope = &project, new("PROJECT")
	}
	return body, nil
}

// keep forgets what was not given.
func keep[T any](given bool, value **T) {
	if !given {
		*value = nil
	}
}

func (a *app) scheduleDelete() *cobra.Command {
	return a.asked("delete SCHEDULE", "Delete a schedule; planned executions are cancelled, running ones continue", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.DeleteSchedule(ctx, args[0]); err != nil {
			return err
		}
		return a.print(map[string]string{"deleted": args[0]}, func() { a.printf("Deleted %s.\n", args[0]) })
	})
}

func (a *app) scheduleRun() *cobra.Command {
	return a.triggers("run SCHEDULE", "Run a schedule now", func(in *client.TriggerBody, id string) { in.ScheduleID = &id })
}

// triggers is a command that has something work now.
func (a *app) triggers(use, short string, name func(in *client.TriggerBody, id string)) *cobra.Command {
	var wait bool
	c := a.asked(use, short+", for one project or for all", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		body := client.TriggerBody{Wait: &wait}
		name(&body, args[0])
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			body.ProjectID = &project
		}
		out, err := cl.TriggerExecution(ctx, body)
		if err != nil {
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

func (a *app) execution(e client.ExecutionOut) {
	a.printf("%s  %s  %s  %s  %s", e.ExecutionID, e.AgentID, e.ProjectID, moment(e.DueAt), e.ExecStatus)
	if e.RunID != "" {
		a.printf("  %s", e.RunID)
	}
	if e.Reason != "" {
		a.printf("  %s", e.Reason)
	}
	a.printf("\n")
}

func (a *app) executionCommands() *cobra.Command {
	c := &cobra.Command{Use: "execution", Short: "List planned and past executions; run an agent now"}
	cancel := a.asked("cancel EXECUTION", "Cancel an execution that has not started", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		e, err := cl.CancelExecution(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(e, func() { a.execution(e) })
	})
	c.AddCommand(a.executionList(), cancel, a.triggers("run AGENT", "Run an agent now", func(in *client.TriggerBody, id string) { in.AgentID = &id }))
	return c
}

func (a *app) executionList() *cobra.Command {
	var past bool
	var agent, schedule string
	c := a.asked("list", "List planned and running executions; --past lists ended ones", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) (err error) {
		project := ""
		if a.project != "" {
			if project, err = a.findProject(ctx, cl); err != nil {
				return err
			}
		}
		if !past {
			all, err := cl.ListFutureExecutions(ctx, client.ListFutureExecutionsQuery{AgentID: agent, ScheduleID: schedule, ProjectID: project})
			if err != nil {
				return err
			}
			return a.print(all, func() {
				for _, e := range all {
					a.execution(e)
				}
			})
		}
		page, err := cl.ListPastExecutions(ctx, client.ListPastExecutionsQuery{AgentID: agent, ScheduleID: schedule, ProjectID: project, Size: 50})
		if err != nil {
			return err
		}
		return a.print(page, func() {
			for _, e := range page.Content {
				a.printf("%s  %s  %s  %s  %s  %s  %s\n", e.PastExecutionID, e.AgentID, e.ProjectID, moment(e.EndedAt), e.ResultStatus, e.RunID, cameOf(e))
			}
			a.printf("%d of %d\n", len(page.Content), page.TotalElements)
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
	all, err := cl.ListSchedules(ctx, client.ListSchedulesQuery{})
	if err != nil {
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
			out = append(out, check{"schedule", false, fmt.Sprintf("%s (%s): %s", s.ScheduleID, whenOf(s), s.Problem)})
		}
	}
	text := fmt.Sprintf("%d of %d are switched on.", on, len(all))
	if still {
		text += " This daemon begins none of them: no_schedules."
	}
	return append([]check{{"schedules", true, text}}, out...)
}
