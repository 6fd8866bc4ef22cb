package openapitest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chela/internal/testkit/openapitest"
)

// document has one route, which gives a thing or refuses.
const document = `{"openapi":"3.1.0","paths":{"/api/things/{id}":{
 "get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},"404":{"$ref":"#/components/responses/Refused404"}}},
 "delete":{"responses":{"204":{"description":"No Content"}}}}},
 "components":{"responses":{"Refused404":{"content":{"application/problem+json":{"schema":{"type":"object","required":["detail"]}}}}},
 "schemas":{"Thing":{"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"}}}}}}`

// judged are answers, and a part of what is told of them; "" is nothing.
var judged = []struct { //nolint:gochecknoglobals // a table
	name, method, path string
	status             int
	kind, body, told   string
}{
	{"what fits", "GET", "/api/things/a", 200, "application/json", `{"id":"a","at":"2026-11-26T06:00:00Z"}`, ""},
	{"a charset beside the type", "GET", "/api/things/a", 200, "application/json; charset=utf-8", `{"id":"a"}`, ""},
	{"an unknown member", "GET", "/api/things/a", 200, "application/json", `{"id":"a","b":1}`, "additional properties 'b' not allowed"},
	{"a member that is missing", "GET", "/api/things/a", 200, "application/json", `{}`, "missing property 'id'"},
	{"another type of a member", "GET", "/api/things/a", 200, "application/json", `{"id":1}`, "got number, want string"},
	{"a time that is none", "GET", "/api/things/a", 200, "application/json", `{"id":"a","at":"yesterday"}`, "is not valid date-time"},
	{"no JSON", "GET", "/api/things/a", 200, "application/json", `{"id"`, "not JSON"},
	{"another content type", "GET", "/api/things/a", 200, "text/html", `<p>`, `no content type "text/html"`},
	{"another status", "GET", "/api/things/a", 202, "application/json", `{"id":"a"}`, "the status is not documented: 202"},
	{"a refusal", "GET", "/api/things/a", 404, "application/problem+json", `{"detail":"gone"}`, ""},
	{"a refusal without its sentence", "GET", "/api/things/a", 404, "application/problem+json", `{}`, "missing property 'detail'"},
	{"another route", "GET", "/api/others", 200, "application/json", `{}`, "the route is not documented"},
	{"another method", "POST", "/api/things/a", 201, "application/json", `{}`, "the route is not documented"},
	{"a route that is not there", "GET", "/api/others", 404, "application/problem+json", `{"detail":"gone"}`, ""},
	{"a route of the page", "GET", "/tickets", 200, "text/html", `<p>`, ""},
	{"no body", "DELETE", "/api/things/a", 204, "", ``, ""},
}

func TestJudge_TellsWhatIsNotDocumented(t *testing.T) {
	t.Parallel()
	for _, c := range judged {
		for _, layer := range []string{"handler", "transport"} {
			t.Run(c.name+" by the "+layer, func(t *testing.T) {
				t.Parallel()
				judge, err := openapitest.New([]byte(document))
				if err != nil {
					t.Fatal(err)
				}
				var told []string
				report := func(what string) { told = append(told, what) }
				doors := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", c.kind)
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body) // no body where there may be none
				}))
				if layer == "handler" {
					doors = judge.Handler(doors, report)
				}
				s := httptest.NewServer(doors)
				by := s.Client().Transport
				if layer == "transport" {
					by = judge.Transport(by, report)
				}
				r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				res, err := by.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || string(got) != c.body || res.StatusCode != c.status {
					t.Errorf("the caller got %d %q, %v; want what was answered", res.StatusCode, got, err)
				}
				s.Close() // so that nothing is told any more
				if all := strings.Join(told, "\n"); (c.told == "") != (all == "") || !strings.Contains(all, c.told) {
					t.Errorf("told %q, want %q", all, c.told)
				}
			})
		}
	}
}

// TestJudge_LooksAtTheFirstAnswers holds that many calls cost no more than some.
func TestJudge_LooksAtTheFirstAnswers(t *testing.T) {
	t.Parallel()
	judge, err := openapitest.New([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	h := judge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`) // a recorder
	}), func(string) { told++ })
	for n := range 100 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/things/%d", n), http.NoBody))
	}
	if told == 0 || told > 16 {
		t.Errorf("%d of 100 answers were looked at, want the first 16", told)
	}
}

func TestShared_KnowsTheRoutesOfTheAPI(t *testing.T) {
	t.Parallel()
	judge, err := openapitest.Shared()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	h := judge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items":[{"id":1}],"total":"many"}`) // a recorder
	}), func(what string) { told = append(told, what) })
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/projects/prj_x/tickets", http.NoBody))
	if len(told) != 1 || !strings.Contains(told[0], "want integer") {
		t.Errorf("told %q, want that the total is no number", told)
	}
}
