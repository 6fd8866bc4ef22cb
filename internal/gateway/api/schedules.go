package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"chela/internal/agent"
	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

func (a *api) scheduleRoutes() {
	route(a, http.MethodGet, "/api/schedules", "list-schedules", "List schedules with their next times", org.Viewer, a.schedules)
	route(a, http.MethodPost, "/api/schedules", "create-schedule", "Create a schedule", org.Editor, a.createSchedule, status(http.StatusCreated))
	route(a, http.MethodPost, "/api/schedules/preview", "preview-schedule", "Preview the times of a schedule; nothing is recorded", org.Viewer, a.previewSchedule)
	route(a, http.MethodGet, "/api/schedules/{id}", "get-schedule", "Get a schedule", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[ScheduleOut], error) {
		return body(a.schedule(ctx, schedule.ID(in.ID)))
	})
	route(a, http.MethodPut, "/api/schedules/{id}", "edit-schedule", "Edit a schedule; fields left out stay, executions are planned again", org.Editor, a.editSchedule)
	route(a, http.MethodDelete, "/api/schedules/{id}", "delete-schedule", "Delete a schedule; planned executions are cancelled, running ones continue", org.Editor, func(ctx context.Context, in *IDPath) (*struct{}, error) {
		return nil, a.Schedules.Delete(ctx, party(ctx), schedule.ID(in.ID))
	}, status(http.StatusNoContent))
	route(a, http.MethodGet, "/api/chats", "list-chats", "List chats of channels that may be written to", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]channel.Place], error) {
		all, err := a.Store.Chats.Places(ctx)
		return body(append([]channel.Place{}, all...), err)
	})
	route(a, http.MethodGet, "/api/executions/future", "list-future-executions", "List executions that are planned, running or waiting for a retry", org.Viewer, a.future)
	route(a, http.MethodPost, "/api/executions/future/{id}/cancel", "cancel-execution", "Cancel an execution that has not started", org.Editor, func(ctx context.Context, in *IDPath) (*Body[ExecutionOut], error) {
		e, err := a.Schedules.Cancel(ctx, party(ctx), schedule.ExecutionID(in.ID))
		return body(executionOut(e), err)
	})
	route(a, http.MethodPost, "/api/executions/trigger", "trigger-execution", "Run an agent or a schedule now, for one project or for all", org.Editor, a.trigger, status(http.StatusAccepted))
	route(a, http.MethodGet, "/api/executions/past", "list-past-executions", "List past execution attempts, newest first", org.Viewer, a.attempts)
	route(a, http.MethodGet, "/api/executions/past/{id}", "get-past-execution", "Get a past execution attempt", org.Viewer, a.attempt)
}

// ScheduleBody says how a schedule shall be; an edit leaves what it does not say.
type ScheduleBody struct {
	Agent           *string     `json:"agentId,omitempty" doc:"the agent's name"`
	Enabled         *bool       `json:"enabled,omitempty" doc:"true when left out"`
	Timezone        *string     `json:"timezone,omitempty" doc:"an IANA name such as Europe/Berlin; UTC when left out"`
	Type            *string     `json:"scheduleType,omitempty" doc:"CRON, FIXED_TIMES, INTERVAL, IMMEDIATE (once, when it is made or switched on) or ONCE (at a time, after which it is over)"`
	CronExpr        *string     `json:"cronExpr,omitempty" doc:"of CRON: five fields, or six with seconds first"`
	TimesOfDay      *[]string   `json:"timesOfDay,omitempty" nullable:"false" doc:"of FIXED_TIMES: hours and minutes, such as 09:00"`
	IntervalMinutes *int        `json:"intervalMinutes,omitempty" doc:"of INTERVAL: from midnight on, every so many minutes"`
	OnceAt          *string     `json:"onceAt,omitempty" doc:"of ONCE: such as 2026-12-01 09:00, on the clock of the time zone, or 2026-12-01T09:00:00+01:00"`
	OnceIn          *string     `json:"onceIn,omitempty" doc:"of ONCE, in place of onceAt: after how long, such as 20m, 3h or 2d"`
	Message         *string     `json:"message,omitempty" maxLength:"10000" doc:"what the agent is asked each time; left out or empty, what it is asked by itself"`
	Deliver         *DeliverTo  `json:"deliver,omitempty"`
	Scope           *string     `json:"projectScope,omitempty" doc:"GLOBAL, for each active project, or PROJECT"`
	Project         *string     `json:"projectId,omitempty" doc:"of the scope PROJECT"`
	Policy          *PolicyBody `json:"executorPolicy,omitempty"`
	Inputs          *InputsBody `json:"inputsPolicy,omitempty"`
}

