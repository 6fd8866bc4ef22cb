// Package org describes who works here: agents with their cards, roles, tools and
// budgets, and persons with their roles. Everything in it is data; route chooses
// among agents and guard decides what they may do.
package org

import (
	"encoding/json"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// An AgentID names an agent: "agent:pm".
type AgentID string

// Name returns the id without its prefix.
func (id AgentID) Name() string { return strings.TrimPrefix(string(id), "agent:") }

// A Kind says what part an agent plays.
type Kind string

// The kinds of agents.
const (
	Controller Kind = "controller" // chooses who does the work
	Specialist Kind = "specialist" // does it
	Checker    Kind = "checker"    // reviews it
)

// Kinds lists all kinds.
func Kinds() []string { return []string{string(Controller), string(Specialist), string(Checker)} }

// A Card is the protocol's AgentCard: what an agent says of itself.
type Card struct {
	V            string       `json:"v"`
	AgentID      AgentID      `json:"agent_id"`
	Display      Display      `json:"display"`
	Endpoints    *Endpoints   `json:"endpoints,omitempty"` // none: it runs inside
	Capabilities []Capability `json:"capabilities"`
	Limits       Limits       `json:"limits"`
	Security     Security     `json:"security"`
	Strengths    []string     `json:"strengths,omitempty"`
	Rules        []string     `json:"operating_rules,omitempty"`
}

// Display is how people see an agent.
type Display struct {
	Name string `json:"name"`
	Desc string `json:"desc,omitempty"`
}

// Endpoints are where an agent outside is reached.
type Endpoints struct {
	Clutch *Endpoint `json:"clutch,omitempty"`
	A2A    *Endpoint `json:"a2a,omitempty"`
	HTTP   *Endpoint `json:"http,omitempty"`
}

// An Endpoint is one address.
type Endpoint struct {
	URL string `json:"url"`
}

// A Capability is something an agent can do, such as "skill:planning".
type Capability struct {
	ID      string   `json:"id"`
	Version string   `json:"version,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Tools   []string `json:"tools,omitempty"`
	Inputs  []string `json:"inputs,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
	Servers []string `json:"servers,omitempty"`
}

// Limits bound an agent's work.
type Limits struct {
	MaxConcurrency int     `json:"max_concurrency"`
	MaxRuntimeSec  int     `json:"max_runtime_sec"`
	MaxTokens      int     `json:"max_tokens,omitempty"`
	MaxCost        float64 `json:"max_cost,omitempty"`
}

// Security says how an agent is contained.
type Security struct {
	Sandbox bool   `json:"sandbox"`
	Network string `json:"network"` // none, egress-restricted, egress-allowed
}

// A Budget bounds one task of an agent; 0 means no bound.
type Budget struct {
	MaxTokens     int     `json:"max_tokens,omitempty" yaml:"max_tokens"`
	MaxCostUSD    float64 `json:"max_cost_usd,omitempty" yaml:"max_cost_usd"`
	MaxRuntimeSec int     `json:"max_runtime_sec,omitempty" yaml:"max_runtime_sec"`
}

// A Profile is what we keep of an agent beside its card.
type Profile struct {
	Kind    Kind     `json:"kind"`
	Prompt  string   `json:"prompt"`
	Tools   []string `json:"tools"`
	Model   string   `json:"model,omitempty"` // empty: the default
	Enabled bool     `json:"enabled"`
	Budget  Budget   `json:"budget"`
}

// An Agent is a member of the organization.
type Agent struct {
	Card Card `json:"card"`
	Profile
}

// Check reports the first thing wrong with a.
func (a Agent) Check() error {
	switch {
	case !strings.HasPrefix(string(a.Card.AgentID), "agent:") || a.Card.AgentID.Name() == "" || strings.ContainsAny(a.Card.AgentID.Name(), " /"):
		return fault.BadField("card.agent_id", "An agent's id is agent: and a name without blanks and slashes.")
	case a.Card.V != event.Version:
		return fault.BadField("card.v", "The version is not known.", event.Version)
	case a.Card.Display.Name == "":
		return fault.BadField("card.display.name", "An agent has a name.")
	case !slices.Contains(Kinds(), string(a.Kind)):
		return fault.BadField("kind", "The kind is not known.", Kinds()...)
	case strings.TrimSpace(a.Prompt) == "":
		return fault.BadField("prompt", "An agent has a prompt.")
	case a.Card.Limits.MaxConcurrency < 1:
		return fault.BadField("card.limits.max_concurrency", "An agent takes at least one task at a time.")
	case a.Budget.MaxTokens < 0 || a.Budget.MaxCostUSD < 0 || a.Budget.MaxRuntimeSec < 0:
		return fault.BadField("budget", "A budget is not negative; 0 means none.")
	}
	return nil
}

// Has reports whether the agent has the capability.
func (c Card) Has(id string) bool {
	return slices.ContainsFunc(c.Capabilities, func(x Capability) bool { return x.ID == id })
}

// A Status is how an agent is doing; the protocol's words.
type Status string

// The statuses.
const (
	Online   Status = "online"
	Offline  Status = "offline"
	Busy     Status = "busy"
	Degraded Status = "degraded"
)

// The protocol's facts about agents.
var (
	RegisterKind  = event.Kind[Registration]{Name: event.AgentRegister}
	UpdateKind    = event.Kind[Update]{Name: event.AgentUpdate}
	HeartbeatKind = event.Kind[Heartbeat]{Name: event.AgentHeartbeat}
)

// A Registration is the payload of agent.register.
type Registration struct {
	Card    Card     `json:"card"`
	Status  Status   `json:"status,omitempty"`
	Profile *Profile `json:"profile,omitempty"` // of agents that run inside
}

// An Update is the payload of agent.update: the agent as it is from now on.
type Update struct {
	AgentID AgentID  `json:"agent_id"`
	Card    *Card    `json:"card,omitempty"`
	Profile *Profile `json:"profile,omitempty"`
	Status  Status   `json:"status,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// A Heartbeat is the payload of agent.heartbeat.
type Heartbeat struct {
	Status       Status  `json:"status"`
	CurrentTasks int     `json:"current_tasks"`
	Metrics      Metrics `json:"metrics"`
}

// Metrics sum what an agent has done.
type Metrics struct {
	TasksCompleted int     `json:"tasks_completed"`
	TasksFailed    int     `json:"tasks_failed"`
	AvgRuntimeMS   int     `json:"avg_runtime_ms"`
	TotalCost      float64 `json:"total_cost"`
}

// Patch returns a with the fields that raw, a JSON merge patch, sets. Unknown fields
// are refused; the id cannot be changed.
func Patch(a Agent, raw json.RawMessage) (Agent, error) {
	next := a
	next.Card.Capabilities = slices.Clone(a.Card.Capabilities)
	next.Tools = slices.Clone(a.Tools)
	if err := event.DecodeStrict(raw, &next); err != nil {
		return a, err
	}
	if next.Card.AgentID != a.Card.AgentID {
		return a, fault.BadField("card.agent_id", "An agent's id cannot be changed.")
	}
	return next, next.Check()
}
