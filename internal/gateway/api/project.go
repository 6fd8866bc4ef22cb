package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	sheets "chela/internal/document"
	"chela/internal/fault"
	"chela/internal/org"
)

func wholeProjectRoutes(a *api) {
	route(a, http.MethodDelete, "/api/projects/{project}", "delete-project", "Delete a project with all its records; returns counts by kind", org.Admin, a.deleteProject)
	route(a, http.MethodDelete, "/api/projects/{project}/data", "empty-project", "Delete all records of a project and keep it; returns counts by kind", org.Admin, a.emptyProject)
	route(a, http.MethodPost, "/api/projects/{project}/dedup", "dedup", "Merge duplicate records; references move to the record that stays", org.Editor, a.dedup)
	route(a, http.MethodPost, "/api/projects/{project}/copy", "copy-project", "Copy a project's phases, milestones, checklists, objectives, tickets and links into a new one", org.Editor, a.copyProject, status(http.StatusCreated), answers(a, desk.Project))
}

// DedupBody says whether to merge or only to look.
type DedupBody struct {
	Preview bool     `json:"preview,omitempty" doc:"say what would be merged, and change nothing"`
	Into    string   `json:"into,omitempty" doc:"merge no records of one title, but those that records names into this one; a person goes by the names of the others then"`
	Records []string `json:"records,omitempty" doc:"with into: records of its kind that are the same"`
}

// DedupOut says what was merged, or would be.
type DedupOut struct {
	Twins   []clerk.Twins    `json:"twins"`
	Merged  int              `json:"merged"`
	Apart   []clerk.Apart    `json:"apart" doc:"tickets of one title that are left alone, and why"`
	Likely  []capacity.Alike `json:"likely" doc:"people who are likely the same; they are merged by into and records alone"`
	Preview bool             `json:"preview,omitempty"`
}

type dedupIn = struct {
	ProjectPath
	Body DedupBody
}

func (a *api) dedup(ctx context.Context, in *dedupIn) (*Body[DedupOut], error) {
	out := DedupOut{Preview: in.Body.Preview}
	plan := func(w *clerk.Work) error {
		likely, err := w.Likely()
		if err != nil {
			return err
		}
		out.Likely = append([]capacity.Alike{}, likely...)
		twins, apart, err := deduped(w, in.Body)
		out.Twins, out.Merged, out.Apart = append([]clerk.Twins{}, twins...), 0, append([]clerk.Apart{}, apart...)
		for _, t := range twins {
			out.Merged += len(t.Merged)
			out.Likely = slices.DeleteFunc(out.Likely, func(l capacity.Alike) bool {
				return slices.Contains(t.Merged, l.Other) || slices.Contains(t.Merged, l.Kept)
			})
		}
		return err
	}
	if !in.Body.Preview {
		err := a.Clerk.Do(ctx, a.place(ctx), in.Project, a.commit(ctx), plan)
		return body(out, err)
	}
	w, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project)
	if err == nil {
		err = plan(w)
	}
	return body(out, err)
}

// deduped plans what a body asks for.
func deduped(w *clerk.Work, in DedupBody) ([]clerk.Twins, []clerk.Apart, error) {
	if in.Into == "" && len(in.Records) == 0 {
		return w.Dedup()
	}
	one, err := w.MergeInto(in.Into, in.Records)
	return []clerk.Twins{one}, nil, err
}

// Took says what a deleted project took with it.
type Took struct {
	Deleted string            `json:"deleted,omitempty"`
	Took    map[desk.Kind]int `json:"took" doc:"records by kind"`
	Run     string            `json:"runId" doc:"the act that deleted them, by which they are taken back: POST /api/undo"`
}

// emptyProject deletes what a project holds, and leaves the project.
func (a *api) emptyProject(ctx context.Context, in *ProjectPath) (*Body[Took], error) {
	at := a.place(ctx)
	out := Took{Run: at.Run}
	err := a.Clerk.Do(ctx, at, in.Project, a.commit(ctx), func(w *clerk.Work) (err error) {
		out.Took, err = w.EmptyProject()
		return err
	})
	return body(out, err)
}

func (a *api) deleteProject(ctx context.Context, in *ProjectPath) (*Body[Took], error) {
	at := a.place(ctx)
	out := Took{Deleted: in.Project, Run: at.Run}
	err := a.Clerk.Do(ctx, at, in.Project, a.commit(ctx), func(w *clerk.Work) (err error) {
		out.Took, err = w.RemoveProject()
		return err
	})
	return body(out, err)
}

