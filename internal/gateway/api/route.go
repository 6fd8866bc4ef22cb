package api

import (
	"context"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"go.opentelemetry.io/otel/attribute"

	"chela/internal/org"
	"chela/internal/run"
)

// maxBody bounds a request's body, in bytes; intakes carry files.
const (
	maxBody   = 2 << 20
	maxNobody = 64 << 10 // of somebody who is not known
	maxChat   = 16 << 20 // a message carries pictures
	maxIntake = 128 << 20
)

// route adds one operation. role is the least that it needs; "" needs nobody.
func route[I, O any](a *api, method, path, id, summary string, role org.Role, fn func(context.Context, *I) (*O, error), more ...func(*huma.Operation)) {
	a.add(method, path, func() { register(a, method, path, id, summary, role, fn, more) })
}

func register[I, O any](a *api, method, path, id, summary string, role org.Role, fn func(context.Context, *I) (*O, error), more []func(*huma.Operation)) {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, MaxBodyBytes: maxBody,
		BodyReadTimeout: -1, // it has come before, see takeBody
		Metadata:        map[string]any{"role": role, bodyKey: bodyKindOf(reflect.TypeFor[I]())},
	}
	if role != "" {
		op.Security = []map[string][]string{{"bearer": {}}}
		op.Description = "Needs the role " + string(role) + "."
	}
	for _, m := range more {
		m(&op)
	}
	a.refuses(&op, refusals...)
	if op.Metadata[bodyKey] != (bodyKind{}) {
		a.refuses(&op, unread...)
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		decoded(ctx)
		ctx, end := run.Span(ctx, method+" "+path, attribute.String("http.request.method", method), attribute.String("http.route", path))
		out, err := fn(ctx, in)
		end(err)
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		return out, nil
	})
}

// edit adds one operation under PATCH and under PUT: both change the fields that the body
// names, as one of the systems whose programs we take does under PUT.
func edit[I, O any](a *api, path, id, summary string, role org.Role, fn func(context.Context, *I) (*O, error), more ...func(*huma.Operation)) {
	route(a, http.MethodPatch, path, "edit-"+id, summary, role, fn, more...)
	route(a, http.MethodPut, path, "put-"+id, summary+", as PATCH does: what the body leaves out stays", role, fn, more...)
}

func status(code int) func(*huma.Operation) {
	return func(op *huma.Operation) { op.DefaultStatus = code }
}

// serve adds all operations and their document to r. Each is made when it is first asked
// for, and the document too: to make them all takes longer than the rest of a start.
func (a *api) serve(r chi.Router) {
	docs := sync.OnceValue(func() http.Handler {
		_, h := described(a.Version)
		return h
	})
	for _, name := range []string{"/openapi.json", "/openapi.yaml", "/openapi-3.0.json", "/openapi-3.0.yaml"} {
		r.Get(name, func(w http.ResponseWriter, r *http.Request) { docs().ServeHTTP(w, r) })
	}
	m := new(maker)
	c := document(a.Version)
	c.OpenAPIPath = ""
	c.Components.Schemas = &sharedRegistry{Registry: c.Components.Schemas}
	a.huma = huma.NewAPI(c, m)
	a.huma.UseMiddleware(a.authenticate, tellAct, a.takeBody)
	a.add = func(method, path string, register func()) {
		made := sync.OnceValues(func() (*huma.Operation, func(huma.Context)) { return m.make(register) })
		r.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
			op, handle := made()
			handle(humachi.NewContext(op, r, w))
		})
	}
	a.routes()
}

// A maker is the adapter through which operations are made, one at a time.
type maker struct {
	mu     sync.Mutex
	op     *huma.Operation
	handle func(huma.Context)
}

func (m *maker) make(register func()) (*huma.Operation, func(huma.Context)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	register()
	return m.op, m.handle
}

// Handle is told of the operation that is being made.
func (m *maker) Handle(op *huma.Operation, handle func(huma.Context)) { m.op, m.handle = op, handle }

// ServeHTTP is never asked: requests come to the router, which knows the operations.
func (m *maker) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

// A sharedRegistry lets requests be checked while another operation is being made.
type sharedRegistry struct {
	huma.Registry
	mu sync.RWMutex
}

func (s *sharedRegistry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Registry.Schema(t, allowRef, hint)
}

func (s *sharedRegistry) SchemaFromRef(ref string) *huma.Schema {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Registry.SchemaFromRef(ref)
}

func (s *sharedRegistry) TypeFromRef(ref string) reflect.Type {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.Registry.TypeFromRef(ref)
}
