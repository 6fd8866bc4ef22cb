// Package blueprint has plans for building workflows: what a sentence wants ([Detect]), a plan of steps for sentences of
// simple forms ([FromText]), and how a plan becomes operations on a draft ([Rehearse]). A plan is checked whole, on a copy
// of the draft, before anything changes. It is pure; package builder keeps plans and does them.
package blueprint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// An Action says what a step of a plan does.
type Action string

// The actions.
const (
	CreateNode         Action = "CREATE_NODE"
	ConnectNodes       Action = "CONNECT_NODES"
	UpdateNode         Action = "UPDATE_NODE"
	DeleteNode         Action = "DELETE_NODE"
	CreateFile         Action = "CREATE_FILE"
	RegisterCapability Action = "REGISTER_CAPABILITY"
)

// A Plan says how a draft is changed.
type Plan struct {
	ID        string   `json:"id"`
	Version   string   `json:"version" doc:"1.0"`
	Workflow  string   `json:"workflow" doc:"the slug of the draft"`
	Fresh     bool     `json:"fresh,omitempty" doc:"the workflow is new: the plan begins it"`
	Metadata  Metadata `json:"metadata"`
	Context   Context  `json:"context"`
	Steps     []Step   `json:"steps" nullable:"false"`
	Unread    []string `json:"unread,omitempty" doc:"what of the request was not understood, and is not in the plan"`
	Findings  []string `json:"findings,omitempty" doc:"what the linter would find of the draft after the plan"`
	Validated bool     `json:"validated" doc:"it was tried on a copy of the draft as it stood"`
}

// Metadata is a plan for people.
type Metadata struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Complexity  string `json:"complexity" enum:"simple,moderate,complex"`
	Estimated   int    `json:"estimatedSteps"`
}

// A Context is what a plan was made from.
type Context struct {
	Intent string   `json:"userIntent"`
	Nodes  []string `json:"existingNodes" nullable:"false" doc:"paths"`
}

// A Step is one change. Ids are paths of nodes, or ${variable} of a step that it depends on.
type Step struct {
	ID        string   `json:"id"`
	Order     int      `json:"order"`
	Name      string   `json:"name,omitempty"`
	Action    Action   `json:"action" enum:"CREATE_NODE,CONNECT_NODES,UPDATE_NODE,DELETE_NODE,CREATE_FILE,REGISTER_CAPABILITY"`
	DependsOn []string `json:"dependsOn,omitempty"`
	Output    *Output  `json:"output,omitempty"`

	NodeType string           `json:"nodeType,omitempty" doc:"CREATE_NODE: agent, tool, model, rule, branch, loop, map, wait, workflow or transform"`
	Label    string           `json:"label,omitempty" doc:"CREATE_NODE: its title, from which its id is made"`
	ParentID string           `json:"parentId,omitempty" doc:"CREATE_NODE: the loop or map that it is put in"`
	Position *canvas.Position `json:"position,omitempty"`
	Config   json.RawMessage  `json:"config,omitempty" doc:"CREATE_NODE: what the step says, such as {\"name\": \"pm\", \"task\": \"…\"} for an agent"`

	SourceID string `json:"sourceId,omitempty" doc:"CONNECT_NODES"`
	TargetID string `json:"targetId,omitempty" doc:"CONNECT_NODES"`
	Outcome  string `json:"outcome,omitempty" doc:"CONNECT_NODES: a case of a branch, or error"`

	NodeID  string  `json:"nodeId,omitempty" doc:"UPDATE_NODE, DELETE_NODE; without it UPDATE_NODE is of the workflow itself"`
	Changes *Change `json:"changes,omitempty" doc:"UPDATE_NODE"`

	Path       string `json:"path,omitempty" doc:"CREATE_FILE"`
	Content    string `json:"content,omitempty" doc:"CREATE_FILE, REGISTER_CAPABILITY"`
	Capability string `json:"capabilityName,omitempty" doc:"REGISTER_CAPABILITY"`
	Type       string `json:"capabilityType,omitempty" enum:"skill,hook,command" doc:"REGISTER_CAPABILITY"`
}

// An Output names what a step gives to others.
type Output struct {
	Node string `json:"nodeIdVariable,omitempty"`
	File string `json:"filePathVariable,omitempty"`
}

// A Change is what is updated of a node.
type Change struct {
	Label  string          `json:"label,omitempty"`
	Config json.RawMessage `json:"config,omitempty" doc:"properties by their paths, such as {\"agent.task\": \"…\"}"`
}

// Most is how many steps a plan has.
const Most = 100

var (
	variable = pattern.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	stepID   = pattern.New(`^[A-Za-z0-9_.-]{1,60}$`)
)

