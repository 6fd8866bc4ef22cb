package jira

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chela/internal/tracker"
)

// FuzzRead holds that whatever a server answers is read or refused, and that what is read can be kept.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"issues":[{"key":"PAY-1","fields":{"updated":"2026-03-05T09:30:00.000+0000","x":1}}],"names":{"x":"Story Points"},"nextPageToken":"abc","isLast":false}`), true)
	f.Fuzz(func(t *testing.T, raw []byte, cloud bool) {
		p, err := read(raw, cloud, "https://a.example")
		if err != nil {
			return
		}
		for _, i := range p.Issues {
			if i.Key == "" || !json.Valid(i.Record) {
				t.Errorf("the issue %q is kept as %s", i.Key, i.Record)
			}
		}
	})
}

// asked runs a Jira that answers page by page and returns what it was asked.
func asked(t *testing.T, cloud bool, from time.Time, pages ...string) (out []*http.Request, issues []tracker.Issue) {
	t.Helper()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out = append(out, r)
		_, _ = w.Write([]byte(pages[n]))
		n++
	}))
	t.Cleanup(s.Close)
	src, err := Open(s.Client(), tracker.Tracker{Address: s.URL, Scope: "PAY"}, "ann@acme.com:secret")
	if err != nil {
		t.Fatal(err)
	}
	src.(*Source).cloud = cloud
	src.(*Source).now = func() time.Time { return time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC) }
	next := ""
	for {
		p, err := src.Changed(t.Context(), from, next, "")
		if err != nil {
			t.Fatal(err)
		}
		issues = append(issues, p.Issues...)
		if next = p.Next; next == "" {
			return out, issues
		}
	}
}

func query(t *testing.T, r *http.Request) url.Values {
	t.Helper()
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const one = `{"key":"PAY-1","id":"1","self":"https://x/1","fields":{"summary":"A","updated":"2026-03-05T09:30:00.000+0000","customfield_10777":5,"customfield_10016":"rank"}}`

func TestJira_CloudIsReadByTokens(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	reqs, issues := asked(t, true, from, `{"issues":[`+one+`],"nextPageToken":"t2","isLast":false}`, `{"issues":[`+strings.ReplaceAll(one, "PAY-1", "PAY-2")+`],"isLast":true,"nextPageToken":"t3"}`)
	if len(reqs) != 2 || len(issues) != 2 || reqs[0].URL.Path != "/rest/api/3/search/jql" || query(t, reqs[1]).Get("nextPageToken") != "t2" {
		t.Fatalf("%d requests, %d issues", len(reqs), len(issues))
	}
	if got, want := query(t, reqs[0]).Get("jql"), `project = "PAY" AND updated >= "-61m" ORDER BY key ASC`; got != want {
		t.Errorf("it is asked %s, want %s", got, want)
	}
	if name, password, _ := reqs[0].BasicAuth(); name != "ann@acme.com" || password != "secret" {
		t.Errorf("it is asked as %s", name)
	}
}

func TestJira_DataCenterIsReadByNumbers(t *testing.T) {
	t.Parallel()
	names := `"names":{"customfield_10777":"Story Points","customfield_10016":"Rank"}`
	reqs, issues := asked(t, false, time.Time{}, `{"startAt":0,"total":2,"issues":[`+one+`],`+names+`}`, `{"startAt":1,"total":2,"issues":[`+strings.ReplaceAll(one, "PAY-1", "PAY-2")+`],`+names+`}`)
	if len(reqs) != 2 || len(issues) != 2 || reqs[0].URL.Path != "/rest/api/2/search" || query(t, reqs[1]).Get("startAt") != "1" {
		t.Fatalf("%d requests, %d issues", len(reqs), len(issues))
	}
	if got, want := query(t, reqs[0]).Get("jql"), `project = "PAY" ORDER BY key ASC`; got != want {
		t.Errorf("it is asked %s, want %s", got, want)
	}
	if r := string(issues[0].Record); !strings.Contains(r, `"customfield_10016":5`) || strings.Contains(r, "rank") {
		t.Errorf("the points are kept as %s", r)
	}
}
