// Package canvas edits drafts of workflows: operations on nodes, connections and properties become edits of the
// file's text, in which comments and order stay as they are ([Apply]). Where nodes stand is a draft's layout and no
// part of what the workflow does. Edits of several people are brought together by [Rebase], for operations, and
// [Merge], for whole texts; a [Splice] says what an edit did to the text, so that it can be played and taken back.
// It is pure; package library keeps drafts.
package canvas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"chela/internal/definition"
	"chela/internal/fault"
)

// An Op names what an operation does.
type Op string

// The operations.
const (
	CreateNode      Op = "create_node"
	ConnectNodes    Op = "connect_nodes"
	DisconnectNodes Op = "disconnect_nodes"
	UpdateProperty  Op = "update_property"
	DeleteNode      Op = "delete_node"
	RenameNode      Op = "rename_node"
	MoveNode        Op = "move_node"
	CreateFile      Op = "create_file"
	DeleteFile      Op = "delete_file"
)

// An Operation is one change of a draft. Nodes are named by their paths: write, or each.write inside each.
type Operation struct {
	Op   Op     `json:"op" enum:"create_node,connect_nodes,disconnect_nodes,update_property,delete_node,rename_node,move_node,create_file,delete_file"`
	Node string `json:"node,omitempty" maxLength:"300" doc:"the path of the node that is updated, deleted, renamed or moved; empty updates a property of the workflow itself"`
	ID   string `json:"id,omitempty" maxLength:"60" doc:"of a new node, chosen when left out; or the new id of a renamed one"`

	In         string          `json:"in,omitempty" maxLength:"300" doc:"of a new node: the path of the loop or map that it is put in"`
	Kind       definition.Kind `json:"kind,omitempty" enum:"agent,tool,model,rule,branch,loop,map,wait,workflow,transform" doc:"of a new node"`
	After      string          `json:"after,omitempty" maxLength:"60" doc:"of a new node: the id of the step behind which it is written; the end when left out"`
	Needs      []string        `json:"needs,omitempty" doc:"of a new node: what it follows, as ids with an outcome after a dot where only that leads on"`
	Properties json.RawMessage `json:"properties,omitempty" doc:"of a new node, as in the file, such as {\"agent\": {\"task\": \"…\"}}"`
	YAML       string          `json:"yaml,omitempty" maxLength:"65536" doc:"a new node as text, instead of kind and properties; its comments are kept"`

	From    string `json:"from,omitempty" maxLength:"300" doc:"the path of the node that comes first"`
	To      string `json:"to,omitempty" maxLength:"300" doc:"the path of the node that follows, beside the first"`
	Outcome string `json:"outcome,omitempty" maxLength:"60" doc:"a case of a branch, or error: only that leads on"`

	Path  string          `json:"path,omitempty" maxLength:"500" doc:"of a property, such as agent.task, branch[urgent].when or inputs[0].type; or of a file, such as templates/report.md"`
	Value json.RawMessage `json:"value,omitempty" doc:"of a property; null takes it away"`

	Content *string `json:"content,omitempty" maxLength:"65536" doc:"of a file"`

	Position *Position `json:"position,omitempty" doc:"where the node stands; left out when moving, the layout decides"`
}

// A Position is where a node stands, in pixels of the page at its natural size.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// A Layout says where nodes stand, by their paths. Nodes that it does not have are placed by the page.
type Layout map[string]Position

// A Draft is a workflow's text with its layout, and the files that its agents may read.
type Draft struct {
	Source string
	Layout Layout
	Files  map[string]string // texts, by their paths
}

// An Outcome is what a list of operations came to.
type Outcome struct {
	Draft
	Operations []Operation // as they were applied: ids that were chosen are in them
	Created    []string    // paths of new nodes
	Notes      []string    // what a person should know besides, sentences
}

// Most is how many operations are applied at once.
const Most = 1000

// mostAway is how far from the origin a node may stand.
const mostAway = 1e6

type editor struct {
	*file
	def    *definition.File
	layout Layout
	files  map[string]string
	out    Outcome
}

// Apply applies operations in order, all or none. The error says which of them does not fit, with step and line.
func Apply(d Draft, ops []Operation) (Outcome, error) {
	if len(ops) == 0 || len(ops) > Most {
		return Outcome{}, fault.New(fault.Invalid, "An edit has 1 to %d operations, not %d.", Most, len(ops))
	}
	f, err := readFile(Clean(d.Source))
	if err != nil {
		return Outcome{}, fault.Wrap(err, fault.Invalid, "The draft cannot be read: %s.", err)
	}
	e := &editor{file: f, layout: maps.Clone(d.Layout), files: maps.Clone(d.Files)}
	if e.layout == nil {
		e.layout = make(Layout)
	}
	if err := e.parse(); err != nil {
		return Outcome{}, fault.Wrap(err, fault.Invalid, "The draft cannot be read: %s", err)
	}
	for i := range ops {
		op := ops[i]
		line := e.lineOf(op)
		if err := e.apply(&op); err != nil {
			return Outcome{}, fault.Wrap(err, fault.Invalid, "Operation %d (%s) was not applied, nor was any other%s: %s", i+1, op, line, sentence(err.Error()))
		}
		e.out.Operations = append(e.out.Operations, op)
	}
	if len(e.src) > definition.MaxFile {
		return Outcome{}, fault.New(fault.TooLarge, "The draft would have %d bytes; a workflow has at most %d.", len(e.src), definition.MaxFile)
	}
	e.out.Draft = Draft{Source: e.src, Layout: e.layout, Files: e.files}
	return e.out, nil
}

