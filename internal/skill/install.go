package skill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/confusable"
	"chela/internal/event"
	"chela/internal/fault"
)

// A Review is what a person sees before a skill is installed. Nothing of it is kept.
type Review struct {
	Skill
	Instructions string    `json:"instructions"`
	Findings     []Finding `json:"findings" nullable:"false"`
	Scripts      []string  `json:"scripts" nullable:"false" doc:"programs of it that agents may run, each after a person's approval"`
	Replaces     string    `json:"replaces,omitempty" doc:"the digest of the one that is there now"`
	Diff         string    `json:"diff,omitempty" doc:"from the one that is there now, unified"`
	Same         bool      `json:"same,omitempty" doc:"it is the one that is there"`
	Refused      string    `json:"refused,omitempty" doc:"why it is not installed"`
}

// Review reads the skill of an archive and says what a person should know of it.
func (s *Shelf) Review(ctx context.Context, archive []byte, within string) (Review, error) {
	sk, err := ReadZip(archive, within)
	if err != nil {
		return Review{}, err
	}
	r := Review{Skill: sk, Instructions: sk.Body, Findings: sk.Scan(), Scripts: []string{}}
	for _, f := range sk.Files {
		if script(f.Path) {
			r.Scripts = append(r.Scripts, f.Path)
		}
	}
	if !sk.Declared {
		r.Findings = append(r.Findings, Finding{Kind: "tools", File: manifest, Text: "It declares no tools (allowed-tools): an agent that follows it may only read."})
	}
	for _, f := range r.Findings {
		if f.Refused {
			r.Refused = fmt.Sprintf("%s, line %d, holds characters that read otherwise than they are. %s", f.File, f.Line, f.Text)
			break
		}
	}
	before, err := s.Look(ctx, "", sk.Name)
	if fault.KindOf(err) == fault.NotFound {
		return r, nil
	}
	if err != nil {
		return Review{}, err
	}
	r.Replaces, r.Same = before.Digest, before.Digest == sk.Digest && before.Source.Kind != "builtin"
	r.Diff = differ(before.parcel, sk.parcel)
	return r, nil
}

// differ shows from which files to which a skill changes.
func differ(before, after Parcel) string {
	names := slices.Collect(maps.Keys(before))
	for n := range after {
		if _, ok := before[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		if was, is := before[n], after[n]; string(was) != string(is) {
			b.WriteString(udiff.Unified("a/"+n, "b/"+n, shownFile(was), shownFile(is)))
		}
	}
	return b.String()
}

// shownFile is a file for people: each character that cannot be seen is written out.
func shownFile(b []byte) string {
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		out = append(out, confusable.Reveal(l))
	}
	return strings.Join(out, "\n")
}

// Install keeps the skill of an archive, which a person saw under digest.
func (s *Shelf) Install(ctx context.Context, at event.Place, archive []byte, from Source, digest string) (Entry, error) {
	r, err := s.Review(ctx, archive, from.Within())
	switch {
	case err != nil:
		return Entry{}, err
	case r.Refused != "":
		return Entry{}, fault.New(fault.Invalid, "The skill %s is not installed: %s", r.Name, r.Refused)
	case r.Digest != digest:
		return Entry{}, fault.New(fault.Conflict, "The skill %s is not the one that was looked at. Look at it again, and install it by its digest.", r.Name)
	case from.Kind != "folder" && from.Kind != "archive" && from.Kind != "git":
		return Entry{}, fault.BadField("source", "A skill is installed from a folder, an archive or a repository (git).")
	}
	err = s.Store.Change(ctx, r.Name, func(k Kept) ([]event.Draft, error) {
		if k.Installed != nil && k.Installed.Digest == r.Digest && k.Installed.Source == from {
			return nil, nil
		}
		return []event.Draft{InstalledKind.Draft(at, Installed{Name: r.Name, Source: from, Digest: r.Digest, Files: r.parcel})}, nil
	})
	if err != nil {
		return Entry{}, err
	}
	s.stale()
	return s.Look(ctx, "", r.Name)
}

// A Change is what to set of a skill; nil leaves it.
type Change struct {
	Disabled *bool     `json:"disabled,omitempty"`
	Always   *bool     `json:"always,omitempty" doc:"its instructions stand in the prompt whole; it narrows nothing then"`
	Agents   *[]string `json:"agents,omitempty" maxItems:"100" doc:"who has it, by name; all when empty"`
}

// Set changes what is set of a skill.
func (s *Shelf) Set(ctx context.Context, at event.Place, name string, c Change) (Entry, error) {
	e, err := s.Look(ctx, "", name)
	if err != nil {
		return Entry{}, err
	}
	if c.Always != nil && *c.Always && len(e.Body) > MaxAlways {
		return Entry{}, fault.New(fault.Invalid, "The instructions of %s have %d bytes; up to %d can stand in a prompt. Agents read it when they need it.", name, len(e.Body), MaxAlways)
	}
	err = s.Store.Change(ctx, name, func(k Kept) ([]event.Draft, error) {
		now := k.Settings
		now.Name = name
		if c.Disabled != nil {
			now.Disabled = *c.Disabled
		}
		if c.Always != nil {
			now.Always = *c.Always
		}
		if c.Agents != nil {
			now.Agents = slices.Clone(*c.Agents)
		}
		return []event.Draft{SetKind.Draft(at, now)}, nil
	})
	if err != nil {
		return Entry{}, err
	}
	s.stale()
	return s.Look(ctx, "", name)
}

// MaxAlways is how many bytes of instructions can stand in a prompt whole.
const MaxAlways = 3000

// Remove forgets an installed skill and its settings. One that ships is there again, as it was.
func (s *Shelf) Remove(ctx context.Context, at event.Place, name string) error {
	err := s.Store.Change(ctx, name, func(k Kept) ([]event.Draft, error) {
		if k.Installed == nil {
			return nil, fault.New(fault.NotFound, "The skill %q is not installed. One that ships, or lies in a workspace, is switched off: `chela skill set %s --disable`.", name, name)
		}
		return []event.Draft{RemovedKind.Draft(at, Removed{Name: name})}, nil
	})
	s.stale()
	return err
}
