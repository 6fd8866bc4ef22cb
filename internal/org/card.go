package org

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Card is the protocol's AgentCard: what an agent says of itself.
type Card struct {
	V             string                     `json:"v"`
	AgentID       AgentID                    `json:"agent_id"`
	Display       Display                    `json:"display"`
	Endpoints     *Endpoints                 `json:"endpoints,omitempty"` // none: it runs inside
	Capabilities  []Capability               `json:"capabilities"`
	Limits        Limits                     `json:"limits"`
	Security      Security                   `json:"security"`
	Personality   *Personality               `json:"personality,omitempty"`
	Strengths     []string                   `json:"strengths,omitempty"`
	Rules         []string                   `json:"operating_rules,omitempty"` // part of its system prompt
	Collaborators []string                   `json:"preferred_collaborators,omitempty"`
	Memory        *Retention                 `json:"memory,omitempty"`
	Meta          map[string]json.RawMessage `json:"meta,omitempty"`
}

// Display is how people see an agent.
type Display struct {
	Name   string `json:"name"`
	Desc   string `json:"desc,omitempty"`
	Avatar string `json:"avatar,omitempty"`
}

// Endpoints are where an agent outside is reached.
type Endpoints struct {
	Clutch    *Endpoint `json:"clutch,omitempty"`
	A2A       *Endpoint `json:"a2a,omitempty"`
	HTTP      *Endpoint `json:"http,omitempty"`
	WebSocket *Endpoint `json:"websocket,omitempty"`
}

// An Endpoint is one address and how a caller proves itself there.
type Endpoint struct {
	URL  string        `json:"url"`
	Auth *EndpointAuth `json:"auth,omitempty"`
}

// EndpointAuth names the way to authenticate; the secret itself is never in a card.
type EndpointAuth struct {
	Type   string `json:"type"`             // none, bearer, api_key
	Header string `json:"header,omitempty"` // where an api_key goes
}

