package api

import (
	"context"
	"net/http"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/org"
)

// Past knows how projects were.
type Past interface {
	// At returns a project at a moment, until done is called.
	At(ctx context.Context, project, moment string) (s Desk, done func(), err error)
	// Between returns what is different between two moments; an empty one is now.
	Between(ctx context.Context, project, from, to string) ([]desk.Diff, error)
}

// A Desk is what views of a project read.
type Desk interface {
	clerk.Store
	CountRecords(ctx context.Context, project string) (map[desk.Kind]int, error)
}

// at returns the desk of a project as it was, or as it is when moment is empty.
func (a *api) at(ctx context.Context, project, moment string) (Desk, func(), error) {
	if moment == "" {
		return a.Store, func() {}, nil
	}
	return a.Past.At(ctx, project, moment)
}

func (a *api) pastRoutes() {
	route(a, http.MethodGet, "/api/projects/{project}/changes", "changes", "What is different between two moments, from the log", org.Viewer, a.changes)
}

// ChangesQuery names two moments.
type ChangesQuery struct {
	ProjectPath
	From string `query:"from" required:"true" doc:"a day (its end, UTC), an instant, an event's position or its id"`
	To   string `query:"to" doc:"as from; empty means now"`
	Kind string `query:"kind" doc:"only this kind of record"`
}

// ChangesOut is what is different.
type ChangesOut struct {
	Items []desk.Diff `json:"items"`
	Total int         `json:"total"`
}

// changes lists what is different.
func (a *api) changes(ctx context.Context, in *ChangesQuery) (*Body[ChangesOut], error) {
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	diffs, err := a.Past.Between(ctx, in.Project, in.From, in.To)
	out := ChangesOut{Items: []desk.Diff{}}
	for _, d := range diffs {
		if in.Kind == "" || string(d.Kind) == in.Kind {
			out.Items = append(out.Items, d)
		}
	}
	out.Total = len(out.Items)
	return body(out, err)
}