// DeliverTo says where the answers go.
type DeliverTo struct {
	To      string `json:"to" doc:"CONVERSATION, CHAT of a channel, INBOX of who makes the schedule; empty for nowhere: answers stay in the conversations of their runs"`
	Thread  string `json:"threadId,omitempty" doc:"of CONVERSATION"`
	Channel string `json:"channel,omitempty" doc:"of CHAT: its name, as the list of chats shows it"`
	Chat    string `json:"chat,omitempty" doc:"of CHAT: the platform's id"`
	Branch  string `json:"branch,omitempty" doc:"of CHAT: of a thread or topic in it"`
}

// InputsBody says what executions look at; what it does not say stays.
type InputsBody struct {
	WindowMinutes *int    `json:"windowMinutes,omitempty" doc:"only what changed within so many minutes before the execution's instant; 0 for all"`
	ThreadFilter  *string `json:"threadFilter,omitempty" doc:"of the threads only those that fit a filter, as lists take it; empty for all"`
	Always        *bool   `json:"always,omitempty" doc:"ask the agent also when nothing has changed or come due since it looked last; false when left out"`
}

// PolicyBody says how executions are treated; what it does not say stays.
type PolicyBody struct {
	MaxConcurrent  *int   `json:"maxConcurrent,omitempty" doc:"executions of the schedule at once, 1 to 100; 1 when left out"`
	Priority       *int   `json:"priority,omitempty" doc:"1 to 10; of those that are due the higher begin first; 5 when left out"`
	MaxAttempts    *int   `json:"maxAttempts,omitempty" doc:"1 to 10: how often one that fails is begun; 3 when left out"`
	RetryBackoffMs *int64 `json:"retryBackoffMs,omitempty" doc:"the wait before the second attempt, doubled before each further one; 60,000 when left out"`
}

func set[T any](into *T, v *T) {
	if v != nil {
		*into = *v
	}
}

// over lays what b says over p.
func (b PolicyBody) over(p *schedule.Policy) {
	set(&p.MaxConcurrent, b.MaxConcurrent)
	set(&p.Priority, b.Priority)
	set(&p.MaxAttempts, b.MaxAttempts)
	set(&p.RetryBackoffMs, b.RetryBackoffMs)
}

// check refuses values that are out of their bounds. Only one that is left out has its default: a 0 is refused. It makes a time of how long
// is to be waited.
func (b *ScheduleBody) check(now time.Time) error {
	if b.OnceIn != nil {
		if b.OnceAt != nil {
			return fault.BadField("onceIn", "Say either when, by onceAt, or after how long, by onceIn.")
		}
		at, err := schedule.In(now, *b.OnceIn)
		if err != nil {
			return err
		}
		b.OnceAt, b.OnceIn = &at, nil
	}
	if b.Policy == nil {
		return nil
	}
	p := schedule.Policy{}.Filled()
	b.Policy.over(&p)
	return p.Check()
}

