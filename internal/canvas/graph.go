package canvas

import (
	"encoding/json"
	"slices"
	"strings"

	"chela/internal/definition"
)

// A Graph is a workflow as the page draws it.
type Graph struct {
	Nodes    []Node    `json:"nodes" nullable:"false"`
	Edges    []Edge    `json:"edges" nullable:"false"`
	Findings []Finding `json:"findings" nullable:"false" doc:"what the linter finds of the workflow as a whole; those of a node are with the node"`
	// About is what the file says of the workflow itself.
	About json.RawMessage `json:"about,omitempty" doc:"what the file says of the workflow itself: name, inputs, triggers, budget; without its steps, tests and output"`
}

// A Node is a step.
type Node struct {
	Path     string          `json:"path" doc:"names it in operations: write, or each.write inside each"`
	ID       string          `json:"id"`
	In       string          `json:"in,omitempty" doc:"the path of the loop or map that it is inside"`
	Kind     definition.Kind `json:"kind" doc:"empty when the step says nothing to do, or several things"`
	Title    string          `json:"title,omitempty"`
	Line     int             `json:"line" doc:"of the file, from 1"`
	Outcomes []string        `json:"outcomes" nullable:"false" doc:"the cases of a branch; every node has error besides"`
	Step     json.RawMessage `json:"step" doc:"its properties as in the file, without the steps inside"`
	Position *Position       `json:"position,omitempty" doc:"left out, the layout decides"`
	Findings []Finding       `json:"findings" nullable:"false"`
}

// An Edge is that a step follows another.
type Edge struct {
	From    string `json:"from" doc:"a path"`
	To      string `json:"to" doc:"a path"`
	Outcome string `json:"outcome,omitempty" doc:"only that leads on"`
	Implied bool   `json:"implied,omitempty" doc:"the step says no needs: it follows the one before it in the file"`
}

// A Finding is what the linter found.
type Finding struct {
	Line int    `json:"line,omitempty" doc:"of the file, from 1"`
	Path string `json:"path,omitempty" doc:"of the property, within the node"`
	Text string `json:"text"`
}

// Draw is the graph of a draft with what the linter found.
func Draw(d Draft, problems definition.Problems) (Graph, error) {
	g := Graph{Nodes: []Node{}, Edges: []Edge{}, Findings: []Finding{}}
	f, err := readFile(Clean(d.Source))
	if err != nil {
		return g, err
	}
	e := &editor{file: f, layout: d.Layout}
	if err := e.parse(); err != nil {
		return g, err
	}
	g.About = e.about()
	places := e.draw(&g, place{list: []seg{keySeg("steps")}, all: e.def.Steps})
	for _, p := range problems {
		at, within := nearest(g, places, p)
		f := Finding{Line: p.Line, Path: within, Text: p.Text}
		if at < 0 {
			g.Findings = append(g.Findings, f)
			continue
		}
		g.Nodes[at].Findings = append(g.Nodes[at].Findings, f)
	}
	return g, nil
}

// draw adds the steps of a list; it returns where in the file each node of the graph is.
func (e *editor) draw(g *Graph, list place) []string {
	var places []string
	for i := range list.all {
		at := list
		at.i = i
		s := at.step()
		n := Node{Path: at.path(), ID: s.ID, In: list.in, Title: s.Title, Line: e.def.LineOf(pathText(at.segs())), Outcomes: []string{}, Findings: []Finding{}}
		if kinds := s.Kinds(); len(kinds) == 1 {
			n.Kind = kinds[0]
		}
		for _, c := range s.Branch {
			n.Outcomes = append(n.Outcomes, c.Case)
		}
		if p, ok := e.layout[n.Path]; ok {
			n.Position = &p
		}
		n.Step = e.properties(at)
		g.Nodes, places = append(g.Nodes, n), append(places, pathText(at.segs()))
		for _, need := range definition.NeedsOf(list.all, i) {
			id, outcome := definition.Source(need)
			if slices.ContainsFunc(list.all, func(s definition.Step) bool { return s.ID == id }) {
				g.Edges = append(g.Edges, Edge{From: joined(list.in, id), To: n.Path, Outcome: outcome, Implied: s.Needs == nil})
			}
		}
		if inner, ok := e.inside(at); ok {
			places = append(places, e.draw(g, inner)...)
		}
	}
	return places
}

// about is what the file says beside its steps.
func (e *editor) about() json.RawMessage {
	m, _ := settled(sorted(e.data)).(map[string]any)
	for _, k := range []string{"steps", "tests", "output"} {
		delete(m, k)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return raw
}

// properties are what a step says, without the steps inside it.
func (e *editor) properties(at place) json.RawMessage {
	v, _ := valueAt(e.data, at.segs())
	m, _ := settled(sorted(v)).(map[string]any)
	for _, k := range []string{"loop", "map"} {
		if inner, ok := m[k].(map[string]any); ok {
			delete(inner, "do")
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// nearest is the node that a problem is of, -1 when it is of none, and the path within the node.
func nearest(g Graph, places []string, p definition.Problem) (at int, within string) {
	at = -1
	for i, where := range places {
		rest, ok := strings.CutPrefix(p.Path, where)
		if ok && (rest == "" || rest[0] == '.') && (at < 0 || len(where) > len(places[at])) {
			at, within = i, strings.TrimPrefix(rest, ".")
		}
	}
	if at < 0 && p.Path == "" && p.Line > 1 {
		for i, n := range g.Nodes {
			if n.Line <= p.Line && (at < 0 || n.Line >= g.Nodes[at].Line) {
				at = i
			}
		}
	}
	if at < 0 {
		within = p.Path
	}
	return at, within
}
