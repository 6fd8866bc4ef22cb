// Package org describes who works here: agents with their cards, roles, tools and
// budgets (org.go, card.go, defaults.go), persons with their roles (person.go), and
// the facts that change them (registry.go). It is data and pure rules; route chooses
// among agents, guard decides what they may do, prompt holds what they are told.
package org

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// An AgentID names an agent: "agent:pm".
type AgentID string

const agentPrefix = "agent:"

// Name returns the id without its prefix.
func (id AgentID) Name() string { return strings.TrimPrefix(string(id), agentPrefix) }

// Party is the agent as a sender or receiver.
func (id AgentID) Party() event.Party { return event.Party{AgentID: string(id), Role: "agent"} }

// AgentOf returns the agent behind a sender, "" when it is a person or a group.
func AgentOf(from event.Party) AgentID {
	if !strings.HasPrefix(from.AgentID, agentPrefix) || strings.HasPrefix(from.AgentID, personPrefix) {
		return ""
	}
	return AgentID(from.AgentID)
}

// Check reports what is wrong with id. The names by which the daemon itself speaks
// in the log cannot be taken.
func (id AgentID) Check() error {
	const field = "card.agent_id"
	name, ok := strings.CutPrefix(string(id), agentPrefix)
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}
	switch {
	case !ok || name == "" || len(name) > 64 || strings.ContainsFunc(name, bad):
		return fault.BadField(field, "An agent's id is agent: and at most 64 of a-z, 0-9, '-', '_' and '.'.")
	case slices.Contains([]string{"chela", "router", "person", "schedule", "webhook"}, name):
		return fault.BadField(field, "The name "+name+" is reserved.")
	}
	return nil
}

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

// A Budget bounds one run of an agent; 0 means no bound.
type Budget struct {
	MaxTokens     int     `json:"max_tokens,omitempty"`
	MaxCostUSD    float64 `json:"max_cost_usd,omitempty"`
	MaxRuntimeSec int     `json:"max_runtime_sec,omitempty"`
}

// Check reports the first field of b that is out of range.
func (b Budget) Check() error {
	switch {
	case b.MaxTokens < 0:
		return fault.BadField("budget.max_tokens", "A budget is not negative; 0 means none.")
	case !amount(b.MaxCostUSD):
		return fault.BadField("budget.max_cost_usd", "A budget is a number that is not negative; 0 means none.")
	case b.MaxRuntimeSec < 0:
		return fault.BadField("budget.max_runtime_sec", "A budget is not negative; 0 means none.")
	}
	return nil
}

// A Profile is what we keep of an agent beside its card.
type Profile struct {
	Kind        Kind        `json:"kind"`
	Prompt      string      `json:"prompt"`
	Tools       []string    `json:"tools"` // names; "*" is all of ours, SERVER__* all of a server
	Model       string      `json:"model,omitempty"`
	Enabled     bool        `json:"enabled"`
	Permissions Permissions `json:"permissions"`
	Budget      Budget      `json:"budget"`
	Context     Strategy    `json:"context,omitempty" enum:"summarize,truncate,sliding" doc:"what becomes of the older part of a long conversation; summarize when left out"`
	Server      string      `json:"server,omitempty" doc:"for one with endpoints: the server (a2a) by which it is given work; without one it is given none"`
}

// A Strategy says what becomes of the older part of a conversation that is too long to be shown whole. All of it can be read again.
type Strategy string

// The strategies. Empty is Summarize.
const (
	Summarize Strategy = "summarize" // a summary stands for it
	Truncate  Strategy = "truncate"  // it is left out when the model's window is nearly full
	Sliding   Strategy = "sliding"   // only so many of the newest messages are shown
)

// Strategies lists them.
func Strategies() []string {
	return []string{string(Summarize), string(Truncate), string(Sliding)}
}

// An Agent is a member of the organization.
type Agent struct {
	Card Card `json:"card"`
	Profile
}

// MaxPrompt is the size of the longest prompt of an agent, in bytes: what the house
// rules and a run's own context need beside it fits in 3,000 tokens.
const MaxPrompt = 6000

// Check reports the first thing wrong with a, as a fault that names the field.
func (a Agent) Check() error {
	if err := a.Card.Check(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Kinds(), string(a.Kind)):
		return fault.BadField("kind", "The kind is not known.", Kinds()...)
	case a.Permissions.Check() != nil:
		return a.Permissions.Check()
	case a.Context != "" && !slices.Contains(Strategies(), string(a.Context)):
		return fault.BadField("context", "The strategy is not known.", Strategies()...)
	case a.Server != "" && !a.Outside():
		return fault.BadField("server", "Only an agent that works elsewhere, with endpoints in its card, is reached by a server.")
	case a.Server != "" && a.Kind != Specialist:
		return fault.BadField("kind", "An agent that works elsewhere is a specialist.")
	case strings.TrimSpace(a.Prompt) == "":
		return fault.BadField("prompt", "An agent has a prompt.")
	case len(a.Prompt) > MaxPrompt:
		return fault.BadField("prompt", fmt.Sprintf("A prompt has at most %d bytes; this one has %d.", MaxPrompt, len(a.Prompt)))
	}
	for i, t := range a.Tools {
		if t == "" || strings.ContainsAny(t, " \t\r\n") {
			return fault.BadField(fmt.Sprintf("tools.%d", i), "A tool's name is not empty and has no blanks.")
		}
		if slices.Contains(a.Tools[:i], t) {
			return fault.BadField(fmt.Sprintf("tools.%d", i), "The tool "+t+" is there twice.")
		}
	}
	return a.Budget.Check()
}

