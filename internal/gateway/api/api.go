// Package api is the REST face: one table of typed routes from which the OpenAPI
// document is generated, server-sent events, and the embedded page. Every route
// names the least role it needs; who asks is decided in access.go.
package api

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/ask"
	"chela/internal/builder"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/guard"
	"chela/internal/inbox"
	"chela/internal/intake"
	"chela/internal/library"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/skill"
	"chela/internal/stream"
	"chela/internal/talk"
	"chela/internal/tool"
	"chela/internal/tracker"
	"chela/internal/vector"
	"chela/internal/webhook"
)

// Parts are what the API drives.
type Parts struct {
	Store     Store
	Past      Past
	Runs      *run.Engine
	Inbox     *inbox.Inbox
	Talk      *talk.Talk
	Library   *library.Library
	Builder   *builder.Builder
	Router    Routing
	Schedules *schedule.Editor
	Paused    bool // nothing begins by the clock here
	Answers   *approval.Decider
	Clerk     *clerk.Clerk
	Intake    *intake.Intake
	Ask       *ask.Asker
	Figures   *Figures
	Models    *model.Providers
	Tools     *tool.Catalog
	Policy    Policy
	Vault     Vault
	Hooks     Hooks
	Webhooks  *webhook.Editor
	Trackers  *tracker.Syncer
	Kinds     []string // of events; patterns fit some
	MCP       MCP
	Skills    *skill.Shelf
	Sandbox   func() Sandbox
	Explain   func(ctx context.Context, c agent.Case) (tool.Act, guard.Decision, error)
	Artifacts *artifact.Files
	Backup    Backs
	Memory    *memory.Memory
	Vectors   func(ctx context.Context) (vector.Status, error)
	Prompt    func(ctx context.Context, id org.AgentID, person, thread string) (agent.ShownPrompt, error)
	Hub       *stream.Hub
	Configure func(ctx context.Context, by event.Party, list []model.Provider) error
	Choose    func(ctx context.Context, by event.Party, c model.Chosen) error
	Channels  Channels
	Page      fs.FS // the built page; nil serves none
	Version   string
	Node      string
	Key       ed25519.PrivateKey // signs exports
	Log       *slog.Logger
}

type api struct {
	Parts
	hall *gateway.Hall

	describes bool // the routes are made for the document alone
	huma      huma.API
	add       func(method, path string, register func()) // adds an operation, which register makes
	tail      *tail
}

// New returns the handler of the API and the page.
func New(hall *gateway.Hall, p Parts) http.Handler {
	r := chi.NewRouter()
	a := &api{Parts: p, hall: hall, tail: newTail(p.Store.Log)}
	a.serve(r)
	r.Get("/login", a.hall.Login)
	a.servePlains(r)
	r.Get("/channels/{name}", a.fromPlatform) // some platforms ask first whether the address is ours
	r.Post("/channels/{name}", a.fromPlatform)
	nowhere := a.nowhere(newPage(p.Page, a.end, r))
	r.NotFound(nowhere)
	r.MethodNotAllowed(a.notSo(r, nowhere))
	return r
}

// OpenAPI returns the document that the routes give.
func OpenAPI(version string) ([]byte, error) {
	a, _ := described(version)
	return a.huma.OpenAPI().MarshalJSON()
}

// described makes all routes, of nothing: for what they are, not for what they do.
func described(version string) (*api, http.Handler) {
	r := chi.NewRouter()
	a := &api{Parts: Parts{Version: version}, describes: true}
	a.huma = humachi.New(r, document(version))
	a.add = func(_, _ string, register func()) { register() }
	a.routes()
	a.describePlains()
	return a, r
}

// schemaPath is where the schemas are in the OpenAPI document.
const schemaPath = "#/components/schemas/"

