// Package linear reads issues of Linear by its GraphQL API, and gives them the columns of Linear's export.
package linear

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/tracker"
)

// perPage is how many issues one page has: what one question may cost bounds it.
const perPage = 40

// A Source reads the issues of one team.
type Source struct {
	call *tracker.Caller
	team string
}

var _ tracker.Opener = Open

// Open opens a team. A key of a person is sent as it is, a token of OAuth as a bearer's.
func Open(client *http.Client, t tracker.Tracker, token string) (tracker.Source, error) {
	head := make(http.Header)
	if !strings.HasPrefix(token, "lin_api_") && token != "" {
		token = "Bearer " + token
	}
	if token != "" {
		head.Set("Authorization", token)
	}
	call, err := tracker.NewCaller(client, t.Address, head)
	return &Source{call, t.Scope}, err
}

// Habits implements [tracker.Source]. The newest change comes first.
func (s *Source) Habits() tracker.Habits { return tracker.Habits{Lag: time.Minute} }

const question = `query ($filter: IssueFilter, $after: String, $first: Int) {
  issues(first: $first, after: $after, orderBy: updatedAt, includeArchived: true, filter: $filter) {
    nodes {
      identifier title description url priorityLabel estimate createdAt updatedAt startedAt completedAt canceledAt archivedAt dueDate
      state { name } assignee { email name } creator { email name } projectMilestone { name } parent { identifier }
      cycle { number name startsAt endsAt } labels(first: 20) { nodes { name } }
      relations(first: 10) { nodes { type relatedIssue { identifier } } } inverseRelations(first: 10) { nodes { type issue { identifier } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

// Changed implements [tracker.Source].
func (s *Source) Changed(ctx context.Context, from time.Time, next, _ string) (tracker.Page, error) {
	filter := map[string]any{"team": map[string]any{"key": map[string]any{"eq": s.team}}}
	if !from.IsZero() {
		filter["updatedAt"] = map[string]any{"gte": from.UTC().Format(time.RFC3339Nano)}
	}
	asks := map[string]any{"filter": filter, "first": perPage}
	if next != "" {
		asks["after"] = next
	}
	a, err := s.call.Ask(ctx, "graphql", question, asks)
	if err != nil {
		return tracker.Page{}, err
	}
	p, refused, err := read(a.Body)
	switch {
	case err != nil:
		return p, s.call.Unread(err)
	case refused == "RATELIMITED":
		return p, &tracker.Waits{After: time.Minute}
	case refused == "AUTHENTICATION_ERROR":
		return p, fault.New(fault.Denied, "Linear does not know the token. Put a new one into the vault under the name that the tracker has for it.")
	case refused != "":
		return p, fault.New(fault.Unavailable, "Linear refuses the question (%s).", plain(refused))
	}
	p.Asked = a.Asked()
	return p, nil
}

// plain keeps of a word of theirs what can stand in a sentence of ours.
func plain(code string) string {
	if len(code) > 60 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "for a reason of its own"
	}
	return code
}

type person struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

func (p person) String() string {
	if p.Email != "" {
		return p.Email
	}
	return p.Name
}

type named struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type nodes[T any] struct {
	Nodes []T `json:"nodes"`
}

// An issue is one as Linear tells it.
type issue struct {
	Identifier       string       `json:"identifier"`
	Title            string       `json:"title"`
	Description      string       `json:"description"`
	URL              string       `json:"url"`
	Priority         string       `json:"priorityLabel"`
	Estimate         *json.Number `json:"estimate"`
	Created          string       `json:"createdAt"`
	Updated          string       `json:"updatedAt"`
	Started          string       `json:"startedAt"`
	Completed        string       `json:"completedAt"`
	Canceled         string       `json:"canceledAt"`
	Archived         string       `json:"archivedAt"`
	Due              string       `json:"dueDate"`
	State            named        `json:"state"`
	Assignee         person       `json:"assignee"`
	Creator          person       `json:"creator"`
	ProjectMilestone named        `json:"projectMilestone"`
	Parent           named        `json:"parent"`
	Cycle            *struct {
		Number float64 `json:"number"`
		Name   string  `json:"name"`
		Starts string  `json:"startsAt"`
		Ends   string  `json:"endsAt"`
	} `json:"cycle"`
	Labels    nodes[named] `json:"labels"`
	Relations nodes[struct {
		Type string `json:"type"`
		To   named  `json:"relatedIssue"`
	}] `json:"relations"`
	Inverse nodes[struct {
		Type string `json:"type"`
		Of   named  `json:"issue"`
	}] `json:"inverseRelations"`
}

// columns are those of Linear's export.
func (i issue) columns() map[string]string {
	labels := make([]string, len(i.Labels.Nodes))
	for n, l := range i.Labels.Nodes {
		labels[n] = l.Name
	}
	var related, blocked, duplicate []string
	for _, r := range i.Relations.Nodes {
		switch r.Type {
		case "related":
			related = append(related, r.To.Identifier)
		case "duplicate":
			duplicate = append(duplicate, r.To.Identifier)
		}
	}
	for _, r := range i.Inverse.Nodes {
		switch r.Type {
		case "related":
			related = append(related, r.Of.Identifier)
		case "blocks":
			blocked = append(blocked, r.Of.Identifier)
		}
	}
	out := map[string]string{
		"ID": i.Identifier, "Title": i.Title, "Description": i.Description, "Status": i.State.Name, "Estimate": "", "Priority": i.Priority,
		"Creator": i.Creator.String(), "Assignee": i.Assignee.String(), "Labels": strings.Join(labels, ", "), "Cycle Name": "", "Cycle Start": "", "Cycle End": "",
		"Created": i.Created, "Started": i.Started, "Completed": i.Completed, "Canceled": i.Canceled, "Archived": i.Archived, "Due Date": i.Due, "Parent issue": i.Parent.Identifier,
		"Project Milestone": i.ProjectMilestone.Name, "Related to": strings.Join(related, ", "), "Blocked by": strings.Join(blocked, ", "), "Duplicate of": strings.Join(duplicate, ", "), "URL": i.URL,
	}
	if i.Estimate != nil {
		out["Estimate"] = i.Estimate.String()
	}
	if c := i.Cycle; c != nil {
		out["Cycle Name"], out["Cycle Start"], out["Cycle End"] = c.Name, c.Starts, c.Ends
		if c.Name == "" {
			out["Cycle Name"] = "Cycle " + strconv.FormatFloat(c.Number, 'f', -1, 64)
		}
	}
	return out
}

// read reads an answer. refused is the code of what Linear has against the question.
func read(body []byte) (p tracker.Page, refused string, err error) {
	var a struct {
		Data struct {
			Issues *struct {
				nodes[issue]
				Page struct {
					More bool   `json:"hasNextPage"`
					End  string `json:"endCursor"`
				} `json:"pageInfo"`
			} `json:"issues"`
		} `json:"data"`
		Errors []struct {
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return p, "", err
	}
	if len(a.Errors) > 0 || a.Data.Issues == nil {
		refused = "UNKNOWN"
		if len(a.Errors) > 0 && a.Errors[0].Extensions.Code != "" {
			refused = a.Errors[0].Extensions.Code
		}
		return p, refused, nil
	}
	for _, raw := range a.Data.Issues.Nodes {
		i, ok := tracker.Named(raw.Identifier, raw.Updated)
		if !ok {
			continue
		}
		if i.Record, err = tracker.Record(raw.columns()); err != nil {
			return p, "", err
		}
		p.Issues = append(p.Issues, i)
	}
	if a.Data.Issues.Page.More {
		p.Next = a.Data.Issues.Page.End
	}
	return p, "", nil
}
