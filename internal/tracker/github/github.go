// Package github reads issues of GitHub by its REST API, of github.com and of GitHub Enterprise Server.
package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"chela/internal/tracker"
)

// perPage is how many issues one page has, the most that GitHub gives.
const perPage = 100

// A Source reads the issues of one repository.
type Source struct {
	call *tracker.Caller
	path string
}

var _ tracker.Opener = Open

// Open opens a repository. Without a token only what everybody may read is read.
func Open(client *http.Client, t tracker.Tracker, token string) (tracker.Source, error) {
	head := http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}}
	if token != "" {
		head.Set("Authorization", "Bearer "+token)
	}
	call, err := tracker.NewCaller(client, t.Address, head)
	return &Source{call, "repos/" + t.Scope + "/issues"}, err
}

// Habits implements [tracker.Source].
func (s *Source) Habits() tracker.Habits { return tracker.Habits{Ordered: true, Lag: 30 * time.Second} }

// Changed implements [tracker.Source].
func (s *Source) Changed(ctx context.Context, from time.Time, next, check string) (tracker.Page, error) {
	at := tracker.StretchOf(from, next)
	q := url.Values{"state": {"all"}, "sort": {"updated"}, "direction": {"asc"}, "per_page": {strconv.Itoa(perPage)}}
	if !at.Since.IsZero() {
		q.Set("since", at.Since.UTC().Format(time.RFC3339))
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
	person = json.RawMessage(`{"login":""}`)
)

// shape is what the import reads of an issue.
var shape = tracker.Shape{
	"number": text, "title": text, "html_url": text, "repository_url": text, "state": text, "state_reason": text, "user": person, "assignees": json.RawMessage(`[{"login":""}]`), "labels": json.RawMessage(`[{"name":""}]`),
	"milestone": json.RawMessage(`{"title":"","description":"","due_on":"","state":"","closed_at":""}`), "created_at": text, "closed_at": text, "body": text,
	"type": json.RawMessage(`{"name":""}`), "parent_issue_url": text, "pull_request": json.RawMessage(`{"html_url":"","merged_at":""}`),
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
		if json.Unmarshal(raw["number"], &number) != nil || json.Unmarshal(raw["updated_at"], &updated) != nil {
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
