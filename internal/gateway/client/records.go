package client

import (
	"context"
	"net/http"
	"net/url"

	"chela/internal/desk"
)

// A RecordList is one page of records of any kind, whose lists are alike.
type RecordList struct {
	Items []RecordOfRawMessage `json:"items"`
	Total int                  `json:"total"`
	Next  string               `json:"next,omitempty"` // cursor of what follows
}

// RecordsQuery narrows a list of records of any kind.
type RecordsQuery = ListTicketsQuery

// Records lists the records of a kind in a project, or the projects.
func (c *Client) Records(ctx context.Context, project string, k desk.Kind, q RecordsQuery) (RecordList, error) {
	path := "/api/projects"
	if project != "" {
		path = recordsPath(project, k)
	}
	return call[RecordList](ctx, c, http.MethodGet, path+q.encoded(), nil)
}

// BulkEdit edits many records of a kind at once.
func (c *Client) BulkEdit(ctx context.Context, project string, k desk.Kind, body BulkBody) (BulkOut, error) {
	return call[BulkOut](ctx, c, http.MethodPost, recordsPath(project, k)+"/bulk", body)
}

func recordsPath(project string, k desk.Kind) string {
	return "/api/projects/" + url.PathEscape(project) + "/" + k.Plural()
}
