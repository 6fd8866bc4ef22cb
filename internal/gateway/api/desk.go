package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/org"
)

// A RecordOf is a record with its body.
type RecordOf[B any] struct {
	ID         string    `json:"id"`
	Kind       desk.Kind `json:"kind"`
	ProjectID  string    `json:"projectId"`
	Version    int64     `json:"version"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	CreatedBy  string    `json:"createdBy"`
	UpdatedBy  string    `json:"updatedBy"`
	MergedInto string    `json:"mergedInto,omitempty"`
	Outside    bool      `json:"outside,omitempty" doc:"words of it came from outside: by intake, by import, or by an agent that had seen such"`
	Body       B         `json:"body"`
	// Owner and AssignedResourceIDs are views of a ticket's assignments.
	Owner               string   `json:"owner,omitempty"`
	AssignedResourceIDs []string `json:"assignedResourceIds,omitempty"`
}

// ProjectPath names a project in a path.
type ProjectPath struct {
	Project string `path:"project"`
}

// RecordPath names a record of a project in a path.
type RecordPath struct {
	ProjectPath
	ID string `path:"id"`
}

// Seen says which version of a record whoever changes it saw.
type Seen struct {
	IfMatch int64 `header:"If-Match" minimum:"1" doc:"the version that you saw; another one refuses the edit"`
}

// ListQuery narrows a list.
type ListQuery struct {
	LookPath
	Narrowing
	Status string `query:"status" doc:"only this status"`
	Text   string `query:"q" doc:"words in the title"`
	RefTo  string `query:"refersTo" doc:"only records that refer to this id"`
	Newest bool   `query:"newest" doc:"newest first"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor string `query:"cursor"`
}

// LookPath names a project in a path, and a moment.
type LookPath struct {
	ProjectPath
	Moment
}

// Moment says as of when.
type Moment struct {
	AsOf string `query:"asOf" doc:"show it as it was: a day (its end, UTC), an instant, an event's position or its id; empty means now"`
}

// commit appends in one transaction.
func (a *api) commit(ctx context.Context) func([]event.Draft) error {
	return func(d []event.Draft) error {
		_, err := a.Store.Log.Append(ctx, d...)
		return err
	}
}

// place is where a direct act of the asker's belongs: a run and task of its own.
func (a *api) place(ctx context.Context) event.Place {
	id := a.Store.Desk.Mint().ID("run")
	if tell, ok := ctx.Value(actKey{}).(func(string)); ok {
		tell(id)
	}
	return event.Place{Thread: a.Store.Desk.Mint().ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: party(ctx)}
}

// withArticle is a record of a kind in a sentence: "an idea".
func withArticle(k desk.Kind) string {
	article := "a "
	if strings.ContainsRune("aeiou", rune(k.Word()[0])) {
		article = "an "
	}
	return article + k.Word()
}

func (a *api) deskRoutes() {
	projectRoutes(a)
	wholeProjectRoutes(a)
	for _, k := range desk.Kinds() {
		if k != desk.Project { // which has routes of its own
			kindRoutes(a, k)
		}
	}
	route(a, http.MethodPost, "/api/projects/{project}/delta-packs/{id}/decisions", "decide-delta", "Accept or dismiss a delta; accepting it can copy one side's value to the other", org.Editor, a.decideDelta, answers(a, desk.DeltaPack))
	route(a, http.MethodPost, "/api/projects/{project}/reconciliations/{id}/decisions", "decide-conflicts", "Decide where a newer export and tickets were both changed: keep what the tickets say, or take what the source says", org.Editor, a.decideConflicts, answers(a, desk.Reconciliation))
	planRoutes(a)
	delegateRoutes(a)
	route(a, http.MethodPost, "/api/projects/{project}/threads/merge", "merge-threads", "Merge threads", org.Editor, a.mergeThreads, answers(a, desk.Thread))
	route(a, http.MethodGet, "/api/projects/{project}/capacity", "capacity", "Compute capacity: who has room", org.Viewer, a.capacity)
	route(a, http.MethodGet, "/api/projects/{project}/dependencies", "dependencies", "Compute dependencies: what open tickets wait for", org.Viewer, a.dependencies)
	route(a, http.MethodGet, "/api/projects/{project}/coverage", "coverage", "Compute the coverage of objectives", org.Viewer, a.coverage)
	route(a, http.MethodGet, "/api/projects/{project}/counts", "counts", "Count records by kind", org.Viewer, a.counts)
	recordRoutes(a)
}

