package guard

import (
	"chela/internal/shell"
	"chela/internal/tool"
)

// Onward answers for an address that a permitted call leads on to, or loads a part of a page
// from. The policy's rules are asked about it as they are about the call. Nobody can be asked
// while a page loads: what a rule asks about is refused, but for the host that the call itself
// was about, and for a rule that names no hosts and so asked about the call with all it loads.
func Onward(r Request, address string) Decision {
	to := r
	to.Act = tool.Act{Risk: tool.NetworkCalls, URL: address}
	if to.host() == "" {
		return deny("no-host", "The address names no host, so it is not opened.")
	}
	rule := to.rule(shell.Reading{})
	if rule == nil {
		return Decision{Verdict: Allow, Rule: "network-of-card"}
	}
	name := "policy: " + rule.Name
	switch {
	case rule.Answer == Deny:
		return deny(name, "The policy's rule %q denies %s.", rule.Name, to.host())
	case rule.Answer == Ask && to.host() != r.host() && (len(rule.Hosts) > 0 || r.rule(shell.Reading{}) != rule):
		return deny(name, "The policy's rule %q has a person asked about %s. Ask for an address there by itself.", rule.Name, to.host())
	}
	return Decision{Verdict: Allow, Rule: name}
}

// rule returns the policy's first rule that fits; nil when none does.
func (r Request) rule(read shell.Reading) *Rule {
	for i := range r.Policy.Rules {
		if r.Policy.Rules[i].fits(r, read) {
			return &r.Policy.Rules[i]
		}
	}
	return nil
}
