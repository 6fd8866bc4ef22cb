package definition

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// A Compiled is a definition whose references fit and whose expressions are ready.
type Compiled struct {
	*File

	Graph  *Graph
	Result *Value   // nil is the result of the last step that was done
	Own    []string // the payload types of the organization that steps expect

	triggers []triggerExprs
}

type triggerExprs struct {
	when   *Expr
	inputs *Value
}

// A Graph is steps with what they need.
type Graph struct {
	Nodes []*Node
	order []int // each after what it needs
}

// A Need is a step that another waits for, and the outcome that leads on.
type Need struct {
	Node    int    // in the graph
	Outcome string // a case of a branch, or [Failed]; empty is any end but a failure
}

// A Node is a step, compiled.
type Node struct {
	Step

	Place   string // in the file: steps[2].map.do[0]
	Path    string // its id, after those of the steps that it is in: each.write
	Kind    Kind
	Needs   []Need
	Handled bool // another step needs its failure

	When   *Expr
	Texts  map[string]*Template // by field: task, prompt, system, ask, detail
	Args   *Value               // of a tool, a workflow or a transform
	Undo   *Value               // arguments of what compensates it
	Rules  []Choice
	Over   *Expr // of a map
	Until  *Expr // of a loop or of an event
	At     *Expr // of a time
	Only   []*Template
	Except []*Template
	Schema *Schema
	Terms  []Term
	Eyes   []*Template // the persons of a review, as its reviewers are listed, and who it is escalated to last
	Body   *Graph
}

// A Choice is a rule or a case, compiled.
type Choice struct {
	When *Expr // nil always fits
	Case string
	Then *Value
}

// A Term is a condition, compiled.
type Term struct {
	Condition

	When  *Expr                // holds, or the condition of a record
	Value *Expr                // a number
	Texts map[string]*Template // path, run, dir, id, text
}

// Begins reports whether trigger i begins an instance for an event, and with which inputs.
func (c *Compiled) Begins(ctx context.Context, i int, event map[string]any) (yes bool, inputs map[string]any, err error) {
	t := c.triggers[i]
	vars := Vars{"event": event}
	if yes, err = t.when.True(ctx, vars); err == nil && !yes {
		return false, nil, nil
	}
	var v any
	if err == nil {
		v, err = t.inputs.Eval(ctx, vars)
	}
	if err != nil {
		return false, nil, fault.Wrap(err, fault.Invalid, "%s", sentence(err.Error()))
	}
	inputs, _ = v.(map[string]any)
	return true, inputs, nil
}

// Limits of a workflow.
const (
	mostSteps = 300
	mostDepth = 4
)

// reserved are the names that no step may have: variables, and words of CEL.
var reserved = strings.Fields("inputs run errors item index round last event result record true false null in as break const continue else for function if import let loop package namespace return var void while int uint double bool string bytes list map type dyn")

// Check checks a file as a whole and compiles it. With problems there is no result.
func Check(f *File, own ...OwnTypes) (*Compiled, Problems) {
	c := &checker{file: f, ids: make(map[string]string), types: own}
	out := &Compiled{File: f}
	c.manifest()
	sc, err := newScope()
	if err != nil {
		return nil, Problems{{Text: sentence(err.Error())}}
	}
	top, ok := c.opening(sc)
	if ok {
		var all *scope
		out.Graph, all = c.graph("steps", "", f.Steps, top, nil, 1)
		if f.Output != nil {
			out.Result = c.value(all, "output", f.Output)
		}
		out.triggers = c.triggers(sc)
		c.tests(out.Graph)
	}
	out.Own = c.own
	if len(c.problems) > 0 {
		slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Line - b.Line })
		return nil, c.problems
	}
	return out, nil
}

// ReadFile parses and checks a file. own are the payload types of the organization, beside those that come with Chela.
func ReadFile(raw []byte, own ...OwnTypes) (*Compiled, Problems) {
	f, problems := Parse(raw)
	if problems != nil {
		return nil, problems
	}
	return Check(f, own...)
}

type checker struct {
	file     *File
	problems Problems
	ids      map[string]string // the path of each step, by its id
	steps    int
	types    []OwnTypes // of the organization
	own      []string   // those of them that steps expect
}

// mostProblems is how many problems are told.
const mostProblems = 50

func (c *checker) bad(path, format string, args ...any) {
	if len(c.problems) < mostProblems {
		c.problems = append(c.problems, Problem{Line: c.file.LineOf(path), Path: path, Text: sentence(fmt.Sprintf(format, args...))})
	}
}

// name says what is wrong with the id of a step.
func (c *checker) name(path, id string) {
	switch {
	case id == "":
		c.bad(path, "A step has no id.")
	case !identifier(id):
		c.bad(path+".id", "The id %q is no name: it is lower-case letters, digits and _, and begins with a letter.", id)
	case slices.Contains(reserved, id):
		c.bad(path+".id", "The id %s means something in expressions; choose another.", id)
	case c.ids[id] != "":
		c.bad(path+".id", "The id %s is there twice, first in line %d.", id, c.file.LineOf(c.ids[id]))
	default:
		c.ids[id] = path
	}
}

func identifier(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r == '_' && i > 0 || r >= '0' && r <= '9' && i > 0) {
			return false
		}
	}
	return s != "" && len(s) <= 60
}