// Clean is a text with the line breaks that this package writes.
func Clean(source string) string {
	source = strings.ReplaceAll(strings.TrimPrefix(source, "\ufeff"), "\r\n", "\n")
	if source != "" && !strings.HasSuffix(source, "\n") {
		source += "\n"
	}
	return source
}

// String says what an operation is about.
func (op Operation) String() string {
	switch op.Op {
	case CreateNode:
		return strings.TrimSpace(string(op.Op) + " " + op.ID)
	case ConnectNodes, DisconnectNodes:
		return fmt.Sprintf("%s %s to %s", op.Op, op.From, op.To)
	case UpdateProperty:
		return strings.TrimSpace(fmt.Sprintf("%s %s of %s", op.Op, op.Path, cmp.Or(op.Node, "the workflow")))
	case CreateFile, DeleteFile:
		return string(op.Op) + " " + op.Path
	case DeleteNode, RenameNode, MoveNode:
	}
	return string(op.Op) + " " + op.Node
}

// lineOf says where the node of an operation is.
func (e *editor) lineOf(op Operation) string {
	for _, p := range []string{op.Node, op.To, op.In} {
		if p == "" {
			continue
		}
		if at, err := e.step(p); err == nil {
			return fmt.Sprintf(", at line %d", e.def.LineOf(pathText(at.segs())))
		}
	}
	return ""
}

func sentence(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// parse reads the text as a workflow; the error is a sentence with a line.
func (e *editor) parse() error {
	def, problems := definition.Decode(e.parsed)
	if problems != nil {
		if problems[0].Line > 0 {
			return fmt.Errorf("line %d: %s", problems[0].Line, problems[0].Text)
		}
		return fmt.Errorf("%s", problems[0].Text)
	}
	e.def = def
	return nil
}

// apply applies one operation, into which it writes what it chose.
func (e *editor) apply(op *Operation) error {
	var err error
	switch op.Op {
	case CreateNode:
		err = e.create(op)
	case ConnectNodes:
		err = e.connect(*op)
	case DisconnectNodes:
		err = e.disconnect(*op)
	case UpdateProperty:
		err = e.update(*op)
	case DeleteNode:
		err = e.drop(*op)
	case RenameNode:
		err = e.rename(*op)
	case MoveNode:
		return e.move(op.Node, op.Position)
	case CreateFile:
		return e.write(*op)
	case DeleteFile:
		return e.erase(op.Path)
	default:
		err = fmt.Errorf("there is no operation %q", op.Op)
	}
	if err != nil {
		return err
	}
	return e.parse()
}

// A place is a step in the file.
type place struct {
	list []seg // of the list that the step is in
	i    int
	in   string // the path of the step that it is inside
	all  []definition.Step
}

func (p place) segs() []seg           { return append(slices.Clone(p.list), indexSeg(p.i)) }
func (p place) step() definition.Step { return p.all[p.i] }
func (p place) path() string          { return joined(p.in, p.step().ID) }

func joined(in, id string) string {
	if in == "" {
		return id
	}
	return in + "." + id
}

// step finds a step by its path.
func (e *editor) step(path string) (place, error) {
	p := place{list: []seg{keySeg("steps")}, all: e.def.Steps}
	ids := strings.Split(path, ".")
	for k, id := range ids {
		p.i = slices.IndexFunc(p.all, func(s definition.Step) bool { return s.ID == id })
		if p.i < 0 {
			return p, fmt.Errorf("there is no step %s", path)
		}
		if k < len(ids)-1 {
			inner, ok := e.inside(p)
			if !ok {
				return p, fmt.Errorf("there is no step %s", path)
			}
			p = inner
		}
	}
	return p, nil
}

// inside is the list of steps inside a loop or a map.
func (e *editor) inside(p place) (place, bool) {
	s := p.step()
	switch {
	case s.Loop != nil:
		return place{list: append(p.segs(), keySeg("loop"), keySeg("do")), in: p.path(), all: s.Loop.Do}, true
	case s.Map != nil:
		return place{list: append(p.segs(), keySeg("map"), keySeg("do")), in: p.path(), all: s.Map.Do}, true
	}
	return place{}, false
}

// move says where a node stands.
func (e *editor) move(path string, to *Position) error {
	if _, err := e.step(path); err != nil {
		return err
	}
	if to == nil {
		delete(e.layout, path)
		return nil
	}
	if math.IsNaN(to.X) || math.IsNaN(to.Y) || math.Abs(to.X) > mostAway || math.Abs(to.Y) > mostAway {
		return fmt.Errorf("the position %v, %v is too far away", to.X, to.Y)
	}
	e.layout[path] = *to
	return nil
}

// taken are the ids of all steps.
func (e *editor) taken() map[string]bool {
	out := make(map[string]bool)
	var walk func([]definition.Step)
	walk = func(steps []definition.Step) {
		for _, s := range steps {
			out[s.ID] = true
			walk(s.Body())
		}
	}
	walk(e.def.Steps)
	return out
}
