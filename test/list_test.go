package test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

type foundAnswer struct {
	Total int    `json:"total"`
	Next  string `json:"next"`
	Items []struct {
		ID    string `json:"id"`
		Kind  string `json:"kind"`
		Title []struct {
			Text string `json:"text"`
			Hit  bool   `json:"hit"`
		} `json:"title"`
	} `json:"items"`
}

// TestList_ListsAndSearch narrows, sorts and searches by API and command line, as a viewer
// too.
func TestList_ListsAndSearch(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		for _, body := range []string{
			`{"title":"Retry payments","status":"BLOCKED","owner":"Joe Martinez","storyPoints":5,"labels":["red"]}`,
			`{"title":"Refund","description":"after a retry","owner":"Ann","storyPoints":8}`,
			`{"title":"Docs","status":"DONE","storyPoints":1}`,
		} {
			d.must(t, "POST", "/api/projects/"+project+"/tickets", rawJSON(body), nil)
		}
		for q, want := range map[string]string{
			"filter=" + url.QueryEscape(`status:TODO,BLOCKED owner:"joe martinez" updated:>2w`): "Retry payments",
			"filter=" + url.QueryEscape(`status:BLOCKED owner:"Joe"`):                           "Retry payments",
			"filter=" + url.QueryEscape(`owner:"Jo"`):                                           "",
			"filter=" + url.QueryEscape("retry OR points:<2") + "&sort=-points":                 "Refund|Retry payments|Docs",
			"sort=status,title&limit=2":                                                         "Refund|Docs",
		} {
			var l list
			d.must(t, "GET", "/api/projects/"+project+"/tickets?"+q, nil, &l)
			var got []string
			for _, i := range l.Items {
				got = append(got, i.Body.Title)
			}
			if strings.Join(got, "|") != want {
				t.Errorf("%s: %q, want %q", q, got, want)
			}
		}
		var l list
		d.must(t, "GET", "/api/projects?filter=name:payments&sort=-created", nil, &l)
		if l.Total != 1 {
			t.Errorf("%d projects", l.Total)
		}
		for path, want := range map[string]string{
			"/api/projects/" + project + "/tickets?filter=status:OPEN":  "At character 8: The field status of the kind ticket cannot be \"OPEN\". Allowed: TODO",
			"/api/projects/" + project + "/threads?filter=points:3":     "no field \"points\" of the kind thread",
			"/api/projects/" + project + "/tickets?sort=labels":         "cannot be sorted by \"labels\"",
			"/api/projects/" + project + "/tickets?sort=title&cursor=7": "Ask without it for the first page",
			"/api/search?q=%21":              "no word",
			"/api/search":                    "q",
			"/api/search?q=a&kind=none":      "ticket",
			"/api/search?q=a&projectId=prj_": "does not exist",
		} {
			if err := d.try("GET", path, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		}
		var f foundAnswer
		d.must(t, "GET", "/api/search?q=retry&limit=1&kind=ticket,thread&projectId="+project, nil, &f)
		if f.Total != 2 || len(f.Items) != 1 || f.Items[0].Title[0].Text != "Retry" || !f.Items[0].Title[0].Hit || f.Next == "" {
			t.Errorf("%+v", f)
		}
		d.must(t, "GET", "/api/search?q=retry&limit=1&cursor="+f.Next, nil, &f)
		if len(f.Items) != 1 || f.Items[0].Title[0].Text != "Refund" {
			t.Errorf("the next page: %+v", f)
		}
		s.listCommands(t)
		s.asViewer(t, func() { s.listCommands(t) })
		d.stop()
		s.verified(t)
	})
}

func (s setup) listCommands(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"list", "tickets", "-p", "Payments", "--filter", "status:BLOCKED", "--sort", "-updated"}, 0, `(?m)^Key\tTitle\tStatus\tOwner\tDue\n\S+\tRetry payments\tBlocked\tJoe Martinez.*\n1 of 1\n$`},
		{[]string{"list", "ticket", "--sort", "points", "--limit", "1"}, 0, `\tDocs\t.*\n1 of 3\nMore with --cursor \S+\n$`},
		{[]string{"list", "projects"}, 0, `prj_\S+\tPayments\tActive`},
		{[]string{"list", "phantoms"}, 3, "delta-packs, ideas, intakes"},
		{[]string{"list", "tickets", "--filter", "prio:HIGH"}, 3, `At character 1: There is no field "prio"`},
		{[]string{"list"}, 2, "arg"},
		{[]string{"search", "retry", "pay"}, 0, `ticket      »Retry« »payments«\n1 of 1\n$`},
		{[]string{"search", "retry", "--kind", "tickets", "-p", "Payments"}, 0, `Refund\n    after a »retry«\n2 of 2\n$`},
		{[]string{"search", "nowhere"}, 0, `^0 of 0\n$`},
		{[]string{"search", "??"}, 3, "no word"},
		{[]string{"search"}, 2, "arg"},
	} {
		out, errs, code := s.chela(t, "", c.args...)
		if code != c.code || !regexp.MustCompile(c.says).MatchString(out+errs) {
			t.Errorf("%v: %d, want %d and %s\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
	}
	for _, args := range [][]string{{"list", "tickets", "--json"}, {"search", "retry", "--json"}} {
		if out, errs, code := s.chela(t, "", args...); code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `"total"`) {
			t.Errorf("%v: %d\n%s%s", args, code, out, errs)
		}
	}
}

// asViewer runs fn with the token of a person who may only look.
func (s setup) asViewer(t *testing.T, fn func()) {
	t.Helper()
	file := filepath.Join(s.data, "token")
	owner, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, _, _ := s.chela(t, "", "invite", "Vera", "--role", "viewer")
	link := regexp.MustCompile(`--accept (\S+)`).FindStringSubmatch(out)
	if link == nil {
		t.Fatal(out)
	}
	out, _, _ = s.chela(t, "", "invite", "--accept", link[1])
	token := regexp.MustCompile(`Your token: (\S+)`).FindStringSubmatch(out)
	if token == nil {
		t.Fatal(out)
	}
	if err := os.WriteFile(file, []byte(token[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	fn()
	if err := os.WriteFile(file, owner, 0o600); err != nil {
		t.Fatal(err)
	}
}
