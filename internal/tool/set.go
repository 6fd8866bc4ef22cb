package tool

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/org"
)

// A Set is the tools there are.
type Set struct {
	byName map[string]*Tool
	list   []*Tool           // as they were registered: what matters most comes first
	gone   map[string]string // of a [Catalog]: names that are not there now, with the prefix of their source
}

// NewSet panics when two tools have one name.
func NewSet(tools ...*Tool) *Set {
	s := &Set{byName: make(map[string]*Tool, len(tools))}
	for _, t := range tools {
		if s.byName[t.Name] != nil {
			panic("tool: there are two tools named " + t.Name)
		}
		s.byName[t.Name] = t
		s.list = append(s.list, t)
	}
	return s
}

// With returns the set with more tools.
func (s *Set) With(t ...*Tool) *Set {
	out := NewSet(append(slices.Clone(s.list), t...)...)
	out.gone = s.gone
	return out
}

// Find returns the tool of that name. Models decorate names now and then; blanks,
// case and a leading "functions." are forgiven.
func (s *Set) Find(name string) (*Tool, bool) {
	if t, ok := s.byName[name]; ok {
		return t, true
	}
	t, ok := s.byName[Sanitize(name)]
	return t, ok
}

// Sanitize brings a model's spelling of a tool's name into the form of names.
func Sanitize(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "functions.")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r == '-', r == ' ', r == '.':
			return '_'
		}
		return -1
	}, name)
}

// All returns the tools by name.
func (s *Set) All() []*Tool {
	out := make([]*Tool, 0, len(s.byName))
	for _, t := range s.byName {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Needs lists the permissions that an agent needs for the tools that its list names, whole or a part.
func (s *Set) Needs(names []string) []org.Permission {
	var out []org.Permission
	for _, t := range s.Of(names) {
		for _, u := range t.Uses() {
			if slices.Contains(names, "*") || org.Lists(names, u.Name) {
				out = append(out, u.Needs(u.Risk)...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Missing says that there is no tool of that name.
func (s *Set) Missing(name string) string {
	text := fmt.Sprintf("There is no tool named %q.", name)
	part := Sanitize(name)
	if source, ok := s.gone[part]; ok {
		return fmt.Sprintf("The tool %s is not there any more: its source %s does not offer it now. Go on without it.", part, source)
	}
	if t, ok := s.byName[org.Whole(part)]; ok && t.Name != part {
		text += fmt.Sprintf(" Call %s with the operation %q.", t.Name, strings.TrimPrefix(part, t.Name+"_"))
	}
	return text
}

// Of returns the tools that an agent's list names, whole or a part, in the order in which
// they were registered; "*" names all.
func (s *Set) Of(names []string) []*Tool {
	every := slices.Contains(names, "*")
	var out []*Tool
	for _, t := range s.list {
		if every || org.Lists(names, t.Name) || slices.ContainsFunc(names, func(n string) bool { return org.Whole(n) == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}
