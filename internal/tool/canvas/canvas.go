// Package canvas has the tools by which agents and programs edit drafts of workflows: nodes, connections, properties, and
// the files beside them. They plan the same operations as the page's canvas; nothing that runs is changed by them.
package canvas

import (
	"context"
	"embed"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Drafts are the drafts of workflows.
type Drafts interface {
	Draft(ctx context.Context, slug string) (library.WorkingDraft, error)
	Edit(ctx context.Context, by library.Author, slug string, base int, ops []canvas.Operation) (library.WorkingDraft, canvas.Outcome, error)
	Check(ctx context.Context, source []byte) (*definition.Compiled, definition.Problems)
	Files(ctx context.Context, slug string, version int) (map[string]string, error)
}

// Tools returns the tools over drafts.
func Tools(d Drafts) []*tool.Tool {
	t := tools{d}
	spec := func(name string, risk tool.Risk) tool.Spec {
		role := org.Editor
		if risk == tool.ReadOnly {
			role = org.Viewer
		}
		return tool.Spec{Name: name, Help: tool.HelpFile(help, name), Risk: risk, Role: role, Repeatable: true, Private: risk == tool.ReadOnly, Common: true}
	}
	return []*tool.Tool{
		tool.Func(spec("canvas_create_node", tool.WriteRecords), t.create),
		tool.Func(spec("canvas_connect_nodes", tool.WriteRecords), t.connect),
		tool.Func(spec("canvas_update_property", tool.WriteRecords), t.update),
		tool.Func(spec("canvas_delete_node", tool.WriteRecords), t.drop),
		tool.Func(spec("canvas_get_state", tool.ReadOnly), t.state),
		tool.Func(spec("sandbox_create_file", tool.WriteRecords), t.write),
		tool.Func(spec("sandbox_read_file", tool.ReadOnly), t.read),
		tool.Func(spec("sandbox_list_directory", tool.ReadOnly), t.list),
	}
}

type tools struct{ drafts Drafts }

// An Edited is a draft after an edit.
type Edited struct {
	Workflow string   `json:"workflow"`
	Revision int      `json:"revision"`
	Node     string   `json:"node,omitempty"`     // the path of the new node
	Notes    []string `json:"notes,omitempty"`    // what the edit did besides
	Findings []string `json:"findings,omitempty"` // what has to be put right before the draft can be saved
}

// edit makes one operation, once for each call.
func (t tools) edit(ctx context.Context, c tool.Call, slug string, op canvas.Operation) (Edited, error) {
	by := library.Author{Party: event.Party{AgentID: string(c.Agent), Role: c.Place.From.Role}, At: c.Place, Key: c.Key}
	d, outcome, err := t.drafts.Edit(ctx, by, slug, library.Latest, []canvas.Operation{op})
	if err != nil {
		return Edited{}, err
	}
	out := Edited{Workflow: slug, Revision: d.Revision, Notes: outcome.Notes}
	if len(outcome.Created) > 0 {
		out.Node = outcome.Created[0]
	}
	_, problems := t.drafts.Check(ctx, []byte(d.Source))
	for i, p := range problems {
		if i == 10 {
			break
		}
		out.Findings = append(out.Findings, p.Text)
	}
	return out, nil
}

// NewNode is a node to create.
type NewNode struct {
	Workflow string   `json:"workflow" doc:"the slug of the workflow"`
	ID       string   `json:"id,omitempty" doc:"lower-case letters, digits and _; chosen when left out"`
	Kind     string   `json:"kind,omitempty" enum:"agent,tool,model,rule,branch,loop,map,wait,workflow,transform" doc:"begins with an empty step of the kind; left out when yaml says it"`
	YAML     string   `json:"yaml,omitempty" doc:"the step as in the file, such as: agent: {name: pm, task: Sum it up.}"`
	In       string   `json:"in,omitempty" doc:"the path of the loop or map that it is put in"`
	Needs    []string `json:"needs,omitempty" doc:"ids of the nodes that it follows, with an outcome after a dot where only that leads on"`
}

func (t tools) create(ctx context.Context, c tool.Call, in NewNode) (Edited, error) {
	op := canvas.Operation{Op: canvas.CreateNode, ID: in.ID, YAML: in.YAML, In: in.In, Needs: in.Needs}
	if in.YAML == "" {
		op.Kind = definition.Kind(in.Kind)
	}
	return t.edit(ctx, c, in.Workflow, op)
}

// Connection is that a node follows another.
type Connection struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
	From     string `json:"from" doc:"the path of the node that comes first"`
	To       string `json:"to" doc:"the path of the node that follows"`
	Outcome  string `json:"outcome,omitempty" doc:"a case of a branch, or error: only that leads on"`
	Remove   bool   `json:"remove,omitempty" doc:"disconnect them instead"`
}

func (t tools) connect(ctx context.Context, c tool.Call, in Connection) (Edited, error) {
	op := canvas.Operation{Op: canvas.ConnectNodes, From: in.From, To: in.To, Outcome: in.Outcome}
	if in.Remove {
		op.Op = canvas.DisconnectNodes
	}
	return t.edit(ctx, c, in.Workflow, op)
}

