package schedule

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/query"
	"chela/internal/run"
	"chela/internal/session"
)

// A Past tells what happened since an agent looked last.
type Past struct {
	Attempts interface {
		// Attempts lists attempts that ended, newest first.
		Attempts(ctx context.Context, f Filter) (out []Attempt, total int, err error)
	}
	Runs interface {
		Run(ctx context.Context, id run.ID) (run.Run, error)
	}
	Log interface {
		Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	}
	Agents interface {
		Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	}
	Conversations interface {
		// Sessions lists the conversations of a project, what was said in last first.
		Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error)
	}
}

// mostEvents bounds how many events are looked through: with more, something has changed.
const mostEvents = 500

// idle says why an execution has nothing to look at, a sentence: nothing that its agent looks at has
// changed since it looked last, and no date has come. It says nothing of an agent that reaches
// further than the records, of what a person began, and where a schedule asks for each time: by saying so, by a message or a time of its own,
// or because somebody waits for its answers.
func (c *Clock) idle(ctx context.Context, e Execution) (string, error) {
	if e.Immediate || e.Attempt > 0 || e.Inputs.Always || e.Schedule == "" || e.Message != "" || e.Deliver.To != "" || e.Once {
		return "", nil
	}
	a, err := c.store.Past.Agents.Agent(ctx, e.Agent)
	if err != nil || a.Permissions.Any(org.Files, org.Shell, org.Git, org.Browser, org.Network) {
		return "", ignoring(err, fault.NotFound) // the agent may be gone
	}
	last, _, err := c.store.Past.Attempts.Attempts(ctx, Filter{Schedule: e.Schedule, Project: e.Project, State: Success, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(last) == 0 || last[0].Version != e.Version {
		return c.empty(ctx, e.Project)
	}
	looked, err := c.store.Past.Runs.Run(ctx, last[0].Run)
	if err != nil {
		return "", err
	}
	for _, happened := range []func(context.Context, string, run.Run, time.Time) (bool, error){c.changed, c.said, c.came} {
		if yes, err := happened(ctx, e.Project, looked, c.opts.Now()); yes || err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("Nothing that %s looks at has changed or come due since it looked at %s.", e.Agent.Name(), looked.CreatedAt.UTC().Format(time.RFC3339)), nil
}

// ignoring returns err unless it is of a kind.
func ignoring(err error, k fault.Kind) error {
	if err != nil && fault.KindOf(err) == k {
		return nil
	}
	return err
}

// empty says that a project at which nobody has looked has nothing but itself.
func (c *Clock) empty(ctx context.Context, project string) (string, error) {
	for _, k := range desk.Kinds() {
		found, err := c.clerk.Store().Records(ctx, clerk.Query{Project: project, Kind: k, Limit: 1})
		if err != nil || len(found.Records) > 0 && found.Records[0].ID != project {
			return "", err
		}
	}
	return "The project has no records yet.", nil
}

// changed reports whether anybody changed the project's records since a look: people, imports, and
// agents that people asked. What the clock's agents change wakes none of them.
func (c *Clock) changed(ctx context.Context, project string, since run.Run, _ time.Time) (bool, error) {
	events, _, err := c.store.Past.Log.Events(ctx, since.Seq, event.Filter{Stream: event.ProjectStream(project), Limit: mostEvents})
	if err != nil || len(events) == mostEvents {
		return len(events) > 0, err
	}
	byClock := make(map[string]bool) // by run
	for _, e := range events {
		id := e.Message.RunID
		own, known := byClock[id]
		if !known {
			r, err := c.store.Past.Runs.Run(ctx, run.ID(id))
			if ignoring(err, fault.NotFound) != nil { // what a person changes belongs to no run
				return false, err
			}
			own = err == nil && r.Lane == run.ScheduleLane
			byClock[id] = own
		}
		change, ok, err := desk.ChangeOf(e.Event)
		if err != nil || !ok {
			continue // not of a record
		}
		follows := e.Message.From.AgentID == run.Chela().AgentID && (change.Kind.Derived() || change.Kind.Unwatched()) // what was found, and what rang
		if !own && !follows {
			return true, nil
		}
	}
	return false, nil
}

// said reports whether somebody said something in a conversation of the project since a look.
func (c *Clock) said(ctx context.Context, project string, since run.Run, _ time.Time) (bool, error) {
	const page = 50
	for offset := 0; ; offset += page {
		list, err := c.store.Past.Conversations.Sessions(ctx, project, "", page, offset)
		if err != nil {
			return false, err
		}
		for _, v := range list {
			if !v.UpdatedAt.After(since.CreatedAt) {
				return false, nil
			}
			if v.Channel != channelName {
				return true, nil
			}
		}
		if len(list) < page {
			return false, nil
		}
	}
}

// tells reports whether a field says when something happened, and not when it shall.
func tells(field string) bool {
	return strings.HasPrefix(field, "external") || strings.HasPrefix(field, "last") || strings.HasPrefix(field, "extracted")
}

// came reports whether a day or an instant that a record names has come since a look.
func (c *Clock) came(ctx context.Context, project string, since run.Run, now time.Time) (bool, error) {
	for _, k := range desk.Kinds() {
		fields, err := desk.Fields(k)
		if err != nil {
			return false, err
		}
		var any []string
		for _, f := range fields.List {
			if f.Type == query.Day && !f.Many && !tells(f.Name) {
				// A day is over when the next begins: one that ends between the looks counts, too.
				any = append(any, fmt.Sprintf("(%s:>=%s AND %s:<=%s)", f.Name, since.CreatedAt.UTC().Format(time.DateOnly), f.Name, now.UTC().Format(time.DateOnly)))
			}
		}
		if len(any) == 0 || since.CreatedAt.UTC().Format(time.DateOnly) == now.UTC().Format(time.DateOnly) {
			continue
		}
		where, err := query.Parse(strings.Join(any, " OR "), fields, now)
		if err != nil {
			return false, fmt.Errorf("ask for dates of %s: %w", k.Word(), err)
		}
		found, err := c.clerk.Store().Records(ctx, clerk.Query{Project: project, Kind: k, Where: where, Limit: 1})
		if err != nil || len(found.Records) > 0 {
			return len(found.Records) > 0, err
		}
	}
	return false, nil
}
