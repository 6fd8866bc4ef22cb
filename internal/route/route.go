// Package route decides which agent takes a request. It is pure: the same request
// and roster always give the same decision, whatever the roster's order. The rules
// are the protocol's, in its order: hard filters, required capabilities, preferences,
// tie-breakers. See [Decide]; score.go has the arithmetic.
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
	Prefers  []string      // capability ids, tags or tools; each one met adds to the score
	Domain   string        // of the message; who works in it scores higher
	Policy   *event.Policy // of the message
	Exclude  []org.AgentID // who is not to take it, such as one that just failed at it
	Named    org.AgentID   // asked for by name; others are not considered
}

// A Candidate is an agent and how it is doing. Its id is in a roster once.
type Candidate struct {
	Agent   org.Agent
	Status  org.Status
	Load    int       // tasks in hand
	Success float64   // share of its tasks that ended well, when Known
	Known   bool      // at least one task ended
	Last    event.Seq // when it was last chosen
}

// A Decision is the payload of routing.decision. Rejected says of every agent that
// was not taken why, those that fitted but scored less included.
type Decision struct {
	Selected   org.AgentID             `json:"selected"`
	Candidates []org.AgentID           `json:"candidates"` // who fitted, by id
	Scores     map[org.AgentID]float64 `json:"scores"`     // of the candidates
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
		d.Rejected[c.Agent.Card.AgentID] = second(d, fit[0], c)
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
	case c.Agent.Kind != org.Specialist:
		return "is not a specialist"
	case !c.Agent.Enabled:
		return "is disabled"
	case c.Agent.Unreached():
		return "works elsewhere, and nothing says how it is given work (`chela mcp register`)"
	case c.Status != org.Online:
		return "is not online: " + string(cmp.Or(c.Status, "unknown"))
	case slices.Contains(r.Exclude, card.AgentID):
		return "is excluded from this request"
	case c.Load >= card.Limits.MaxConcurrency:
		return fmt.Sprintf("is at its limit of %d tasks", card.Limits.MaxConcurrency)
	}
	if r.Policy != nil {
		if why := forbid(*r.Policy, c.Agent); why != "" {
			return why
		}
	}
	for _, need := range r.Requires {
		if !card.Has(need) {
			return "lacks " + need
		}
	}
	return ""
}

// forbid returns why a message's policy keeps an agent from it. A policy that cannot
// be read, and a card that does not say, count as the worse.
func forbid(p event.Policy, a org.Agent) string {
	if p.Sandbox && !a.Card.Security.Sandbox {
		return "is not sandboxed, which the policy asks for"
	}
	if p.Network != "" {
		allowed, reach := slices.Index(org.Networks(), p.Network), slices.Index(org.Networks(), a.Card.Security.Network)
		switch {
		case allowed < 0:
			return "cannot be checked against the policy's network " + p.Network
		case reach < 0 || reach > allowed:
			return "reaches further than the policy's network " + p.Network
		}
	}
	for _, t := range p.ToolAllowlist {
		if !a.MayUse(t) {
			return "lacks the tool " + t + " of the policy's list"
		}
	}
	return ""
}

// second says why c, which fits, came after the winner.
func second(d Decision, winner, c Candidate) string {
	id := c.Agent.Card.AgentID
	switch {
	case d.Scores[id] != d.Scores[d.Selected]:
		return fmt.Sprintf("scored %.3f, %s scored %.3f", d.Scores[id], d.Selected, d.Scores[d.Selected])
	case load(c) != load(winner):
		return fmt.Sprintf("scored %.3f like %s, which has less to do", d.Scores[id], d.Selected)
	case success(c) != success(winner):
		return fmt.Sprintf("scored %.3f like %s, which succeeds more often", d.Scores[id], d.Selected)
	case c.Last != winner.Last:
		return fmt.Sprintf("scored %.3f like %s, whose turn it is", d.Scores[id], d.Selected)
	}
	return fmt.Sprintf("scored %.3f like %s, which comes first by id", d.Scores[id], d.Selected)
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
		if weight(c.Agent, p) > 0 {
			met = append(met, p)
		}
	}
	if len(met) > 0 {
		parts = append(parts, "prefers matched: "+strings.Join(met, ", "))
	}
	if inDomain(c.Agent.Card, r.Domain) {
		parts = append(parts, "works in "+r.Domain)
	}
	switch l := load(c); {
	case l < 0.5:
		parts = append(parts, "low load")
	case l < 0.8:
		parts = append(parts, "moderate load")
	default:
		parts = append(parts, "best available")
	}
	return strings.Join(parts, "; ")
}