// kindRoutes adds the routes of one kind of record.
func kindRoutes(a *api, k desk.Kind) {
	plural := k.Plural()
	base, word := "/api/projects/{project}/"+plural, strings.ReplaceAll(plural, "-", " ")
	bulkRoute(a, k)
	route(a, http.MethodGet, base, "list-"+plural, "List "+word, org.Viewer, func(ctx context.Context, in *ListQuery) (*Body[ListOut], error) {
		return body(listRecords(ctx, a, k, *in))
	}, listAnswers(a, k))
	route(a, http.MethodGet, base+"/{id}", "get-"+string(k), "Get "+withArticle(k), org.Viewer, func(ctx context.Context, in *struct {
		RecordPath
		Moment
	},
	) (*Body[RecordOut], error) {
		s, err := a.at(ctx, in.AsOf)
		if err != nil {
			return nil, err
		}
		w, err := a.begun(ctx, s, in.Project, in.AsOf)
		if err != nil {
			return nil, err
		}
		r, err := w.Get(k, in.ID)
		if err != nil {
			return nil, err
		}
		return one(ctx, s, r)
	}, answers(a, k))
	route(a, http.MethodPost, base, "create-"+string(k), "Create "+withArticle(k), org.Editor, func(ctx context.Context, in *struct {
		ProjectPath
		RawBody []byte
	},
	) (*Body[RecordOut], error) {
		return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) { return w.Create(k, in.RawBody) })
	}, status(http.StatusCreated), bodySchema(a, k, false), answers(a, k))
	edit(a, base+"/{id}", string(k), "Edit "+withArticle(k), org.Editor, func(ctx context.Context, in *struct {
		RecordPath
		Seen
		RawBody []byte
	},
	) (*Body[RecordOut], error) {
		return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) {
			if in.IfMatch != 0 {
				if err := w.AsSeen(k, in.ID, in.IfMatch); err != nil {
					return desk.Record{}, err
				}
			}
			return w.Patch(k, in.ID, in.RawBody)
		})
	}, bodySchema(a, k, true), answers(a, k))
	route(a, http.MethodDelete, base+"/{id}", "delete-"+string(k), "Delete "+withArticle(k)+"; returns what else changed", org.Editor, func(ctx context.Context, in *RecordPath) (*Body[Touched], error) {
		out := Touched{Deleted: in.ID, Touched: []string{}}
		err := a.Clerk.Do(ctx, a.place(ctx), in.Project, a.commit(ctx), func(w *clerk.Work) error {
			ids, err := w.Remove(k, in.ID)
			out.Touched = append([]string{}, ids...)
			return err
		})
		return body(out, err)
	})
}

// Touched says what a deletion changed.
type Touched struct {
	Deleted string   `json:"deleted"`
	Touched []string `json:"touched" doc:"ids of other records that referred to it"`
}

// changed plans a change, commits it, and returns the record as it then stands.
func changed(ctx context.Context, a *api, project string, plan func(*clerk.Work) (desk.Record, error)) (*Body[RecordOut], error) {
	var id string
	err := a.Clerk.Do(ctx, a.place(ctx), project, a.commit(ctx), func(w *clerk.Work) error {
		w.ByHand()
		r, err := plan(w)
		id = r.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := a.Store.Desk.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	return one(ctx, a.Store.Desk, r)
}

func one(ctx context.Context, s clerk.Store, r desk.Record) (*Body[RecordOut], error) {
	owners, err := ownersOf(ctx, s, r)
	if err != nil {
		return nil, err
	}
	return body(shown(r, owners))
}

func ownersOf(ctx context.Context, s clerk.Store, r desk.Record) (map[string]clerk.Owner, error) {
	if !r.Kind.Owned() {
		return nil, nil
	}
	return clerk.Owners(ctx, s, r.Project, []desk.Record{r})
}

func shown(r desk.Record, owners map[string]clerk.Owner) (RecordOut, error) {
	r, err := desk.Shown(r)
	if err != nil {
		return RecordOut{}, err
	}
	b, err := desk.Decode(r)
	return RecordOut{recordOf(r, owners, b)}, err
}

func recordOf[B any](r desk.Record, owners map[string]clerk.Owner, b B) RecordOf[B] {
	o := owners[r.ID]
	return RecordOf[B]{
		ID: r.ID, Kind: r.Kind, ProjectID: r.Project, Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy,
		MergedInto: r.MergedInto, Outside: r.Outside, Body: b, Owner: strings.Join(o.Names, ", "), AssignedResourceIDs: o.ResourceIDs,
	}
}

func listRecords(ctx context.Context, a *api, k desk.Kind, in ListQuery) (ListOut, error) {
	out := ListOut{Items: []RecordOut{}}
	s, err := a.of(ctx, in.Project, in.AsOf)
	if err != nil {
		return out, err
	}
	q, err := in.over(k, clerk.Query{Project: in.Project, Shared: k.Shared(), Kind: k, Status: in.Status, Text: in.Text, Newest: in.Newest, Limit: in.Limit, Cursor: in.Cursor}, a.Store.Desk.Mint().Now())
	if err != nil {
		return out, err
	}
	if in.RefTo != "" {
		q.RefTo = []string{in.RefTo}
	}
	if in.AsOf == "" {
		if q, err = a.Figures.cache.Narrow(ctx, q); err != nil {
			return out, err
		}
	}
	p, err := s.Records(ctx, q)
	if err != nil {
		return out, err
	}
	var owners map[string]clerk.Owner
	if k.Owned() {
		if owners, err = clerk.Owners(ctx, s, in.Project, p.Records); err != nil {
			return out, err
		}
	}
	out.Total, out.Next = p.Total, p.Next
	for _, r := range p.Records {
		item, err := shown(r, owners)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

func projectRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects", "list-projects", "List projects", org.Viewer, func(ctx context.Context, in *struct {
		Narrowing
		Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
		Cursor string `query:"cursor"`
	},
	) (*Body[ListOut], error) {
		out := ListOut{Items: []RecordOut{}}
		all := clerk.Query{Kind: desk.Project, Limit: in.Limit, Cursor: in.Cursor}
		if k := gateway.CallerOf(ctx).Key; k != nil && k.Project != "" {
			all.IDs = []string{k.Project}
		}
		q, err := in.over(desk.Project, all, a.Store.Desk.Mint().Now())
		if err != nil {
			return nil, err
		}
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
	}, listAnswers(a, desk.Project))
	route(a, http.MethodPost, "/api/projects", "create-project", "Create a project; its name is unique", org.Editor, func(ctx context.Context, in *struct{ RawBody []byte }) (*Body[RecordOut], error) {
		return changed(ctx, a, "", func(w *clerk.Work) (desk.Record, error) { return w.Create(desk.Project, in.RawBody) })
	}, status(http.StatusCreated), bodySchema(a, desk.Project, false), answers(a, desk.Project))
	route(a, http.MethodGet, "/api/projects/{project}", "get-project", "Get a project", org.Viewer, func(ctx context.Context, in *ProjectPath) (*Body[RecordOut], error) {
		w, err := a.Clerk.Begin(ctx, a.place(ctx), "")
		if err != nil {
			return nil, err
		}
		r, err := w.Get(desk.Project, in.Project)
		if err != nil {
			return nil, err
		}
		return one(ctx, a.Store.Desk, r)
	}, answers(a, desk.Project))
	edit(a, "/api/projects/{project}", "project", "Edit a project", org.Editor, func(ctx context.Context, in *struct {
		ProjectPath
		RawBody []byte
	},
	) (*Body[RecordOut], error) {
		return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) {
			return w.Patch(desk.Project, in.Project, in.RawBody)
		})
	}, bodySchema(a, desk.Project, true), answers(a, desk.Project))
}

