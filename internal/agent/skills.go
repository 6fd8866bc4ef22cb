package agent

import (
	"context"
	"encoding/json"
	"slices"

	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/skill"
)

// Skills know what agents were taught.
type Skills interface {
	Of(ctx context.Context, id org.AgentID) ([]skill.Entry, error)
	Rules(ctx context.Context, id org.AgentID, names []string) ([]skill.Rule, error)
}

// skills are those that the agent is told of. An error leaves them out: an agent that knows none still works.
func (g *Runner) skills(ctx context.Context, a org.Agent) []prompt.Skill {
	if g.opts.Skills == nil || a.Kind != org.Specialist {
		return nil
	}
	all, err := g.opts.Skills.Of(ctx, a.Card.AgentID)
	if err != nil {
		g.opts.Log.Warn("read the skills of an agent", "agent", a.Card.AgentID, "err", err)
	}
	var out []prompt.Skill
	for _, e := range all {
		s := prompt.Skill{Name: e.Name, Description: e.Description}
		if e.Always {
			s.Instructions = e.Body
		}
		out = append(out, s)
	}
	return out
}

// follow remembers the skill that a call has read: from then on it holds for the task.
func (l *loop) follow(args json.RawMessage) {
	var in struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(args, &in) == nil && in.Name != "" && !slices.Contains(l.follows, in.Name) {
		l.follows = append(l.follows, in.Name)
	}
}

// taught are the rules of the skills that the loop follows.
func (l *loop) taught(ctx context.Context) ([]skill.Rule, error) {
	if len(l.follows) == 0 || l.g.opts.Skills == nil {
		return nil, nil
	}
	return l.g.opts.Skills.Rules(ctx, l.agentID(), l.follows)
}

// asTaught refuses what a skill does not allow. Each of several has to allow it.
func (p *plan) asTaught(rules []skill.Rule) {
	if p.tool == nil || p.verdict.Verdict == guard.Deny {
		return
	}
	for _, r := range rules {
		if spawns := p.tool.Name == spawnTool || p.tool.Name == dispatchTool; spawns && r.Narrows() {
			p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "skill: " + r.Skill, Text: "While you follow the skill " + r.Skill + " you begin no child agents: its bounds would not hold for them."}
			return
		} else if OfChildren(p.tool.Name) && !spawns {
			return // of those begun before
		}
		if text := r.Refuses(p.tool.Spec, p.act); text != "" {
			p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "skill: " + r.Skill, Text: text}
			return
		}
	}
}
