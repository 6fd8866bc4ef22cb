package api

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"chela/internal/gateway"
)

// TestNowhere_IsAProblem asks for what is not there, as clients of other interfaces do.
func TestNowhere_IsAProblem(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"index.html": {Data: []byte("<html>the page")}, "favicon.svg": {Data: []byte("<svg>")}, "assets/a-1.js": {Data: []byte("1")}}
	for _, p := range []Parts{{Page: files}, {}} {
		h := DoorsOf(p)
		for _, path := range []string{"/v1/chat/completions", "/v1/models", "/mcp", "/a2a", "/a2a/tasks", "/metrics", "/api", "/api/", "/api/nothing", "/nonsense", "/tickets/x/y", "/runs/a/b", "/today/x", "/assets", "/assets/gone.js", "/.env", "/channels/a/b", "/index.html/x"} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
				r := httptest.NewRequest(method, "http://localhost"+path, http.NoBody)
				r.Header.Set("Accept", "text/html, */*")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				var said struct {
					Status int    `json:"status"`
					Detail string `json:"detail"`
				}
				if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != http.StatusNotFound || said.Status != w.Code || said.Detail == "" || w.Header().Get("Content-Type") != "application/problem+json" {
					t.Errorf("%s %s: %d %s %s, want 404 as a problem", method, path, w.Code, w.Header().Get("Content-Type"), w.Body)
				}
			}
		}
	}
	h := DoorsOf(Parts{Page: files})
	for path, want := range map[string]string{"/nonsense": "<html>the page", "/runs/a/b": "<html>the page", "/api/nothing": `"status":404`, "/assets/gone.js": `"status":404`} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, http.NoBody)
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		r.Header.Set("Sec-Fetch-Dest", "document")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
			t.Errorf("a browser that goes to %s: %d %s, want 404 with %s", path, w.Code, w.Body, want)
		}
	}
	for _, c := range []struct {
		method, path string
		code         int
		allow        string
	}{
		{"POST", "/tickets", 405, "GET, HEAD"},
		{"DELETE", "/", 405, "GET, HEAD"},
		{"DELETE", "/api/chat", 405, "POST"},
		{"POST", "/api/projects/p/tickets/t", 405, "GET, PUT, PATCH, DELETE"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, "http://localhost"+c.path, http.NoBody))
		if w.Code != c.code || w.Header().Get("Allow") != c.allow || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d, allowed %q, %s; want %d and %q", c.method, c.path, w.Code, w.Header().Get("Allow"), w.Body, c.code, c.allow)
		}
	}
}

// TestNowhere_PlacesOfThePage: each place of the page is served as the page, and the list of them
// is the page's own.
func TestNowhere_PlacesOfThePage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../web/src/views.ts")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ +\{ to: '(/[^']*)',`).FindAllStringSubmatch(string(raw), -1)
	want := []string{"/index.html"}
	for _, m := range found {
		want = append(want, m[1])
	}
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		if err := os.WriteFile("places.txt", []byte(strings.Join(want, "\n")+"\n"), 0o644); err != nil { //nolint:gosec // a list of addresses
			t.Fatal(err)
		}
		return // they are in the program from the next time on
	}
	h := DoorsOf(Parts{Page: fstest.MapFS{"index.html": {Data: []byte("<html>the page")}}})
	for _, m := range found {
		for _, method := range []string{"GET", "HEAD"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, "http://localhost"+strings.ReplaceAll(m[1], "$id", "x_1")+"?project=p", http.NoBody))
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
				t.Errorf("%s %s: %d %s, want the page", method, m[1], w.Code, w.Header().Get("Content-Type"))
			}
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(strings.Fields(places))); !slices.Equal(got, want) || len(want) < 30 {
		t.Errorf("the places are\n%v, want those of web/src/views.ts (`make openapi`):\n%v", got, want)
	}
}

// DoorsOf is the API behind a hall that knows nobody.
func DoorsOf(p Parts) http.Handler {
	hall := gateway.New(nil, gateway.Options{})
	return hall.Wrap(New(hall, p))
}
