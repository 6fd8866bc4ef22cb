// Package jira reads issues of Jira by its REST API: version 3 of Jira Cloud, version 2 of Jira Data Center.
package jira

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/tracker"
)

// perPage is how many issues one page has.
const perPage = 100

// A Source reads the issues of one project.
type Source struct {
	call    *tracker.Caller
	project string
	at      string
	cloud   bool
	now     func() time.Time
}

var _ tracker.Opener = Open

// Open opens a project. The token is "address:token" for Jira Cloud and for a name with a password, else a personal
// access token.
func Open(client *http.Client, t tracker.Tracker, token string) (tracker.Source, error) {
	head := http.Header{"Accept": {"application/json"}}
	switch {
	case strings.Contains(token, ":"):
		head.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(token)))
	case token != "":
		head.Set("Authorization", "Bearer "+token)
	}
	call, err := tracker.NewCaller(client, t.Address, head)
	return &Source{call, t.Scope, t.Address, isCloud(t.Host()), time.Now}, err
}

// isCloud reports a host of Atlassian's.
func isCloud(host string) bool {
	return strings.HasSuffix(host, ".atlassian.net")
}

// Habits implements [tracker.Source]. Issues come in the order of their keys, which does not change while they are read;
// what was changed is found by the search some time later.
func (s *Source) Habits() tracker.Habits { return tracker.Habits{Lag: 5 * time.Minute} }

// question is what is searched for. A time is told as how long ago it was: Jira reads any other in the zone of who asks.
func (s *Source) question(from time.Time) string {
	q := `project = "` + s.project + `"`
	if !from.IsZero() {
		q += fmt.Sprintf(` AND updated >= "-%dm"`, max(int(math.Ceil(s.now().Sub(from).Minutes())), 0)+1)
	}
	return q + " ORDER BY key ASC"
}

// Changed implements [tracker.Source].
func (s *Source) Changed(ctx context.Context, from time.Time, next, _ string) (tracker.Page, error) {
	q := url.Values{"jql": {s.question(from)}, "maxResults": {strconv.Itoa(perPage)}, "fields": {"*all"}, "expand": {"names"}}
	path := "rest/api/2/search"
	if s.cloud {
		path = "rest/api/3/search/jql"
	}
	if next != "" {
		q.Set(map[bool]string{true: "nextPageToken", false: "startAt"}[s.cloud], next)
	}
	a, err := s.call.Get(ctx, path, q, "")
	if err != nil {
		return tracker.Page{}, err
	}
	p, err := read(a.Body, s.cloud, s.at)
	if err != nil {
		return p, s.call.Unread(err)
	}
	p.Asked = a.Asked()
	return p, nil
}

var (
	text = json.RawMessage(`""`)
	list = json.RawMessage(`[]`)
	name = json.RawMessage(`{"name":""}`)
	who  = json.RawMessage(`{"displayName":""}`)
)

// shape is what the import reads of the fields of an issue.
var shape = tracker.Shape{
	"summary": text, "issuetype": name, "status": name, "priority": name, "resolution": name, "assignee": who, "reporter": who,
	"created": text, "resolutiondate": text, "duedate": text, "labels": list, "components": list, "fixVersions": list, "versions": list, "description": text,
	"issuelinks": list, "parent": json.RawMessage(`{"key":""}`), "comment": json.RawMessage(`{"comments":[]}`), points: text, sprint: list, epic: text,
}

// The fields of agile boards as the import knows them, by their ids of Jira Cloud.
const (
	points = "customfield_10016"
	sprint = "customfield_10020"
	epic   = "customfield_10014"
)

// called are the names of those fields, whose ids differ from one Jira to the other.
var called = map[string]string{"story points": points, "story point estimate": points, "sprint": sprint, "epic link": epic}

// An answer is what a search answers.
type answer struct {
	Issues []struct {
		ID     string                     `json:"id"`
		Key    string                     `json:"key"`
		Fields map[string]json.RawMessage `json:"fields"`
	} `json:"issues"`
	Names map[string]string `json:"names"`
	Token string            `json:"nextPageToken"`
	Last  bool              `json:"isLast"`
	Start int               `json:"startAt"`
	Total int               `json:"total"`
}

// read reads an answer; at is the address of the pages of issues.
func read(body []byte, cloud bool, at string) (p tracker.Page, err error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return p, err
	}
	for _, raw := range a.Issues {
		var updated string
		if json.Unmarshal(raw.Fields["updated"], &updated) != nil {
			continue // when it was changed is not known
		}
		i, ok := tracker.Named(raw.Key, updated)
		if !ok {
			continue
		}
		named(raw.Fields, a.Names)
		i.Record, err = tracker.Record(map[string]any{"id": raw.ID, "key": raw.Key, "url": at + "/browse/" + raw.Key, "fields": shape.Of(raw.Fields)})
		if err != nil {
			return p, err
		}
		p.Issues = append(p.Issues, i)
	}
	switch n := a.Start + len(a.Issues); {
	case cloud && !a.Last:
		p.Next = a.Token
	case !cloud && len(a.Issues) > 0 && a.Start >= 0 && n < a.Total:
		p.Next = strconv.Itoa(n)
	}
	return p, nil
}

// named puts the fields of agile boards under the ids by which the import knows them.
func named(fields map[string]json.RawMessage, names map[string]string) {
	found := make(map[string]json.RawMessage)
	for id, said := range names {
		as, ok := called[strings.ToLower(said)]
		if v := fields[id]; ok && len(v) > 0 && string(v) != "null" {
			found[as] = v
		}
	}
	for as := range shape {
		if strings.HasPrefix(as, "customfield_") && names[as] != "" && called[strings.ToLower(names[as])] != as {
			delete(fields, as) // here it is another field
		}
	}
	for as, v := range found {
		fields[as] = v
	}
}
