package api

import (
	"context"
	"encoding/json"
	"net/http"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
)

// LooseQuery narrows records of a kind over all projects.
type LooseQuery struct {
	Narrowing
	Project string `query:"projectId" doc:"only of this project"`
	Status  string `query:"status" doc:"only this status"`
	Text    string `query:"q" doc:"words in the title"`
	Newest  bool   `query:"newest" doc:"newest first"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor  string `query:"cursor"`
}

// looseRoutes adds the records of a kind by their ids, whatever project they belong to.
func looseRoutes(a *api, k desk.Kind) {
	plural := k.Plural()
	base := "/api/" + plural
	route(a, http.MethodGet, base, "find-"+plural, "List "+plural+" of a project, or of all", org.Viewer, func(ctx context.Context, in *LooseQuery) (*Body[ListOut], error) {
		q, err := in.over(k, clerk.Query{Kind: k, Project: in.Project, Status: in.Status, Text: in.Text, Newest: in.Newest, Limit: in.Limit, Cursor: in.Cursor}, a.Store.Desk.Mint().Now())
		if err != nil {
			return nil, err
		}
		if in.Project != "" {
			if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
				return nil, err
			}
		}
		out := ListOut{Items: []RecordOut{}}
		p, err := a.Store.Desk.Records(ctx, q)
		out.Total, out.Next = p.Total, p.Next
		for _, r := range p.Records {
			item, err := shown(r, nil)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
		return body(out, err)
	}, listAnswers(a, k))
	route(a, http.MethodPost, base, "add-"+string(k), "Create "+withArticle(k)+"; projectId names its project", org.Editor, func(ctx context.Context, in *struct{ RawBody []byte }) (*Body[RecordOut], error) {
		project, fields, err := placed(in.RawBody)
		if err != nil {
			return nil, err
		}
		return changed(ctx, a, project, func(w *clerk.Work) (desk.Record, error) { return w.Create(k, fields) })
	}, status(http.StatusCreated), bodySchema(a, k, false), answers(a, k))
	route(a, http.MethodGet, base+"/{id}", "find-"+string(k), "Get "+withArticle(k)+" by its id", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[RecordOut], error) {
		r, err := a.loose(ctx, k, in.ID)
		if err != nil {
			return nil, err
		}
		return one(ctx, a.Store.Desk, r)
	}, answers(a, k))
	edit(a, base+"/{id}", "loose-"+string(k), "Edit "+withArticle(k)+" by its id", org.Editor, func(ctx context.Context, in *struct {
		IDPath
		RawBody []byte
	},
	) (*Body[RecordOut], error) {
		r, err := a.loose(ctx, k, in.ID)
		if err != nil {
			return nil, err
		}
		return changed(ctx, a, r.Project, func(w *clerk.Work) (desk.Record, error) { return w.Patch(k, in.ID, in.RawBody) })
	}, bodySchema(a, k, true), answers(a, k))
	forgetRoute(a, k, "remove-"+string(k), "Delete "+withArticle(k)+" by its id; returns what else changed")
}

// forgetRoute deletes a record by its id.
func forgetRoute(a *api, k desk.Kind, id, summary string) {
	route(a, http.MethodDelete, "/api/"+k.Plural()+"/{id}", id, summary, org.Editor, func(ctx context.Context, in *IDPath) (*Body[Touched], error) {
		r, err := a.loose(ctx, k, in.ID)
		if err != nil {
			return nil, err
		}
		out := Touched{Deleted: in.ID, Touched: []string{}}
		return body(out, a.Clerk.Do(ctx, a.place(ctx), r.Project, a.commit(ctx), func(w *clerk.Work) error {
			ids, err := w.Remove(k, in.ID)
			out.Touched = append([]string{}, ids...)
			return err
		}))
	})
}

// loose finds a record of a kind by its id alone.
func (a *api) loose(ctx context.Context, k desk.Kind, id string) (desk.Record, error) {
	r, err := a.Store.Desk.Record(ctx, id)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return r, err
	}
	if err != nil || r.Kind != k || r.Deleted {
		return r, fault.New(fault.NotFound, "The %s %s does not exist.", k.Word(), id)
	}
	return r, nil
}

// placed takes the project out of a body that says it.
func placed(raw []byte) (project string, rest json.RawMessage, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", nil, fault.Wrap(err, fault.Invalid, "The body is no JSON object.")
	}
	if err := json.Unmarshal(fields["projectId"], &project); err != nil || project == "" {
		return "", nil, fault.BadField("projectId", "Say which project it belongs to.")
	}
	delete(fields, "projectId")
	rest, err = json.Marshal(fields)
	return project, rest, err
}
