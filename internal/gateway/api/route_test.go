package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"chela/internal/gateway/api"
)

// TestRoute_EveryDocumentedRouteIsServed asks for all routes at once, which are made as they are
// asked for: without a token the answer is 401, of those that need nobody something else.
func TestRoute_EveryDocumentedRouteIsServed(t *testing.T) {
	t.Parallel()
	raw, err := api.OpenAPI("0.1")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]string `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	h, slot := api.DoorsOf(api.Parts{Version: "0.1", Page: nil}), regexp.MustCompile(`\{[^}]+\}`)
	var wg sync.WaitGroup
	asked := 0
	for p, methods := range doc.Paths {
		for m, op := range methods {
			if len(op.Security) == 0 {
				continue
			}
			for range 3 {
				asked++
				wg.Go(func() {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequest(strings.ToUpper(m), "http://127.0.0.1"+slot.ReplaceAllString(p, "x"), http.NoBody))
					if w.Code != http.StatusUnauthorized {
						t.Errorf("%s %s without a token: %d %s", m, p, w.Code, w.Body)
					}
				})
			}
		}
	}
	wg.Wait()
	if asked < 300 {
		t.Errorf("%d requests; the document names more routes", asked)
	}
}

// TestRoute_TheDocumentIsServed holds what the daemon serves against what the routes give.
func TestRoute_TheDocumentIsServed(t *testing.T) {
	t.Parallel()
	h := api.DoorsOf(api.Parts{Version: "0.1"})
	want, err := api.OpenAPI("0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"/openapi.json", "/openapi.yaml", "/openapi-3.0.json", "/openapi-3.0.yaml"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+p, http.NoBody))
		if w.Code != http.StatusOK || w.Body.Len() < len(want)/2 || strings.HasSuffix(p, "i.json") && strings.TrimSpace(w.Body.String()) != strings.TrimSpace(string(want)) {
			t.Errorf("%s: %d, %d bytes", p, w.Code, w.Body.Len())
		}
	}
}
