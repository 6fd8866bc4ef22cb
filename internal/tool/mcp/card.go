package mcp

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/org"
)

// What a registered agent is bound by, unless an admin says otherwise.
const (
	tasksAtOnce = 4
	mostSeconds = 25 * 60
	mostDesc    = 300 // characters
	mostSkill   = 60  // bytes
)

// Agent is an agent of others as a member of ours, from what its card says now: it is given work by the server of that name. What it
// says of itself has to be what an owner accepted.
func (s *Servers) Agent(ctx context.Context, name string, id org.AgentID) (org.Agent, error) {
	st, err := s.Inspect(ctx, name)
	switch {
	case err != nil:
		return org.Agent{}, err
	case !st.Agent():
		return org.Agent{}, fault.New(fault.Conflict, "%s is a server of tools, not an agent: only one that was added with --a2a or --worker is given work.", name)
	case st.Disabled || len(st.Changes) > 0:
		return org.Agent{}, fault.New(fault.Conflict, "What the agent %s says of itself is not accepted. An owner looks at it with `chela mcp inspect %s`.", name, name)
	}
	if st.Worker != nil {
		return memberWorker(st.Server, id), nil
	}
	secrets, err := s.secretsOf(ctx, st.Server)
	if err != nil {
		return org.Agent{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	card, err := cardOf(ctx, &http.Client{Transport: &only{server: st.Server, secrets: secrets, over: s.dialled(st.Server)}}, st.Server)
	if err != nil {
		return org.Agent{}, s.broke(name, err)
	}
	return member(st.Server, id, card), nil
}

// elsewhere is an agent of ours that works elsewhere, behind a server.
func elsewhere(server mcp.Server, id org.AgentID, name, does string, at org.Endpoints) org.Agent {
	out := org.Agent{
		Card: org.Card{
			V: event.Version, AgentID: id, Display: org.Display{Name: short(name, mostDesc), Desc: short(does, mostDesc)},
			Endpoints: &at, Capabilities: []org.Capability{},
			Limits: org.Limits{MaxConcurrency: tasksAtOnce, MaxRuntimeSec: mostSeconds}, Security: org.Security{Network: "egress-allowed"},
		},
		Profile: org.Profile{Kind: org.Specialist, Prompt: "It works elsewhere, and is given its tasks as they are.", Tools: []string{}, Enabled: true, Permissions: org.Permissions{org.Network: true}, Server: server.Name},
	}
	if out.Card.Display.Name == "" {
		out.Card.Display.Name = id.Name()
	}
	return out
}

// memberWorker is a worker as a member of ours.
func memberWorker(server mcp.Server, id org.AgentID) org.Agent {
	out := elsewhere(server, id, id.Name(), server.Worker.Does, org.Endpoints{})
	for _, s := range server.Worker.Skills {
		out.Card.Capabilities = append(out.Card.Capabilities, org.Capability{ID: "skill:" + s})
	}
	return out
}

// member is an agent of ours with what a card says.
func member(server mcp.Server, id org.AgentID, card *a2a.AgentCard) org.Agent {
	out := elsewhere(server, id, card.Name, card.Description, org.Endpoints{A2A: &org.Endpoint{URL: server.URL}})
	for _, skill := range card.Skills {
		c := org.Capability{ID: "skill:" + slug(strings.TrimPrefix(skill.ID, "skill:"))}
		if c.ID == "skill:" || out.Card.Has(c.ID) || len(out.Card.Capabilities) == mostSkills {
			continue
		}
		for _, tag := range skill.Tags {
			if tag = short(tag, mostSkill); tag != "" && len(c.Tags) < mostSkills {
				c.Tags = append(c.Tags, tag)
			}
		}
		out.Card.Capabilities = append(out.Card.Capabilities, c)
	}
	return out
}

// short is a text of others in one line of so many characters.
func short(text string, most int) string {
	line := []rune(strings.TrimSpace(mcp.Line(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))))
	return string(line[:min(len(line), most)])
}

// slug is a name of others as one of a capability: small letters, digits and hyphens.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' })
	out := strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "-")
	return strings.TrimRight(out[:min(len(out), mostSkill)], "-")
}