// CopyBody names the new project.
type CopyBody struct {
	Name     string      `json:"name"`
	Template bool        `json:"template,omitempty" doc:"the copy is a template for further projects"`
	Without  []desk.Kind `json:"without,omitempty" doc:"kinds of records that are left out, such as ticket"`
}

func (a *api) copyProject(ctx context.Context, in *struct {
	ProjectPath
	Body CopyBody
},
) (*Body[RecordOut], error) {
	return changed(ctx, a, "", func(w *clerk.Work) (desk.Record, error) {
		return w.CopyProject(in.Project, in.Body.Name, clerk.Copying{Template: in.Body.Template, Without: in.Body.Without})
	})
}

// Exported is a project with its records.
type Exported struct {
	Project AnyRecord                 `json:"project"`
	Records map[desk.Kind][]AnyRecord `json:"records"`
}

// exportProject writes a project as JSON or as a workbook with a sheet for each kind.
func (a *api) exportProject(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	format := r.URL.Query().Get("format")
	if format != "" && format != "json" && format != "xlsx" {
		a.hall.Fail(w, r, fault.BadField("format", "The format is not known.", "json", "xlsx"))
		return
	}
	out, err := a.collect(ctx, chi.URLParam(r, "project"), r.URL.Query().Get("asOf"))
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"\/`, r) {
			return '-'
		}
		return r
	}, out.Project.ID)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+"."+map[bool]string{true: "xlsx", false: "json"}[format == "xlsx"]+`"`)
	if format == "xlsx" {
		w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
		err = sheets.WriteXLSX(w, sheetsOf(out))
	} else {
		w.Header().Set("Content-Type", "application/json")
		err = json.NewEncoder(w).Encode(out)
	}
	if err != nil {
		a.Log.Error("export a project", "project", out.Project.ID, "err", err)
		panic(http.ErrAbortHandler) // the client must not take a cut file for a whole one
	}
}

func (a *api) collect(ctx context.Context, project, asOf string) (Exported, error) {
	out := Exported{Records: make(map[desk.Kind][]AnyRecord)}
	s, err := a.of(ctx, project, asOf)
	if err != nil {
		return out, err
	}
	records, err := clerk.Every(ctx, s, clerk.Query{Project: project})
	if err != nil {
		return out, err
	}
	for _, r := range records {
		if r, err = desk.Shown(r); err != nil {
			return out, err
		}
		if r.Kind == desk.Project {
			out.Project = bare(r)
			continue
		}
		out.Records[r.Kind] = append(out.Records[r.Kind], bare(r))
	}
	return out, nil
}

// bare is a record with its body as it is kept.
func bare(r desk.Record) AnyRecord {
	return AnyRecord{
		ID: r.ID, Kind: r.Kind, ProjectID: r.Project, Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy, Body: r.Body,
	}
}

// sheetsOf makes a table of each kind: the fields that any of its records has.
func sheetsOf(e Exported) []sheets.Table {
	out := []sheets.Table{sheetOf(desk.Project, []AnyRecord{e.Project})}
	for _, k := range slices.Sorted(maps.Keys(e.Records)) {
		out = append(out, sheetOf(k, e.Records[k]))
	}
	return out
}

func sheetOf(k desk.Kind, records []AnyRecord) sheets.Table {
	bodies := make([]map[string]json.RawMessage, len(records))
	fields := make(map[string]bool)
	for i, r := range records {
		if err := json.Unmarshal(r.Body, &bodies[i]); err != nil {
			continue // a body is always an object
		}
		for f := range bodies[i] {
			fields[f] = true
		}
	}
	names := slices.Sorted(maps.Keys(fields))
	t := sheets.Table{Sheet: k.Word(), Header: append([]string{"id", "created", "updated", "by"}, names...)}
	for i, r := range records {
		row := sheets.Row{Cells: []string{r.ID, r.CreatedAt.Format("2006-01-02 15:04:05"), r.UpdatedAt.Format("2006-01-02 15:04:05"), r.UpdatedBy}}
		for _, f := range names {
			row.Cells = append(row.Cells, textOf(bodies[i][f]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// textOf is a JSON value in a cell: texts bare, lists of texts joined, all else as JSON.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ", ")
	}
	return string(raw)
}