// MergeBody names the threads to merge.
type MergeBody struct {
	Threads []string `json:"sourceThreadIds" nullable:"false" minItems:"2" doc:"the first takes in the others"`
	Title   string   `json:"targetTitle,omitempty"`
}

func (a *api) mergeThreads(ctx context.Context, in *struct {
	ProjectPath
	Body MergeBody
},
) (*Body[RecordOut], error) {
	return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) {
		return w.MergeThreads(in.Body.Threads[0], in.Body.Threads[1:], in.Body.Title)
	})
}

// DecisionBody is what somebody makes of a delta.
type DecisionBody struct {
	Delta    int         `json:"delta" minimum:"0" doc:"its place in the pack, from 0"`
	Decision desk.Ruling `json:"decision" enum:"ACCEPTED,DISMISSED"`
	Take     clerk.Side  `json:"take,omitempty" enum:"A,B" doc:"with ACCEPTED: the side whose value the record that is the other side's source takes over"`
	Value    string      `json:"value,omitempty" doc:"with ACCEPTED: what the suggestion needs, such as a new date, or the id of an objective or a ticket"`
	Only     bool        `json:"only,omitempty" doc:"with ACCEPTED: no record is changed"`
}

func (a *api) decideDelta(ctx context.Context, in *struct {
	RecordPath
	Body DecisionBody
},
) (*Body[RecordOut], error) {
	return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) {
		return w.Decide(in.ID, in.Body.Delta, clerk.Verdict{Decision: in.Body.Decision, Take: in.Body.Take, Value: in.Body.Value, Only: in.Body.Only})
	})
}

// ConflictsBody is what somebody decides where a source and tickets were both changed.
type ConflictsBody struct {
	Take      desk.Taken `json:"take" enum:"MINE,THEIRS" doc:"MINE keeps what the tickets say, THEIRS takes what the source says"`
	Conflicts []int      `json:"conflicts,omitempty" maxItems:"10000" doc:"their places in the reconciliation, from 0; none means all that are open"`
}

func (a *api) decideConflicts(ctx context.Context, in *struct {
	RecordPath
	Body ConflictsBody
},
) (*Body[RecordOut], error) {
	return changed(ctx, a, in.Project, func(w *clerk.Work) (desk.Record, error) {
		return w.Reconcile(in.ID, in.Body.Conflicts, in.Body.Take)
	})
}

func (a *api) counts(ctx context.Context, in *LookPath) (*Body[map[desk.Kind]int], error) {
	s, err := a.at(ctx, in.AsOf)
	if err != nil {
		return nil, err
	}
	return body(s.CountRecords(ctx, in.Project))
}
