package api

import (
	"context"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/talk"
)

func (a *api) future(ctx context.Context, in *struct {
	Agent    string `query:"agentId"`
	Project  string `query:"projectId"`
	Schedule string `query:"scheduleId"`
	State    string `query:"execStatus" enum:"READY,PENDING,RUNNING,FAILED_RETRYABLE,CANCELLED,SKIPPED" doc:"those that are not over when left out"`
	Day      string `query:"dateKey" doc:"a day such as 2026-03-01, in the time zone of each schedule; every day when left out"`
	Limit    int    `query:"limit" minimum:"1" maximum:"500" default:"200"`
},
) (*Body[[]ExecutionOut], error) {
	f := schedule.Filter{Project: in.Project, Schedule: schedule.ID(in.Schedule), State: schedule.State(in.State), Limit: in.Limit}
	if in.Agent != "" {
		f.Agent = agentID(in.Agent)
	}
	if in.Day != "" {
		day, err := time.Parse(time.DateOnly, in.Day)
		if err != nil {
			return nil, fault.BadField("dateKey", "A day is written as 2026-03-01.")
		}
		f.From, f.To = day.Add(-24*time.Hour), day.Add(48*time.Hour) // what is that day anywhere
	}
	list, err := a.Store.Executions.Executions(ctx, f)
	if err != nil {
		return nil, err
	}
	out := []ExecutionOut{}
	for _, e := range list {
		if loc, err := time.LoadLocation(e.Timezone); in.Day != "" && (err != nil || e.At.In(loc).Format(time.DateOnly) != in.Day) {
			continue
		}
		x := executionOut(e)
		if e.State == schedule.Running {
			r, err := a.Store.Runs.Run(ctx, e.Run)
			if err != nil {
				return nil, err
			}
			x.Owner = r.Node
		}
		out = append(out, x)
	}
	return body(out, err)
}

// TriggerBody says what shall work now.
type TriggerBody struct {
	Agent    string `json:"agentId,omitempty" doc:"an agent's name; left out, the schedule's"`
	Schedule string `json:"scheduleId,omitempty"`
	Project  string `json:"projectId,omitempty" doc:"left out, each project of the schedule, or each that is active"`
	Wait     bool   `json:"wait,omitempty" doc:"answer only when all have ended or wait for a person, for up to 5 minutes"`
}

// TriggerOut is the first execution that was planned, and all of them.
type TriggerOut struct {
	ExecutionOut
	Executions []ExecutionOut `json:"executions" doc:"one for each project"`
}

func (a *api) trigger(ctx context.Context, in *struct{ Body TriggerBody }) (*Body[TriggerOut], error) {
	t := schedule.Trigger{Schedule: schedule.ID(in.Body.Schedule), Project: in.Body.Project}
	switch {
	case in.Body.Agent != "" && in.Body.Schedule != "":
		return nil, fault.BadField("agentId", "A schedule has its agent; name the one or the other.")
	case in.Body.Agent != "":
		t.Agent = agentID(in.Body.Agent)
	}
	changed, stop := a.Store.Log.Subscribe(event.PlanChanged)
	defer stop()
	list, err := a.Schedules.Trigger(ctx, party(ctx), t)
	if err != nil {
		return nil, err
	}
	if in.Body.Wait {
		if err := a.awaitExecutions(ctx, list, changed); err != nil {
			return nil, err
		}
	}
	var out TriggerOut
	for _, e := range list {
		out.Executions = append(out.Executions, executionOut(e))
	}
	out.ExecutionOut = out.Executions[0] // Trigger plans at least one
	return body(out, nil)
}

// awaitExecutions returns when all in the list, which it brings up to date, have ended or
// wait for a person.
func (a *api) awaitExecutions(ctx context.Context, list []schedule.Execution, changed <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, talk.MaxWait)
	defer cancel()
	tick := time.NewTicker(time.Second) // a run that begins to wait changes no execution
	defer tick.Stop()
	for {
		open := 0
		for i, e := range list {
			var err error
			if list[i], err = a.Store.Executions.Execution(ctx, e.ID); err != nil {
				return err
			}
			busy, err := a.busy(ctx, list[i])
			if err != nil {
				return err
			}
			if busy {
				open++
			}
		}
		if open == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // what is known is said
		case <-changed:
		case <-tick.C:
		}
	}
}

// busy reports whether something will happen to an execution by itself, soon.
func (a *api) busy(ctx context.Context, e schedule.Execution) (bool, error) {
	if e.State != schedule.Running {
		return e.State == schedule.Ready, nil
	}
	r, err := a.Store.Runs.Run(ctx, e.Run)
	return err == nil && r.State != run.Waiting, err
}

// PastPage is one page of attempts that ended.
type PastPage struct {
	Content       []PastOut `json:"content"`
	Number        int       `json:"number" doc:"of the page, from 0"`
	Size          int       `json:"size"`
	TotalElements int       `json:"totalElements"`
	TotalPages    int       `json:"totalPages"`
}

func (a *api) attempts(ctx context.Context, in *struct {
	Agent    string `query:"agentId"`
	Project  string `query:"projectId"`
	Schedule string `query:"scheduleId"`
	Result   string `query:"resultStatus" enum:"SUCCESS,FAIL,CANCELLED,SKIPPED"`
	Page     int    `query:"page" minimum:"0" maximum:"100000"`
	Size     int    `query:"size" minimum:"1" maximum:"200" default:"20"`
},
) (*Body[PastPage], error) {
	f := schedule.Filter{Project: in.Project, Schedule: schedule.ID(in.Schedule), State: schedule.State(in.Result), Limit: in.Size, Offset: in.Page * in.Size}
	if in.Agent != "" {
		f.Agent = agentID(in.Agent)
	}
	list, total, err := a.Store.Executions.Attempts(ctx, f)
	out := PastPage{Content: []PastOut{}, Number: in.Page, Size: in.Size, TotalElements: total, TotalPages: (total + in.Size - 1) / in.Size}
	for _, t := range list {
		out.Content = append(out.Content, pastOut(t))
	}
	return body(out, err)
}
