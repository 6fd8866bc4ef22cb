package agent

import (
	"context"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// A Scope is what all tasks of one segment of a run share: for whom it acts, by which policy, and
// where it has data from. It lives as long as the segment.
type Scope struct {
	g        *Runner
	s        *run.Segment
	project  string
	thread   string        // its title
	who      guard.Caller  // for whom the run acts
	policy   *event.Policy // of the message that asked
	seenFrom *origins      // where the run has data from
	asks     string        // the model that the conversation chose; empty for the agents' own
}

// Scope opens the scope of a segment of a conversation's run. policy is that of its message, nil for none.
func (g *Runner) Scope(ctx context.Context, s *run.Segment, thread session.Thread, policy *event.Policy) (*Scope, error) {
	sc, err := g.scope(ctx, s, thread.Channel)
	if err != nil {
		return nil, err
	}
	sc.project, sc.thread, sc.asks = thread.Project, thread.Title, thread.Model
	if policy != nil { // it was narrowed by the sender's key when it came
		sc.policy = policy
	}
	if thread.Channel == "clutch" || sc.who.Via == guard.ByAgent {
		sc.seenFrom.add([]string{tool.FromAgents})
	}
	return sc, nil
}

// scope opens the scope of a segment whose run belongs to no conversation.
func (g *Runner) scope(ctx context.Context, s *run.Segment, channel string) (*Scope, error) {
	who, err := g.caller(ctx, s.Run.Spec, channel)
	if err != nil {
		return nil, err
	}
	policy, err := g.keyPolicy(ctx, s.Run.By)
	return &Scope{g: g, s: s, project: s.Run.Project, who: who, policy: policy, seenFrom: new(origins)}, err
}

// Origins list where the run has data from.
func (sc *Scope) Origins() []string { return sc.seenFrom.list() }

// Context is what agents are told of where they work.
func (sc *Scope) Context() prompt.Context {
	return prompt.Context{Date: sc.s.Run.CreatedAt, Project: sc.project, Thread: sc.thread}
}

// Task makes the task of that key for an agent. Its steps begin with the key.
func (sc *Scope) Task(key string, a org.Agent, title string) Task {
	root := run.RootTask(sc.s.Run.ID)
	return Task{id: root + "." + key, parent: root, key: key, agent: a, title: head(title, 200)}
}

// Root is the run's own task: its person has asked for it, and nobody else.
func (sc *Scope) Root(a org.Agent) Task {
	return Task{id: run.RootTask(sc.s.Run.ID), key: "root", agent: a, title: head(sc.s.Run.Title, 200)}
}

// History returns what models are shown of messages of the conversation, whose origins the run has seen then.
func (sc *Scope) History(messages []session.Message) ([]model.Message, error) {
	var out []model.Message
	for _, m := range messages {
		if m.Role == session.FromSystem || m.Role == session.Commanded {
			continue
		}
		sc.seenFrom.hear(m)
		parts, err := sc.partsOf(m)
		if err != nil {
			return nil, err
		}
		role := model.User
		if m.Role == session.FromAgent {
			role = model.Assistant
		}
		out = append(out, model.Message{Role: role, Parts: parts})
	}
	return out, nil
}

func (sc *Scope) partsOf(m session.Message) ([]model.Part, error) {
	parts := []model.Part{{Text: m.Words()}}
	for _, ref := range m.Images {
		raw, err := sc.g.arts.Get(artifact.Ref(ref))
		if err != nil {
			return nil, err
		}
		parts = append(parts, model.Part{Image: &model.Image{MIMEType: imageType(raw), Data: raw}})
	}
	return parts, nil
}
