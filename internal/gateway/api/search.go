package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/org"
	"chela/internal/query"
)

// Narrowing is how every list of records is narrowed and sorted.
type Narrowing struct {
	Filter string `query:"filter" maxLength:"4096" doc:"terms that all hold: field:value, field:>value, field:~part, field:none, has:field, words; also OR, NOT, - and parentheses" example:"status:TODO,BLOCKED updated:>2w"`
	Sort   string `query:"sort" maxLength:"200" doc:"fields with commas between them, - before one for the greatest first; in the order of creation when empty" example:"-updated,title"`
}

// over reads the narrowing of a list of a kind, as it is asked for now, into a query.
func (n Narrowing) over(k desk.Kind, q clerk.Query, now time.Time) (clerk.Query, error) {
	fields, err := desk.Fields(k)
	if err != nil {
		return q, err
	}
	if q.Where, err = query.Parse(n.Filter, fields, now); err != nil {
		return q, err
	}
	q.Sort, err = query.ParseSort(n.Sort, fields)
	return q, err
}

// SearchQuery asks for records by their words.
type SearchQuery struct {
	Text    string      `query:"q" required:"true" maxLength:"1000" doc:"words that a record has, the last one by its beginning"`
	Project string      `query:"projectId" doc:"only this project"`
	Kinds   []desk.Kind `query:"kind" doc:"only these kinds, with commas between them"`
	Limit   int         `query:"limit" minimum:"1" maximum:"200" default:"20"`
	Cursor  string      `query:"cursor"`
}

// FoundRecord is a record that was found; GET /api/records/{id} has the rest of it.
type FoundRecord struct {
	ID        string       `json:"id"`
	Key       string       `json:"key,omitempty" doc:"of a ticket, in its tracker"`
	Kind      desk.Kind    `json:"kind"`
	ProjectID string       `json:"projectId"`
	UpdatedAt time.Time    `json:"updatedAt"`
	Title     []query.Part `json:"title" doc:"the title in parts, of which the hits were looked for"`
	Snippet   []query.Part `json:"snippet" doc:"a piece of the text in parts; empty when only the title has the words"`
}

// FoundList is one page of what was found.
type FoundList struct {
	Items []FoundRecord `json:"items"`
	Total int           `json:"total"`
	Next  string        `json:"next,omitempty" doc:"cursor of what follows"`
}

func (a *api) searchRoutes() {
	route(a, http.MethodGet, "/api/search", "search", "Search records of all kinds: matches in titles first, then the latest", org.Viewer, a.search)
}

func (a *api) search(ctx context.Context, in *SearchQuery) (*Body[FoundList], error) {
	if in.Project != "" {
		if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
			return nil, err
		}
	}
	found, err := a.Store.Desk.Search(ctx, clerk.Search{Project: in.Project, Text: in.Text, Kinds: in.Kinds, Limit: in.Limit, Cursor: in.Cursor})
	out := FoundList{Items: []FoundRecord{}, Total: found.Total, Next: found.Next}
	for _, h := range found.Hits {
		key, err := keyOf(h.Record)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, FoundRecord{ID: h.Record.ID, Key: key, Kind: h.Record.Kind, ProjectID: h.Record.Project, UpdatedAt: h.Record.UpdatedAt, Title: h.Title, Snippet: h.Snippet})
	}
	return body(out, err)
}

// keyOf is the key that a record has in its tracker; "" for what has none.
func keyOf(r desk.Record) (string, error) {
	var b struct {
		ExternalRef string `json:"externalRef"`
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return "", fmt.Errorf("read the record %s: %w", r.ID, err)
	}
	return b.ExternalRef, nil
}
