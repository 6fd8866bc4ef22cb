package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/org"
)

// Past knows how projects were.
type Past interface {
	// At returns a project at a moment, until done is called.
	At(ctx context.Context, project, moment string) (s Desk, done func(), err error)
	// Between returns what is different between two moments; an empty one is now.
	Between(ctx context.Context, project, from, to string) ([]desk.Diff, error)
	// History returns what became of a record until a moment; an empty one is now.
	History(ctx context.Context, record, until string) ([]desk.Revised, error)
	// Act returns what one run made of records, or one event when it is named, in the log's order.
	Act(ctx context.Context, run, event string) ([]desk.Revision, error)
	// Sprints returns what the sprints are computed from at a moment, and when that was; an
	// empty one is now.
	Sprints(ctx context.Context, project, moment string) (*flow.Ledger, time.Time, error)
	// Charts is as Sprints for charts.
	Charts(ctx context.Context, project, moment string) (chart.History, time.Time, error)
}

// A Desk is what views of a project read.
type Desk interface {
	clerk.Store
	CountRecords(ctx context.Context, project string) (map[desk.Kind]int, error)
}

// at returns the desk of a project as it was, or as it is when moment is empty.
func (a *api) at(ctx context.Context, project, moment string) (Desk, func(), error) {
	if moment == "" {
		return a.Store.Desk, func() {}, nil
	}
	return a.Past.At(ctx, project, moment)
}

func (a *api) pastRoutes() {
	route(a, http.MethodGet, "/api/projects/{project}/changes", "changes", "Compare a project at two moments, from the log", org.Viewer, a.changes)
	route(a, http.MethodGet, "/api/projects/{project}/sprints", "sprints", "List sprints with their progress, computed from the log, latest first", org.Viewer, a.sprints)
	route(a, http.MethodGet, "/api/projects/{project}/sprints/{sprint}", "sprint", "Get a sprint day by day: scope, done, and changes of scope after the first day", org.Viewer, a.sprint)
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

// SprintsOut is how far each sprint is.
type SprintsOut struct {
	Items []flow.Sprint `json:"items"`
}

func (a *api) sprints(ctx context.Context, in *LookPath) (*Body[SprintsOut], error) {
	l, now, err := a.ledger(ctx, *in)
	if err != nil {
		return nil, err
	}
	return body(SprintsOut{l.Sprints(now)}, nil)
}

// SprintPath names a sprint of a project in a path.
type SprintPath struct {
	LookPath
	Sprint string `path:"sprint" doc:"its name, as tickets and objectives say it"`
}

func (a *api) sprint(ctx context.Context, in *SprintPath) (*Body[flow.Health], error) {
	l, now, err := a.ledger(ctx, in.LookPath)
	if err != nil {
		return nil, err
	}
	h, ok := l.Health(in.Sprint, now)
	if !ok {
		return nil, fault.New(fault.NotFound, "No ticket, no objective and no plan names the sprint %q. Write its name into their field for it.", in.Sprint)
	}
	return body(h, nil)
}

// ledger reads the sprints of a project that exists.
func (a *api) ledger(ctx context.Context, in LookPath) (*flow.Ledger, time.Time, error) {
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, time.Time{}, err
	}
	return a.Past.Sprints(ctx, in.Project, in.AsOf)
}
