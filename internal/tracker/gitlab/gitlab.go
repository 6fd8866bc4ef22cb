// Package gitlab reads issues of GitLab by its REST API, of gitlab.com and of servers of one's own.
package gitlab

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"chela/internal/tracker"
)

// perPage is how many issues one page has, the most that GitLab gives.
const perPage = 100

// A Source reads the issues of one project.
type Source struct {
	call *tracker.Caller
	path string
}

var _ tracker.Opener = Open

// Open opens a project. Without a token only what everybody may read is read.
func Open(client *http.Client, t tracker.Tracker, token string) (tracker.Source, error) {
	head := make(http.Header)
	if token != "" {
		head.Set("Authorization", "Bearer "+token)
	}
	call, err := tracker.NewCaller(client, t.Address, head)
	return &Source{call, "api/v4/projects/" + url.PathEscape(t.Scope) + "/issues"}, err
}

// Habits implements [tracker.Source].
func (s *Source) Habits() tracker.Habits { return tracker.Habits{Ordered: true, Lag: 30 * time.Second} }

// Changed implements [tracker.Source].
func (s *Source) Changed(ctx context.Context, from time.Time, next, check string) (tracker.Page, error) {
	at := tracker.StretchOf(from, next)
	q := url.Values{"scope": {"all"}, "order_by": {"updated_at"}, "sort": {"asc"}, "per_page": {strconv.Itoa(perPage)}}
	if !at.Since.IsZero() {
		q.Set("updated_after", at.Since.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if at.Nth > 1 {
		q.Set("page", strconv.Itoa(at.Nth))
	}
	a, err := s.call.Get(ctx, s.path, q, check)
	if err != nil {
		return tracker.Page{}, err
	}
	if a.Code == http.StatusNotModified {
		return tracker.Page{Same: true, Asked: a.Asked()}, nil
	}
	p, n, err := read(a.Body)
	if err != nil {
		return p, s.call.Unread(err)
	}
	p.Asked, p.Check = a.Asked(), a.Head.Get("Etag")
	if n == perPage {
		p.Next = at.After(p.Issues)
	}
	return p, nil
}

var (
	text   = json.RawMessage(`""`)
	list   = json.RawMessage(`[]`)
	person = json.RawMessage(`{"username":"","name":""}`)
)

// shape is what the import reads of an issue.
var shape = tracker.Shape{
	"iid": text, "title": text, "description": text, "state": text, "created_at": text, "closed_at": text, "labels": list, "assignees": json.RawMessage(`[{"username":"","name":""}]`), "author": person,
	"milestone": json.RawMessage(`{"title":"","description":"","state":"","due_date":""}`), "iteration": json.RawMessage(`{"title":"","description":"","state":"","start_date":"","due_date":""}`),
	"issue_type": text, "weight": text, "due_date": text, "web_url": text, "severity": text, "moved_to_id": text,
}

// read reads an answer; n is how many issues it had.
func read(body []byte) (p tracker.Page, n int, err error) {
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return p, 0, err
	}
	for _, raw := range all {
		var number json.Number
		var updated string
		if json.Unmarshal(raw["iid"], &number) != nil || json.Unmarshal(raw["updated_at"], &updated) != nil {
			continue // it cannot be told from others
		}
		i, ok := tracker.Named(number.String(), updated)
		if !ok {
			continue
		}
		if i.Record, err = tracker.Record(shape.Of(raw)); err != nil {
			return p, 0, err
		}
		p.Issues = append(p.Issues, i)
	}
	return p, len(all), nil
}
