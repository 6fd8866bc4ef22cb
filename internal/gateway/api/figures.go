package api

import (
	"context"
	"slices"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/flow"
)

// A figures is what is computed from all of a project's people and tickets, at a time. Many read it at once.
type figures struct {
	*clerk.Board
	now time.Time
}

// Report is who has room.
func (f figures) Report() capacity.Report { return f.Board.Report(f.now) }

// Figures keeps the figures of projects from one question to the next.
type Figures struct {
	cache *clerk.Cache
	kept  *clerk.View[*clerk.Board]
	now   func() time.Time
}

// NewFigures returns the figures of records that are kept, as they are by a clock.
func NewFigures(c *clerk.Cache, now func() time.Time) *Figures {
	return &Figures{c, clerk.NewView(c, clerk.NewBoard, (*clerk.Board).Follow, clerk.BoardKinds()...), now}
}

// Prepare computes the figures of a project, unless they are kept as they are now.
func (f *Figures) Prepare(ctx context.Context, project string) error {
	b, err := f.kept.Get(ctx, project)
	if err == nil {
		b.Report(f.now())
	}
	return err
}

// Board returns the board of a project as it is now.
func (f *Figures) Board(ctx context.Context, project string) (*clerk.Board, error) {
	return f.kept.Get(ctx, project)
}

// Kept returns the board of a project, when somebody looked at it lately.
func (f *Figures) Kept(ctx context.Context, project string) (*clerk.Board, bool, error) {
	return f.kept.Kept(ctx, project)
}

// figures returns those of a project now, which are kept, or at an earlier moment.
func (a *api) figures(ctx context.Context, in *LookPath) (figures, error) {
	s, err := a.of(ctx, in.Project, in.AsOf)
	if err != nil {
		return figures{}, err
	}
	if in.AsOf == "" {
		b, err := a.Figures.kept.Get(ctx, in.Project)
		return figures{b, a.Figures.now()}, err
	}
	b, err := a.Figures.kept.Earlier(ctx, in.Project, s)
	if err != nil {
		return figures{}, err
	}
	return figures{b, b.Touched()}, nil
}

// CapacityPath asks for the capacity of a project.
type CapacityPath struct {
	LookPath
	Load capacity.Load `query:"load" enum:"IDLE,UNDERUTILIZED,BALANCED,OVERLOADED,AWAY" doc:"only people with this load; unassigned tickets and suggestions are left out"`
}

// CapacityOut is the capacity of a project with suggestions.
type CapacityOut struct {
	capacity.Report
	Suggestions []capacity.Suggestion `json:"suggestions"`
	Likely      []capacity.Alike      `json:"likely" doc:"people who are likely the same; POST /api/projects/{project}/dedup merges them by into and records"`
}

func (a *api) capacity(ctx context.Context, in *CapacityPath) (*Body[CapacityOut], error) {
	f, err := a.figures(ctx, &in.LookPath)
	if err != nil {
		return nil, err
	}
	r := f.Report()
	if in.Load != "" {
		r.Unassigned = []string{}
		r.Lines = slices.DeleteFunc(slices.Clone(r.Lines), func(l capacity.Line) bool { return l.Load != in.Load })
		return body(CapacityOut{Report: r, Suggestions: []capacity.Suggestion{}, Likely: []capacity.Alike{}}, nil)
	}
	return body(CapacityOut{Report: r, Suggestions: append([]capacity.Suggestion{}, f.Suggest(r, 20)...), Likely: append([]capacity.Alike{}, f.Likely()...)}, nil)
}

// CoverageOut is the coverage of a project's objectives.
type CoverageOut struct {
	Objectives []flow.Coverage `json:"objectives"`
	Unmapped   []string        `json:"unmappedTicketIds"`
}

func (a *api) coverage(ctx context.Context, in *LookPath) (*Body[CoverageOut], error) {
	f, err := a.figures(ctx, in)
	if err != nil {
		return nil, err
	}
	c := f.Coverage()
	return body(CoverageOut{c.Objectives, c.Unmapped}, nil)
}

func (a *api) dependencies(ctx context.Context, in *LookPath) (*Body[flow.Dependencies], error) {
	f, err := a.figures(ctx, in)
	if err != nil {
		return nil, err
	}
	return body(flow.Depend(f.Tickets()), nil)
}
