package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/shell"
	"chela/internal/tool"
	"chela/internal/yamlfile"
)

// A Policy is the organization's own rules, a file that people read and write. The zero
// value grants nothing beyond the defaults.
type Policy struct {
	Version int `yaml:"version" json:"version"` // 1
	// Wait is how long an approval is waited for before it counts as denied; 5 minutes.
	Wait time.Duration `yaml:"wait" json:"wait"`
	says bool          // the file says how long
	// AfterUntrustedData says what becomes of calls that write or send once a run has seen
	// data from outside: "ask" (the default) or "trust".
	AfterUntrustedData string `yaml:"after_untrusted_data" json:"after_untrusted_data"`
	// Approver is the least role of who may approve; editor.
	Approver org.Role `yaml:"approver" json:"approver"`
	// Folders are open to agents, beside their own.
	Folders []FolderGrant `yaml:"folders" json:"folders"`
	// Network lists addresses and networks inside that tools may reach all the same, such
	// as 127.0.0.1 or 10.1.0.0/16.
	Network []string `yaml:"network" json:"network"`
	// Secrets of the vault are given to the tools that they name, and to no other.
	Secrets []SecretGrant `yaml:"secrets" json:"secrets,omitempty"`
	// Rules are asked in their order; the first that fits decides.
	Rules []Rule `yaml:"rules" json:"rules"`

	networks netaddr.Networks // of Network
}

// A FolderGrant opens a folder and all below it.
type FolderGrant struct {
	Path     string   `yaml:"path" json:"path"`
	Agents   []string `yaml:"agents" json:"agents,omitempty"`     // by name; none means all
	Projects []string `yaml:"projects" json:"projects,omitempty"` // by name or id; none means all
	Write    bool     `yaml:"write" json:"write"`
	Secrets  bool     `yaml:"secrets" json:"secrets"` // also .env, keys and the like
}

// A SecretGrant lets calls use a secret of the vault.
type SecretGrant struct {
	Name     string   `yaml:"name" json:"name"`
	Tools    []string `yaml:"tools" json:"tools"`                 // names; a * at the end stands for any rest
	Agents   []string `yaml:"agents" json:"agents,omitempty"`     // by name; none means all
	Projects []string `yaml:"projects" json:"projects,omitempty"` // by name or id; none means all
	// Hosts are where the secret may be sent: it goes to no other, and without them to none. A
	// grant that names some gives it to no program, since nobody knows where that would send it.
	Hosts []string `yaml:"hosts" json:"hosts,omitempty"`
}

// A Rule answers for the calls that fit all its conditions; a condition that is empty fits.
type Rule struct {
	Name     string   `yaml:"name" json:"name"`
	Answer   Verdict  `yaml:"answer" json:"answer"`
	Tools    []string `yaml:"tools" json:"tools,omitempty"` // names; a * at the end stands for any rest
	Risks    []string `yaml:"risks" json:"risks,omitempty"`
	Agents   []string `yaml:"agents" json:"agents,omitempty"`
	Projects []string `yaml:"projects" json:"projects,omitempty"`
	Roles    []string `yaml:"roles" json:"roles,omitempty"`       // of the person it acts for
	Channels []string `yaml:"channels" json:"channels,omitempty"` // page, api, …
	Via      []string `yaml:"via" json:"via,omitempty"`           // person, schedule, workflow, agent
	Folders  []string `yaml:"folders" json:"folders,omitempty"`   // all paths of the call lie in one of them
	Commands []string `yaml:"commands" json:"commands,omitempty"` // exact commands, or the word "read-only"
	Hosts    []string `yaml:"hosts" json:"hosts,omitempty"`       // a * at the beginning stands for any name before
	// Trusting has what the rule allows allowed also after data from outside.
	Trusting bool `yaml:"trusting" json:"trusting,omitempty"`
	// Wait is how long approval is waited for when this rule asks.
	Wait time.Duration `yaml:"wait" json:"wait,omitempty"`
}

// DefaultWait is how long an approval is waited for.
const DefaultWait = 5 * time.Minute

// AwayWait is how long it is waited for where nobody sits beside the run, unless the policy says how long.
const AwayWait = 24 * time.Hour

