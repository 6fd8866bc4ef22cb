// Package route decides which agent takes a request. It is pure: the same request
// and roster always give the same decision, whatever the roster's order. The rules
// are the protocol's: hard filters, required capabilities, preferences, tie-breakers.
package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/org"
)

// A Request is what must be done, in terms of capabilities.
type Request struct {
	Requires []string      // capability ids, all of them
	Prefers  []string      // capability ids, tags, tools or a domain; each one matched adds to the score
	Policy   *event.Policy // of the message
	Named    org.AgentID   // asked for by name; others are not considered
}

// A Candidate is an agent and how it is doing.
type Candidate struct {
	Agent   org.Agent
	Status  org.Status
	Load    int     // tasks in hand
	Success float64 // share of its tasks that ended well, when Known
	Known   bool
	Last    event.Seq // when it was last chosen
}

// A Decision is the payload of routing.decision.
type Decision struct {
	Selected   org.AgentID             `json:"selected"`
	Candidates []org.AgentID           `json:"candidates"`
	Scores     map[org.AgentID]float64 `json:"scores"`
	Rejected   map[org.AgentID]string  `json:"rejected,omitempty"`
	Reason     string                  `json:"reason"`
}

// A Failure is the payload of routing.failure.
type Failure struct {
	OriginalMessageID string                 `json:"original_message_id"`
	Requires          []string               `json:"requires"`
	Prefers           []string               `json:"prefers"`
	Reason            string                 `json:"reason"`
	Rejected          map[org.AgentID]string `json:"rejected,omitempty"`
}

// The protocol's facts about routing.
var (
	DecisionKind = event.Kind[Decision]{Name: event.RoutingDecision}
	FailureKind  = event.Kind[Failure]{Name: event.RoutingFailure}
)

// Decide picks a candidate; ok is false when none fits, and Rejected says why.
func Decide(r Request, roster []Candidate) (d Decision, ok bool) {
	d = Decision{Candidates: []org.AgentID{}, Scores: make(map[org.AgentID]float64), Rejected: make(map[org.AgentID]string)}
	var fit []Candidate
	for _, c := range roster {
		id := c.Agent.Card.AgentID
		if why := reject(r, c); why != "" {
			d.Rejected[id] = why
			continue
		}
		d.Candidates = append(d.Candidates, id)
		d.Scores[id] = score(r, c)
		fit = append(fit, c)
	}
	slices.Sort(d.Candidates)
	if len(fit) == 0 {
		d.Reason = "No agent fits the request."
		return d, false
	}
	slices.SortFunc(fit, func(a, b Candidate) int {
		ia, ib := a.Agent.Card.AgentID, b.Agent.Card.AgentID
		return cmp.Or(
			cmp.Compare(d.Scores[ib], d.Scores[ia]),
			cmp.Compare(load(a), load(b)),
			cmp.Compare(success(b), success(a)),
			cmp.Compare(a.Last, b.Last), // round robin: the one not chosen for longest
			cmp.Compare(ia, ib),
		)
	})
	d.Selected = fit[0].Agent.Card.AgentID
	for _, c := range fit[1:] {
		d.Rejected[c.Agent.Card.AgentID] = fmt.Sprintf("scored %.3f, %s scored %.3f", d.Scores[c.Agent.Card.AgentID], d.Selected, d.Scores[d.Selected])
	}
	d.Reason = reason(r, fit[0])
	return d, true
}

// reject returns why c cannot take r, "" when it can.
func reject(r Request, c Candidate) string {
	card := c.Agent.Card
	switch {
	case r.Named != "" && r.Named != card.AgentID:
		return "another agent was asked for by name"
	case r.Named == "" && c.Agent.Kind != org.Specialist:
		return "is not a specialist"
	case !c.Agent.Enabled:
		return "is disabled"
	case c.Status == org.Offline:
		return "is offline"
	case c.Load >= card.Limits.MaxConcurrency:
		return fmt.Sprintf("is at its limit of %d tasks", card.Limits.MaxConcurrency)
	}
	if p := r.Policy; p != nil {
		if p.Sandbox && !card.Security.Sandbox {
			return "is not sandboxed, which the policy asks for"
		}
		if p.Network == "none" && card.Security.Network != "none" {
			return "may use the network, which the policy forbids"
		}
		for _, t := range p.ToolAllowlist {
			if !slices.Contains(c.Agent.Tools, t) && !slices.Contains(c.Agent.Tools, "*") {
				return "lacks the tool " + t + " of the policy's list"
			}
		}
	}
	for _, need := range r.Requires {
		if !card.Has(need) {
			return "lacks " + need
		}
	}
	return ""
}

// score is 1 and a tenth for every preference met, times how free and how reliable
// the agent is; reference C1 "Capability matching".
func score(r Request, c Candidate) float64 {
	s := 1.0
	for _, want := range r.Prefers {
		if meets(c.Agent, want) {
			s += 0.1
		}
	}
	return s * (1 - 0.5*load(c)) * (0.5 + 0.5*success(c))
}

func meets(a org.Agent, want string) bool {
	return slices.Contains(a.Tools, want) || slices.ContainsFunc(a.Card.Capabilities, func(c org.Capability) bool {
		return c.ID == want || slices.Contains(c.Tags, want) || slices.Contains(c.Tools, want)
	})
}

func load(c Candidate) float64 {
	return float64(c.Load) / float64(max(c.Agent.Card.Limits.MaxConcurrency, 1))
}

func success(c Candidate) float64 {
	if !c.Known {
		return 1
	}
	return c.Success
}

func reason(r Request, c Candidate) string {
	var parts []string
	if r.Named != "" {
		parts = append(parts, "asked for by name")
	}
	if len(r.Requires) > 0 {
		parts = append(parts, "has "+strings.Join(r.Requires, ", "))
	}
	var met []string
	for _, p := range r.Prefers {
		if meets(c.Agent, p) {
			met = append(met, p)
		}
	}
	if len(met) > 0 {
		parts = append(parts, "prefers matched: "+strings.Join(met, ", "))
	}
	if l := load(c); l < 0.5 {
		parts = append(parts, "low load")
	} else if l < 0.8 {
		parts = append(parts, "moderate load")
	} else {
		parts = append(parts, "best available")
	}
	return strings.Join(parts, "; ")
}