// A Capability is something an agent can do, such as "skill:planning".
type Capability struct {
	ID         string   `json:"id"`
	Version    string   `json:"version,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Tools      []string `json:"tools,omitempty"`
	Inputs     []string `json:"inputs,omitempty"`
	Outputs    []string `json:"outputs,omitempty"`
	TrustLevel string   `json:"trust_level,omitempty"` // sandbox, prod
	CostHint   string   `json:"cost_hint,omitempty"`   // low, medium, high
	Servers    []string `json:"servers,omitempty"`     // of MCP
}

// Limits bound an agent's work; 0 means no bound, except for MaxConcurrency.
type Limits struct {
	MaxConcurrency int     `json:"max_concurrency"`
	MaxRuntimeSec  int     `json:"max_runtime_sec"`
	MaxTokens      int     `json:"max_tokens,omitempty"`
	MaxCost        float64 `json:"max_cost,omitempty"`
}

// Security says how an agent is contained.
type Security struct {
	Sandbox       bool     `json:"sandbox"`
	Network       string   `json:"network"` // one of Networks
	ToolAllowlist []string `json:"tool_allowlist,omitempty"`
	ToolDenylist  []string `json:"tool_denylist,omitempty"`
	SecretScopes  []string `json:"secret_scopes,omitempty"`
}

// Personality colours how an agent speaks.
type Personality struct {
	Style          string `json:"style,omitempty"`
	Communication  string `json:"communication,omitempty"`
	DecisionMaking string `json:"decision_making,omitempty"`
}

// Retention says how long an agent outside keeps what it learns.
type Retention struct {
	WorkingLimit    int    `json:"working_limit,omitempty"`
	DailyRetention  int    `json:"daily_retention,omitempty"` // days
	LongTermSummary string `json:"long_term_summary,omitempty"`
}

// Networks lists what an agent may reach, least first.
func Networks() []string { return []string{"none", "egress-restricted", "egress-allowed"} }

// Has reports whether the agent has the capability.
func (c Card) Has(id string) bool {
	return slices.ContainsFunc(c.Capabilities, func(x Capability) bool { return x.ID == id })
}

// Teams are those that the agent says it is in: the names under teams in its meta.
func (c Card) Teams() []string {
	var out []string
	if err := json.Unmarshal(c.Meta["teams"], &out); err != nil {
		return nil // it says none
	}
	return out
}

// Check reports the first thing wrong with c. Fields are named as in an agent's
// JSON, from "card." on.
func (c Card) Check() error {
	if err := c.AgentID.Check(); err != nil {
		return err
	}
	switch {
	case c.V != event.Version:
		return fault.BadField("card.v", "The version is not known.", event.Version)
	case strings.TrimSpace(c.Display.Name) == "":
		return fault.BadField("card.display.name", "An agent has a name.")
	case strings.ContainsAny(c.Display.Name+c.Display.Desc, "\r\n"):
		return fault.BadField("card.display", "Name and description are one line each.")
	}
	for _, check := range []func() error{c.checkCapabilities, c.checkLimits, c.checkSecurity, c.checkEndpoints, c.checkCharacter} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) checkCapabilities() error {
	seen := make(map[string]bool, len(c.Capabilities))
	for i, x := range c.Capabilities {
		at := fmt.Sprintf("card.capabilities.%d", i)
		prefix, name, _ := strings.Cut(x.ID, ":")
		switch {
		case !slices.Contains([]string{"skill", "tool", "mcp"}, prefix) || name == "" || strings.ContainsAny(name, " \t\r\n"):
			return fault.BadField(at+".id", "A capability is skill:, tool: or mcp: and a name without blanks, such as skill:planning.")
		case seen[x.ID]:
			return fault.BadField(at+".id", "The capability "+x.ID+" is there twice.")
		}
		seen[x.ID] = true
		if err := oneOf(at+".trust_level", x.TrustLevel, "sandbox", "prod"); err != nil {
			return err
		}
		if err := oneOf(at+".cost_hint", x.CostHint, "low", "medium", "high"); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) checkLimits() error {
	l := c.Limits
	switch {
	case l.MaxConcurrency < 1:
		return fault.BadField("card.limits.max_concurrency", "An agent takes at least one task at a time.")
	case l.MaxRuntimeSec < 0:
		return fault.BadField("card.limits.max_runtime_sec", "A limit is not negative; 0 means none.")
	case l.MaxTokens < 0:
		return fault.BadField("card.limits.max_tokens", "A limit is not negative; 0 means none.")
	case !amount(l.MaxCost):
		return fault.BadField("card.limits.max_cost", "A limit is a number that is not negative; 0 means none.")
	}
	return nil
}

func (c Card) checkSecurity() error {
	if !slices.Contains(Networks(), c.Security.Network) {
		return fault.BadField("card.security.network", "The network is not known.", Networks()...)
	}
	return nil
}

func (c Card) checkEndpoints() error {
	if c.Endpoints == nil {
		return nil
	}
	for _, e := range []struct {
		name string
		at   *Endpoint
	}{{"clutch", c.Endpoints.Clutch}, {"a2a", c.Endpoints.A2A}, {"http", c.Endpoints.HTTP}, {"websocket", c.Endpoints.WebSocket}} {
		if e.at == nil {
			continue
		}
		field := "card.endpoints." + e.name
		u, err := url.Parse(e.at.URL)
		if err != nil || u.Host == "" || u.User != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
			return fault.BadField(field+".url", "An address begins with http, https, ws or wss, names a host and holds no password.")
		}
		if e.at.Auth == nil {
			continue
		}
		if e.at.Auth.Type == "" {
			return fault.BadField(field+".auth.type", "The field is missing.", "none", "bearer", "api_key")
		}
		if err := oneOf(field+".auth.type", e.at.Auth.Type, "none", "bearer", "api_key"); err != nil {
			return err
		}
	}
	return nil
}

func (c Card) checkCharacter() error {
	for name, raw := range c.Meta {
		if !json.Valid(raw) {
			return fault.BadField("card.meta."+name, "The value is no JSON.")
		}
	}
	if p := c.Personality; p != nil {
		if err := oneOf("card.personality.style", p.Style, "analytical", "creative", "systematic", "pragmatic"); err != nil {
			return err
		}
		if err := oneOf("card.personality.communication", p.Communication, "concise", "verbose", "formal", "casual"); err != nil {
			return err
		}
		if err := oneOf("card.personality.decision_making", p.DecisionMaking, "data-driven", "intuitive", "consensus-seeking", "decisive"); err != nil {
			return err
		}
	}
	if m := c.Memory; m != nil {
		if m.WorkingLimit < 0 || m.DailyRetention < 0 {
			return fault.BadField("card.memory", "A limit is not negative; 0 means none.")
		}
		return oneOf("card.memory.long_term_summary", m.LongTermSummary, "daily", "weekly", "on-demand")
	}
	return nil
}

// oneOf refuses a value that is neither empty nor allowed.
func oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fault.BadField(field, "The value is not known.", allowed...)
}

// amount reports whether v is a number of something: finite and not negative.
func amount(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