// Outside reports whether the agent works elsewhere, at endpoints of its own. Nothing here answers in its name: it is given
// work by the tools of its server, and without a server none.
func (a Agent) Outside() bool { return a.Card.Endpoints != nil }

// Unreached reports whether the agent works elsewhere and nothing says how it is given work.
func (a Agent) Unreached() bool { return a.Outside() && a.Server == "" }

// Ready says why the agent cannot be given work, as a fault; nil when it can.
func (a Agent) Ready() error {
	name := a.Card.AgentID.Name()
	switch {
	case !a.Enabled:
		return fault.New(fault.Denied, "The agent %s is disabled; an admin can enable it on its page.", name)
	case a.Unreached():
		return fault.New(fault.Unavailable, "The agent %s works elsewhere, and nothing says how it is given work. An owner adds it with `chela mcp add NAME --a2a --url ADDRESS`, and registers it with `chela mcp register NAME --as %s`.", name, name)
	}
	return nil
}

// parts are the operations of tools that lists may name one by one. Organizations that were
// made when each was a tool name them so.
var parts = map[string]string{
	"memory_store": "memory", "memory_recall": "memory", "memory_delete": "memory",
	"schedule_list": "schedule", "schedule_create": "schedule", "schedule_change": "schedule", "schedule_delete": "schedule",
}

// Whole is the tool that a name in a list is a part of, else the name.
func Whole(name string) string {
	if whole, ok := parts[name]; ok {
		return whole
	}
	return name
}

// Of is in the name of a tool of a server of others, behind the server's.
const Of = "__"

// Lists reports whether a list names a tool, or for a part of one, the part or the whole. SERVER__* names all tools
// of a server.
func Lists(list []string, tool string) bool {
	if slices.Contains(list, tool) || slices.Contains(list, Whole(tool)) {
		return true
	}
	server, _, theirs := strings.Cut(tool, Of)
	return theirs && slices.Contains(list, server+Of+"*")
}

// MayUse reports whether the agent's lists let it use the tool, or the part of one: its own
// list and its card's allow-list name it, and the deny-list does not.
func (a Agent) MayUse(tool string) bool {
	if a.Outside() {
		return a.Server != "" && !a.Card.Bars(tool) && strings.HasPrefix(tool, a.Server+Of)
	}
	return !a.Card.Bars(tool) && (Lists(a.Tools, tool) || slices.Contains(a.Tools, "*") && !strings.Contains(tool, Of))
}

// Bars reports whether the card's lists keep a tool from the agent, whatever its own list says.
func (c Card) Bars(tool string) bool {
	s := c.Security
	return Lists(s.ToolDenylist, tool) || len(s.ToolAllowlist) > 0 && !Lists(s.ToolAllowlist, tool)
}

// Patch returns a changed by raw, a JSON merge patch (RFC 7396): what it names is
// set, null clears, lists are replaced whole. Unknown fields are refused, the id
// cannot be changed, and a is left as it was.
func Patch(a Agent, raw json.RawMessage) (Agent, error) {
	if !object(raw) {
		return a, fault.New(fault.Invalid, "The changes of an agent are one JSON object.")
	}
	var shape Agent // refuses what is no field, before anything is merged
	if err := event.DecodeStrict(raw, &shape); err != nil {
		return a, cmp.Or(ofCard(raw), flat(err))
	}
	whole, err := json.Marshal(a)
	if err != nil {
		return a, fmt.Errorf("encode agent: %w", err)
	}
	merged, err := mergePatch(whole, raw)
	if err != nil {
		return a, err
	}
	var next Agent
	if err := event.DecodeStrict(merged, &next); err != nil {
		return a, flat(err)
	}
	if next.Card.AgentID != a.Card.AgentID {
		return a, fault.BadField("card.agent_id", "An agent's id cannot be changed.")
	}
	if err := next.Check(); err != nil {
		return a, err
	}
	return next, nil
}

// ofCard says of the first key that only the card has where it stands; nil when there is none.
func ofCard(raw json.RawMessage) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return nil // its reader says so
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		alone, err := json.Marshal(map[string]any{name: nil})
		if err == nil && event.DecodeStrict(alone, new(Agent)) != nil && event.DecodeStrict(alone, new(Card)) == nil {
			return fault.BadField(name, "It is a field of the card: the key is card."+name+".")
		}
	}
	return nil
}

// flat names a field as the JSON has it: encoding/json puts the name of the embedded
// struct before those of a profile.
func flat(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) != 1 {
		return err
	}
	name, embedded := strings.CutPrefix(e.Fields[0].Name, "Profile.")
	if !embedded {
		return err
	}
	return fault.BadField(name, e.Fields[0].Text, e.Fields[0].Allowed...)
}

// mergePatch applies RFC 7396. Both are valid JSON.
func mergePatch(target, patch json.RawMessage) (json.RawMessage, error) {
	if !object(patch) {
		return patch, nil
	}
	var changes map[string]json.RawMessage
	if err := json.Unmarshal(patch, &changes); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The changes are no JSON object.")
	}
	out := make(map[string]json.RawMessage)
	if object(target) {
		if err := json.Unmarshal(target, &out); err != nil {
			return nil, fmt.Errorf("decode agent: %w", err)
		}
	}
	for name, change := range changes {
		if string(change) == "null" {
			delete(out, name)
			continue
		}
		merged, err := mergePatch(out[name], change)
		if err != nil {
			return nil, err
		}
		out[name] = merged
	}
	return json.Marshal(out)
}

func object(raw json.RawMessage) bool {
	return strings.HasPrefix(strings.TrimLeft(string(raw), " \t\r\n"), "{")
}