// over lays what b says over f.
func (b ScheduleBody) over(f *schedule.Fields) {
	if b.Agent != nil {
		f.Agent = ""
		if *b.Agent != "" {
			f.Agent = agentID(*b.Agent)
		}
	}
	set(&f.Enabled, b.Enabled)
	set(&f.Timezone, b.Timezone)
	set((*string)(&f.Type), b.Type)
	set(&f.CronExpr, b.CronExpr)
	set(&f.TimesOfDay, b.TimesOfDay)
	set(&f.IntervalMinutes, b.IntervalMinutes)
	set(&f.OnceAt, b.OnceAt)
	if b.Message != nil && *b.Message != f.Message {
		f.Message, f.Origins = *b.Message, nil // these are a person's words
	}
	if d := b.Deliver; d != nil {
		f.Deliver = schedule.Delivery{To: schedule.Destination(d.To), Thread: d.Thread, Channel: d.Channel, Chat: d.Chat, Branch: d.Branch}
	}
	if b.Scope != nil && *b.Scope != string(f.Scope) {
		f.Project = ""
	}
	set((*string)(&f.Scope), b.Scope)
	set(&f.Project, b.Project)
	if b.Policy != nil {
		b.Policy.over(&f.Policy)
	}
	if b.Inputs != nil {
		set(&f.Inputs.WindowMinutes, b.Inputs.WindowMinutes)
		set(&f.Inputs.ThreadFilter, b.Inputs.ThreadFilter)
		set(&f.Inputs.Always, b.Inputs.Always)
	}
}

// ScheduleOut is a schedule as people see it.
type ScheduleOut struct {
	ID              schedule.ID     `json:"scheduleId"`
	Agent           string          `json:"agentId"`
	Enabled         bool            `json:"enabled"`
	Timezone        string          `json:"timezone"`
	Type            schedule.Type   `json:"scheduleType"`
	CronExpr        string          `json:"cronExpr,omitempty"`
	TimesOfDay      []string        `json:"timesOfDay,omitempty"`
	IntervalMinutes int             `json:"intervalMinutes,omitempty"`
	OnceAt          string          `json:"onceAt,omitempty"`
	Over            bool            `json:"over,omitempty" doc:"of ONCE: its time has passed, and it never works again"`
	Message         string          `json:"message,omitempty"`
	Deliver         *DeliverTo      `json:"deliver,omitempty"`
	Through         string          `json:"through,omitempty" doc:"the agent that made it for who changed it last"`
	Origins         []string        `json:"origins,omitempty" doc:"of the data from outside that this agent had seen when it wrote the message"`
	Scope           schedule.Scope  `json:"projectScope"`
	Project         string          `json:"projectId,omitempty"`
	Policy          schedule.Policy `json:"executorPolicy"`
	Inputs          schedule.Inputs `json:"inputsPolicy"`
	Next            *time.Time      `json:"nextExecutionAt,omitempty" doc:"the next instant, when it is switched on and has one"`
	Last            *PastOut        `json:"lastExecution,omitempty"`
	Problem         string          `json:"problem,omitempty" doc:"why it cannot work, a sentence"`
	By              string          `json:"changedBy"`
	Version         int64           `json:"version"`
	CreatedAt       time.Time       `json:"createdAt"`
	UpdatedAt       time.Time       `json:"updatedAt"`
}

// ExecutionOut is an execution that is not over, or was taken back.
type ExecutionOut struct {
	ID        schedule.ExecutionID `json:"executionId"`
	Schedule  schedule.ID          `json:"scheduleId,omitempty"`
	Agent     string               `json:"agentId"`
	Project   string               `json:"projectId"`
	At        time.Time            `json:"scheduledAt"`
	Due       time.Time            `json:"dueAt" doc:"scheduledAt, or when it is tried again"`
	Hour      int                  `json:"plannedHour" doc:"in the schedule's time zone; -1 when it was wanted at once"`
	Minute    int                  `json:"plannedMinute"`
	Immediate bool                 `json:"immediate"`
	State     schedule.State       `json:"execStatus"`
	Attempt   int                  `json:"attempt" doc:"that was begun last, from 1"`
	Owner     string               `json:"lockOwner,omitempty" doc:"the node that works its run"`
	Run       run.ID               `json:"runId,omitempty"`
	Reason    string               `json:"reason,omitempty"`
}

