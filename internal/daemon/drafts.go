package daemon

import (
	"context"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/library"
)

// drafts are the drafts of the library, which is made after the tools that edit them.
type drafts struct{ d *Daemon }

// Draft implements the tools' interface, as the rest does.
func (s drafts) Draft(ctx context.Context, slug string) (library.WorkingDraft, error) {
	return s.d.shelf.Draft(ctx, slug)
}

func (s drafts) Edit(ctx context.Context, by library.Author, slug string, base int, ops []canvas.Operation) (library.WorkingDraft, canvas.Outcome, error) {
	return s.d.shelf.Edit(ctx, by, slug, base, ops)
}

func (s drafts) Check(ctx context.Context, source []byte) (*definition.Compiled, definition.Problems) {
	return s.d.shelf.Check(ctx, source)
}

func (s drafts) Files(ctx context.Context, slug string, version int) (map[string]string, error) {
	return s.d.shelf.Files(ctx, slug, version)
}

// toolNames are the names of the tools there are.
func (d *Daemon) toolNames() []string {
	var out []string
	for _, t := range d.tools.Now().All() {
		out = append(out, t.Name)
	}
	return out
}
