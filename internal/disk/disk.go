// Package disk says which files and folders a call may touch: the folders that are granted to
// it, the files that hold secrets (secret.go), and the files that programs run without being
// asked (startup.go). It goes by names alone and never looks at a disk.
package disk

import (
	"path/filepath"
	"slices"
)

// Folders are what a call may touch of the disk. Its zero value is nothing.
type Folders struct {
	Work   string  // the agent's own folder, absolute; it may write here
	Start  string  // where relative paths begin, absolute; "" is Work
	Grants []Grant // further ones, granted by the policy
}

// A Grant opens a folder, with all that is below it.
type Grant struct {
	Path    string `json:"path"` // absolute, cleaned
	Write   bool   `json:"write"`
	Secrets bool   `json:"secrets"` // also files that hold secrets
}

// Resolve makes a path of a call absolute. It follows no links.
func (f Folders) Resolve(path string) string {
	if path == "" {
		path = "."
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.Base(), path)
}

// Base is where relative paths begin.
func (f Folders) Base() string {
	if f.Start != "" {
		return f.Start
	}
	return f.Work
}

// Of returns the closest granted folder that holds an absolute path.
func (f Folders) Of(path string) (Grant, bool) {
	best, ok := Grant{}, false
	for _, g := range f.All() {
		if Within(g.Path, path) && (!ok || len(g.Path) > len(best.Path)) {
			best, ok = g, true
		}
	}
	return best, ok
}

// All returns the agent's own folder and the granted ones.
func (f Folders) All() []Grant {
	if f.Work == "" {
		return f.Grants
	}
	return append([]Grant{{Path: f.Work, Write: true}}, f.Grants...)
}

// Within reports whether path is folder or lies below it; both are absolute and cleaned.
func Within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Generated reports whether a folder of this name holds what nobody wrote by hand.
func Generated(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".cache"}, name)
}

// A Use is a file or folder that a call reads or writes.
type Use struct {
	Path  string // absolute, cleaned, links not followed
	Write bool
}
