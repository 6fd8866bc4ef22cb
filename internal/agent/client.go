package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// ClientTime is how long a run waits for a program to make calls.
const ClientTime = time.Hour

// clients are the tools of the program that asks, beside the agent's own. A call of one is permitted as ever, but
// nobody here makes it: the run waits until the program brings its result.
type clients struct {
	tools  []*tool.Tool
	as     map[string]string // how the program calls them
	single bool

	ours, both *model.Toolset // the last that were put together
}

// clientsOf returns nil when the program brings no tools.
func clientsOf(in *session.ClientTools) *clients {
	if in == nil || len(in.Tools) == 0 {
		return nil
	}
	c := &clients{single: in.Single, as: make(map[string]string)}
	for _, t := range in.Tools {
		spec := tool.Spec{
			Name: t.Name, Help: strings.TrimSpace("A tool of the program that asks. " + t.Help), Risk: tool.ReadOnly, Role: org.Viewer, Untrusted: tool.FromClient,
			Everyone: true, Repeatable: true, Alone: true, Client: true,
		}
		c.tools = append(c.tools, tool.StandIn(spec, t.Schema, nil, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, fault.New(fault.Internal, "The program that asked makes the calls of %s.", t.Name)
		}))
		c.as[t.Name] = t.As
	}
	return c
}

// OwnName reports whether every agent has a tool of that name which is in no catalog.
func OwnName(name string) bool {
	return OfChildren(name) || name == findTools || name == rereadTool
}

// beside returns ours with the program's.
func (c *clients) beside(ours *model.Toolset) *model.Toolset {
	if c == nil {
		return ours
	}
	if c.both != nil && c.ours == ours {
		return c.both
	}
	var specs []model.ToolSpec
	if ours != nil {
		specs = slices.DeleteFunc(slices.Clone(ours.Specs), func(s model.ToolSpec) bool { return c.find(s.Name) != nil })
	}
	for _, t := range c.tools {
		specs = append(specs, model.ToolSpec{Name: t.Name, Help: t.Help, Schema: t.Schema})
	}
	c.ours, c.both = ours, model.NewToolset(specs...)
	return c.both
}

func (c *clients) find(name string) *tool.Tool {
	if c == nil {
		return nil
	}
	for _, t := range c.tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// named finds a tool as the agent knows it: the program's, or ours.
func (l *loop) named(name string) (*tool.Tool, bool) {
	if t := l.client.find(name); t != nil {
		return t, true
	}
	return l.g.tools().Find(name)
}

// ofClient reports whether the program makes the call.
func (p plan) ofClient() bool { return p.tool != nil && p.tool.Client }

// askClient has the program make its calls of an answer: it takes in the results that are known, or ends the segment
// until the program brings them.
func (l *loop) askClient(ctx context.Context, i int, plans []plan, fresh bool, results []result) error {
	var open []plan
	for _, p := range plans {
		if !p.ofClient() {
			continue
		}
		r, known := l.known(i, p)
		if !known && p.verdict.Verdict == guard.Allow {
			open = append(open, p)
			continue
		}
		if !known { // it says why not
			var err error
			if r, err = l.one(ctx, i, p, fresh); err != nil {
				return err
			}
		}
		results[p.n] = r
	}
	if len(open) == 0 {
		return nil
	}
	if l.client.single {
		open = open[:1]
	}
	return l.waitForClient(i, open)
}

// waitForClient ends the segment, at first or again. A program that does not come back ends the run.
func (l *loop) waitForClient(i int, open []plan) error {
	key := fmt.Sprintf("%s/client%d", l.key(i), open[0].n)
	q := session.ClientCalls{ID: l.s.Mint().ID("cli"), Text: textOf(l.history[len(l.history)-1]), Until: l.s.Mint().Now().Add(ClientTime).UTC()}
	asked := l.s.Recorded(key)
	if !asked.Done {
		for _, p := range open {
			step := l.callKey(i, p.n)
			q.Calls = append(q.Calls, session.ClientCall{
				ID: clientCallID(l.s.Run.ID, step), Step: step, Call: p.call.ID, Tool: p.tool.Name, As: l.client.as[p.tool.Name], Args: object(p.call.Args), Task: l.t.id, By: string(l.agentID()),
			})
			l.s.Hold(l.begun(i, p, nil)...)
		}
		l.s.Hold(run.AsStep(session.ClientCallsKind.Draft(l.t.Place(l.s, party(l.agentID())), q), key, true))
	} else {
		var err error
		if q, _, err = session.ClientCallsKind.Open(asked.Event); err != nil {
			return fmt.Errorf("read step %s: %w", key, err)
		}
	}
	names := make([]string, len(q.Calls))
	for n, c := range q.Calls {
		names[n] = c.As
	}
	if !l.s.Mint().Now().Before(q.Until) {
		return fault.New(fault.Unavailable, "The program that asked brought no result of %s within %s. Ask again.", strings.Join(names, ", "), ClientTime)
	}
	return &errWait{on: run.ForClient + q.ID, until: q.Until, why: "The program that asked has to call " + strings.Join(names, ", ") + "."}
}

// clientCallID names a call to the program: at most 40 characters, of which the run's name comes first.
func clientCallID(id run.ID, step string) string {
	sum := sha256.Sum256([]byte(step))
	return "call_" + strings.TrimPrefix(string(id), "run_") + "_" + hex.EncodeToString(sum[:4])
}

// RunOfClientCall is the run that asked for a call; ok is false when no run did.
func RunOfClientCall(id string) (of run.ID, ok bool) {
	rest, ok := strings.CutPrefix(id, "call_")
	tail, _, found := strings.Cut(rest, "_")
	return run.ID("run_" + tail), ok && found && tail != ""
}
