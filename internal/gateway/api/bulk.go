package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
)

// maxBulk bounds the records of one edit.
const maxBulk = 5000

// BulkBody says which records are edited and how.
type BulkBody struct {
	Filter  string          `json:"filter,omitempty" maxLength:"4096" doc:"as for lists"`
	IDs     []string        `json:"ids,omitempty" maxItems:"5000" doc:"these records; with a filter, those of them that fit"`
	Set     json.RawMessage `json:"set" doc:"a merge patch for each of them: null clears a field"`
	Preview bool            `json:"preview,omitempty" doc:"say what would change, and change nothing"`
}

// BulkOut says what changed, or would.
type BulkOut struct {
	Matched int         `json:"matched"`
	Changed []desk.Diff `json:"changed"`
	Preview bool        `json:"preview,omitempty"`
	People  []string    `json:"newPeople,omitempty" doc:"names of people whom nobody knew until now: they are made"`
}

// bulkRoute adds the edit of many records of one kind.
func bulkRoute(a *api, k desk.Kind) {
	plural := k.Plural()
	words := strings.ReplaceAll(plural, "-", " ")
	route(a, http.MethodPost, "/api/projects/{project}/"+plural+"/bulk", "bulk-edit-"+plural, "Edit many "+words+" at once, all or none; with a preview", org.Editor, func(ctx context.Context, in *struct {
		ProjectPath
		Body BulkBody
	},
	) (*Body[BulkOut], error) {
		return body(a.bulk(ctx, k, in.Project, in.Body))
	})
}

func (a *api) bulk(ctx context.Context, k desk.Kind, project string, in BulkBody) (BulkOut, error) {
	if strings.TrimSpace(in.Filter) == "" && in.IDs == nil {
		return BulkOut{}, fault.BadField("filter", "Say which records: a filter, or ids. The filter created:>100y means all.")
	}
	q, err := Narrowing{Filter: in.Filter}.over(k, clerk.Query{Project: project, Kind: k, IDs: in.IDs, Limit: maxBulk}, a.Store.Desk.Mint().Now())
	if err != nil {
		return BulkOut{}, err
	}
	var out BulkOut
	plan := func(w *clerk.Work) error {
		page, err := a.Store.Desk.Records(ctx, q)
		if err != nil {
			return err
		}
		if page.Total > maxBulk {
			return fault.New(fault.TooLarge, "The filter fits %d records; at most %d are edited at once. Narrow it.", page.Total, maxBulk)
		}
		out = BulkOut{Matched: page.Total, Changed: []desk.Diff{}, Preview: in.Preview}
		w.ByHand()
		if err := w.Ahead(page.Records); err != nil {
			return err
		}
		for _, r := range page.Records {
			d, changed, err := patched(w, r, in.Set)
			if err != nil {
				return err
			}
			if changed {
				out.Changed = append(out.Changed, d)
			}
		}
		out.People, err = w.NewPeople()
		return err
	}
	if in.Preview {
		w, err := a.Clerk.Begin(ctx, a.place(ctx), project)
		if err != nil {
			return out, err
		}
		err = plan(w)
		return out, err
	}
	err = a.Clerk.Do(ctx, a.place(ctx), project, a.commit(ctx), plan)
	return out, err
}

// patched plans an edit of a record and returns what it makes different; who does it is a field of those that
// have an owner.
func patched(w *clerk.Work, r desk.Record, set json.RawMessage) (d desk.Diff, changed bool, err error) {
	var was, is string
	if r.Kind.Owned() {
		if was, err = w.Doers(r.ID); err != nil {
			return d, false, err
		}
	}
	next, err := w.Patch(r.Kind, r.ID, set)
	if err != nil {
		return d, false, err
	}
	if d, changed, err = desk.DiffOf(r, next); err != nil || !r.Kind.Owned() {
		return d, changed, err
	}
	if is, err = w.Doers(r.ID); err != nil || is == was {
		return d, changed, err
	}
	from, err := json.Marshal(was)
	if err != nil {
		return d, false, err
	}
	to, err := json.Marshal(is)
	d.Op, d.Fields = desk.Updated, append(d.Fields, desk.FieldDiff{Field: "owner", From: from, To: to})
	return d, true, err
}
