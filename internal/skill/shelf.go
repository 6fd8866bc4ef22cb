package skill

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

//go:embed builtin
var shipped embed.FS

// A Store keeps what was installed and set.
type Store interface {
	event.Notifier
	Skills(ctx context.Context) ([]Kept, error)
	Change(ctx context.Context, name string, fn func(Kept) ([]event.Draft, error)) error
}

// Parts are what a shelf is made of.
type Parts struct {
	Store Store
	// Workspace returns the folder of an agent's own skills, nil for none. It may have been changed at any time.
	Workspace func(id org.AgentID) fs.FS
	Program   func(name string) bool                      // whether a program is there
	Secret    func(ctx context.Context, name string) bool // whether the vault has one
	Log       *slog.Logger
}

// A Shelf has the skills there are. Safe for concurrent use.
type Shelf struct {
	Parts
	builtin []Entry

	mu        sync.Mutex // guards the rest
	kept      []Kept
	read      []Entry // of kept
	fresh     bool    // kept is what the store has
	workspace map[org.AgentID]workspace
}

// A workspace is what was found in an agent's folder, and when.
type workspace struct {
	at      time.Time
	entries []Entry
	broken  []Broken
}

// lookEvery is how long what was found in a workspace is believed.
const lookEvery = 10 * time.Second

// An Entry is a skill with where it is from and what was set of it.
type Entry struct {
	Skill
	Source   Source      `json:"source"`
	Agent    org.AgentID `json:"agent,omitempty" doc:"in whose workspace it lies"`
	Disabled bool        `json:"disabled,omitempty"`
	Always   bool        `json:"always,omitempty" doc:"its instructions stand in the prompt whole"`
	Agents   []string    `json:"agents,omitempty" doc:"who has it, by name; all when empty"`
	Missing  []string    `json:"missing,omitempty" doc:"what it needs and is not here; it is not offered"`
}

// A Whole is a skill as people look at it.
type Whole struct {
	Entry

	Instructions string    `json:"instructions"`
	Findings     []Finding `json:"findings" nullable:"false" doc:"what a person should see of it"`
}

// A Broken is a folder of a workspace that is no skill.
type Broken struct {
	Agent  org.AgentID `json:"agent"`
	Folder string      `json:"folder"`
	Why    string      `json:"why"`
}

// Rule is what holds while an agent follows the skill. One whose instructions stand in the prompt narrows nothing: it is part of
// what the agent was told.
func (e Entry) Rule() Rule {
	if e.Always {
		return Rule{Skill: e.Name}
	}
	return Rule{Skill: e.Name, Declared: e.Declared, Allowed: e.Allowed, Foreign: e.Source.Kind != "builtin" && e.Source.Kind != "workspace"}
}

// New returns a shelf. It panics when a skill that ships is none.
func New(p Parts) *Shelf {
	s := &Shelf{Parts: p, workspace: make(map[org.AgentID]workspace)}
	root, err := fs.Sub(shipped, "builtin")
	if err != nil {
		panic("skill: " + err.Error())
	}
	entries, broken := folder(root, Source{Kind: "builtin"}, "")
	if len(broken) > 0 {
		panic("skill: " + broken[0].Folder + ": " + broken[0].Why)
	}
	s.builtin = entries
	return s
}

// folder reads the skills of a folder, one in each of its folders. Links are not followed.
func folder(root fs.FS, from Source, agent org.AgentID) ([]Entry, []Broken) {
	var out []Entry
	var broken []Broken
	dirs, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, nil // there is none
	}
	for _, d := range dirs[:min(len(dirs), maxAllowed)] {
		if !d.IsDir() {
			continue
		}
		sub, err := fs.Sub(root, d.Name())
		var s Skill
		if err == nil {
			s, err = ReadFolder(sub, d.Name())
		}
		if err != nil {
			broken = append(broken, Broken{agent, d.Name(), fault.TextOf(err)})
			continue
		}
		out = append(out, Entry{Skill: s, Source: from, Agent: agent})
	}
	return out, broken
}

// ReadFolder reads the skill of a folder, called name. It refuses links and what is more than a skill may have.
func ReadFolder(dir fs.FS, name string) (Skill, error) {
	p := make(Parcel)
	all := 0
	err := fs.WalkDir(dir, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.Wrap(err, fault.Invalid, "%s cannot be read.", path.Join(name, at))
		case d.IsDir() && at != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir // of version control
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fault.New(fault.Invalid, "%s is a link or no plain file; a skill holds none.", path.Join(name, at))
		}
		info, err := d.Info()
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "%s cannot be read.", path.Join(name, at))
		}
		if all += int(info.Size()); info.Size() > MaxFile || all > MaxBytes || len(p) >= MaxFiles {
			return fault.New(fault.TooLarge, "%s is too much: a skill has up to %d files of %d bytes, %d in all.", path.Join(name, at), MaxFiles, MaxFile, MaxBytes)
		}
		body, err := fs.ReadFile(dir, at)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "%s cannot be read.", path.Join(name, at))
		}
		p[at] = body
		return nil
	})
	if err != nil {
		return Skill{}, err
	}
	return Read(name, p)
}

