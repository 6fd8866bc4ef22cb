package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/yamlfile"
)

// An Org is what org.yaml says of the organization.
type Org struct {
	Name        string
	Description string
	Agents      []org.Agent
	// Persons are those the file names. An ID is empty when the file gives none: the
	// person is to be added. CreatedAt is not in the file.
	Persons []org.Person
}

// maxOrg is the size of the largest org.yaml in bytes, and maxIndent and maxNest how deep it may go.
const (
	maxOrg    = 512 << 10
	maxIndent = 40
	maxNest   = 16
)

// ReadOrg reads an org.yaml over base, the agents there are: an agent that the file
// names keeps what the file does not say, lists are replaced whole, and an agent that
// it does not name stays as it is. A prompt_file is read from files, which may be nil
// when there are none. Unknown keys, keys without a value, and values that an agent
// or person cannot have are refused with their line.
func ReadOrg(raw []byte, base []org.Agent, files fs.FS) (Org, error) {
	body, err := parseOrg(raw)
	if err != nil || body == nil {
		return Org{Agents: slices.Clone(base)}, err
	}
	var doc struct {
		Organization struct {
			Name        string `yaml:"name"`
			Description string `yaml:"description"`
		} `yaml:"organization"`
		Agents  []ast.Node `yaml:"agents"`
		Persons []ast.Node `yaml:"persons"`
	}
	if err := decodeNode(body, &doc); err != nil {
		return Org{}, err
	}
	out := Org{Name: doc.Organization.Name, Description: doc.Organization.Description, Agents: slices.Clone(base)}
	seen := make(map[org.AgentID]bool)
	for i, n := range doc.Agents {
		a, err := readAgent(fmt.Sprintf("agents.%d", i), n, out.Agents, files)
		if err != nil {
			return Org{}, err
		}
		if seen[a.Card.AgentID] {
			return Org{}, refuse(n, fmt.Sprintf("agents.%d.name", i), "The agent "+a.Card.AgentID.Name()+" is there twice.")
		}
		seen[a.Card.AgentID] = true
		if j := slices.IndexFunc(out.Agents, func(b org.Agent) bool { return b.Card.AgentID == a.Card.AgentID }); j >= 0 {
			out.Agents[j] = a
		} else {
			out.Agents = append(out.Agents, a)
		}
	}
	out.Persons, err = readPersons(doc.Persons)
	return out, err
}

// parseOrg returns the one document in raw, nil when it is empty. It refuses what a
// file of settings has no use for, before anything recurses over it.
func parseOrg(raw []byte) (ast.Node, error) {
	if len(raw) > maxOrg {
		return nil, fault.New(fault.TooLarge, "org.yaml has %d bytes; the limit is %d.", len(raw), maxOrg)
	}
	file, err := yamlfile.Read(raw, yamlfile.Limits{Indent: maxIndent, Nest: maxNest})
	if err != nil {
		return nil, yamlFault(err)
	}
	if len(file.Docs) > 1 {
		return nil, fault.New(fault.Invalid, "org.yaml holds %d documents; write one.", len(file.Docs))
	}
	if len(file.Docs) == 0 || yamlfile.Empty(file.Docs[0]) {
		return nil, nil
	}
	body := file.Docs[0].Body
	var v vague
	ast.Walk(&v, body)
	return body, v.err
}

// vague finds values that the library would take for something: none at all, which
// leaves what was there, and a part of a whole number, which it cuts off.
type vague struct{ err error }

// Visit implements [ast.Visitor].
func (v *vague) Visit(n ast.Node) ast.Visitor {
	if v.err != nil {
		return nil
	}
	line := n.GetToken().Position.Line
	if n.Type() == ast.NullType {
		v.err = fault.New(fault.Invalid, "org.yaml, line %d: a key has no value. Write [] or \"\" for none, or leave the key out.", line)
	}
	if m, ok := n.(*ast.MappingValueNode); ok && m.Value.Type() == ast.FloatType {
		key := m.Key.GetToken().Value
		if slices.Contains([]string{"max_concurrency", "max_runtime_sec", "max_tokens", "working_limit", "daily_retention"}, key) {
			v.err = fault.New(fault.Invalid, "org.yaml, line %d: %s takes a whole number, not %s.", line, key, m.Value.GetToken().Value)
		}
	}
	return v
}

// decodeNode decodes strictly over what into holds already.
func decodeNode(n ast.Node, into any) error {
	if err := yamlfile.Decode(n, into); err != nil {
		return yamlFault(err)
	}
	return nil
}

