package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/zipfile"
)

// Limits of a bundle: the zip, and what one file and all files in it unpack to, in bytes.
const (
	MaxBundle     = 4 << 20
	mostUnpacked  = 8 << 20
	mostInBundle  = 100 // files
	bundleFormat  = "chela-workflow/1"
	bundleEntry   = "workflow.yaml"
	bundleAbout   = "system.json"
	bundleEnv     = ".env.example"
	bundleCanvas  = "canvas.json"
	bundleAgents  = "agents/"
	bundleFiles   = "files/"
	mostAgentFile = 256 << 10
)

// A Manifest says what is in a bundle and what it needs. It grants nothing.
type Manifest struct {
	Format      string             `json:"format"`
	Slug        string             `json:"slug"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Inputs      []definition.Input `json:"inputs" nullable:"false"`
	Tools       []string           `json:"tools" nullable:"false" doc:"that its steps call"`
	Agents      []string           `json:"agents" nullable:"false" doc:"that its steps name"`
	Requires    []string           `json:"requires" nullable:"false" doc:"capabilities that agents must have"`
	Workflows   []string           `json:"workflows" nullable:"false" doc:"that it plays"`
	Secrets     []string           `json:"secrets" nullable:"false" doc:"by name, never by value"`
	Triggers    int                `json:"triggers" doc:"what makes it begin by itself"`
	Commands    []string           `json:"commands" nullable:"false" doc:"lines for a shell that its contracts run"`
}

// An Agents finds agents.
type Agents interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
}

// ManifestOf is what a workflow needs.
func ManifestOf(c *definition.Compiled) Manifest {
	m := Manifest{Format: bundleFormat, Slug: c.Slug, Name: c.Name, Description: c.Description, Inputs: append([]definition.Input{}, c.Inputs...), Triggers: len(c.Triggers)}
	tools, agents, requires, parts, secrets, commands := set{}, set{}, set{}, set{}, set{}, set{}
	c.Graph.Walk(func(n *definition.Node) {
		for _, t := range []*definition.ToolStep{n.Step.Tool, n.Compensate} {
			if t == nil {
				continue
			}
			tools.add(t.Name)
			agents.add(t.Agent)
			list, _ := t.Args["secrets"].([]any)
			for _, s := range list {
				secrets.add(definition.Text(s))
			}
		}
		if a := n.Step.Agent; a != nil {
			agents.add(a.Name)
			requires.add(a.Requires...)
		}
		if r := n.Step.Review; r != nil {
			for _, by := range r.By {
				agents.add(by.Agent)
			}
		}
		if w := n.Step.Workflow; w != nil {
			parts.add(w.Slug)
		}
		for _, t := range n.Contract {
			switch {
			case t.Command != nil:
				tools.add("shell_exec")
				agents.add(t.Command.Agent)
				commands.add(t.Command.Run)
			case t.File != nil:
				tools.add("read_file")
				agents.add(t.File.Agent)
			}
		}
	})
	m.Tools, m.Agents, m.Requires, m.Workflows, m.Secrets, m.Commands = tools.list(), agents.list(), requires.list(), parts.list(), secrets.list(), commands.list()
	return m
}

// A set is names, each once.
type set map[string]bool

func (s set) add(names ...string) {
	for _, n := range names {
		if n != "" {
			s[n] = true
		}
	}
}

func (s set) list() []string { return append([]string{}, slices.Sorted(maps.Keys(s))...) }

// Export writes a version as a zip: its manifest, its file, where nodes stand on the canvas, the agents that it names as they are here, the schemas
// of the organization's own payload types that it expects, and an example of the environment with the names of secrets.
func (l *Library) Export(ctx context.Context, agents Agents, slug string, number int) ([]byte, error) {
	v, err := l.store.Version(ctx, slug, number)
	if err != nil {
		return nil, err
	}
	c, err := v.Read()
	if err != nil {
		return nil, err
	}
	m := ManifestOf(c)
	about, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	files := map[string][]byte{bundleEntry: []byte(v.Source), bundleAbout: about}
	if files[bundleCanvas], err = canvas.File(canvas.Draft{Source: v.Source, Layout: v.Layout}); err != nil {
		return nil, err
	}
	for name, text := range v.Files {
		files[bundleFiles+name] = []byte(text)
	}
	var env strings.Builder
	for _, s := range m.Secrets {
		fmt.Fprintf(&env, "# A secret of the vault: chela vault set %s\n%s=\n", s, s)
	}
	files[bundleEnv] = []byte(env.String())
	schemas, err := schemaFiles(c, v.Types)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, schemas)
	for _, name := range m.Agents {
		a, err := agents.Agent(ctx, org.AgentID("agent:"+name))
		if fault.KindOf(err) == fault.NotFound && err != nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		raw, err := json.MarshalIndent(map[string]any{"card": a.Card, "prompt": a.Prompt, "tools": a.Tools, "permissions": a.Permissions}, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encode agent: %w", err)
		}
		files[bundleAgents+name+".json"] = raw
	}
	return zipfile.Write(files)
}

// A Bundle is one that was read. Nothing of it is kept or done.
type Bundle struct {
	Manifest
	Source []byte
	Layout canvas.Layout // where nodes stand; nil when it does not say
	Files  map[string]string
	// Schemas are those of the payload types that it brings along, by name.
	Schemas map[string]json.RawMessage
}

// ReadBundle reads a bundle from elsewhere, within limits. What it needs is computed from its file; what its
// manifest says is not believed. own are the payload types of the organization. The error is a sentence.
func ReadBundle(raw []byte, own ...definition.OwnTypes) (Bundle, definition.Problems, error) {
	files, err := zipfile.Read(raw, zipfile.Limits{What: "bundle", Packed: MaxBundle, Unpacked: mostUnpacked, File: mostAgentFile, Files: mostInBundle})
	if err != nil {
		return Bundle{}, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != bundleEntry && name != bundleAbout && name != bundleEnv && name != bundleCanvas && !slices.ContainsFunc([]string{bundleFiles, bundleAgents, bundleSchemas}, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			return Bundle{}, nil, fault.New(fault.Invalid, "The bundle holds %q, which is no part of one.", name)
		}
	}
	source := files[bundleEntry]
	if source == nil {
		return Bundle{}, nil, fault.New(fault.Invalid, "The bundle holds no %s.", bundleEntry)
	}
	if err := ofOurFormat(files[bundleAbout]); err != nil {
		return Bundle{}, nil, err
	}
	schemas, err := readSchemas(files, source)
	if err != nil {
		return Bundle{}, nil, err
	}
	c, problems := definition.ReadFile(source, append([]definition.OwnTypes{over(schemas)}, own...)...)
	if problems != nil {
		return Bundle{}, problems, nil
	}
	layout, err := canvas.ReadLayout(files[bundleCanvas])
	if err != nil {
		return Bundle{}, nil, err
	}
	b := Bundle{Manifest: ManifestOf(c), Source: source, Layout: layout, Schemas: schemas}
	for name, raw := range files {
		if own, ok := strings.CutPrefix(name, bundleFiles); ok {
			if b.Files == nil {
				b.Files = make(map[string]string)
			}
			b.Files[own] = string(raw)
		}
	}
	if err := canvas.CheckFiles(b.Files); err != nil {
		return Bundle{}, nil, fault.Wrap(err, fault.Invalid, "%s", sentence(err.Error()))
	}
	return b, nil, nil
}

// ofOurFormat refuses a bundle whose manifest is damaged, or names another format. One that names none is taken.
func ofOurFormat(about []byte) error {
	if len(about) == 0 {
		return nil
	}
	var m struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(about, &m); err != nil {
		return fault.Wrap(err, fault.Invalid, "The %s of the bundle cannot be read. Export the bundle again.", bundleAbout)
	}
	if m.Format != "" && m.Format != bundleFormat {
		return fault.New(fault.Invalid, "The bundle has the format %q, and this Chela reads %s. Import it with a Chela as new as the one that wrote it.", m.Format, bundleFormat)
	}
	return nil
}
