package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"
)

const someAhead = `{"": ["/api/me", "/api/gone", "/api/text"], "/tickets": ["/api/projects/{project}/tickets?filter=a%3Ab&limit=2"]}`

// aheadPage serves a page whose questions are counted, to whoever has a cookie.
func aheadPage(asked *[]string) http.Handler {
	r := chi.NewRouter()
	answer := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			*asked = append(*asked, r.URL.String())
			c, err := r.Cookie("chela_session_local")
			if err != nil {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = fmt.Fprintf(w, body, c.Value)
		}
	}
	r.Get("/api/me", answer("application/json", `{"name":%q}`))
	r.Get("/api/text", answer("text/plain", "I am %s"))
	r.Get("/api/projects/{project}/tickets", answer("application/json; charset=utf-8", `["</script><!-- %s"]`))
	files := fstest.MapFS{
		"index.html": {Data: []byte(`<head>__LOG__</head><!-- __AHEAD__ --></body>`)},
		"ahead.json": {Data: []byte(someAhead)},
	}
	end := func(r *http.Request) string {
		if _, err := r.Cookie("chela_session_local"); err != nil {
			return ""
		}
		return "7"
	}
	p := newPage(files, end, r)
	index := func(w http.ResponseWriter, r *http.Request) { p.serve(w, r) }
	r.NotFound(index)
	r.MethodNotAllowed(index)
	return r
}

func TestAhead_WhatThePageAsksFirstComesWithIt(t *testing.T) {
	t.Parallel()
	const me = `<script type="application/json" data-ahead="/api/me">{"name":"anna"}</script>`
	const tickets = `<script type="application/json" data-ahead="/api/projects/prj_1/tickets?filter=a%3Ab&amp;limit=2">["\u003c/script\u003e\u003c!-- anna"]</script>`
	for name, c := range map[string]struct {
		method, path, cookie, want string
		asked                      []string
	}{
		"a member":            {"GET", "/tickets?project=prj_1", "anna", "<head>7</head>" + me + tickets + "</body>", []string{"/api/me", "/api/text", "/api/projects/prj_1/tickets?filter=a%3Ab&limit=2"}},
		"no project":          {"GET", "/tickets", "anna", "<head>7</head>" + me + "</body>", []string{"/api/me", "/api/text"}},
		"elsewhere":           {"GET", "/log?project=prj_1", "anna", "<head>7</head>" + me + "</body>", []string{"/api/me", "/api/text"}},
		"what is no project":  {"GET", "/tickets?project=..%2F..%2Fme", "anna", "<head>7</head>" + me + "</body>", []string{"/api/me", "/api/text"}},
		"a script as project": {"GET", "/tickets?project=%22%3E%3Cscript%3E", "anna", "<head>7</head>" + me + "</body>", []string{"/api/me", "/api/text"}},
		"a stranger":          {"GET", "/tickets?project=prj_1", "", "<head></head></body>", nil},
		"who sends something": {"POST", "/tickets?project=prj_1", "anna", "<head>7</head></body>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			r := httptest.NewRequest(c.method, "http://localhost"+c.path, nil)
			if c.cookie != "" {
				r.AddCookie(&http.Cookie{Name: "chela_session_local", Value: c.cookie})
			}
			w := httptest.NewRecorder()
			aheadPage(&asked).ServeHTTP(w, r)
			if body, err := io.ReadAll(w.Body); err != nil || string(body) != c.want {
				t.Errorf("%v\n%s, not\n%s", err, body, c.want)
			}
			if !slices.Equal(asked, c.asked) {
				t.Errorf("it asked %q, not %q", asked, c.asked)
			}
		})
	}
}

func TestAhead_AnAheadThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "[]", `{"": "x"}`} {
		if a := readAhead(fstest.MapFS{"ahead.json": {Data: []byte(raw)}}); a != nil {
			t.Errorf("%q is read as %v", raw, a)
		}
	}
}

// FuzzAhead: whatever the page's address says, only what the file names is asked.
func FuzzAhead(f *testing.F) {
	a := readAhead(fstest.MapFS{"ahead.json": {Data: []byte(someAhead)}})
	f.Add("/tickets", "project=prj_1")
	f.Add("/tickets", "project=../../me&project=x")
	f.Add("", "project=%zz;&project")
	f.Fuzz(func(t *testing.T, path, query string) {
		for _, q := range a.of(&url.URL{Path: path, RawQuery: query}) {
			u, err := url.Parse(q)
			if err != nil || strings.ContainsAny(u.Path, "{}") || u.Path != "/api/me" && u.Path != "/api/gone" && u.Path != "/api/text" && strings.Count(u.Path, "/") != 4 {
				t.Errorf("%q %q asks %q: %v", path, query, q, err)
			}
		}
	})
}
