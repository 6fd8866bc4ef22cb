// Package guard is the one place where it is decided whether an agent may do
// something: a pure function from who asks, for whom, and what, to an answer with
// the rule that gave it.
package guard

import (
	"fmt"
	"slices"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/tool"
)

// A Verdict is the answer.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// A Request is everything the answer depends on.
type Request struct {
	Tool    tool.Spec
	Agent   org.Agent
	Role    org.Role      // of the person the agent acts for
	Policy  *event.Policy // narrows further, from the message that asked
	Project string        // the run's
}

// A Decision is an answer and why.
type Decision struct {
	Verdict Verdict
	Rule    string // one word, for the log
	Text    string // a sentence, for the agent and for people
}

// Decide answers. Whatever no rule allows is denied.
func Decide(r Request) Decision {
	deny := func(rule, format string, args ...any) Decision {
		return Decision{Verdict: Deny, Rule: rule, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.Agent.Card.AgentID == "":
		return deny("no-identity", "A call without an agent may do nothing.")
	case !r.Agent.Enabled:
		return deny("agent-disabled", "The agent %s is disabled.", r.Agent.Card.AgentID)
	case !r.Agent.MayUse(r.Tool.Name):
		return deny("not-in-tools", "The agent %s may not use %s; an admin can allow it on the agent's page.", r.Agent.Card.AgentID, r.Tool.Name)
	case r.Policy != nil && len(r.Policy.ToolAllowlist) > 0 && !slices.Contains(r.Policy.ToolAllowlist, r.Tool.Name):
		return deny("message-policy", "The message that asked does not allow %s.", r.Tool.Name)
	case !r.Role.AtLeast(r.Tool.Role):
		return deny("role", "%s needs the role %s; it acts for a person with the role %s.", r.Tool.Name, r.Tool.Role, r.Role)
	}
	switch r.Tool.Risk {
	case tool.ReadOnly:
		return Decision{Verdict: Allow, Rule: "read-only"}
	case tool.WriteRecords:
		if !r.Agent.Permissions.Records {
			return deny("records", "The agent %s may not change records; an admin can permit it on the agent's page.", r.Agent.Card.AgentID)
		}
		return Decision{Verdict: Allow, Rule: "records-by-role"}
	case tool.NetworkCalls:
		if !r.Agent.Permissions.Network {
			return deny("network", "The agent %s may not call the network; an admin can permit it on the agent's page.", r.Agent.Card.AgentID)
		}
		if r.Policy != nil && r.Policy.Network != "" && r.Policy.Network != "egress-allowed" {
			return deny("message-policy", "The message that asked does not allow %s to call the network.", r.Tool.Name)
		}
		if r.Agent.Card.Security.Network == "egress-allowed" {
			return Decision{Verdict: Allow, Rule: "network-of-card"}
		}
		return deny("network", "%s calls the network, which the card of %s does not allow.", r.Tool.Name, r.Agent.Card.AgentID)
	case tool.WriteFiles, tool.ExecShell:
		return deny("risk", "%s is of the risk %s, which no rule allows.", r.Tool.Name, r.Tool.Risk)
	}
	return deny("unknown-risk", "%s declares a risk that is not known.", r.Tool.Name)
}