// document configures the OpenAPI document. Schemas of other packages carry the
// package's name, since several call a type the same.
func document(version string) huma.Config {
	c := huma.DefaultConfig("Chela", version)
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/openapi", "", ""
	c.CreateHooks = nil // no $schema fields in answers
	c.Transformers = append(c.Transformers, brief)
	format := huma.DefaultJSONFormat
	format.Marshal = encode
	format.Unmarshal = func(data []byte, into any) error {
		if err := json.Unmarshal(data, into); err != nil {
			return errors.New(fault.TextOf(event.Unfit(err)))
		}
		return nil
	}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	c.Components.Schemas = huma.NewMapRegistry(schemaPath, func(t reflect.Type, hint string) string {
		name := huma.DefaultSchemaNamer(t, hint)
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		pkg := path.Base(t.PkgPath())
		if pkg == "." || pkg == "api" || pkg == "huma" || pkg == "v2" {
			return name
		}
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	})
	return c
}

// mostEchoed is how many characters of a value a refusal repeats.
const mostEchoed = 200

// brief says what does not fit of a request, and shortens what a refusal repeats of its request: a body of megabytes would hide what is wrong with it.
func brief(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	misfits(m)
	for _, e := range m.Errors {
		if raw, err := json.Marshal(e.Value); err != nil || len(raw) <= mostEchoed {
			continue
		}
		text, ok := e.Value.(string)
		if !ok {
			e.Value = nil
			continue
		}
		if r := []rune(text); len(r) > mostEchoed {
			e.Value = string(r[:mostEchoed]) + "…"
		}
	}
	return m, nil
}

func (a *api) routes() {
	a.systemRoutes()
	a.deskRoutes()
	a.pastRoutes()
	compareRoutes(a)
	undoRoutes(a)
	chartRoutes(a)
	forecastRoutes(a)
	todayRoutes(a)
	a.searchRoutes()
	a.workRoutes()
	a.runRoutes()
	a.scheduleRoutes()
	a.oftenRoutes()
	workflowRoutes(a)
	payloadRoutes(a)
	draftRoutes(a)
	buildRoutes(a)
	routerRoutes(a)
	a.orgRoutes()
	memoryRoutes(a)
	recallRoutes(a)
	looseRoutes(a, desk.Resource)
	looseRoutes(a, desk.Reminder)
	addressRoutes(a)
	uploadRoutes(a)
	extractRoutes(a)
	toolRoutes(a)
	configRoutes(a)
	policyRoutes(a)
	budgetRoutes(a)
	sessionRoutes(a)
	exportRoutes(a)
	commandRoutes(a)
	logsRoutes(a)
	vaultRoutes(a)
	hookRoutes(a)
	mcpRoutes(a)
	skillRoutes(a)
	memoryFileRoutes(a)
	channelRoutes(a)
	a.personRoutes()
	keyRoutes(a)
	usageRoute(a)
	webhookRoutes(a)
	trackerRoutes(a)
	meRoutes(a)
	notificationRoutes(a)
	a.logRoutes()
	backupRoutes(a)
}

// Body wraps an answer.
type Body[T any] struct{ Body T }

func body[T any](v T, err error) (*Body[T], error) {
	if err != nil {
		return nil, err
	}
	return &Body[T]{v}, nil
}

// problem turns the error of an operation into its answer.
func (a *api) problem(ctx context.Context, err error) error {
	p := a.hall.Problem(ctx, err)
	if p.RetryAfter != "" {
		return huma.ErrorWithHeaders(modelOf(p), http.Header{"Retry-After": {p.RetryAfter}})
	}
	return modelOf(p)
}

// modelOf is a problem as huma writes it.
func modelOf(p gateway.Problem) *huma.ErrorModel {
	m := &huma.ErrorModel{Status: p.Status, Title: p.Title, Detail: p.Detail}
	for _, f := range p.Errors {
		m.Errors = append(m.Errors, &huma.ErrorDetail{Location: f.Location, Message: f.Message, Value: f.Value})
	}
	return m
}
