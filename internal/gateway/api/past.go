package api

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
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
	// At returns the desk at a moment.
	At(ctx context.Context, moment string) (Desk, error)
	// When returns when a moment was.
	When(ctx context.Context, moment string) (time.Time, error)
	// Span returns a span of a project between two moments; an empty end is now.
	Span(ctx context.Context, project, from, to string) (clerk.Span, error)
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
	clerk.Earlier
	CountRecords(ctx context.Context, project string) (map[desk.Kind]int, error)
}

// at returns the desk as it was, or as it is when moment is empty.
func (a *api) at(ctx context.Context, moment string) (Desk, error) {
	if moment == "" {
		return a.Store.Desk, nil
	}
	return a.Past.At(ctx, moment)
}

// of returns a project's records as they are, or as they were at a moment.
func (a *api) of(ctx context.Context, project, moment string) (Desk, error) {
	s, err := a.at(ctx, moment)
	if err != nil {
		return nil, err
	}
	_, err = a.begun(ctx, s, project, moment)
	return s, err
}

// begun begins a work on a project's records as they are, or as they were at a moment.
func (a *api) begun(ctx context.Context, s Desk, project, moment string) (*clerk.Work, error) {
	w, err := clerk.New(s).Begin(ctx, a.place(ctx), project)
	if moment == "" || fault.KindOf(err) != fault.NotFound {
		return w, err
	}
	if _, gone := clerk.New(a.Store.Desk).Begin(ctx, a.place(ctx), project); gone != nil {
		return nil, err
	}
	if r, gone := a.Store.Desk.Record(ctx, project); gone == nil {
		return nil, fault.New(fault.NotFound, "The project was made after that moment, at %s (UTC). Say a later one.", r.CreatedAt.UTC().Format("2006-01-02 15:04"))
	}
	return nil, err
}

func (a *api) pastRoutes() {
	route(a, http.MethodGet, "/api/projects/{project}/changes", "changes", "Compare a project at two moments, from the log", org.Viewer, a.changes)
	route(a, http.MethodGet, "/api/projects/{project}/sprints", "sprints", "List sprints with their progress, computed from the log, latest first", org.Viewer, a.sprints)
	route(a, http.MethodGet, "/api/projects/{project}/sprints/{sprint}", "sprint", "Get a sprint day by day: scope, done, and changes of scope after the first day", org.Viewer, a.sprint)
}

// Between names two moments and a page of what is different.
type Between struct {
	From   string `query:"from" required:"true" doc:"a day (its end, UTC), an instant, an event's position or its id"`
	To     string `query:"to" doc:"as from; empty means now"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"up to how many records are looked at"`
	Cursor string `query:"cursor" doc:"from next of the page before; it holds what now was for that"`
}

// between returns what a page of differences is of.
func (a *api) between(ctx context.Context, project string, b Between) (s clerk.Span, err error) {
	to, after := b.To, int64(0)
	if b.Cursor != "" {
		end, rest, _ := strings.Cut(b.Cursor, ".")
		if after, err = strconv.ParseInt(rest, 10, 64); err != nil || after < 0 || strings.Trim(end, "0123456789") != "" {
			return s, fault.BadField("cursor", "The cursor is not one that a page of differences gave. Ask without it for the first page.")
		}
		to = end
	}
	s, err = a.Past.Span(ctx, project, b.From, to)
	s.After, s.Limit = after, b.Limit
	return s, err
}

// nextOf is the cursor of what follows a page of a span; empty at the end.
func nextOf(s clerk.Span, after int64) string {
	if after == 0 {
		return ""
	}
	return strconv.FormatInt(int64(s.To), 10) + "." + strconv.FormatInt(after, 10)
}

// ChangesQuery names two moments.
type ChangesQuery struct {
	ProjectPath
	Between
	Kinds  []desk.Kind `query:"kind" doc:"only these kinds, with commas between them"`
	Record string      `query:"record" doc:"only this record, by its id"`
}

// ChangesOut is what is different, in the order in which the records were made.
type ChangesOut struct {
	Items []desk.Diff `json:"items"`
	Total int         `json:"total" doc:"how many records changed; one that was changed back is counted, and is no item"`
	Next  string      `json:"next,omitempty" doc:"cursor of what follows; a page may have fewer items than the limit before the end"`
}

// changes lists what is different.
func (a *api) changes(ctx context.Context, in *ChangesQuery) (*Body[ChangesOut], error) {
	out := ChangesOut{Items: []desk.Diff{}}
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	s, err := a.between(ctx, in.Project, in.Between)
	if err != nil {
		return nil, err
	}
	if in.Cursor == "" && s.From > s.To {
		return nil, fault.BadField("from", "It is later than what it is compared with. A day is its end: a change of today comes after yesterday. Say the earlier moment first.")
	}
	s.Kinds, s.Record = in.Kinds, in.Record
	diffs, next, err := a.Store.Desk.Differences(ctx, s)
	if err != nil {
		return nil, err
	}
	s.After = 0
	counts, err := a.Store.Desk.CountByKind(ctx, s)
	for _, n := range counts {
		out.Total += n
	}
	out.Items, out.Next = append(out.Items, diffs...), nextOf(s, next)
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
	h, err := a.health(ctx, in.LookPath, in.Sprint)
	if err != nil {
		return nil, err
	}
	people, err := a.resources(ctx, in.LookPath)
	if err != nil {
		return nil, err
	}
	h.Absences(maps.All(people))
	return body(h, nil)
}

// health finds a sprint of a project that exists.
func (a *api) health(ctx context.Context, in LookPath, sprint string) (flow.Health, error) {
	l, now, err := a.ledger(ctx, in)
	if err != nil {
		return flow.Health{}, err
	}
	h, ok := l.Health(sprint, now)
	if !ok {
		return h, fault.New(fault.NotFound, "No ticket, no objective and no plan names the sprint %q. Write its name into their field for it.", sprint)
	}
	return h, nil
}

// ledger reads the sprints of a project that exists.
func (a *api) ledger(ctx context.Context, in LookPath) (*flow.Ledger, time.Time, error) {
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, time.Time{}, err
	}
	return a.Past.Sprints(ctx, in.Project, in.AsOf)
}
