package agent

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
)

// member looks at the agent, and at the one that began it as a child, as they are by now.
func (l *loop) member(ctx context.Context) (err error) {
	if l.now, err = l.g.asIs(ctx, l.t.agent); err != nil || l.child == nil {
		return err
	}
	l.child.by, err = l.g.asIs(ctx, l.child.by)
	return err
}

// asIs is an agent as it is by now. One that was enabled and is disabled is a fault.Denied.
func (g *Runner) asIs(ctx context.Context, was org.Agent) (org.Agent, error) {
	now, err := g.roster.Agent(ctx, was.Card.AgentID)
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		return was, nil // no member: a part of ours
	case err != nil:
		return was, err
	case was.Enabled && !now.Enabled:
		return was, fault.New(fault.Denied, "The agent %s was disabled. The work stops here.", was.Card.AgentID.Name())
	}
	return now, nil
}

// asNow refuses what was taken from the agent since its task began.
func (l *loop) asNow(p *plan, by Permitted) {
	was, now := l.t.agent, l.now
	if p.verdict.Verdict == guard.Deny || slices.Equal(was.Tools, now.Tools) && maps.Equal(was.Permissions, now.Permissions) && reflect.DeepEqual(was.Card.Security, now.Card.Security) {
		return
	}
	if _, d := by.decide(p.tool, p.call.Args, l.request(now)); d.Verdict == guard.Deny {
		p.verdict = d
	}
}
