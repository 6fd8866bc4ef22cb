// Package guard is the one place where it is decided whether an agent may do
// something: a pure function from who asks, for whom, and what exactly, to an answer
// with the rule that gave it ([Decide]). policy.go reads the organization's own rules,
// origin.go weighs where the run's data came from, and onward.go answers for the addresses that a
// call leads on to. Package shell says what a shell line does, package disk which folders are granted
// and which files hold secrets, package netaddr which addresses lead inside.
package guard

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/shell"
	"chela/internal/tool"
)

// A Verdict is the answer.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask" // a person, about exactly these arguments
	Deny  Verdict = "deny"
)

// A Via is how a call came about.
type Via string

// The ways.
const (
	ByPerson   Via = "person"
	BySchedule Via = "schedule"
	ByWorkflow Via = "workflow"
	ByAgent    Via = "agent"
)

// A Caller is for whom a call is made.
type Caller struct {
	Role    org.Role // the least of all whose words the run has taken in; of the one who made a schedule
	Barred  string   // without a role, why they have none, and the way out
	Channel string   // where it was asked: "page", "api", …
	Via     Via
	Bound   bool // it acts for a key that is for one project
}

// Lower takes c down to what another for whom the call is made may, when that is less. Without a role it
// stays without one.
func (c *Caller) Lower(to Caller) {
	if c.Role != "" && !to.Role.AtLeast(c.Role) {
		c.Role, c.Barred = to.Role, to.Barred
	}
}

// A Request is everything the answer depends on.
type Request struct {
	Tool        tool.Spec
	Act         tool.Act // what the arguments amount to
	Agent       org.Agent
	Who         Caller
	Message     *event.Policy // narrows further, from the message that asked
	Away        bool          // nobody sits beside the run, as beside one that a comment began
	Project     string        // the run's, its id
	ProjectName string
	Folders     disk.Folders
	Policy      Policy
	Allowances  []Allowance
	// Origins names where the data came from that the run has seen: hosts, and the origins of
	// package tool.
	Origins []string
	// Given reports whether a person wrote an address, as it is; nil is never.
	Given func(address string) bool
	// Unconfined says that programs would run without a sandbox.
	Unconfined bool
	// Links resolves the links of a path; nil leaves them.
	Links func(path string) (string, error)
}

// A Decision is an answer and why.
type Decision struct {
	Verdict  Verdict       `json:"verdict"`
	Rule     string        `json:"rule"`               // for the log
	Text     string        `json:"text,omitempty"`     // a sentence, for the agent and for people
	Wait     time.Duration `json:"wait,omitempty"`     // how long a person's answer is waited for
	Shape    string        `json:"shape,omitempty"`    // what can be allowed for always; "" when nothing can
	Approver org.Role      `json:"approver,omitempty"` // the least role of who may approve
}

// risk is that of the arguments, else the tool's.
func (r Request) risk() tool.Risk {
	if r.Act.Risk != "" {
		return r.Act.Risk
	}
	return r.Tool.Risk
}

func (r Request) dir() string {
	if r.Act.Dir != "" {
		return r.Act.Dir
	}
	return r.Folders.Base()
}

// realDir is dir with its links followed.
func (r Request) realDir() string {
	if r.Links != nil {
		if real, err := r.Links(r.dir()); err == nil {
			return real
		}
	}
	return r.dir()
}

