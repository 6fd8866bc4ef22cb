package org

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chela/internal/fault"
)

// A Permission names something that an agent may touch at all. A tool needs the permission of its
// risk, and may need one more (tool.Spec).
type Permission string

// The permissions.
const (
	Records Permission = "records"
	Files   Permission = "file"
	Shell   Permission = "shell"
	Git     Permission = "git"
	Browser Permission = "browser"
	Network Permission = "network"
)

// AllPermissions lists the permissions.
func AllPermissions() []Permission {
	return []Permission{Records, Files, Shell, Git, Browser, Network}
}

// Act says what the permission is for: "The agent may not …".
func (p Permission) Act() string {
	switch p {
	case Records:
		return "change records"
	case Files:
		return "touch files"
	case Shell:
		return "run programs"
	case Git:
		return "use Git"
	case Browser:
		return "use the browser"
	case Network:
		return "call the network"
	}
	return "use " + string(p)
}

// Permissions are those that an agent has; those that it lacks have no key. Nil lets it read records
// and nothing else. In JSON each permission is true or false. A value is shared, so it is not changed.
type Permissions map[Permission]bool

// PermissionsOf returns a set of permissions.
func PermissionsOf(list ...Permission) Permissions {
	var out Permissions
	for _, p := range list {
		out = out.with(p, true)
	}
	return out
}

// Any reports whether the set has one of these.
func (s Permissions) Any(of ...Permission) bool {
	return slices.ContainsFunc(of, func(p Permission) bool { return s[p] })
}

// And returns what both sets have.
func (s Permissions) And(other Permissions) Permissions {
	var out Permissions
	for p := range s {
		if s[p] && other[p] {
			out = out.with(p, true)
		}
	}
	return out
}

// with returns the set with or without a permission. One that is not known stays, for Check.
func (s Permissions) with(p Permission, has bool) Permissions {
	out := maps.Clone(s)
	switch {
	case has || !slices.Contains(AllPermissions(), p):
		if out == nil {
			out = make(Permissions)
		}
		out[p] = has
	case len(out) > 0:
		if delete(out, p); len(out) == 0 {
			out = nil
		}
	}
	return out
}

// Check reports a permission that is not known.
func (s Permissions) Check() error {
	for _, p := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(AllPermissions(), p) {
			return fault.BadField("permissions."+string(p), "The permission is not known.", texts(AllPermissions())...)
		}
	}
	return nil
}

func texts(list []Permission) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = string(p)
	}
	return out
}

// MarshalJSON says of each permission whether the set has it.
func (s Permissions) MarshalJSON() ([]byte, error) {
	out := make(map[Permission]bool)
	for _, p := range AllPermissions() {
		out[p] = s[p]
	}
	maps.Copy(out, s)
	return json.Marshal(out)
}

// UnmarshalJSON changes what the object names and leaves the rest.
func (s *Permissions) UnmarshalJSON(raw []byte) error {
	return s.merge(func(into any) error { return json.Unmarshal(raw, into) })
}

// UnmarshalYAML changes what the mapping names and leaves the rest.
func (s *Permissions) UnmarshalYAML(read func(any) error) error { return s.merge(read) }

func (s *Permissions) merge(read func(any) error) error {
	var named map[Permission]bool
	if err := read(&named); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	out := *s
	for p, has := range named {
		out = out.with(p, has)
	}
	*s = out
	return nil
}
