package api

import (
	"context"
	"net/http"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/memory"
	"chela/internal/org"
)

// MemoryFiles are a project's memories as people edit them.
type MemoryFiles struct {
	Memory  string `json:"memory" doc:"MEMORY.md: a line for each memory, which may be edited and read back"`
	History string `json:"history" doc:"HISTORY.md: what conversations came to, the oldest first"`
}

// MemoryFileBody is a MEMORY.md that was edited.
type MemoryFileBody struct {
	Text  string `json:"text" maxLength:"1048576"`
	Apply bool   `json:"apply,omitempty" doc:"make the changes; without it they are only listed"`
}

// MemoryEdits are what a file changes.
type MemoryEdits struct {
	Edits   []memory.Edit `json:"edits" nullable:"false"`
	Applied bool          `json:"applied" doc:"what is no conflict was made"`
}

func memoryFileRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects/{project}/memory-file", "get-memory-file", "Get a project's memories as MEMORY.md and HISTORY.md", org.Viewer, a.memoryFile)
	route(a, http.MethodPost, "/api/projects/{project}/memory-file", "read-memory-file", "Read an edited MEMORY.md back: list what it changes, and with apply change it, which can be undone", org.Editor, a.readMemoryFile)
}

// remembered are all memories of a work's project.
func remembered(w *clerk.Work) (rows []memory.Row, all []desk.Record, err error) {
	if all, err = w.List(clerk.Query{Kind: desk.Memory, Limit: clerk.All}); err != nil {
		return nil, nil, err
	}
	rows, err = memory.Rows(all, w.Now())
	return rows, all, err
}

func (a *api) memoryFile(ctx context.Context, in *ProjectPath) (*Body[MemoryFiles], error) {
	w, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project)
	if err != nil {
		return nil, err
	}
	p, err := w.Get(desk.Project, in.Project)
	if err != nil {
		return nil, err
	}
	b, err := desk.Open[desk.ProjectBody](p)
	if err != nil {
		return nil, err
	}
	at, err := a.Store.Log.End(ctx) // before they are read: what comes later is new
	if err != nil {
		return nil, err
	}
	rows, all, err := remembered(w)
	if err != nil {
		return nil, err
	}
	history, err := memory.History(b.Name, all)
	return body(MemoryFiles{memory.File(b.Name, rows, at, a.Store.Desk.Mint().Now()), history}, err)
}

func (a *api) readMemoryFile(ctx context.Context, in *struct {
	ProjectPath
	Body MemoryFileBody
},
) (*Body[MemoryEdits], error) {
	file, err := memory.ReadFile(in.Body.Text)
	if err != nil {
		return nil, err
	}
	var out MemoryEdits
	plan := func(w *clerk.Work) error {
		rows, _, err := remembered(w)
		if err != nil {
			return err
		}
		if out.Edits, err = memory.Compare(ctx, file, rows, a.Store.Log.Placed); err != nil {
			return err
		}
		return memory.Edits(w, out.Edits, rows)
	}
	if !in.Body.Apply {
		w, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project)
		if err != nil {
			return nil, err
		}
		return body(out, plan(w))
	}
	err = a.Clerk.Do(ctx, a.place(ctx), in.Project, a.commit(ctx), plan)
	out.Applied = err == nil
	return body(out, err)
}