// graph compiles a list of steps. before are the outer steps that come before it; the scope that it
// returns knows all steps of the list.
func (c *checker) graph(path, prefix string, steps []Step, sc *scope, before []string, depth int) (*Graph, *scope) {
	g := &Graph{}
	if depth > mostDepth {
		c.bad(path, "Loops and maps are nested deeper than %d.", mostDepth)
		return g, sc
	}
	if len(steps) == 0 {
		c.bad(path, "There are no steps.")
		return g, sc
	}
	if c.steps += len(steps); c.steps > mostSteps {
		c.bad(path, "The workflow has more than %d steps.", mostSteps)
		return g, sc
	}
	at := make(map[string]int, len(steps))
	for i, s := range steps {
		c.name(fmt.Sprintf("%s[%d]", path, i), s.ID)
		if _, twice := at[s.ID]; !twice {
			at[s.ID] = i
		}
		g.Nodes = append(g.Nodes, &Node{Step: s, Place: fmt.Sprintf("%s[%d]", path, i), Path: prefix + s.ID, Texts: make(map[string]*Template)})
	}
	for i := range steps {
		c.needs(fmt.Sprintf("%s[%d]", path, i), g, i, at)
	}
	if !c.sort(path, g) {
		return g, sc
	}
	earlier := make([][]string, len(steps))
	for _, i := range g.order {
		n := g.Nodes[i]
		known := slices.Clone(before)
		for _, need := range n.Needs {
			known = append(append(known, earlier[need.Node]...), g.Nodes[need.Node].ID)
		}
		slices.Sort(known)
		earlier[i] = slices.Compact(known)
		node := &stepCheck{checker: c, path: fmt.Sprintf("%s[%d]", path, i), node: n, scope: sc, before: earlier[i], depth: depth}
		gives := node.compile()
		var err error
		if !identifier(n.ID) || slices.Contains(reserved, n.ID) {
			continue
		}
		if sc, err = sc.with(n.ID, gives); err != nil {
			c.bad(node.path, "The step %s cannot be known by its id: %s", n.ID, err)
		}
	}
	return g, sc
}

// needs resolves what step i of a graph needs.
func (c *checker) needs(path string, g *Graph, i int, at map[string]int) {
	n := g.Nodes[i]
	list := func() []Step {
		out := make([]Step, len(g.Nodes))
		for j := range g.Nodes {
			out[j] = g.Nodes[j].Step
		}
		return out
	}()
	for k, need := range NeedsOf(list, i) {
		where := fmt.Sprintf("%s.needs[%d]", path, k)
		id, outcome := Source(need)
		j, ok := at[id]
		switch {
		case !ok:
			c.bad(where, "The step %s needs %s, which is no step beside it.", n.ID, id)
			continue
		case j == i:
			c.bad(where, "The step %s needs itself.", n.ID)
			continue
		case outcome == "" && n.Step.Needs == nil && g.Nodes[j].Branch != nil:
			c.bad(path, "The step %s follows the branch %s; say after which case, as needs: [%s.%s].", n.ID, id, id, g.Nodes[j].Branch[0].Case)
		case outcome != "" && outcome != Failed && !slices.ContainsFunc(g.Nodes[j].Branch, func(b Case) bool { return b.Case == outcome }):
			c.bad(where, "The step %s needs %s, but %s has no outcome %s.", n.ID, need, id, outcome)
			continue
		}
		if outcome == Failed {
			g.Nodes[j].Handled = true
		}
		n.Needs = append(n.Needs, Need{Node: j, Outcome: outcome})
	}
}

// sort puts the steps after what they need, or says which go round in a circle.
func (c *checker) sort(path string, g *Graph) bool {
	left := make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		left[i] = len(n.Needs)
	}
	for len(g.order) < len(g.Nodes) {
		next := slices.Index(left, 0)
		if next < 0 {
			var round []string
			first := -1
			for i, n := range g.Nodes {
				if left[i] > 0 {
					round = append(round, n.ID)
					if first < 0 {
						first = i
					}
				}
			}
			c.bad(fmt.Sprintf("%s[%d]", path, first), "The steps %s need each other in a circle.", strings.Join(round, ", "))
			return false
		}
		left[next] = -1
		g.order = append(g.order, next)
		for i, n := range g.Nodes {
			for _, need := range n.Needs {
				if need.Node == next && left[i] > 0 {
					left[i]--
				}
			}
		}
	}
	return true
}

// Walk calls fn for each node of a graph and of what is in it.
func (g *Graph) Walk(fn func(*Node)) {
	for _, n := range g.Nodes {
		fn(n)
		if n.Body != nil {
			n.Body.Walk(fn)
		}
	}
}

// From are the ids of a step of the graph and of all that need it.
func (g *Graph) From(id string) ([]string, error) {
	again := make([]bool, len(g.Nodes))
	found := false
	for _, i := range g.order {
		n := g.Nodes[i]
		if n.ID == id {
			again[i], found = true, true
		}
		for _, need := range n.Needs {
			again[i] = again[i] || again[need.Node]
		}
	}
	if !found {
		return nil, fmt.Errorf("there is no step %s; a retry begins at a step of the workflow itself", id)
	}
	var out []string
	for i, n := range g.Nodes {
		if again[i] {
			out = append(out, n.ID)
		}
	}
	return out, nil
}

// ValidID reports whether s can name a step.
func ValidID(s string) bool { return identifier(s) && !slices.Contains(reserved, s) }