// yamlFault is a sentence for an error of the library: the line and what is wrong.
func yamlFault(err error) error {
	if p, ok := errors.AsType[*yamlfile.Problem](err); ok && p.Line > 0 {
		return fault.Wrap(err, fault.Invalid, "org.yaml, line %d: %s.", p.Line, p.Text)
	}
	return fault.Wrap(err, fault.Invalid, "org.yaml cannot be read as YAML.")
}

// refuse is a fault about a place in the file.
func refuse(n ast.Node, field, text string, allowed ...string) error {
	return fault.BadField(field, fmt.Sprintf("(org.yaml, line %d) %s", n.GetToken().Position.Line, text), allowed...)
}

// An agentEntry is an agent as org.yaml has it. The sections that are merged have no
// omitempty, so that what is written says everything.
type agentEntry struct {
	Name          string            `yaml:"name"`
	Role          string            `yaml:"role"`
	Title         string            `yaml:"title"`
	Description   string            `yaml:"description"`
	Avatar        string            `yaml:"avatar"`
	Enabled       bool              `yaml:"enabled"`
	Model         string            `yaml:"model"`
	Context       string            `yaml:"context,omitempty"`
	Prompt        string            `yaml:"prompt"`
	PromptFile    string            `yaml:"prompt_file,omitempty"`
	Tools         []string          `yaml:"tools"`
	Capabilities  []org.Capability  `yaml:"capabilities"`
	Limits        limitsEntry       `yaml:"limits"`
	Permissions   org.Permissions   `yaml:"permissions"`
	Budget        budgetEntry       `yaml:"budget"`
	Security      securityEntry     `yaml:"security"`
	Strengths     []string          `yaml:"strengths"`
	Rules         []string          `yaml:"operating_rules"`
	Collaborators []string          `yaml:"preferred_collaborators"`
	Personality   *org.Personality  `yaml:"personality"` // written {} when there is none
	Memory        *org.Retention    `yaml:"memory"`
	Endpoints     *org.Endpoints    `yaml:"endpoints"`
	Meta          map[string]string `yaml:"meta"` // values are JSON
}

type limitsEntry struct {
	MaxConcurrency int     `yaml:"max_concurrency"`
	MaxRuntimeSec  int     `yaml:"max_runtime_sec"`
	MaxTokens      int     `yaml:"max_tokens"`
	MaxCost        float64 `yaml:"max_cost"`
}

type budgetEntry struct {
	MaxTokens     int     `yaml:"max_tokens"`
	MaxCostUSD    float64 `yaml:"max_cost_usd"`
	MaxRuntimeSec int     `yaml:"max_runtime_sec"`
}

type securityEntry struct {
	Sandbox       bool     `yaml:"sandbox"`
	Network       string   `yaml:"network"`
	ToolAllowlist []string `yaml:"tool_allowlist"`
	ToolDenylist  []string `yaml:"tool_denylist"`
	SecretScopes  []string `yaml:"secret_scopes"`
}

// fresh is an agent of which nothing is known yet.
func fresh(name string) org.Agent {
	return org.Agent{
		Card: org.Card{
			V: event.Version, AgentID: org.AgentID("agent:" + name), Display: org.Display{Name: name},
			Limits: org.Limits{MaxConcurrency: 10, MaxRuntimeSec: 900}, Security: org.Security{Sandbox: true, Network: "none"},
		},
		Profile: org.Profile{Kind: org.Specialist, Tools: []string{}, Enabled: true},
	}
}

func readAgent(at string, n ast.Node, base []org.Agent, files fs.FS) (org.Agent, error) {
	keys := keysOf(n)
	var name string
	if v := keys["name"]; v != nil {
		if err := decodeNode(v, &name); err != nil {
			return org.Agent{}, err
		}
	}
	if name == "" {
		return org.Agent{}, refuse(n, at+".name", "An agent has a name.")
	}
	from := fresh(name)
	if i := slices.IndexFunc(base, func(a org.Agent) bool { return a.Card.AgentID == from.Card.AgentID }); i >= 0 {
		from = base[i]
	}
	e := entryOf(from)
	for key, reset := range map[string]func(){
		"personality": func() { e.Personality = nil }, "memory": func() { e.Memory = nil }, "endpoints": func() { e.Endpoints = nil }, "meta": func() { e.Meta = nil },
	} {
		if keys[key] != nil {
			reset() // these are replaced whole
		}
	}
	if err := decodeNode(n, &e); err != nil {
		return org.Agent{}, err
	}
	if file := keys["prompt_file"]; file != nil {
		if keys["prompt"] != nil {
			return org.Agent{}, refuse(file, at+".prompt_file", "Give the prompt or its file, not both.")
		}
		text, err := promptFile(files, e.PromptFile)
		if err != nil {
			return org.Agent{}, refuse(file, at+".prompt_file", fault.TextOf(err))
		}
		e.Prompt = text
	}
	a := e.agent(from)
	if err := a.Check(); err != nil {
		return org.Agent{}, placed(at, n, err)
	}
	return a, nil
}

