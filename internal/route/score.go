package route

import (
	"math"
	"slices"

	"chela/internal/org"
)

// What a preference that is met adds to the score, by what meets it. Each
// adds at most a tenth, weighed so that an agent that was
// built for a thing comes before one that merely owns a tool for it.
const (
	byCapability = 0.10 // the preference is a capability's id
	byTag        = 0.06 // a tag of a capability
	byTool       = 0.05 // a tool
	byDomain     = 0.04 // the message's domain is a tag or a skill
)

// score is 1 and what the preferences add, times 1 − 0.5·load, times
// 0.5 + 0.5·success: a full agent counts half, and so does one that always fails.
func score(r Request, c Candidate) float64 {
	s := 1.0
	for i, want := range r.Prefers {
		if !slices.Contains(r.Prefers[:i], want) { // said twice counts once
			s += weight(c.Agent, want)
		}
	}
	if inDomain(c.Agent.Card, r.Domain) {
		s += byDomain
	}
	return s * (1 - 0.5*load(c)) * (0.5 + 0.5*success(c))
}

// weight is what the agent gets for a preference: the most of the ways it meets it.
func weight(a org.Agent, want string) float64 {
	switch {
	case a.Card.Has(want):
		return byCapability
	case slices.ContainsFunc(a.Card.Capabilities, func(c org.Capability) bool { return slices.Contains(c.Tags, want) }):
		return byTag
	case slices.Contains(a.Tools, want) || slices.ContainsFunc(a.Card.Capabilities, func(c org.Capability) bool { return slices.Contains(c.Tools, want) }):
		return byTool
	}
	return 0
}

func inDomain(c org.Card, domain string) bool {
	return domain != "" && (c.Has("skill:"+domain) || slices.ContainsFunc(c.Capabilities, func(x org.Capability) bool { return slices.Contains(x.Tags, domain) }))
}

// load is the share of an agent's places that are taken, 0 to 1.
func load(c Candidate) float64 {
	return min(max(float64(c.Load)/float64(max(c.Agent.Card.Limits.MaxConcurrency, 1)), 0), 1)
}

// success is the share of an agent's tasks that ended well, 0 to 1; nobody fails
// before the first task.
func success(c Candidate) float64 {
	if !c.Known || math.IsNaN(c.Success) {
		return 1
	}
	return min(max(c.Success, 0), 1)
}