// Property is a property to write.
type Property struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
	Node     string `json:"node,omitempty" doc:"the path of the node; left out, the property is the workflow's"`
	Path     string `json:"path" doc:"such as agent.task, branch[urgent].when, or id to rename the node"`
	Value    string `json:"value,omitempty" doc:"as JSON; what is no JSON is a text"`
	Remove   bool   `json:"remove,omitempty" doc:"take the property away"`
}

func (t tools) update(ctx context.Context, c tool.Call, in Property) (Edited, error) {
	op := canvas.Operation{Op: canvas.UpdateProperty, Node: in.Node, Path: in.Path}
	switch {
	case in.Node != "" && in.Path == "id":
		op = canvas.Operation{Op: canvas.RenameNode, Node: in.Node, ID: strings.Trim(in.Value, `"`)}
	case in.Remove:
	case json.Valid([]byte(in.Value)):
		op.Value = json.RawMessage(in.Value)
	default:
		raw, err := json.Marshal(in.Value)
		if err != nil {
			return Edited{}, fault.BadField("value", "It cannot be written as JSON.")
		}
		op.Value = raw
	}
	return t.edit(ctx, c, in.Workflow, op)
}

// NodeName names a node.
type NodeName struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
	Node     string `json:"node" doc:"its path; what is inside it is deleted, too"`
}

func (t tools) drop(ctx context.Context, c tool.Call, in NodeName) (Edited, error) {
	return t.edit(ctx, c, in.Workflow, canvas.Operation{Op: canvas.DeleteNode, Node: in.Node})
}

// DraftName names a workflow.
type DraftName struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
}

// State is a draft as it stands.
type State struct {
	Revision int          `json:"revision"`
	Source   string       `json:"source"`
	Graph    canvas.Graph `json:"graph"`
}

// ofDrafts is where the words of a draft come from: agents that read a stranger's words may have written them, or a bundle
// brought them. Those of a version were read by the person who deployed it.
func ofDrafts() []string { return []string{tool.FromImports} }

// From implements [tool.Sourced].
func (State) From() []string { return ofDrafts() }

func (t tools) state(ctx context.Context, _ tool.Call, in DraftName) (State, error) {
	d, err := t.drafts.Draft(ctx, in.Workflow)
	if err != nil {
		return State{}, err
	}
	_, problems := t.drafts.Check(ctx, []byte(d.Source))
	g, err := canvas.Draw(d.Draft, problems)
	return State{d.Revision, d.Source, g}, err
}

// NewFile is a file to write.
type NewFile struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
	Path     string `json:"path" doc:"within the draft, such as templates/report.md"`
	Content  string `json:"content" doc:"the whole text"`
}

func (t tools) write(ctx context.Context, c tool.Call, in NewFile) (Edited, error) {
	return t.edit(ctx, c, in.Workflow, canvas.Operation{Op: canvas.CreateFile, Path: in.Path, Content: &in.Content})
}

// FileName names a file or a folder.
type FileName struct {
	Workflow string `json:"workflow" doc:"the slug of the workflow"`
	Path     string `json:"path,omitempty" doc:"within the draft; empty is all of it"`
}

// FileText is a file.
type FileText struct {
	Path string `json:"path"`
	Text string `json:"text"`
	from []string
}

// From implements [tool.Sourced].
func (f FileText) From() []string { return f.from }

// files are those of the draft, and where they come from; an instance of the workflow reads those of its version.
func (t tools) files(ctx context.Context, c tool.Call, slug string) (files map[string]string, from []string, err error) {
	if c.Run.Kind == instance.RunKind {
		var in instance.Input
		if err := json.Unmarshal(c.Run.Input, &in); err == nil && in.Slug == slug {
			files, err = t.drafts.Files(ctx, slug, in.Version)
			return files, nil, err
		}
	}
	d, err := t.drafts.Draft(ctx, slug)
	return d.Files, ofDrafts(), err
}

func (t tools) read(ctx context.Context, c tool.Call, in FileName) (FileText, error) {
	files, from, err := t.files(ctx, c, in.Workflow)
	if err != nil {
		return FileText{}, err
	}
	text, ok := files[in.Path]
	if !ok {
		return FileText{}, fault.New(fault.NotFound, "The workflow %s has no file %q. sandbox_list_directory lists them.", in.Workflow, in.Path)
	}
	return FileText{in.Path, text, from}, nil
}

// Entries are what is in a folder. Folders end with a slash.
type Entries struct {
	Entries []string `json:"entries"`
	from    []string
}

// From implements [tool.Sourced].
func (e Entries) From() []string { return e.from }

func (t tools) list(ctx context.Context, c tool.Call, in FileName) (Entries, error) {
	files, from, err := t.files(ctx, c, in.Workflow)
	if err != nil {
		return Entries{}, err
	}
	under := ""
	if dir := path.Clean("/" + in.Path); dir != "/" {
		under = dir[1:] + "/"
	}
	seen := make(map[string]bool)
	for name := range files {
		rest, ok := strings.CutPrefix(name, under)
		if !ok {
			continue
		}
		if first, _, below := strings.Cut(rest, "/"); below {
			rest = first + "/"
		}
		seen[rest] = true
	}
	if len(seen) == 0 && under != "" {
		return Entries{}, fault.New(fault.NotFound, "The workflow %s has no folder %q.", in.Workflow, in.Path)
	}
	return Entries{append([]string{}, slices.Sorted(maps.Keys(seen))...), from}, nil
}