func (r Request) host() string {
	u, err := url.Parse(r.Act.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func deny(rule, format string, args ...any) Decision {
	return Decision{Verdict: Deny, Rule: rule, Text: fmt.Sprintf(format, args...)}
}

// Decide answers. Whatever no rule allows is denied.
func Decide(r Request) Decision {
	r.Tool = r.Tool.Of(r.Act.Part)
	if d := r.who(); d.Verdict != "" {
		return d
	}
	if d := r.may(); d.Verdict != "" {
		return d
	}
	var read shell.Reading
	if r.Act.Command != "" {
		read = shell.Reader{Folders: r.Folders, Dir: r.dir(), Links: r.Links}.Read(r.Act.Command)
	}
	if d := r.beyond(read); d.Verdict != "" {
		return d
	}
	d, trusting := r.ruled(read)
	if d.Verdict == Allow && !trusting {
		d = r.cautious(d)
	}
	if d.Verdict != Ask {
		return d
	}
	if d.Wait == 0 && r.Away && !r.Policy.says {
		d.Wait = AwayWait
	}
	if d.Wait == 0 {
		d.Wait = r.Policy.Wait
	}
	if d.Wait == 0 {
		d.Wait = DefaultWait
	}
	d.Approver = r.Policy.Approver
	if !d.Approver.AtLeast(org.Editor) {
		d.Approver = org.Editor
	}
	return d
}

// who refuses those who may not do this at all.
func (r Request) who() Decision {
	id := r.Agent.Card.AgentID
	switch {
	case id == "":
		return deny("no-identity", "A call without an agent may do nothing.")
	case !r.Agent.Enabled:
		return deny("agent-disabled", "The agent %s is disabled.", id)
	case r.Agent.Outside() && !r.Agent.MayUse(r.Tool.Name):
		return deny("agent-outside", "The agent %s works elsewhere, so nothing here may act as it.", id)
	case !r.Tool.Everyone && r.Agent.Card.Bars(r.Tool.Name):
		return deny("not-in-tools", "The agent %s may not use %s, which its card bars. An owner changes `tool_allowlist` and `tool_denylist` under its `security` in org.yaml, which applies from the next start.", id, r.Tool.Name)
	case !r.Tool.Everyone && !r.Agent.MayUse(r.Tool.Name):
		return deny("not-in-tools", "The agent %s may not use %s; an admin can allow it on the agent's page.", id, r.Tool.Name)
	case !r.Tool.Client && r.Message != nil && len(r.Message.ToolAllowlist) > 0 && !org.Lists(r.Message.ToolAllowlist, r.Tool.Name):
		return deny("message-policy", "The message that asked does not allow %s.", r.Tool.Name)
	case r.Who.Role == "" && r.Who.Barred != "":
		return deny("role", "%s was not called: %s", r.Tool.Name, r.Who.Barred)
	case r.Who.Role == "":
		return deny("role", "%s needs the role %s; it acts for nobody who has a role. A person who has it has to ask for it.", r.Tool.Name, r.Tool.Role)
	case !r.Who.Role.AtLeast(r.Tool.Role):
		return deny("role", "%s needs the role %s; it acts for a person with the role %s.", r.Tool.Name, r.Tool.Role, r.Who.Role)
	case r.Who.Bound && r.Tool.Common:
		return deny("key-project", "%s reaches what is the whole organization's; it acts for a key that is for one project.", r.Tool.Name)
	case !slices.Contains(tool.Risks(), r.risk()):
		return deny("unknown-risk", "%s declares a risk that is not known.", r.Tool.Name)
	}
	return Decision{}
}

// Offered reports whether an agent may use a tool at all: its lists name it, or a part of it,
// and it has the permission that every use of that needs.
func Offered(a org.Agent, t tool.Spec) bool {
	return t.Everyone || slices.ContainsFunc(t.Uses(), func(u tool.Spec) bool { return offered(a, u) })
}

func offered(a org.Agent, t tool.Spec) bool {
	return a.MayUse(t.Name) && !slices.ContainsFunc(t.Needs(t.Risk), func(p org.Permission) bool { return !a.Permissions[p] })
}

// may refuses what the agent has no permission for.
func (r Request) may() Decision {
	id := r.Agent.Card.AgentID
	needs := r.Tool.Needs(r.risk())
	if r.Act.Network {
		needs = append(needs, org.Network)
	}
	for _, p := range needs {
		if !r.Agent.Permissions[p] {
			return deny(string(p), "The agent %s may not %s; an admin can permit it on the agent's page.", id, p.Act())
		}
	}
	if r.risk() != tool.NetworkCalls && !r.Act.Network {
		return Decision{}
	}
	switch {
	case r.Message != nil && r.Message.Network != "" && r.Message.Network != "egress-allowed":
		return deny("message-policy", "The message that asked does not allow %s to call the network.", r.Tool.Name)
	case r.Agent.Card.Security.Network != "egress-allowed":
		return deny("network", "%s calls the network, which the card of %s does not allow. An owner allows it by `network: egress-allowed` under its `security` in org.yaml, which applies from the next start.", r.Tool.Name, id)
	}
	return Decision{}
}

// beyond refuses what lies outside the granted folders, whatever a rule says.
func (r Request) beyond(read shell.Reading) Decision {
	if r.risk() == tool.ExecShell && r.Unconfined && r.Message != nil && r.Message.Sandbox {
		return deny("message-policy", "The message that asked wants programs in a sandbox, and here they run without a sandbox.")
	}
	if r.Act.Dir != "" {
		if d := r.path(disk.Use{Path: r.Act.Dir}); d.Verdict != "" {
			return d
		}
	}
	for _, p := range r.Act.Paths {
		if d := r.path(p); d.Verdict != "" {
			return d
		}
	}
	if d := r.beyondSecrets(); d.Verdict != "" {
		return d
	}
	return r.beyondLine(read)
}

// beyondSecrets refuses secrets that are not granted to this call, and those that would be sent
// where others can read them on the way.
func (r Request) beyondSecrets() Decision {
	for _, name := range r.Act.Secrets {
		granted := func(g SecretGrant) bool { return g.Name == name && g.fits(r) }
		if !slices.ContainsFunc(r.Policy.Secrets, granted) {
			to := ""
			if host := r.host(); host != "" {
				to = " for " + host
			}
			return deny("secret", "The secret %s is not granted to %s of %s here%s; an admin can grant it in the policy (secrets).", name, r.Tool.Name, r.Agent.Card.AgentID, to)
		}
	}
	if u, err := url.Parse(r.Act.URL); len(r.Act.Secrets) > 0 && r.Act.URL != "" && (err != nil || u.Scheme != "https" && !loopback(u.Hostname())) {
		return deny("secret-in-clear", "The secret %s is sent over https only, and %s is asked without it.", r.Act.Secrets[0], r.host())
	}
	return Decision{}
}

// loopback reports whether a host is this machine by its address; a name may lead anywhere.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// beyondLine refuses what a command line would touch outside the sandbox.
func (r Request) beyondLine(read shell.Reading) Decision {
	for _, p := range read.Outside {
		if d := r.path(p); d.Verdict != "" {
			return d
		}
	}
	switch {
	case len(read.Secrets) > 0:
		return deny("secret-file", "%s holds secrets, which no grant opens to %s.", strings.Join(read.Secrets, ", "), r.Agent.Card.AgentID)
	case len(read.Network) > 0 && !r.Act.Network:
		return deny("network", "%s calls the network; say so with network: true, so that it can be decided.", read.Network[0])
	}
	return Decision{}
}

// path refuses a path that is not granted.
func (r Request) path(p disk.Use) Decision {
	path := p.Path
	if r.Links != nil {
		if real, err := r.Links(path); err == nil {
			path = real
		}
	}
	g, ok := r.Folders.Of(path)
	switch {
	case !ok && !p.Write && systemFile(path):
		return Decision{}
	case !ok:
		return deny("outside", "%s lies outside the folders that %s may touch; an admin can grant a folder in the policy (folders).", p.Path, r.Agent.Card.AgentID)
	case p.Write && !g.Write:
		return deny("read-only-folder", "%s lies in %s, which %s may read but not write.", p.Path, g.Path, r.Agent.Card.AgentID)
	case p.Write && (disk.Startup(path) || disk.Startup(p.Path)):
		return deny("startup-file", "%s is run later without being asked about, outside the sandbox; a person has to write it.", p.Path)
	case !g.Secrets && (disk.Secret(path) || disk.Secret(p.Path)):
		return deny("secret-file", "%s holds secrets, which no grant opens to %s.", p.Path, r.Agent.Card.AgentID)
	}
	return Decision{}
}

// systemFile reports whether a program may read a path of the system: the sandbox decides
// what is in it.
func systemFile(path string) bool {
	return !disk.Secret(path) && slices.ContainsFunc([]string{"/usr", "/bin", "/lib", "/lib64", "/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/tmp"}, func(f string) bool { return disk.Within(f, path) })
}

// ruled asks the policy, what people allow for always, and the defaults. trusting says that
// data from outside changes nothing about an answer that allows.
func (r Request) ruled(read shell.Reading) (d Decision, trusting bool) {
	if rule := r.rule(read); rule != nil {
		d = Decision{Verdict: rule.Answer, Rule: "policy: " + rule.Name, Wait: rule.Wait}
		switch {
		case rule.Answer == Deny:
			d.Text = fmt.Sprintf("The policy's rule %q denies it.", rule.Name)
		case rule.Answer == Ask:
			d.Text = fmt.Sprintf("The policy's rule %q has a person asked.", rule.Name)
		case read.Class == shell.Dangerous:
			return Decision{Verdict: Ask, Rule: "dangerous", Text: why(read), Wait: rule.Wait}, false
		}
		return d, rule.Trusting
	}
	if id, ok := r.standing(read); ok {
		return Decision{Verdict: Allow, Rule: "always: " + id}, true // a person has seen exactly this
	}
	return r.usual(read), false
}

// standing returns the allowance that a person gave for always, to exactly this command.
func (r Request) standing(read shell.Reading) (id string, ok bool) {
	shape, lasting := read.Shape()
	if r.Act.Command == "" || !lasting || r.Act.Network || len(r.Act.Secrets) > 0 {
		return "", false
	}
	for _, a := range r.Allowances {
		if a.Agent == r.Agent.Card.AgentID && a.Project == r.Project && a.Tool == r.Tool.Name && a.Shape == shape && a.Folder == r.realDir() {
			return a.ID, true
		}
	}
	return "", false
}

// usual is the answer where no rule fits.
func (r Request) usual(read shell.Reading) Decision {
	switch r.risk() {
	case tool.ReadOnly:
		return Decision{Verdict: Allow, Rule: "read-only"}
	case tool.WriteRecords:
		if asks := r.Tool.Asks; asks != "" && !r.waived() {
			return Decision{Verdict: Ask, Rule: "asks", Text: asks}
		}
		return Decision{Verdict: Allow, Rule: "records-by-role"}
	case tool.NetworkCalls:
		if len(r.Act.Secrets) > 0 {
			return Decision{Verdict: Ask, Rule: "secret-is-sent", Text: fmt.Sprintf("It sends the secret %s to %s.", strings.Join(r.Act.Secrets, ", "), r.host())}
		}
		return Decision{Verdict: Allow, Rule: "network-of-card"}
	case tool.Send:
		return r.sends()
	case tool.WriteFiles:
		return Decision{Verdict: Ask, Rule: "writes-are-asked", Text: "It writes files."}
	case tool.ExecShell:
		return r.command(read)
	}
	return deny("unknown-risk", "%s declares a risk that is not known.", r.Tool.Name)
}

// command answers for programs that no rule of the policy names.
func (r Request) command(read shell.Reading) Decision {
	d := Decision{Verdict: Ask, Rule: "programs-are-asked", Text: "It runs a program."}
	if r.Act.Command == "" {
		return d
	}
	d.Text = why(read)
	if read.Class == shell.Dangerous {
		d.Rule = "dangerous"
		return d
	}
	if shape, lasting := read.Shape(); lasting && !r.Act.Network && len(r.Act.Secrets) == 0 {
		d.Shape = shape
	}
	return d
}

// why says in a sentence why a command is asked about.
func why(read shell.Reading) string {
	switch {
	case len(read.Dangers) > 0:
		return strings.Join(read.Dangers, " ")
	case len(read.Unclear) > 0:
		return strings.Join(read.Unclear[:min(len(read.Unclear), 3)], " ")
	case len(read.Runs) > 0:
		return "It runs code that is not on the line: " + strings.Join(read.Runs, ", ") + "."
	case read.Class == shell.ReadOnly:
		return "It runs a program that only reads."
	}
	return "It runs a program."
}
