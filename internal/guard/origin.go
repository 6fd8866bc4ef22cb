package guard

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"chela/internal/tool"
)

// pipelineMemory is the only tool that a shipped pipeline calls although a person would be asked:
// an intake keeps what it read. It deletes nothing, and speaks to nobody.
const pipelineMemory = "memory_store"

// waived reports whether a pipeline that ships makes the call without a question.
func (r Request) waived() bool {
	return r.Who.Via == ByWorkflow && r.Tool.Name == pipelineMemory
}

// sends answers for what leaves by a channel, where no rule fits.
func (r Request) sends() Decision {
	if r.Act.Here && r.Who.Via == ByPerson && !onPlatform(r.Who.Channel) {
		return Decision{Verdict: Allow, Rule: "this-conversation"}
	}
	return Decision{Verdict: Ask, Rule: "sending-is-asked", Text: "It writes to people outside."}
}

// onPlatform reports whether a conversation is held on a chat platform. Those of the page, the
// terminal and programs are not: what is said there leaves by no channel.
func onPlatform(channel string) bool {
	return !slices.Contains([]string{"", "page", "api", "clutch"}, channel)
}

// cautious asks about a call that d allows when data from outside may have asked for it, or when
// it would carry private data out.
func (r Request) cautious(d Decision) Decision {
	if r.risk() == tool.ReadOnly || r.Policy.AfterUntrustedData == "trust" {
		return d
	}
	if (r.risk() == tool.NetworkCalls || r.Act.Network) && r.carries() {
		return Decision{Verdict: Ask, Rule: "after-private-data", Text: fmt.Sprintf("The run has seen private data (%s), and this address could carry some of it out.", strings.Join(r.Origins, ", "))}
	}
	if from := r.suspects(); len(from) > 0 {
		return Decision{Verdict: Ask, Rule: "after-untrusted-data", Text: fmt.Sprintf("The run has seen data from outside (%s), which may have asked for this.", strings.Join(from, ", "))}
	}
	return d
}

// suspects are the origins that may have asked for the call.
func (r Request) suspects() []string {
	if r.risk() == tool.WriteRecords {
		return tool.Outside(r.Origins)
	}
	if r.Agent.Outside() { // what it said itself is not told to anybody else
		return slices.DeleteFunc(tool.Untrusted(r.Origins), func(f string) bool { return f == r.host() })
	}
	if r.risk() != tool.NetworkCalls || !r.Tool.Repeatable {
		return tool.Untrusted(r.Origins)
	}
	from, host := tool.Outside(r.Origins), r.host()
	// Reading again where data came from sends nothing anywhere else.
	if host != "" && !slices.ContainsFunc(from, func(f string) bool { return f != host }) {
		return nil
	}
	return from
}

// carries reports whether a network call could carry private data of the run: it does more than
// read, or its address says more than where. An address that a person wrote carries nothing.
func (r Request) carries() bool {
	if !tool.Private(r.Origins) {
		return false
	}
	given := r.Given != nil && r.Given(r.Act.URL)
	return r.risk() != tool.NetworkCalls || !r.Tool.Repeatable || !given && !bare(r.Act.URL)
}

// The longest label and the most labels of the name of a host that tells nothing but where it is.
const (
	plainLabel  = 24
	plainLabels = 4
)

// bare reports whether an address says no more than which host is asked.
func bare(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return false
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	return len(labels) <= plainLabels && !slices.ContainsFunc(labels, func(l string) bool { return len(l) > plainLabel })
}
