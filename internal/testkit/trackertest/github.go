// Package trackertest is trackers as their public documents describe them, in the process of a test.
package trackertest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// An Issue is an issue of a fake tracker.
type Issue struct {
	Number  int
	Title   string
	Body    string
	Closed  bool
	Labels  []string
	Owner   string
	Updated time.Time
	Pull    bool
}

// A GitHub is a fake GitHub with one repository, acme/web.
type GitHub struct {
	URL   string
	Token string // that callers need; empty lets everybody read

	mu      sync.Mutex
	issues  []Issue
	asked   []string // queries
	answers []func(w http.ResponseWriter, r *http.Request) bool
	now     time.Time
}

// NewGitHub runs a fake GitHub until the test ends.
func NewGitHub(t testing.TB) *GitHub {
	t.Helper()
	g := &GitHub{now: time.Now().UTC().Truncate(time.Second).Add(-24 * time.Hour)}
	s := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(s.Close)
	g.URL = s.URL
	return g
}

// Put makes an issue, or changes the one of that number, at a new moment.
func (g *GitHub) Put(i Issue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = g.now.Add(time.Minute)
	if i.Updated.IsZero() {
		i.Updated = g.now
	}
	at := slices.IndexFunc(g.issues, func(x Issue) bool { return x.Number == i.Number })
	if at < 0 {
		g.issues = append(g.issues, i)
		return
	}
	g.issues[at] = i
}

// Next has the next request answered by fn, if it says that it did.
func (g *GitHub) Next(fn func(w http.ResponseWriter, r *http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(g.answers, fn)
}

// Asked returns the queries that came since it was asked before.
func (g *GitHub) Asked() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.asked
	g.asked = nil
	return out
}

func (g *GitHub) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.asked = append(g.asked, r.URL.RawQuery)
	var answer func(http.ResponseWriter, *http.Request) bool
	if len(g.answers) > 0 {
		answer, g.answers = g.answers[0], g.answers[1:]
	}
	g.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	switch {
	case g.Token != "" && r.Header.Get("Authorization") != "Bearer "+g.Token:
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
		return
	case r.URL.Path != "/repos/acme/web/issues":
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		return
	}
	raw, err := json.Marshal(g.page(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(raw)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(raw) // the caller has gone
}

// page is a page of the issues, oldest change first.
func (g *GitHub) page(r *http.Request) []map[string]any {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := r.URL.Query()
	since, _ := time.Parse(time.RFC3339, q.Get("since")) // none is since ever
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil {
		size = 30
	}
	number, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		number = 1
	}
	list := slices.DeleteFunc(slices.Clone(g.issues), func(i Issue) bool { return i.Updated.Before(since) })
	slices.SortStableFunc(list, func(a, b Issue) int { return a.Updated.Compare(b.Updated) })
	from := min((number-1)*size, len(list))
	out := []map[string]any{}
	for _, i := range list[from:min(from+size, len(list))] {
		out = append(out, i.github())
	}
	return out
}

func (i Issue) github() map[string]any {
	n := strconv.Itoa(i.Number)
	labels, assignees := []map[string]any{}, []map[string]any{}
	for _, l := range i.Labels {
		labels = append(labels, map[string]any{"id": 1, "name": l, "color": "ededed", "default": false})
	}
	if i.Owner != "" {
		assignees = append(assignees, map[string]any{"login": i.Owner, "id": 7, "type": "User"})
	}
	out := map[string]any{
		"url": "https://api.github.com/repos/acme/web/issues/" + n, "repository_url": "https://api.github.com/repos/acme/web", "html_url": "https://github.com/acme/web/issues/" + n,
		"id": 1000 + i.Number, "node_id": "I_" + n, "number": i.Number, "title": i.Title, "user": map[string]any{"login": "annlee", "id": 3, "type": "User"}, "labels": labels,
		"state": "open", "locked": false, "assignee": nil, "assignees": assignees, "milestone": nil, "comments": 0, "created_at": "2026-01-12T09:30:00Z",
		"updated_at": i.Updated.Format(time.RFC3339), "closed_at": nil, "author_association": "MEMBER", "body": i.Body, "state_reason": nil, "type": nil, "reactions": map[string]any{"total_count": 0},
	}
	if i.Body == "" {
		out["body"] = nil
	}
	if len(assignees) > 0 {
		out["assignee"] = assignees[0]
	}
	if i.Closed {
		out["state"], out["state_reason"], out["closed_at"] = "closed", "completed", i.Updated.Format(time.RFC3339)
	}
	if i.Pull {
		out["pull_request"] = map[string]any{"url": "https://api.github.com/repos/acme/web/pulls/" + n, "html_url": "https://github.com/acme/web/pull/" + n, "merged_at": nil}
	}
	return out
}