// Problems says what of a plan's form does not fit: ids, actions, what steps depend on, circles, variables.
func (p Plan) Problems() []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(p.Steps) == 0 || len(p.Steps) > Most {
		bad("A plan has 1 to %d steps, not %d.", Most, len(p.Steps))
		return out
	}
	at := make(map[string]int)
	gives := make(map[string]string) // the step that gives a variable
	for i, s := range p.Steps {
		if _, twice := at[s.ID]; twice || !stepID.MatchString(s.ID) {
			bad("The id %q of step %d does not fit, or is there twice.", s.ID, i+1)
		}
		at[s.ID] = i
		for _, v := range s.gives() {
			if gives[v] != "" {
				bad("The steps %s and %s both give ${%s}.", gives[v], s.ID, v)
			}
			gives[v] = s.ID
		}
	}
	for _, s := range p.Steps {
		for _, d := range s.DependsOn {
			if _, ok := at[d]; !ok {
				bad("The step %s depends on %s, which is no step.", s.ID, d)
			}
		}
	}
	if out != nil {
		return out
	}
	if _, err := p.Waves(); err != nil {
		return []string{fault.TextOf(err)}
	}
	for _, s := range p.Steps {
		for _, v := range s.reads() {
			switch by, ok := gives[v]; {
			case !ok:
				bad("The step %s reads ${%s}, which no step gives.", s.ID, v)
			case !p.after(s.ID, by):
				bad("The step %s reads ${%s} of %s and does not depend on it.", s.ID, v, by)
			}
		}
	}
	return out
}

// gives are the variables that a step sets.
func (s Step) gives() []string {
	var out []string
	if s.Output != nil {
		for _, v := range []string{s.Output.Node, s.Output.File} {
			if v != "" {
				out = append(out, v)
			}
		}
	}
	return out
}

// reads are the variables in the ids of a step. Texts may have ${…} of their own, which workflows read.
func (s Step) reads() []string {
	var out []string
	for _, text := range []string{s.ParentID, s.SourceID, s.TargetID, s.NodeID} {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// after reports whether a step comes, directly or not, after another.
func (p Plan) after(id, before string) bool {
	seen := make(map[string]bool)
	var visit func(string) bool
	visit = func(id string) bool {
		if seen[id] {
			return false
		}
		seen[id] = true
		i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.ID == id })
		return i >= 0 && slices.ContainsFunc(p.Steps[i].DependsOn, func(d string) bool { return d == before || visit(d) })
	}
	return visit(id)
}

// Waves are the steps in the order in which they can be done: those of a wave depend on none of each other. Steps that
// depend on each other in a circle are a fault.Invalid.
func (p Plan) Waves() ([][]Step, error) {
	var out [][]Step
	done := make(map[string]bool)
	for len(done) < len(p.Steps) {
		var wave []Step
		for _, s := range p.Steps {
			if !done[s.ID] && !slices.ContainsFunc(s.DependsOn, func(d string) bool { return !done[d] }) {
				wave = append(wave, s)
			}
		}
		if len(wave) == 0 {
			return nil, fault.New(fault.Invalid, "Steps of the plan depend on each other in a circle.")
		}
		for _, s := range wave {
			done[s.ID] = true
		}
		out = append(out, wave)
	}
	return out, nil
}

// Operations are what a step does to a draft, with the variables that are known. The error is a clause.
func (s Step) Operations(vars map[string]string) ([]canvas.Operation, error) {
	id := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(m string) string { return cmp.Or(vars[m[2:len(m)-1]], m) })
	}
	switch s.Action {
	case CreateNode:
		kind := definition.Kind(strings.ToLower(s.NodeType))
		properties, err := propertiesOf(kind, s.Label, s.Config)
		if err != nil {
			return nil, err
		}
		return []canvas.Operation{{Op: canvas.CreateNode, ID: Identifier(cmp.Or(s.Label, s.Name)), Kind: kind, In: id(s.ParentID), Properties: properties, Position: s.Position}}, nil
	case ConnectNodes:
		return []canvas.Operation{{Op: canvas.ConnectNodes, From: id(s.SourceID), To: id(s.TargetID), Outcome: s.Outcome}}, nil
	case UpdateNode:
		return s.updates(id(s.NodeID))
	case DeleteNode:
		return []canvas.Operation{{Op: canvas.DeleteNode, Node: id(s.NodeID)}}, nil
	case CreateFile:
		return []canvas.Operation{{Op: canvas.CreateFile, Path: s.Path, Content: &s.Content}}, nil
	case RegisterCapability:
		name := Identifier(s.Capability)
		ext, ok := map[string]string{"skill": "md", "hook": "json", "command": "md"}[s.Type]
		if !ok || name == "" {
			return nil, fmt.Errorf("a capability has a name, and is a skill, a hook or a command")
		}
		return []canvas.Operation{{Op: canvas.CreateFile, Path: s.Type + "s/" + name + "." + ext, Content: &s.Content}}, nil
	}
	return nil, fmt.Errorf("there is no action %q", s.Action)
}

// updates are the operations of an update.
func (s Step) updates(node string) ([]canvas.Operation, error) {
	if s.Changes == nil {
		return nil, fmt.Errorf("it says no changes")
	}
	var out []canvas.Operation
	if s.Changes.Label != "" {
		raw, err := json.Marshal(s.Changes.Label)
		if err != nil {
			return nil, err
		}
		path := "title"
		if node == "" {
			path = "name"
		}
		out = append(out, canvas.Operation{Op: canvas.UpdateProperty, Node: node, Path: path, Value: raw})
	}
	config, err := keysOf(s.Changes.Config)
	if err != nil {
		return nil, err
	}
	for _, c := range config {
		out = append(out, canvas.Operation{Op: canvas.UpdateProperty, Node: node, Path: c.key, Value: c.value})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it says no changes")
	}
	return out, nil
}

// Identifier makes an id of a label; "" when nothing of it is left.
func Identifier(label string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(label) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= 40 {
			break
		}
	}
	id := strings.Trim(b.String(), "_")
	if id != "" && !definition.ValidID(id) {
		id += "_step"
	}
	return id
}
