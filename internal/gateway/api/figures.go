package api

import (
	"context"
	"slices"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
)

// figures are what is computed from all of a project's people and tickets. Many read them at
// once.
type figures struct {
	staff      clerk.Staffing
	report     capacity.Report
	objectives []flow.Objective
	tickets    []flow.Ticket
}

// Figures keeps the figures of projects from one question to the next.
type Figures struct{ kept *clerk.Cache[*figures] }

// NewFigures returns the figures of what a source has, as they are by a clock.
func NewFigures(s clerk.Source, now func() time.Time) *Figures {
	return &Figures{clerk.NewCache(s, func(all clerk.Entries, _ *figures) *figures { return figuresOf(all, now()) }, figured()...)}
}

// Prepare computes the figures of a project, unless they are kept as they are now.
func (f *Figures) Prepare(ctx context.Context, project string) error {
	_, err := f.kept.Get(ctx, project)
	return err
}

// figured lists the kinds that figures are computed from.
func figured() []desk.Kind {
	return []desk.Kind{desk.Resource, desk.Ticket, desk.Assignment, desk.Objective}
}

// figuresOf computes the figures of a project now, or, for the zero time, at the moment of the last change.
func figuresOf(b clerk.Entries, now time.Time) *figures {
	f := &figures{staff: b.Staffing()}
	f.objectives, f.tickets = b.Objectives()
	f.report = capacity.Compute(f.staff.People, f.staff.Tickets, f.staff.Shares)
	if now.IsZero() {
		for _, at := range f.staff.Touched {
			now = latest(now, at)
		}
	}
	f.report.Estimate(f.staff.Tickets, f.staff.Shares, now)
	return f
}

// figures returns those of a project now, which are kept, or at an earlier moment.
func (a *api) figures(ctx context.Context, in *LookPath) (*figures, error) {
	s, err := a.at(ctx, in.AsOf)
	if err != nil {
		return nil, err
	}
	if _, err := clerk.New(s).Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	if in.AsOf == "" {
		return a.Figures.kept.Get(ctx, in.Project)
	}
	b, err := clerk.Read(ctx, s, in.Project, figured()...)
	return figuresOf(b, time.Time{}), err
}

// CapacityPath asks for the capacity of a project.
type CapacityPath struct {
	LookPath
	Load capacity.Load `query:"load" enum:"IDLE,UNDERUTILIZED,BALANCED,OVERLOADED" doc:"only people with this load; unassigned tickets and suggestions are left out"`
}

// CapacityOut is the capacity of a project with suggestions.
type CapacityOut struct {
	capacity.Report
	Suggestions []capacity.Suggestion `json:"suggestions"`
}

func (a *api) capacity(ctx context.Context, in *CapacityPath) (*Body[CapacityOut], error) {
	f, err := a.figures(ctx, &in.LookPath)
	if err != nil {
		return nil, err
	}
	r := f.report
	if in.Load != "" {
		r.Unassigned = []string{}
		r.Lines = slices.DeleteFunc(slices.Clone(r.Lines), func(l capacity.Line) bool { return l.Load != in.Load })
		return body(CapacityOut{Report: r, Suggestions: []capacity.Suggestion{}}, nil)
	}
	return body(CapacityOut{Report: r, Suggestions: append([]capacity.Suggestion{}, capacity.Suggest(r, f.staff.Tickets, 20)...)}, nil)
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
	out := CoverageOut{Objectives: []flow.Coverage{}, Unmapped: flow.Unmapped(f.objectives, f.tickets)}
	for _, o := range f.objectives {
		out.Objectives = append(out.Objectives, flow.Cover(o, f.tickets))
	}
	return body(out, nil)
}

func (a *api) dependencies(ctx context.Context, in *LookPath) (*Body[flow.Dependencies], error) {
	f, err := a.figures(ctx, in)
	if err != nil {
		return nil, err
	}
	return body(flow.Depend(f.tickets), nil)
}

// latest is the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
