package daemon

import (
	"cmp"
	"context"
	"encoding/json"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/mcp"
	"chela/internal/org"
	"chela/internal/run"
)

// followTasks makes what follows the tasks that agents of others were given.
func (d *Daemon) followTasks(agents *agent.Runner, arts *artifact.Files) {
	keep := func(text []byte) (string, error) {
		ref, err := arts.Put(text)
		return string(ref), err
	}
	look := func(ctx context.Context, g mcp.Given) (mcp.Standing, error) {
		why, err := d.servers.MayLookAt(ctx, g)
		if why == "" && err == nil {
			why, err = d.mayFollow(ctx, agents, g)
		}
		if why != "" || err != nil {
			return mcp.Standing{Over: why}, err
		}
		return d.servers.LookAt(ctx, g)
	}
	d.tasks = mcp.NewFollower(d.db, d.runs, mcp.FollowerParts{Store: d.db.MCP, Inbox: d.inbox, Look: look, Redact: d.redacted, Keep: keep, Pace: d.opts.Pace, Log: d.log})
}

// mayFollow says why the agent that gave a task, or the person for whom it did, may not do so any more, a sentence.
func (d *Daemon) mayFollow(ctx context.Context, agents *agent.Runner, g mcp.Given) (string, error) {
	role, err := d.db.Roster.RoleOf(ctx, g.By)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", err
	}
	if role == "" {
		barred, err := d.db.Roster.Barred(ctx, g.By)
		return cmp.Or(barred, "Whoever asked for it may not do anything any more."), err
	}
	live, err := d.db.Conversations.Session(ctx, g.Thread)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", err
	}
	args, err := json.Marshal(map[string]string{"task": g.Task})
	if err != nil {
		return "", err
	}
	who := guard.Caller{Role: role, Channel: live.Channel, Via: guard.ByPerson}
	switch {
	case g.By.Role == event.RoleSchedule || g.Lane == run.ScheduleLane:
		who.Via = guard.BySchedule
	case org.AgentOf(g.By) != "":
		who.Via = guard.ByAgent
	}
	_, decided, err := agents.Explain(ctx, agent.Case{Agent: org.AgentID(g.Giver), Tool: g.Tool, Args: args, Project: g.Project, Who: who})
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		return fault.TextOf(err), nil
	case err == nil && decided.Verdict == guard.Deny:
		return decided.Text, nil
	}
	return "", err
}