// placed says where in the file a field of an agent is that has a bad value.
func placed(at string, n ast.Node, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	name := strings.TrimPrefix(e.Fields[0].Name, "card.")
	switch name {
	case "agent_id":
		name = "name"
	case "kind":
		name = "role"
	case "display.name":
		name = "title"
	case "display":
		name = "description"
	}
	for part := range strings.SplitSeq(name, ".") { // as deep as the file goes
		if i, err := strconv.Atoi(part); err == nil {
			if s, ok := n.(*ast.SequenceNode); ok && i < len(s.Values) {
				n = s.Values[i]
			}
		} else if v := keysOf(n)[part]; v != nil {
			n = v
		}
	}
	return refuse(n, at+"."+name, e.Fields[0].Text, e.Fields[0].Allowed...)
}

// keysOf returns the values of a mapping by key, nil of anything else.
func keysOf(n ast.Node) map[string]ast.Node {
	m, ok := n.(ast.MapNode)
	if !ok {
		return nil
	}
	out := make(map[string]ast.Node)
	for it := m.MapRange(); it.Next(); {
		out[it.Key().GetToken().Value] = it.Value()
	}
	return out
}

// promptFile reads a prompt beside org.yaml; files refuses what leads out of there.
func promptFile(files fs.FS, name string) (string, error) {
	if files == nil {
		return "", fault.New(fault.Invalid, "A prompt file cannot be read here; write the prompt into the file.")
	}
	f, err := files.Open(name)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The file %q cannot be opened; it lies beside org.yaml or below it.", name)
	}
	defer func() { _ = f.Close() }() // read only
	raw, err := io.ReadAll(io.LimitReader(f, org.MaxPrompt+1))
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The file %q cannot be read.", name)
	}
	if len(raw) > org.MaxPrompt {
		return "", fault.New(fault.Invalid, "The file %q has more than %d bytes.", name, org.MaxPrompt)
	}
	return strings.TrimSpace(string(raw)), nil
}

// A personEntry is a person as org.yaml has it.
type personEntry struct {
	ID         string   `yaml:"id,omitempty"`
	Name       string   `yaml:"name"`
	Role       string   `yaml:"role"`
	Enabled    bool     `yaml:"enabled"`
	Identities []string `yaml:"identities"`
}

func readPersons(nodes []ast.Node) ([]org.Person, error) {
	var out []org.Person
	taken := make(map[string]bool) // ids and identities
	for i, n := range nodes {
		at := fmt.Sprintf("persons.%d", i)
		e := personEntry{Enabled: true}
		if err := decodeNode(n, &e); err != nil {
			return nil, err
		}
		added := org.PersonAdded{ID: e.ID, Name: e.Name, Role: org.Role(e.Role)}
		if e.ID == "" {
			added.ID = "per_new"
		}
		if err := added.Check(); err != nil {
			return nil, placed(at, n, err)
		}
		for j, id := range append([]string{e.ID}, e.Identities...) {
			field, key := "id", id
			if j > 0 {
				field, key = "identities."+strconv.Itoa(j-1), "identity "+id
				if err := (org.Identity{Identity: id}).Check(); err != nil {
					return nil, refuse(n, at+"."+field, "An identity is a channel, a colon and a name without blanks, such as email:ann@example.com.")
				}
			}
			if id != "" && taken[key] {
				return nil, refuse(n, at+"."+field, id+" is there twice.")
			}
			taken[key] = true
		}
		if e.Identities == nil {
			e.Identities = []string{}
		}
		out = append(out, org.Person{ID: e.ID, Name: e.Name, Role: org.Role(e.Role), Enabled: e.Enabled, Identities: e.Identities})
	}
	return out, nil
}
