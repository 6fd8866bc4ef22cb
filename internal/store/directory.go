package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/query"
)

// A Directory finds records by what people call them.
type Directory struct{ base }

// ProjectName returns how a project is called, which may be up to keptFor old.
func (d Directory) ProjectName(ctx context.Context, id string) (string, error) {
	return d.db.names.of(d.db, id, true, func() (string, error) {
		r, err := d.db.Desk.Record(ctx, id)
		if err != nil {
			return "", err
		}
		body, err := desk.Open[desk.ProjectBody](r)
		return body.Name, err
	})
}

// Projects returns all projects in the order they were created.
func (d Directory) Projects(ctx context.Context) ([]desk.Record, error) {
	p, err := d.db.Desk.Records(ctx, clerk.Query{Kind: desk.Project, Limit: 1000})
	return p.Records, err
}

// Largest returns the ids of the projects with the most records, of those that have a number of them, the largest first.
func (d Directory) Largest(ctx context.Context, atLeast, limit int) ([]string, error) {
	rows, err := d.db.Query(ctx, "SELECT project FROM desk_counts WHERE project <> '' GROUP BY project HAVING sum(n) >= ? ORDER BY sum(n) DESC, project"+limited(limit), atLeast)
	if err != nil {
		return nil, fmt.Errorf("find the largest projects: %w", err)
	}
	return all(rows, func(scan func(...any) error) (id string, err error) { return id, scan(&id) })
}

// ProjectByName finds a project by its name, whatever the case.
func (d Directory) ProjectByName(ctx context.Context, name string) (desk.Record, bool, error) {
	return d.byIdentity(ctx, clerk.Query{Kind: desk.Project, Identity: desk.Identity(&desk.ProjectBody{Name: name}), Limit: clerk.All})
}

// ProjectNamed finds the id of a project by its id or its name; a fault.NotFound says that there is none.
func (d Directory) ProjectNamed(ctx context.Context, named string) (string, error) {
	err := clerk.New(d.db.Desk).Exists(ctx, named)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return named, err
	}
	p, ok, other := d.ProjectByName(ctx, named)
	if other != nil || !ok {
		return "", cmp.Or(other, err)
	}
	return p.ID, nil
}

// ThreadByTitle finds a thread of a project by its title, whatever the case.
func (d Directory) ThreadByTitle(ctx context.Context, project, title string) (desk.Record, bool, error) {
	return d.byIdentity(ctx, clerk.Query{Project: project, Kind: desk.Thread, Identity: desk.Identity(&desk.ThreadBody{Title: title}), Limit: clerk.All})
}

func (d Directory) byIdentity(ctx context.Context, q clerk.Query) (desk.Record, bool, error) {
	p, err := d.db.Desk.Records(ctx, q)
	if err != nil || len(p.Records) == 0 {
		return desk.Record{}, false, err
	}
	return p.Records[0], true, nil
}

// Remembered returns memories of a project and those of all projects, the newest first; words
// are a part of their content, none finds all.
func (d Directory) Remembered(ctx context.Context, project, words string, limit int) ([]desk.Record, error) {
	q := clerk.Query{Kind: desk.Memory, Project: project, Shared: true, Newest: true, Limit: limit}
	if project == "" {
		q.Status = "GLOBAL" // which is what belongs to no project
	}
	if words != "" {
		quoted, err := json.Marshal(words)
		if err != nil {
			return nil, fmt.Errorf("quote the words: %w", err)
		}
		fields, err := desk.Fields(desk.Memory)
		if err != nil {
			return nil, err
		}
		if q.Where, err = query.Parse("content:~"+string(quoted), fields, d.db.Mint().Now()); err != nil {
			return nil, err
		}
	}
	p, err := d.db.Desk.Records(ctx, q)
	return p.Records, err
}
