package importtest_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/document"
	"chela/internal/extract"
	"chela/internal/testkit/importtest"
	"chela/internal/tracker"
	"chela/internal/tracker/github"
	"chela/internal/tracker/gitlab"
	"chela/internal/tracker/jira"
	"chela/internal/tracker/linear"
)

// live are the shapes that are an answer of the tracker's API, with how that is read.
var live = map[string]struct {
	open  tracker.Opener
	scope string
	as    func(t *testing.T, raw []byte) []byte // the answer, when the shape is another
}{
	"github-api":  {github.Open, "example/pay", nil},
	"gitlab-json": {gitlab.Open, "example/pay", nil},
	"jira-json":   {jira.Open, "PAY", nil},
	"linear-csv":  {linear.Open, "CLI", asGraphQL},
}

// TestScore_WhatIsReadLiveKeepsItsFacts holds that a tracker read live gives what its export gives.
func TestScore_WhatIsReadLiveKeepsItsFacts(t *testing.T) {
	t.Parallel()
	for _, half := range []string{"seen", "heldout"} {
		shapes, err := importtest.Load(os.DirFS("testdata/" + half))
		if err != nil {
			t.Fatal(err)
		}
		w, err := importtest.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, sh := range shapes {
			l, ok := live[sh.Dir]
			if !ok {
				continue
			}
			n++
			raw := sh.Raw
			if l.as != nil {
				raw = l.as(t, raw)
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(raw) }))
			src, err := l.open(s.Client(), tracker.Tracker{Address: s.URL, Scope: l.scope}, "token")
			if err != nil {
				t.Fatal(err)
			}
			p, err := src.Changed(t.Context(), time.Time{}, "", "")
			s.Close()
			if err != nil {
				t.Errorf("%s, %s: %v", half, sh.Name, err)
				continue
			}
			records := make([]json.RawMessage, len(p.Issues))
			for i := range p.Issues {
				records[i] = p.Issues[i].Record
				alone(t, sh.Name, p.Issues[i])
			}
			if sh.Raw, err = json.Marshal(map[string]any{"issues": records}); err != nil {
				t.Fatal(err)
			}
			sh.File = "pay of " + s.Listener.Addr().String() + ".json"
			got, err := w.Score(t.Context(), sh)
			if err != nil {
				t.Errorf("%s, %s: %v", half, sh.Name, err)
				continue
			}
			if got.Share() < least || len(p.Issues) < 10 {
				t.Errorf("%s, %s: got %.3f of the facts of %d issues, want %.2f:\n%s", half, sh.Name, got.Share(), len(p.Issues), least, strings.Join(got.Missed, "\n"))
			}
		}
		if n != len(live) {
			t.Errorf("%s: got %d shapes that are read live, want %d", half, n, len(live))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// alone holds that an issue by itself, the usual news of a tracker, is read as one, unless it is a request to merge.
func alone(t *testing.T, shape string, i tracker.Issue) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"issues": []json.RawMessage{i.Record}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.Read("pay of example.com.json", raw, document.Limits{})
	if err != nil || len(doc.Tables) != 1 || len(doc.Tables[0].Rows) != 1 {
		t.Errorf("%s: the issue %s by itself: %d tables, %v", shape, i.Key, len(doc.Tables), err)
		return
	}
	row := extract.Row(doc.Tables[0].Rows[0])
	got, ok := extract.Tickets(doc.Tables[0].Header, []extract.Row{row})
	if strings.Contains(string(i.Record), "/pull/") {
		return
	}
	if !ok || len(got.Tickets) != 1 || got.Tickets[0].Ref != i.Key {
		t.Errorf("%s: the issue %s by itself is read as %+v (%t)", shape, i.Key, got.Tickets, ok)
	}
	if left := got.LeftOut(); left != "" {
		t.Errorf("%s: of the issue %s by itself, %s", shape, i.Key, left)
	}
}

// asGraphQL is Linear's export as its API answers it.
func asGraphQL(t *testing.T, raw []byte) []byte {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(raw))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for _, row := range rows[1:] {
		cell := func(name string) string {
			for n, column := range rows[0] {
				if column == name {
					return row[n]
				}
			}
			return ""
		}
		when := func(name string) any {
			at, _, _ := strings.Cut(cell(name), " (")
			parsed, err := time.Parse("Mon Jan 02 2006 15:04:05 GMT-0700", at)
			if err != nil {
				return nil
			}
			return parsed.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		named := func(of string) any {
			if of == "" {
				return nil
			}
			return map[string]any{"name": of, "identifier": of, "email": of}
		}
		some := func(name string, make func(string) any) map[string]any {
			out := []any{}
			for _, x := range strings.Split(cell(name), ", ") {
				if x != "" {
					out = append(out, make(x))
				}
			}
			return map[string]any{"nodes": out}
		}
		i := map[string]any{
			"identifier": cell("ID"), "title": cell("Title"), "description": cell("Description"), "priorityLabel": cell("Priority"), "createdAt": when("Created"), "updatedAt": when("Updated"), "startedAt": when("Started"),
			"completedAt": when("Completed"), "canceledAt": when("Canceled"), "archivedAt": when("Archived"), "state": named(cell("Status")), "team": named(cell("Team")), "assignee": named(cell("Assignee")), "creator": named(cell("Creator")),
			"project": named(cell("Project")), "projectMilestone": named(cell("Project Milestone")), "parent": named(cell("Parent issue")), "labels": some("Labels", named),
			"relations": map[string]any{"nodes": append(some("Related to", func(x string) any { return map[string]any{"type": "related", "relatedIssue": named(x)} })["nodes"].([]any),
				some("Duplicate of", func(x string) any { return map[string]any{"type": "duplicate", "relatedIssue": named(x)} })["nodes"].([]any)...)},
			"inverseRelations": some("Blocked by", func(x string) any { return map[string]any{"type": "blocks", "issue": named(x)} }),
		}
		if at, ok := when("Due Date").(string); ok {
			i["dueDate"] = at[:len("2006-01-02")]
		}
		if n, err := strconv.ParseFloat(cell("Estimate"), 64); err == nil {
			i["estimate"] = n
		}
		if n, err := strconv.Atoi(cell("Cycle Number")); err == nil {
			i["cycle"] = map[string]any{"number": n, "name": cell("Cycle Name"), "startsAt": when("Cycle Start"), "endsAt": when("Cycle End")}
		}
		all = append(all, i)
	}
	out, err := json.Marshal(map[string]any{"data": map[string]any{"issues": map[string]any{"nodes": all, "pageInfo": map[string]any{"hasNextPage": false}}}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
