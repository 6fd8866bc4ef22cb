package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/org"
)

// Unknown says which tools and agents a workflow names that are not there, or cannot be given work.
func (h *Handler) Unknown(ctx context.Context, c *definition.Compiled) definition.Problems {
	var out definition.Problems
	bad := func(place string, err error) {
		if err != nil {
			out = append(out, definition.Problem{Line: c.LineOf(place), Path: place, Text: fault.TextOf(err)})
		}
	}
	agent := func(place, name string) {
		if name != "" {
			_, err := h.agents.Agent(ctx, org.AgentID("agent:"+name))
			bad(place, err)
		}
	}
	c.Graph.Walk(func(n *definition.Node) {
		for _, t := range []struct {
			step  *definition.ToolStep
			place string
		}{{n.Step.Tool, n.Place + ".tool"}, {n.Compensate, n.Place + ".compensate"}} {
			if t.step != nil {
				bad(t.place, h.fits(t.step))
				agent(t.place+".agent", t.step.Agent)
			}
		}
		if n.Step.Agent != nil {
			agent(n.Place+".agent.name", n.Step.Agent.Name)
		}
	})
	return out
}

// fits says why a call cannot be made whatever its values are: there is no such tool, or its arguments
// have other names.
func (h *Handler) fits(t *definition.ToolStep) error {
	found, err := h.agents.Tool(t.Name)
	if err != nil {
		return err
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(found.Schema, &schema); err != nil {
		return fmt.Errorf("read the schema of %s: %w", t.Name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Args)) {
		if schema.Properties[name] == nil {
			return fault.New(fault.Invalid, "The tool %s has no argument %s; it has %s.", t.Name, name, strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		}
		if err := allowed(t, name, schema.Properties[name]); err != nil {
			return err
		}
	}
	for _, name := range schema.Required {
		if _, given := t.Args[name]; !given {
			return fault.New(fault.Invalid, "The tool %s needs the argument %s.", t.Name, name)
		}
	}
	return nil
}

// allowed says that an argument whose value is known already is none of those that the tool takes.
func allowed(t *definition.ToolStep, name string, raw json.RawMessage) error {
	text, ok := t.Args[name].(string)
	if !ok || strings.Contains(text, "${") {
		return nil
	}
	var property struct {
		Enum []string `json:"enum"`
	}
	if err := json.Unmarshal(raw, &property); err != nil || len(property.Enum) == 0 || slices.Contains(property.Enum, text) {
		return nil //nolint:nilerr // it is no list of texts
	}
	return fault.New(fault.Invalid, "The argument %s of the tool %s is %q; it takes one of %s.", name, t.Name, text, strings.Join(property.Enum, ", "))
}
