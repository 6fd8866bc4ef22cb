package skill

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/yamlfile"
	"chela/internal/zipfile"
)

var nameForm = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ReadZip reads the skill of an archive: the one whose SKILL.md lies highest, or lies in the folder that within names. Files
// outside that folder are no part of it.
func ReadZip(raw []byte, within string) (Skill, error) {
	files, err := zipfile.Read(raw, limits())
	if err != nil {
		return Skill{}, err
	}
	return find(files, strings.Trim(within, "/"))
}

// find takes the skill out of a tree of files.
func find(files map[string][]byte, within string) (Skill, error) {
	var at []string
	for name := range files {
		if path.Base(name) == manifest && (within == "" || path.Dir(name) == within) {
			at = append(at, name)
		}
	}
	slices.SortFunc(at, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	switch {
	case len(at) == 0 && within != "":
		return Skill{}, fault.New(fault.Invalid, "The folder %q holds no SKILL.md.", within)
	case len(at) == 0:
		return Skill{}, fault.New(fault.Invalid, "There is no SKILL.md in it. A skill is a folder with one.")
	case len(at) > 1 && strings.Count(at[0], "/") == strings.Count(at[1], "/"):
		return Skill{}, fault.New(fault.Invalid, "It holds %d skills: %s. Name the folder of one.", len(at), strings.Join(at[:min(len(at), 8)], ", "))
	}
	dir := path.Dir(at[0])
	parcel := make(Parcel)
	for name, body := range files {
		if dir == "." {
			parcel[name] = body
		} else if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			parcel[rest] = body
		}
	}
	folder := ""
	if dir != "." {
		folder = path.Base(dir)
	}
	return Read(folder, parcel)
}

// Read reads a skill from its files. folder is the name of its folder, "" when that is not known. The error is a fault
// that names the file and the line.
func Read(folder string, p Parcel) (Skill, error) {
	if err := p.check(); err != nil {
		return Skill{}, err
	}
	raw, ok := p[manifest]
	if !ok {
		return Skill{}, fault.New(fault.Invalid, "There is no SKILL.md in it. A skill is a folder with one.")
	}
	head, body, err := split(string(raw))
	if err != nil {
		return Skill{}, err
	}
	s := Skill{Allowed: []string{}, Files: []File{}, Body: body, Digest: p.digest(), parcel: p}
	if err := s.front(head); err != nil {
		return Skill{}, err
	}
	if err := s.sound(folder); err != nil {
		return Skill{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if name != manifest {
			s.Files = append(s.Files, File{name, len(p[name])})
		}
	}
	return s, nil
}

// check reports files that a skill may not have.
func (p Parcel) check() error {
	if len(p) > MaxFiles {
		return fault.New(fault.TooLarge, "The skill has %d files; the limit is %d.", len(p), MaxFiles)
	}
	all, seen := 0, make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if err := zipfile.Safe(name, 0, seen, "skill"); err != nil {
			return err
		}
		all += len(p[name])
	}
	if all > MaxBytes {
		return fault.New(fault.TooLarge, "The skill has %d bytes; the limit is %d.", all, MaxBytes)
	}
	return nil
}

// split takes the settings at the top of a SKILL.md from the instructions below.
func split(text string) (head, body string, err error) {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", "", fault.New(fault.Invalid, "SKILL.md is no text in UTF-8.")
	}
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", fault.New(fault.Invalid, "SKILL.md, line 1: it begins with a line of --- and its settings, such as name and description.")
	}
	head, body, ok = strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return "", "", fault.New(fault.Invalid, "SKILL.md: no line of --- ends its settings.")
		}
		body = ""
	}
	head, body = strings.TrimPrefix(head, "\n"), strings.TrimSpace(body)
	switch {
	case len(head) > maxFrontmatter:
		return "", "", fault.New(fault.TooLarge, "The settings of SKILL.md have %d bytes; the limit is %d.", len(head), maxFrontmatter)
	case len(body) > maxInstructions:
		return "", "", fault.New(fault.TooLarge, "The instructions of SKILL.md have %d bytes; the limit is %d. Move a part into a file that they name.", len(body), maxInstructions)
	case body == "":
		return "", "", fault.New(fault.Invalid, "SKILL.md holds no instructions below its settings.")
	}
	return head, body, nil
}

// front reads the settings.
func (s *Skill) front(head string) error {
	tree, err := yamlfile.Read([]byte(head), yamlfile.Limits{Indent: 64, Nest: 6})
	if err != nil {
		return at(err)
	}
	if len(tree.Docs) != 1 || yamlfile.Empty(tree.Docs[0]) {
		return fault.New(fault.Invalid, "SKILL.md: its settings hold no name and no description.")
	}
	var all map[string]any
	if err := yamlfile.Decode(tree.Docs[0].Body, &all); err != nil {
		return at(err)
	}
	s.decoded = yamlfile.Texts(tree.Docs[0].Body)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if err := s.setting(key, all[key]); err != nil {
			return err
		}
	}
	return nil
}