// PastOut is an attempt that ended, or the record of what passed without having begun.
type PastOut struct {
	ID        string               `json:"pastExecutionId"`
	Execution schedule.ExecutionID `json:"executionId"`
	Schedule  schedule.ID          `json:"scheduleId,omitempty"`
	Agent     string               `json:"agentId"`
	Project   string               `json:"projectId"`
	At        time.Time            `json:"scheduledAt"`
	StartedAt *time.Time           `json:"startedAt,omitempty"`
	EndedAt   time.Time            `json:"endedAt"`
	Duration  int64                `json:"durationMs"`
	Result    schedule.State       `json:"resultStatus"`
	Error     string               `json:"errorMessage,omitempty"`
	Summary   string               `json:"responseSummary,omitempty"`
	Attempt   int                  `json:"attempt" doc:"0 when nothing was begun"`
	Run       run.ID               `json:"runId,omitempty"`
	Thread    string               `json:"threadId,omitempty"`
	Spend     *agent.Spend         `json:"llmMetrics,omitempty" doc:"of one that is asked for by its id, as the next two"`
	Calls     *CallSummary         `json:"toolCallSummary,omitempty"`
	Refs      map[string][]string  `json:"responseRefs,omitempty" doc:"ids of the records that it made, by kind"`
}

func pastOut(t schedule.Attempt) PastOut {
	out := PastOut{
		ID: t.AttemptID(), Execution: t.ID, Schedule: t.Schedule, Agent: t.Agent.Name(), Project: t.Project, At: t.At, EndedAt: t.EndedAt,
		Result: t.Result, Error: t.Error, Summary: t.Summary, Attempt: t.Number, Run: t.Run, Thread: t.Thread,
	}
	if !t.StartedAt.IsZero() {
		out.StartedAt, out.Duration = &t.StartedAt, t.EndedAt.Sub(t.StartedAt).Milliseconds()
	}
	return out
}

func executionOut(e schedule.Execution) ExecutionOut {
	out := ExecutionOut{
		ID: e.ID, Schedule: e.Schedule, Agent: e.Agent.Name(), Project: e.Project, At: e.At, Due: e.Due, Hour: -1, Immediate: e.Immediate,
		State: e.State, Attempt: e.Attempt, Run: e.Run, Reason: e.Reason,
	}
	if loc, err := time.LoadLocation(e.Timezone); err == nil && !e.Immediate {
		out.Hour, out.Minute = e.At.In(loc).Hour(), e.At.In(loc).Minute()
	}
	return out
}

// undelivered says why answers of a schedule could not be delivered now, a sentence; "" when they could.
func (a *api) undelivered(ctx context.Context, s schedule.Schedule, now time.Time) (string, error) {
	if !s.Enabled || s.Over(now) {
		return "", nil
	}
	switch d := s.Deliver; d.To {
	case schedule.ToConversation:
		live, err := a.Store.Conversations.Session(ctx, d.Thread)
		if err != nil && fault.KindOf(err) == fault.NotFound {
			return "Its answers cannot be delivered: " + fault.TextOf(err), nil
		}
		if why := schedule.Unreachable(live); err == nil && why != "" {
			return "Its answers cannot be delivered: " + why, nil
		}
		return "", err
	case schedule.ToChat:
		all, err := a.Store.Chats.Places(ctx)
		if err == nil && !slices.ContainsFunc(all, func(p channel.Place) bool { return p.Channel == d.Channel && p.Chat == d.Chat }) {
			return fmt.Sprintf("Its answers cannot be delivered: there is no chat %q on a channel %q that may be written to.", d.Chat, d.Channel), nil
		}
		return "", err
	case schedule.ToInbox:
	}
	return "", nil
}

