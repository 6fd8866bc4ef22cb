// Package openapitest holds answers of the API against its OpenAPI document: each route, status, content type and body
// that the document does not have is told.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"chela/internal/gateway/api"
)

// perPair is how many answers of a route with a status are looked at: a test that asks a thousand times costs no more.
const perPair = 16

// mostBody bounds a body that is looked at, in bytes; of a longer one only status and type are.
const mostBody = 1 << 20

// problemType is what errors are.
const problemType = "application/problem+json"

// A Judge holds answers against a document. Safe for concurrent use.
type Judge struct {
	routes *chi.Mux
	doc    map[string]map[string]operation
	common map[string]response // answers that operations share

	mu      sync.Mutex // guards the rest
	schemas *jsonschema.Compiler
	seen    map[string]int // answers by route and status
}

// An operation is what is read of one: its answers by status, their schemas by type.
type operation struct {
	Responses map[string]response `json:"responses"`
}

type response struct {
	Ref     string                     `json:"$ref"`
	Content map[string]json.RawMessage `json:"content"`
}

// Shared is the judge of this process, by the document of the routes as they are.
var Shared = sync.OnceValues(func() (*Judge, error) { //nolint:gochecknoglobals // made once for all tests
	raw, err := api.OpenAPI("0.1")
	if err != nil {
		return nil, err
	}
	return New(raw)
})

// place is the address that the document has among the schemas.
const place = "openapi.json"

// New returns a judge by a document, OpenAPI 3.1 as JSON.
func New(document []byte) (*Judge, error) {
	var doc struct {
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Responses map[string]response `json:"responses"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	j := &Judge{routes: chi.NewRouter(), doc: doc.Paths, common: doc.Components.Responses, schemas: jsonschema.NewCompiler(), seen: make(map[string]int)}
	j.schemas.DefaultDraft(jsonschema.Draft2020)
	j.schemas.AssertFormat()
	if err := j.schemas.AddResource(place, whole); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			j.routes.MethodFunc(strings.ToUpper(method), path, http.NotFound)
		}
	}
	return j, nil
}

// An answer is what was answered.
type answer struct {
	method, path string
	status       int
	kind         string // its content type
	body         []byte
	whole        bool // the body is all that there is
}

// pattern returns the route of a request, and whether the document has it.
func (j *Judge) pattern(method, path string) (string, bool) {
	at := chi.NewRouteContext()
	if !j.routes.Match(at, method, path) {
		return "", false
	}
	return at.RoutePattern(), true
}

// wanted says whether an answer is one that is looked at: one of the API, and among the first of its kind.
func (j *Judge) wanted(method, path string, status int) bool {
	route, known := j.pattern(method, path)
	if !known {
		return strings.HasPrefix(path, "/api/")
	}
	key := method + " " + route + " " + strconv.Itoa(status)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen[key]++
	return j.seen[key] <= perPair
}

// judge returns why an answer is not of the document.
func (j *Judge) judge(a answer) error {
	route, known := j.pattern(a.method, a.path)
	kind, _, err := mime.ParseMediaType(a.kind)
	if err != nil && a.kind != "" {
		return fmt.Errorf("the content type %q cannot be read: %w", a.kind, err)
	}
	if !known {
		if (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed || a.status == http.StatusForbidden) && (kind == problemType || a.method == http.MethodHead) {
			return nil // there is no such route, or nobody is told
		}
		return fmt.Errorf("the route is not documented, and answers %d %s", a.status, a.kind)
	}
	method := strings.ToLower(a.method)
	at := []string{"paths", route, method, "responses", strconv.Itoa(a.status)}
	r, known := j.doc[route][method].Responses[strconv.Itoa(a.status)]
	if !known {
		return fmt.Errorf("the status is not documented: %d %s %.300s", a.status, a.kind, a.body)
	}
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		r, at = j.common[name], []string{"components", "responses", name}
	}
	if len(r.Content) == 0 {
		if len(a.body) > 0 {
			return fmt.Errorf("%d has no body in the document, and one here: %.300s", a.status, a.body)
		}
		return nil
	}
	if _, known := r.Content[kind]; !known {
		return fmt.Errorf("%d has no content type %q in the document: %.300s", a.status, a.kind, a.body)
	}
	if !a.whole || kind != "application/json" && kind != problemType {
		return nil
	}
	return j.fits(append(at, "content", kind, "schema"), a.body)
}

// fits returns how a body differs from the schema at a place of the document.
func (j *Judge) fits(at []string, body []byte) error {
	var pointer strings.Builder
	for _, part := range at {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(part))
	}
	j.mu.Lock()
	schema, err := j.schemas.Compile(place + "#" + pointer.String())
	j.mu.Unlock()
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w: %.300s", err, body)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("the body does not fit: %w\n%.2000s", err, body)
	}
	return nil
}