// maxWait bounds the wait of a policy.
const maxWait = 30 * 24 * time.Hour

// ParsePolicy reads a policy. Whoever cannot read one denies.
func ParsePolicy(raw []byte) (Policy, error) {
	var p Policy
	raw = yamlfile.Unmarked(raw)
	if len(strings.TrimSpace(string(raw))) > 0 {
		if err := yaml.UnmarshalWithOptions(raw, &p, yaml.Strict()); err != nil {
			return Policy{}, fault.Wrap(err, fault.Invalid, "The policy does not fit:\n%s", yaml.FormatError(err, false, true))
		}
		if p.Version != 1 {
			return Policy{}, fault.BadField("version", fmt.Sprintf("The policy says version %d; this Chela reads version 1.", p.Version))
		}
	}
	if err := p.fill(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

func (p *Policy) fill() error {
	if p.says = p.Wait != 0; !p.says {
		p.Wait = DefaultWait
	}
	if p.AfterUntrustedData == "" {
		p.AfterUntrustedData = "ask"
	}
	if p.Approver == "" {
		p.Approver = org.Editor
	}
	switch {
	case p.Wait < 0 || p.Wait > maxWait:
		return fault.BadField("wait", "Approvals are waited for at most 30 days (720h).")
	case p.AfterUntrustedData != "ask" && p.AfterUntrustedData != "trust":
		return fault.BadField("after_untrusted_data", "It is not known.", "ask", "trust")
	case !p.Approver.AtLeast(org.Editor):
		return fault.BadField("approver", "Approving needs at least the role editor.", string(org.Editor), string(org.Admin), string(org.Owner))
	}
	for i, f := range p.Folders {
		if !filepath.IsAbs(f.Path) || filepath.Clean(f.Path) == "/" {
			return fault.BadField(fmt.Sprintf("folders.%d.path", i), "A folder is named from the root, and is not the root.")
		}
		p.Folders[i].Path = filepath.Clean(f.Path)
	}
	for i, n := range p.Network {
		network, err := netaddr.Parse(n)
		if err != nil {
			return fault.BadField(fmt.Sprintf("network.%d", i), fmt.Sprintf("%q is neither an address nor a network such as 10.1.0.0/16.", n))
		}
		p.networks = append(p.networks, network)
	}
	for i, s := range p.Secrets {
		switch {
		case strings.TrimSpace(s.Name) == "":
			return fault.BadField(fmt.Sprintf("secrets.%d.name", i), "A grant names a secret of the vault.")
		case len(s.Tools) == 0:
			return fault.BadField(fmt.Sprintf("secrets.%d.tools", i), "A grant of a secret names the tools that get it.")
		}
	}
	for i := range p.Rules {
		if err := p.Rules[i].check(fmt.Sprintf("rules.%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) check(field string) error {
	for i, f := range r.Folders {
		if !filepath.IsAbs(f) {
			return fault.BadField(fmt.Sprintf("%s.folders.%d", field, i), "A folder is named from the root.")
		}
		r.Folders[i] = filepath.Clean(f)
	}
	known := func(name string, have []string, all ...string) error {
		for i, h := range have {
			if !slices.Contains(all, h) {
				return fault.BadField(fmt.Sprintf("%s.%s.%d", field, name, i), h+" is not known.", all...)
			}
		}
		return nil
	}
	var risks []string
	for _, k := range tool.Risks() {
		risks = append(risks, string(k))
	}
	switch {
	case strings.TrimSpace(r.Name) == "":
		return fault.BadField(field+".name", "A rule has a name; decisions are explained by it.")
	case r.Answer != Allow && r.Answer != Ask && r.Answer != Deny:
		return fault.BadField(field+".answer", "A rule answers allow, ask or deny.", string(Allow), string(Ask), string(Deny))
	case r.Wait < 0 || r.Wait > maxWait:
		return fault.BadField(field+".wait", "Approvals are waited for at most 30 days (720h).")
	}
	if err := known("risks", r.Risks, risks...); err != nil {
		return err
	}
	if err := known("via", r.Via, string(ByPerson), string(BySchedule), string(ByWorkflow), string(ByAgent)); err != nil {
		return err
	}
	return known("roles", r.Roles, string(org.Viewer), string(org.Editor), string(org.Admin), string(org.Owner))
}

// Reach says which addresses tools may connect to.
func (p Policy) Reach() netaddr.Reach {
	return netaddr.Reach{Networks: p.networks, ByHost: slices.ContainsFunc(p.Rules, func(r Rule) bool { return len(r.Hosts) > 0 })}
}

// Grants returns the folders that are open to an agent in a project, known by its id and
// its name.
func (p Policy) Grants(agent org.AgentID, project ...string) []disk.Grant {
	var out []disk.Grant
	for _, f := range p.Folders {
		if named(f.Agents, agent.Name(), string(agent)) && named(f.Projects, project...) {
			out = append(out, disk.Grant{Path: f.Path, Write: f.Write, Secrets: f.Secrets})
		}
	}
	return out
}

// named reports whether a list is empty or names one of the names.
func named(list []string, names ...string) bool {
	if len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return n != "" && slices.ContainsFunc(list, func(l string) bool { return strings.EqualFold(l, n) })
	})
}

// fits reports whether all conditions of the rule hold for the request.
func (r Rule) fits(q Request, read shell.Reading) bool {
	return (len(r.Tools) == 0 || slices.ContainsFunc(r.Tools, q.calls)) &&
		(len(r.Risks) == 0 || slices.Contains(r.Risks, string(q.risk()))) &&
		named(r.Agents, q.Agent.Card.AgentID.Name(), string(q.Agent.Card.AgentID)) &&
		named(r.Projects, q.Project, q.ProjectName) &&
		(len(r.Roles) == 0 || slices.Contains(r.Roles, string(q.Who.Role))) &&
		named(r.Channels, q.Who.Channel) &&
		(len(r.Via) == 0 || slices.Contains(r.Via, string(q.Who.Via))) &&
		r.fitsFolders(q, read) && r.fitsCommand(q, read) && r.fitsHost(q)
}

// fits reports whether the grant lets the call use its secret.
func (s SecretGrant) fits(q Request) bool {
	return slices.ContainsFunc(s.Tools, q.calls) &&
		named(s.Agents, q.Agent.Card.AgentID.Name(), string(q.Agent.Card.AgentID)) && named(s.Projects, q.Project, q.ProjectName) &&
		(len(s.Hosts) > 0 || q.Act.URL == "") && Rule{Hosts: s.Hosts}.fitsHost(q)
}

// calls reports whether a pattern of the policy names the tool of the request, or the part
// of it that it calls.
func (r Request) calls(pattern string) bool {
	return begins(pattern, r.Tool.Name) || begins(pattern, r.Tool.Whole())
}

func begins(pattern, name string) bool {
	rest, open := strings.CutSuffix(pattern, "*")
	return name == pattern || open && strings.HasPrefix(name, rest)
}

func (r Rule) fitsFolders(q Request, read shell.Reading) bool {
	if len(r.Folders) == 0 {
		return true
	}
	paths := slices.Concat(q.Act.Paths, read.Paths)
	if q.Act.Dir != "" || q.risk() == tool.ExecShell {
		paths = append(paths, disk.Use{Path: q.dir()})
	}
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p disk.Use) bool {
		return !slices.ContainsFunc(r.Folders, func(f string) bool { return disk.Within(f, p.Path) })
	})
}

func (r Rule) fitsCommand(q Request, read shell.Reading) bool {
	if len(r.Commands) == 0 {
		return true
	}
	if q.Act.Command == "" {
		return false
	}
	shape, ok := read.Shape()
	return slices.ContainsFunc(r.Commands, func(c string) bool {
		if c == "read-only" {
			return read.Class == shell.ReadOnly
		}
		return ok && strings.TrimSpace(c) == shape
	})
}

func (r Rule) fitsHost(q Request) bool {
	if len(r.Hosts) == 0 {
		return true
	}
	host := q.host()
	return host != "" && slices.ContainsFunc(r.Hosts, func(h string) bool {
		h = strings.ToLower(h)
		rest, open := strings.CutPrefix(h, "*")
		return host == h || open && strings.HasSuffix(host, rest)
	})
}
