package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/route"
)

// Lacks says which steps of a workflow can never be done, and which of their checks never be met, as things stand
// here: sentences with the step and its line. It is no reason to refuse the file, which may be for another place.
func (h *Handler) Lacks(ctx context.Context, c *definition.Compiled) []string {
	var out []string
	p := place{h}
	c.Graph.Walk(func(n *definition.Node) {
		say := func(texts ...string) {
			for _, text := range texts {
				out = append(out, fmt.Sprintf("The step %s, line %d: %s", n.Path, c.LineOf(n.Place), text))
			}
		}
		for _, err := range p.step(ctx, n) {
			say(fault.TextOf(err))
		}
		say(contract.Lacks(ctx, p, n.Contract)...)
	})
	return out
}

// TermsLack says which terms of a ticket's contract can never be met here: sentences.
func (h *Handler) TermsLack(ctx context.Context, terms []desk.Term) []string {
	return contract.TermsLack(ctx, place{h}, terms)
}

// place is where a handler's instances and contracts are: it implements [contract.Place].
type place struct{ h *Handler }

// step says why a step cannot be done.
func (p place) step(ctx context.Context, n *definition.Node) []error {
	var out []error
	add := func(err error) {
		if err != nil {
			out = append(out, err)
		}
	}
	if t := n.Step.Tool; t != nil {
		add(p.MayCall(ctx, t.Agent, t.Name))
		if line, ok := t.Args["command"].(string); ok && t.Name == "shell_exec" {
			add(contract.Programs(p, line))
		}
	}
	if a := n.Step.Agent; a != nil && a.Name == "" {
		_, _, err := p.h.agents.Choose(ctx, route.Request{Requires: a.Requires, Prefers: a.Prefers})
		if err != nil && len(a.Requires) > 0 {
			err = fault.Wrap(err, fault.NotFound, "No agent that may work offers %s; give it to one on the page Agents, or name an agent.", strings.Join(a.Requires, " and "))
		}
		add(err)
	}
	if r := n.Step.Review; r != nil {
		all := r.By
		if r.Escalate != nil {
			all = append(slices.Clone(all), *r.Escalate)
		}
		for _, who := range all {
			add(contract.Reviewer(ctx, p, who.Agent, who.Person, who.Role))
		}
	}
	if w := n.Step.Wait; w != nil && w.Person != nil && len(n.Only) == 0 {
		role := w.Person.Role
		if role == "" {
			role = string(org.Editor)
		}
		add(p.Answers(ctx, role))
	}
	return out
}

// MayCall implements [contract.Place].
func (p place) MayCall(ctx context.Context, agent, tool string) error {
	if agent == "" {
		_, err := p.h.agents.MayCall(ctx, tool)
		return err
	}
	a, err := p.h.agents.Agent(ctx, org.AgentID("agent:"+agent))
	switch {
	case err != nil:
		return err
	case tool != "" && !a.MayUse(tool):
		return fault.New(fault.Denied, "The agent %s may not call %s; give it the tool on the page Agents, or name another agent.", agent, tool)
	}
	return nil
}

// Person implements [contract.Place].
func (p place) Person(ctx context.Context, who string) error {
	all, err := p.h.people.Persons(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(o org.Person) bool { return o.ID == who || strings.EqualFold(o.Name, who) })
	switch {
	case i < 0:
		return fault.New(fault.NotFound, "There is no person named %s; invite them on the page Users, or name another.", who)
	case !all[i].Enabled:
		return fault.New(fault.Denied, "%s is disabled; enable them on the page Users, or name another.", all[i].Name)
	}
	return nil
}

// Answers implements [contract.Place].
func (p place) Answers(ctx context.Context, role string) error {
	all, err := p.h.people.Persons(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o org.Person) bool { return o.Enabled && o.Role.AtLeast(org.Role(role)) }) {
		return nil
	}
	return fault.New(fault.NotFound, "Nobody has the role %s; give it to somebody on the page Users.", role)
}

// Program implements [contract.Place].
func (p place) Program(name string) bool { return p.h.opts.Program == nil || p.h.opts.Program(name) }

// Record implements [contract.Place].
func (p place) Record(ctx context.Context, id string) error {
	r, err := p.h.records.Record(ctx, id)
	if err == nil && r.Deleted {
		err = fault.New(fault.NotFound, "The record %s was deleted.", id)
	}
	return err
}