func (a *api) scheduleOut(ctx context.Context, s schedule.Schedule, agents []agent.Member, last map[schedule.ID]schedule.Attempt) (ScheduleOut, error) {
	out := ScheduleOut{
		ID: s.ID, Agent: s.Agent.Name(), Enabled: s.Enabled, Timezone: s.Timezone, Type: s.Type, CronExpr: s.CronExpr, TimesOfDay: s.TimesOfDay,
		IntervalMinutes: s.IntervalMinutes, Scope: s.Scope, Project: s.Project, Policy: s.Policy, Inputs: s.Inputs, By: s.By.AgentID, Version: s.Version,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	now := a.Store.Desk.Mint().Now()
	if next, ok := s.Next(now); ok && s.Enabled {
		out.Next = &next
	}
	lost, err := a.undelivered(ctx, s, now)
	out.OnceAt, out.Over, out.Message, out.Through, out.Origins = s.OnceAt, s.Over(now), s.Message, s.Through.Name(), s.Origins
	if d := s.Deliver; d.To != "" {
		out.Deliver = &DeliverTo{string(d.To), d.Thread, d.Channel, d.Chat, d.Branch}
	}
	if t, ok := last[s.ID]; ok {
		past := pastOut(t)
		out.Last = &past
	}
	out.Problem = "The agent " + out.Agent + " does not exist. Name another, or delete the schedule."
	for _, m := range agents {
		if m.Card.AgentID == s.Agent {
			out.Problem = lost
			if !m.Enabled {
				out.Problem = "The agent " + out.Agent + " is disabled. Enable it, or name another."
			}
		}
	}
	return out, err
}

func (a *api) schedules(ctx context.Context, in *struct {
	Agent   string `query:"agentId"`
	Enabled string `query:"enabled" enum:"true,false"`
},
) (*Body[[]ScheduleOut], error) {
	list, err := a.Store.Plan.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	agents, err := a.Store.Roster.Members(ctx)
	if err != nil {
		return nil, err
	}
	last, err := a.Store.Executions.LastAttempts(ctx)
	if err != nil {
		return nil, err
	}
	out := []ScheduleOut{}
	for _, s := range list {
		if in.Agent != "" && s.Agent != agentID(in.Agent) || in.Enabled != "" && s.Enabled != (in.Enabled == "true") {
			continue
		}
		one, err := a.scheduleOut(ctx, s, agents, last)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return body(out, nil)
}

func (a *api) schedule(ctx context.Context, id schedule.ID) (ScheduleOut, error) {
	s, err := a.Store.Plan.Schedule(ctx, id)
	if err != nil {
		return ScheduleOut{}, err
	}
	agents, err := a.Store.Roster.Members(ctx)
	if err != nil {
		return ScheduleOut{}, err
	}
	last, err := a.Store.Executions.LastAttempts(ctx)
	if err != nil {
		return ScheduleOut{}, err
	}
	return a.scheduleOut(ctx, s, agents, last)
}

func (a *api) createSchedule(ctx context.Context, in *struct{ Body ScheduleBody }) (*Body[ScheduleOut], error) {
	if err := in.Body.check(a.Store.Desk.Mint().Now()); err != nil {
		return nil, err
	}
	f := schedule.Fields{Enabled: true}
	in.Body.over(&f)
	s, err := a.Schedules.Create(ctx, party(ctx), f)
	if err != nil {
		return nil, err
	}
	return body(a.schedule(ctx, s.ID))
}

// foreseen is how many instants a preview tells.
const foreseen = 5

// PreviewOut says when a schedule would work.
type PreviewOut struct {
	Next     []time.Time `json:"next" nullable:"false" doc:"the next five instants; fewer when there are no more, none when it works once"`
	Timezone string      `json:"timezone"`
	Problem  string      `json:"problem,omitempty" doc:"what cannot be read of it, a sentence: a form asks while somebody writes"`
}

func (a *api) previewSchedule(_ context.Context, in *struct{ Body ScheduleBody }) (*Body[PreviewOut], error) {
	var f schedule.Fields
	now := a.Store.Desk.Mint().Now()
	wrong := in.Body.check(now)
	in.Body.over(&f)
	out := PreviewOut{Next: []time.Time{}, Timezone: cmp.Or(f.Timezone, "UTC")}
	if wrong != nil {
		out.Problem = fault.TextOf(wrong)
		return body(out, nil)
	}
	next, err := f.Instants(now, foreseen)
	if fault.KindOf(err) == fault.Invalid {
		out.Problem = fault.TextOf(err)
		return body(out, nil)
	}
	out.Next = append(out.Next, next...)
	return body(out, err)
}

func (a *api) editSchedule(ctx context.Context, in *struct {
	IDPath
	Body ScheduleBody
},
) (*Body[ScheduleOut], error) {
	if err := in.Body.check(a.Store.Desk.Mint().Now()); err != nil {
		return nil, err
	}
	s, err := a.Schedules.Change(ctx, party(ctx), schedule.ID(in.ID), in.Body.over)
	if err != nil {
		return nil, err
	}
	return body(a.schedule(ctx, s.ID))
}
