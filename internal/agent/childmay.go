package agent

import (
	"context"
	"fmt"
	"slices"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
)

// less is an agent with no more than what its parent has, and only the tools named.
func (l *loop) less(a org.Agent, only []string) (org.Agent, error) {
	var names []string
	for _, t := range l.g.tools().Of([]string{"*"}) {
		for _, u := range t.Uses() {
			if a.MayUse(u.Name) && l.t.agent.MayUse(u.Name) && !OfChildren(u.Name) && (len(only) == 0 || org.Lists(only, u.Name)) {
				names = append(names, u.Name)
			}
		}
	}
	for _, n := range only {
		if !slices.ContainsFunc(names, func(have string) bool { return have == n || org.Whole(have) == n }) {
			return a, fault.BadField("tools", fmt.Sprintf("%s is none that both you and %s may use.", n, a.Card.AgentID.Name()), names...)
		}
	}
	a.Tools = names
	a.Permissions = a.Permissions.And(l.t.agent.Permissions)
	return a, nil
}

// within leaves of a child's grants those that its parent has too.
func (l *loop) within(ctx context.Context, p Permitted) (Permitted, error) {
	if l.child == nil {
		return p, nil
	}
	up, err := l.g.permitted(ctx, l.child.by.Card.AgentID, l.s.Run.Project)
	if err != nil {
		return p, err
	}
	var grants []disk.Grant
	for _, g := range p.Folders.Grants {
		if over, ok := up.Folders.Of(g.Path); ok {
			g.Write, g.Secrets = g.Write && over.Write, g.Secrets && over.Secrets
			grants = append(grants, g)
		}
	}
	p.Folders.Grants, p.Folders.Start = grants, ""
	if len(grants) > 0 {
		p.Folders.Start = grants[0].Path
	}
	return p, nil
}

// asParent takes a decision down to what would be decided for the parent: a rule that
// trusts the child opens nothing to it.
func (l *loop) asParent(p *plan, by Permitted) {
	if l.child == nil || p.verdict.Verdict == guard.Deny {
		return
	}
	_, d := by.decide(p.tool, p.call.Args, l.request(l.child.by))
	if d.Verdict == guard.Deny || d.Verdict == guard.Ask && p.verdict.Verdict == guard.Allow {
		d.Rule = "parent: " + d.Rule
		p.verdict = d
	}
}

// asChild has a refusal say what keeps the child from the call: what it has not itself, what its parent
// has not, or what its parent did not give it; and that its parent may make the call, if so.
func (l *loop) asChild(p *plan, by Permitted) {
	if l.child == nil || p.verdict.Verdict != guard.Deny {
		return
	}
	if OfChildren(p.call.Name) {
		p.verdict.Text = childless
		return
	}
	as := func(a org.Agent) guard.Decision {
		_, d := by.decide(p.tool, p.call.Args, l.request(a))
		return d
	}
	up, own, parent := as(l.child.by), as(l.child.own), l.child.by.Card.AgentID.Name()
	switch mayUp, may := up.Verdict != guard.Deny, own.Verdict != guard.Deny; {
	case may && mayUp:
		p.verdict.Text = fmt.Sprintf("The agent %s, which began this child, did not give it %s. Leave it to %s, which may use it.", parent, p.tool.Of(p.act.Part).Name, parent)
	case may:
		p.verdict.Rule, p.verdict.Text = "parent: "+up.Rule, up.Text+" Its children may do no more than it."
	case mayUp:
		p.verdict.Text += fmt.Sprintf(" Leave it to %s, which may use it.", parent)
	}
}
