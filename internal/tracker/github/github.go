// Package github reads issues of GitHub by its REST API, of github.com and of GitHub Enterprise Server.
package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
func (s *Source) Habits() tracker.Habits { return tracker.Habits{Ordered: true, Lag: time.Second} }

// Changed implements [tracker.Source]. A page that follows begins where the one before ended in time, not in number: an
// issue that changes meanwhile moves to the end, and all behind it one place up.
func (s *Source) Changed(ctx context.Context, from time.Time, next, check string) (tracker.Page, error) {
	at, number := place(from, next)
	q := url.Values{"state": {"all"}, "sort": {"updated"}, "direction": {"asc"}, "per_page": {strconv.Itoa(perPage)}}
	if !at.IsZero() {
		q.Set("since", at.UTC().Format(time.RFC3339))
	}
	if number > 1 {
		q.Set("page", strconv.Itoa(number))
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
	if n < perPage {
		return p, nil
	}
	p.Next = after(at, number, p.Issues)
	return p, nil
}

// place is what the name of a page says: since when, and which of the pages since then.
func place(from time.Time, next string) (time.Time, int) {
	stamp, number, ok := strings.Cut(next, " ")
	if !ok {
		return from, 1
	}
	at, err := time.Parse(time.RFC3339, stamp)
	n, nerr := strconv.Atoi(number)
	if err != nil || nerr != nil {
		return from, 1
	}
	return at, n
}

// after names the page that follows a full one.
func after(at time.Time, number int, issues []tracker.Issue) string {
	last := at
	for _, i := range issues {
		if i.Updated.After(last) {
			last = i.Updated
		}
	}
	last = last.Truncate(time.Second)
	if last.After(at) {
		return last.Format(time.RFC3339) + " 1"
	}
	return at.UTC().Format(time.RFC3339) + " " + strconv.Itoa(number+1) // a page of one second
}

var (
	text   = json.RawMessage(`""`)
	list   = json.RawMessage(`[]`)
	person = json.RawMessage(`{"login":""}`)
)

// shape is what the import reads of an issue.
var shape = tracker.Shape{
	"number": text, "title": text, "html_url": text, "repository_url": text, "state": text, "state_reason": text, "user": person, "assignees": list, "labels": list,
	"milestone": json.RawMessage(`{"title":"","description":"","due_on":"","state":"","closed_at":""}`), "created_at": text, "updated_at": text, "closed_at": text, "body": text,
	"type": json.RawMessage(`{"name":""}`), "parent_issue_url": text, "pull_request": json.RawMessage(`{"html_url":"","merged_at":""}`), "draft": text,
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
