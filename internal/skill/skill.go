// Package skill is what agents are taught: folders of a SKILL.md with instructions, and the scripts and references that it
// names (Agent Skills, August 2026). A skill ships with Chela, lies in an agent's workspace, or was installed by an
// administrator, who saw it whole and accepted it by its digest. An agent is told the names and what they are for; it reads
// the instructions when it needs them, and from then on it may call only what the skill allows.
package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/yamlfile"
	"chela/internal/zipfile"
)

// What a skill may have.
const (
	MaxParcel       = 1 << 20   // bytes of a zip
	MaxBytes        = 400 << 10 // of all files, so that an event holds them
	MaxFile         = 256 << 10 // of one
	MaxFiles        = 200
	maxName         = 64
	maxDescription  = 1024
	maxCompatible   = 500
	maxAllowed      = 100
	maxNeeds        = 50
	manifest        = "SKILL.md"
	maxFrontmatter  = 16 << 10
	maxInstructions = 128 << 10
)

// A Skill is one that was read.
type Skill struct {
	Name          string            `json:"name"`
	Description   string            `json:"description" doc:"what it is for, and when"`
	Version       string            `json:"version,omitempty"`
	License       string            `json:"license,omitempty"`
	Compatibility string            `json:"compatibility,omitempty" doc:"what it says it needs, in words"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	// Declared tells a skill that allows nothing from one that says nothing.
	Declared bool     `json:"declared" doc:"it declares the tools that it allows"`
	Allowed  []string `json:"allowed" nullable:"false" doc:"tools that an agent may call once it has read it"`
	Needs    Needs    `json:"needs"`
	Ignored  []string `json:"ignored,omitempty" doc:"keys of its file that mean nothing here"`
	Files    []File   `json:"files" nullable:"false" doc:"beside SKILL.md"`
	Digest   string   `json:"digest" doc:"of all its files"`

	Body    string `json:"-"` // the instructions, in Markdown
	parcel  Parcel
	decoded []yamlfile.Text // of its settings
}

// Needs are what must be there for a skill to be of use.
type Needs struct {
	Programs []string `json:"programs,omitempty" doc:"all of them"`
	AnyOf    []string `json:"anyOf,omitempty" doc:"one of these programs"`
	Secrets  []string `json:"secrets,omitempty" doc:"of the vault, by name"`
	Systems  []string `json:"systems,omitempty" doc:"one of them: linux, darwin, windows"`
}

// A File is one of a skill.
type File struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// A Parcel is the files of a skill, by their paths in its folder.
type Parcel map[string][]byte

// Bytes returns a file of the skill.
func (s Skill) Bytes(path string) ([]byte, bool) {
	b, ok := s.parcel[path]
	return b, ok
}

// Parcel returns all files of the skill. The caller changes none.
func (s Skill) Parcel() Parcel { return s.parcel }

// limits of a zip with a skill; what it holds besides is left out before these are checked of the skill.
func limits() zipfile.Limits {
	return zipfile.Limits{What: "archive", Packed: MaxParcel, Unpacked: 4 * MaxBytes, File: MaxFile, Files: 4 * MaxFiles}
}

// digest is the same for the same files.
func (p Parcel) digest() string {
	var list []byte
	for _, name := range slices.Sorted(maps.Keys(p)) {
		list = fmt.Appendf(list, "%s\x00%x\n", name, sha256.Sum256(p[name]))
	}
	sum := sha256.Sum256(list)
	return hex.EncodeToString(sum[:])
}

// A Source says where a skill is from.
type Source struct {
	Kind   string `json:"kind" enum:"builtin,workspace,folder,archive,git" doc:"builtin ships with Chela; workspace is a folder of the data"`
	URL    string `json:"url,omitempty" maxLength:"500" doc:"of the repository"`
	Ref    string `json:"ref,omitempty" maxLength:"200" doc:"the branch or tag that is followed"`
	Path   string `json:"path,omitempty" maxLength:"500" doc:"of the folder or archive, or within the repository"`
	Commit string `json:"commit,omitempty" maxLength:"64" doc:"that it was at"`
}

// Within is the folder of the skill in an archive of the source; "" when it is the archive's only one.
func (s Source) Within() string {
	if s.Kind == "git" {
		return s.Path
	}
	return ""
}

// String is a source for people.
func (s Source) String() string {
	switch s.Kind {
	case "builtin":
		return "ships with Chela"
	case "git":
		out := s.URL
		if s.Path != "" {
			out += ", " + s.Path
		}
		if s.Commit != "" {
			out += fmt.Sprintf(", at %.12s", s.Commit)
		}
		return out
	}
	return strings.TrimSpace(s.Kind + " " + s.Path)
}

// Settings are what an administrator says of a skill.
type Settings struct {
	Name     string   `json:"name"`
	Disabled bool     `json:"disabled,omitempty"`
	Always   bool     `json:"always,omitempty"` // its instructions stand in the prompt; it narrows nothing
	Agents   []string `json:"agents,omitempty"` // by name; all when empty
}

// Installed records that a skill is used from now on as its files say.
type Installed struct {
	Name   string            `json:"name"`
	Source Source            `json:"source"`
	Digest string            `json:"digest"`
	Files  map[string][]byte `json:"files"`
}

// Removed records that an installed skill is not used any more, and its settings are forgotten.
type Removed struct {
	Name string `json:"name"`
}

// The facts of this package.
var (
	InstalledKind = event.Kind[Installed]{Name: "skill.installed", PayloadType: "skill.installed.v1"}
	SetKind       = event.Kind[Settings]{Name: "skill.set", PayloadType: "skill.settings.v1"}
	RemovedKind   = event.Kind[Removed]{Name: "skill.removed", PayloadType: "skill.removed.v1"}
)

// A Kept is what the log knows of a skill: its files when it was installed, and its settings.
type Kept struct {
	Name      string
	Installed *Installed // nil when it was not
	Settings  Settings
}