// installed returns what the store has, read once until it changes.
func (s *Shelf) installed(ctx context.Context) ([]Kept, []Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fresh {
		return s.kept, s.read, nil
	}
	kept, err := s.Store.Skills(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.kept, s.read, s.fresh = kept, nil, true
	for _, k := range kept {
		if k.Installed == nil {
			continue
		}
		sk, err := Read(k.Name, k.Installed.Files)
		if err != nil || sk.Digest != k.Installed.Digest {
			s.Log.WarnContext(ctx, "an installed skill cannot be read", "skill", k.Name, "err", err)
			continue
		}
		s.read = append(s.read, Entry{Skill: sk, Source: k.Installed.Source})
	}
	return s.kept, s.read, nil
}

// stale makes the next call read the store.
func (s *Shelf) stale() {
	s.mu.Lock()
	s.fresh = false
	s.mu.Unlock()
}

// Run follows what other processes install until ctx ends.
func (s *Shelf) Run(ctx context.Context) error {
	changed, stop := s.Store.Subscribe(event.SkillsChanged)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			s.stale()
		}
	}
}

// own returns the skills of an agent's workspace.
func (s *Shelf) own(id org.AgentID) workspace {
	if s.Workspace == nil || id == "" {
		return workspace{}
	}
	s.mu.Lock()
	w, ok := s.workspace[id]
	s.mu.Unlock()
	if ok && time.Since(w.at) < lookEvery {
		return w
	}
	w = workspace{at: time.Now()}
	if root := s.Workspace(id); root != nil {
		w.entries, w.broken = folder(root, Source{Kind: "workspace"}, id)
	}
	s.mu.Lock()
	s.workspace[id] = w
	s.mu.Unlock()
	return w
}

// on returns all skills for an agent, "" for those of no workspace: one of a name each, the nearest first: the workspace's, the
// installed one, the one that ships.
func (s *Shelf) on(ctx context.Context, id org.AgentID) ([]Entry, error) {
	kept, installed, err := s.installed(ctx)
	if err != nil {
		return nil, err
	}
	by := make(map[string]Entry)
	for _, list := range [][]Entry{s.builtin, installed, s.own(id).entries} {
		for _, e := range list {
			by[e.Name] = e
		}
	}
	for _, k := range kept {
		if e, ok := by[k.Name]; ok {
			e.Disabled, e.Always, e.Agents = k.Settings.Disabled, k.Settings.Always, k.Settings.Agents
			by[k.Name] = e
		}
	}
	out := make([]Entry, 0, len(by))
	for _, name := range slices.Sorted(maps.Keys(by)) {
		e := by[name]
		e.Missing = s.missing(ctx, e.Needs)
		out = append(out, e)
	}
	return out, nil
}

// missing says what a skill needs and is not here.
func (s *Shelf) missing(ctx context.Context, n Needs) []string {
	var out []string
	if len(n.Systems) > 0 && !slices.Contains(n.Systems, runtime.GOOS) {
		out = append(out, "a machine of "+strings.Join(n.Systems, " or "))
	}
	for _, p := range n.Programs {
		if !s.Program(p) {
			out = append(out, "the program "+p)
		}
	}
	if len(n.AnyOf) > 0 && !slices.ContainsFunc(n.AnyOf, s.Program) {
		out = append(out, "one of the programs "+strings.Join(n.AnyOf, ", "))
	}
	for _, name := range n.Secrets {
		if !s.Secret(ctx, name) {
			out = append(out, "the secret "+name)
		}
	}
	return out
}

// All lists every skill, those of the agents' workspaces too, and the folders of these that are none.
func (s *Shelf) All(ctx context.Context, agents []org.AgentID) ([]Entry, []Broken, error) {
	out, err := s.on(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	broken := []Broken{}
	for _, id := range agents {
		w := s.own(id)
		broken = append(broken, w.broken...)
		if len(w.entries) == 0 {
			continue
		}
		theirs, err := s.on(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, slices.DeleteFunc(theirs, func(e Entry) bool { return e.Agent != id })...)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return out, broken, nil
}

// Of lists the skills that an agent may read now, by name.
func (s *Shelf) Of(ctx context.Context, id org.AgentID) ([]Entry, error) {
	all, err := s.on(ctx, id)
	return slices.DeleteFunc(all, func(e Entry) bool {
		return e.Disabled || len(e.Missing) > 0 || len(e.Agents) > 0 && !slices.Contains(e.Agents, id.Name())
	}), err
}

// Find returns a skill that an agent may read. A fault.NotFound names those that there are.
func (s *Shelf) Find(ctx context.Context, id org.AgentID, name string) (Entry, error) {
	all, err := s.Of(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	var names []string
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fault.New(fault.NotFound, "There is no skill %q for you. There are: %s.", name, strings.Join(names, ", "))
}

// Look returns a skill by name for people: the installed or shipped one, or the one in an agent's workspace.
func (s *Shelf) Look(ctx context.Context, id org.AgentID, name string) (Entry, error) {
	all, err := s.on(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
	}
	return Entry{}, fault.New(fault.NotFound, "The skill %q does not exist. `chela skill list` lists those there are.", name)
}

// Rules returns what holds for an agent that follows the skills of these names. One that is gone, or was switched off since it
// was read, allows what only reads.
func (s *Shelf) Rules(ctx context.Context, id org.AgentID, names []string) ([]Rule, error) {
	all, err := s.Of(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read skills: %w", err)
	}
	var out []Rule
	for _, n := range names {
		r := Rule{Skill: n, Foreign: true, Gone: true}
		for _, e := range all {
			if e.Name == n {
				r = e.Rule()
			}
		}
		if r.Narrows() {
			out = append(out, r)
		}
	}
	return out, nil
}
