package tool

import (
	"context"
	"path/filepath"
)

// An Act is what a call with its arguments amounts to: what guard decides about and what
// a person is shown. Its zero value is a call that does what its tool declares.
type Act struct {
	Risk    Risk      // of these arguments; "" is the part's, else the tool's
	Part    string    // which part of the tool it is; "" is all of it
	Dir     string    // the folder it works in, absolute; "" is where relative paths begin
	Paths   []PathUse // what it reads and writes of the disk
	Command string    // a line for a shell, to be read before it is run
	Code    string    // source of a program, of which nothing is known
	Runs    []string  // files that its program runs, absolute: who approves it approves what is in them
	URL     string    // what it asks for on the network
	Network bool      // its program may call out
	Secrets []string  // names of secrets of the vault that it wants to be given
	Here    bool      // what it sends goes to the conversation that asked, and nowhere else
	Shown   string    // a sentence; "" shows the arguments
}

// A PathUse is a file or folder that a call reads or writes.
type PathUse struct {
	Path  string // absolute, cleaned, links not followed
	Write bool
}

// An Actor is an argument struct that says what its call amounts to. It does no I/O.
type Actor interface{ Act(f Folders) Act }

// A Checker is an argument struct in which one argument makes another one required. Its
// error, a fault that names the argument, keeps the call from being decided or made.
type Checker interface{ Check() error }

// A Previewer is an argument struct that can show what its call would change, as a unified
// diff. It changes nothing.
type Previewer interface {
	Preview(ctx context.Context, c Call) (string, error)
}

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