// at names the line of a problem in the settings; they begin in the second line of the file.
func at(err error) error {
	var p *yamlfile.Problem
	if errors.As(err, &p) && p.Line > 0 {
		return fault.Wrap(err, fault.Invalid, "SKILL.md, line %d: %s.", p.Line+1, p.Text)
	}
	return fault.Wrap(err, fault.Invalid, "SKILL.md: %s.", err)
}

func (s *Skill) setting(key string, v any) error {
	text, isText := scalar(v)
	want := func(to *string) error {
		if !isText {
			return fault.BadField(key, fmt.Sprintf("SKILL.md: %s is a text.", key))
		}
		*to = strings.TrimSpace(text)
		return nil
	}
	switch key {
	case "name":
		return want(&s.Name)
	case "description":
		return want(&s.Description)
	case "license":
		return want(&s.License)
	case "compatibility":
		return want(&s.Compatibility)
	case "version":
		return want(&s.Version)
	case "allowed-tools":
		return s.allow(v)
	case "metadata":
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			return fault.BadField(key, "SKILL.md: metadata is keys with values.")
		}
		return s.meta(m)
	}
	s.Ignored = append(s.Ignored, key)
	return nil
}

// scalar is a single value as text.
func scalar(v any) (string, bool) {
	switch v.(type) {
	case string, bool, int, int64, uint64, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// meta reads the metadata: what a skill needs, and texts.
func (s *Skill) meta(m map[string]any) error {
	s.Metadata = make(map[string]string)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if text, ok := scalar(m[key]); ok {
			s.Metadata[key] = text
			if key == "version" {
				s.Version = cmp.Or(s.Version, text)
			}
			continue
		}
		if inner, ok := m[key].(map[string]any); ok {
			if err := s.require(inner); err != nil {
				return err
			}
			continue
		}
		s.Ignored = append(s.Ignored, "metadata."+key)
	}
	return nil
}

// require reads what a skill needs, in the forms that are about: requires.bins and bins, anyBins, env, os.
func (s *Skill) require(m map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if inner, ok := m[key].(map[string]any); ok && key == "requires" {
			if err := s.require(inner); err != nil {
				return err
			}
			continue
		}
		to := map[string]*[]string{"bins": &s.Needs.Programs, "anyBins": &s.Needs.AnyOf, "env": &s.Needs.Secrets, "os": &s.Needs.Systems}[key]
		if to == nil {
			continue // an icon, a way to install it
		}
		list, err := texts("metadata."+key, m[key])
		if err != nil {
			return err
		}
		if *to = append(*to, list...); len(*to) > maxNeeds {
			return fault.BadField(key, fmt.Sprintf("SKILL.md: metadata.%s names more than %d.", key, maxNeeds))
		}
	}
	return nil
}

// texts reads a list of texts, or one text.
func texts(key string, v any) ([]string, error) {
	if one, ok := scalar(v); ok {
		return []string{one}, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fault.BadField(key, fmt.Sprintf("SKILL.md: %s is a list of texts.", key))
	}
	var out []string
	for _, x := range list {
		text, ok := x.(string)
		if !ok {
			return nil, fault.BadField(key, fmt.Sprintf("SKILL.md: %s is a list of texts.", key))
		}
		out = append(out, text)
	}
	return out, nil
}

// sound checks what the format demands.
func (s *Skill) sound(folder string) error {
	switch {
	case s.Name == "":
		return fault.BadField("name", "SKILL.md: the setting name is missing.")
	case len(s.Name) > maxName || !nameForm.MatchString(s.Name):
		return fault.BadField("name", fmt.Sprintf("SKILL.md: %q is no name of a skill: up to 64 of a to z, 0 to 9 and single hyphens between them.", s.Name))
	case folder != "" && folder != s.Name && !hosted.MatchString(folder):
		return fault.BadField("name", fmt.Sprintf("SKILL.md names the skill %q, and its folder is called %q; they must be the same.", s.Name, folder))
	case s.Description == "":
		return fault.BadField("description", "SKILL.md: the setting description is missing: what the skill is for, and when.")
	case len(s.Description) > maxDescription:
		return fault.BadField("description", fmt.Sprintf("SKILL.md: the description has %d bytes; the limit is %d.", len(s.Description), maxDescription))
	case len(s.Compatibility) > maxCompatible:
		return fault.BadField("compatibility", fmt.Sprintf("SKILL.md: compatibility has %d bytes; the limit is %d.", len(s.Compatibility), maxCompatible))
	}
	return nil
}

// hosted are the folders that hosts of repositories make for an archive of one, such as skills-main or release-notes-1.2.0.
var hosted = pattern.New(`-(main|master|v?[0-9][0-9A-Za-z.]*|[0-9a-f]{7,40})$`)
