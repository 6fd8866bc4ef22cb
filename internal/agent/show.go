package agent

import (
	"cmp"
	"context"
	"time"

	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
)

// A ShownLayer is a part of what an agent is told.
type ShownLayer struct {
	Name     string `json:"name"`
	Priority int    `json:"priority" doc:"below 20 it is never cut beyond its own bound, from 50 on it may be left out"`
	Tokens   int    `json:"tokens" doc:"estimated by its bytes"`
	Bytes    int    `json:"bytes"`
	Cut      bool   `json:"cut" doc:"something of it was left out"`
	Text     string `json:"text"`
}

// A ShownPrompt is what an agent would be told now.
type ShownPrompt struct {
	Agent  org.AgentID  `json:"agent"`
	Layers []ShownLayer `json:"layers" doc:"in the order in which they stand: the system prompt, the conversation, what is remembered"`
	System int          `json:"systemTokens"`
	Most   int          `json:"systemMost" doc:"what the system prompt may have"`
	Tools  int          `json:"toolTokens" doc:"of the descriptions of the tools it is shown"`
	Tokens int          `json:"tokens" doc:"of all"`
	// How tokens are estimated.
	BytesPerToken float64 `json:"bytesPerToken" doc:"as the provider of the agent's model counted since this daemon began; 4 until it did three times"`
	Counted       int     `json:"counted" doc:"calls that were counted"`
	Off           float64 `json:"off" doc:"how far estimates were off, as a share of what was counted; the newest count most"`
}

// maxHistory is how many messages of a conversation a prompt begins with.
const maxHistory = 160

// Prompt returns what an agent would be told if the person said something in the conversation now. Without a
// conversation it is what it would be told at the beginning of one.
func (g *Runner) Prompt(ctx context.Context, id org.AgentID, person, thread string) (ShownPrompt, error) {
	out := ShownPrompt{Agent: id, Layers: []ShownLayer{}, Most: prompt.MaxSystem}
	a, err := g.roster.Agent(ctx, id)
	if err != nil {
		return out, err
	}
	var t session.Thread
	var said []session.Message
	if thread != "" {
		if t, err = g.conv.Session(ctx, thread); err != nil {
			return out, err
		}
		if said, err = g.conv.LastMessages(ctx, thread, event.Newest, maxHistory); err != nil {
			return out, err
		}
	}
	sc := &Scope{g: g, s: &run.Segment{Run: run.Run{Spec: run.Spec{Project: t.Project, Thread: thread}, CreatedAt: time.Now()}}, project: t.Project, thread: t.Title, seenFrom: new(origins)}
	c, err := g.shownContext(ctx, sc, a)
	if err != nil {
		return out, err
	}
	rate := g.gauge.known(rateKey(cmp.Or(t.Model, a.Model), model.Job(a.Kind)))
	out.BytesPerToken, out.Counted, out.Off = rate.each(), rate.calls, rate.off
	for _, l := range prompt.Layers(a, c) {
		out.add(rate, l.Name, l.Priority, l.Text, l.Cut)
		out.System += rate.size(len(l.Text))
	}
	covered, err := g.conv.Compacted(ctx, t.ID, event.Newest)
	if err != nil {
		return out, err
	}
	said, begins := sc.Begin(t, covered, said, 0)
	if len(begins) == 0 {
		var inherited []session.Message
		if inherited, begins, err = sc.Inherited(ctx, t, maxHistory-len(said)); err != nil {
			return out, err
		}
		said = append(inherited, said...)
	}
	history, err := sc.History(said)
	if err != nil {
		return out, err
	}
	history = append(begins, history...)
	for _, m := range history {
		out.add(rate, "Conversation", 70, string(m.Role)+": "+textOf(m), false)
	}
	if last := lastOf(history); last >= 0 {
		who := memory.Reader{Person: person, Agent: id, Teams: a.Card.Teams(), Project: t.Project, Thread: thread}
		text, err := g.Remembered(ctx, who, textOf(history[last]), history, g.runs.Now(), false)
		if err != nil {
			return out, err
		}
		if text != "" {
			out.add(rate, "Memory", 50, prompt.Remembered(text), false)
		}
	}
	out.Tools = rate.size(toolBytes(g.toolset(a, nil)))
	out.Tokens += out.Tools
	return out, nil
}

// shownContext is what the agent is told of where it works.
func (g *Runner) shownContext(ctx context.Context, sc *Scope, a org.Agent) (prompt.Context, error) {
	c := sc.Context()
	c.Files, c.Skills = g.files(ctx, a, sc.s.Run.Project), g.skills(ctx, a)
	if a.Permissions.Any(org.Files, org.Shell, org.Git) {
		c.Folders = g.folders(ctx, a.Card.AgentID, sc.s.Run.Project)
	}
	if a.Kind != org.Controller {
		return c, nil
	}
	all, err := g.roster.Agents(ctx)
	for _, x := range all {
		if x.Kind == org.Specialist && x.Ready() == nil {
			c.Roster = append(c.Roster, x)
		}
	}
	return c, err
}

func (p *ShownPrompt) add(by rate, name string, priority int, text string, cut bool) {
	l := ShownLayer{Name: name, Priority: priority, Tokens: by.size(len(text)), Bytes: len(text), Cut: cut, Text: text}
	p.Tokens += l.Tokens
	if n := len(p.Layers); n > 0 && p.Layers[n-1].Name == name {
		before := &p.Layers[n-1]
		before.Tokens, before.Bytes, before.Cut, before.Text = before.Tokens+l.Tokens, before.Bytes+l.Bytes, before.Cut || cut, before.Text+sep(name)+text
		return
	}
	p.Layers = append(p.Layers, l)
}

// sep stands between the messages of a conversation.
func sep(name string) string {
	if name == "Conversation" {
		return "\n\n"
	}
	return ""
}

// toolBytes are those of what a model is shown of tools.
func toolBytes(tools *model.Toolset) int {
	if tools == nil {
		return 0
	}
	size := 0
	for _, t := range tools.Specs {
		size += len(t.Name) + len(t.Help) + len(t.Schema)
	}
	return size
}

// files are those of the agent's workspace, and of the folders that are granted to an agent with hands.
func (g *Runner) files(ctx context.Context, a org.Agent, project string) []prompt.File {
	if g.opts.Workspace == nil {
		return nil
	}
	var granted []string
	if a.Permissions.Any(org.Files, org.Shell, org.Git) {
		if by, err := g.permitted(ctx, a.Card.AgentID, project); err == nil { // while the policy cannot be read it may touch nothing
			for _, f := range by.Folders.Grants {
				granted = append(granted, f.Path)
			}
		}
	}
	return g.opts.Workspace(ctx, a.Card.AgentID, granted)
}
