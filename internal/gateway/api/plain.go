package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"chela/internal/org"
)

// refusals are the statuses by which any operation may refuse, and unread those of one that takes a body.
var (
	refusals = []int{401, 403, 404, 409, 422, 429, 500, 503} //nolint:gochecknoglobals // a table
	unread   = []int{400, 408, 413, 415}                     //nolint:gochecknoglobals // a table
)

// refuses documents how an operation refuses: by answers that all operations share.
func (a *api) refuses(op *huma.Operation, statuses ...int) {
	if !a.describes {
		return
	}
	doc := a.huma.OpenAPI()
	if op.Responses == nil {
		op.Responses = make(map[string]*huma.Response)
	}
	if doc.Components.Responses == nil {
		doc.Components.Responses = make(map[string]*huma.Response)
	}
	for _, code := range statuses {
		name := "Refused" + strconv.Itoa(code)
		if doc.Components.Responses[name] == nil {
			s := doc.Components.Schemas.Schema(reflect.TypeFor[huma.ErrorModel](), true, "")
			doc.Components.Responses[name] = &huma.Response{Description: http.StatusText(code), Content: map[string]*huma.MediaType{"application/problem+json": {Schema: s}}}
		}
		op.Responses[strconv.Itoa(code)] = &huma.Response{Ref: "#/components/responses/" + name}
	}
}

// A plain operation answers a stream or a file, which it writes itself.
type plain struct {
	method, path, id, summary string

	role    org.Role
	query   []string     // its parameters
	takes   reflect.Type // its body; nil takes none
	gives   []string     // the types of its answer
	as      reflect.Type // of its answer, where that is JSON
	follows func(ctx context.Context, w http.ResponseWriter, r *http.Request)
	answers http.HandlerFunc // which permits its caller itself; nil where it follows
}

// Types of answers.
const (
	inJSONType = "application/json"
	streamed   = "text/event-stream"
	workbook   = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// plains are the operations that answer streams and files.
func (a *api) plains() []plain {
	get := func(path, id, summary string, role org.Role, kind string, query ...string) plain {
		return plain{method: http.MethodGet, path: path, id: id, summary: summary, role: role, gives: []string{kind}, query: query}
	}
	follow := func(p plain, with func(context.Context, http.ResponseWriter, *http.Request)) plain {
		p.follows = with
		return p
	}
	answer := func(p plain, with http.HandlerFunc) plain {
		p.answers = with
		return p
	}
	said := answer(get("/api/chat/{id}/stream", "stream-chat", "Send a message in a conversation, or in a `new` one, and follow its answer as server-sent events", org.Viewer, streamed), a.chatStream)
	said.method, said.takes = http.MethodPost, reflect.TypeFor[ChatBody]()
	whole := follow(get("/api/backup", "make-backup", "Back up everything that the organization is, as one file, and record that", org.Owner, "application/gzip", "vaultKey"), a.backup)
	whole.method = http.MethodPost
	project := follow(get("/api/projects/{project}/export", "export-project", "Export a project's records, as JSON or as a workbook", org.Viewer, workbook, "format", "asOf"), a.exportProject)
	project.gives, project.as = append(project.gives, inJSONType), reflect.TypeFor[Exported]()
	return []plain{
		said,
		project,
		whole,
		follow(get("/api/events", "follow-log", "Follow the log as server-sent events, from Last-Event-ID or `after` on", org.Viewer, streamed, "thread", "type", "after"), a.events),
		follow(get("/api/runs/{id}/stream", "follow-run", "Follow a run as server-sent events", org.Viewer, streamed), a.runStream),
		follow(get("/api/conversations/{id}/watch", "watch-conversation", "Follow a conversation with the router as server-sent events, from Last-Event-ID or `after` on", org.Viewer, streamed, "after"), a.watch),
		follow(get("/api/log/export", "export-log", "Export the log, an event a line", org.Admin, "application/jsonl"), a.export),
		answer(get("/api/artifacts/{ref}", "get-artifact", "Get a large payload", org.Viewer, "application/octet-stream"), a.artifact),
		answer(get("/api/channels/{name}/link.png", "draw-channel-link", "Get the code by which a channel is linked, as a picture", org.Admin, "image/png"), a.drawLink),
	}
}

// servePlains adds the operations that answer streams and files to r.
func (a *api) servePlains(r chi.Router) {
	for _, p := range a.plains() {
		if p.follows != nil {
			p.answers = a.scoped(p, a.hall.Stream(p.role, p.follows))
		}
		r.MethodFunc(p.method, p.path, p.answers)
	}
}

// scoped permits callers whose key is for the project of which an operation is.
func (a *api) scoped(p plain, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := a.hall.PermitScoped(r, p.role)
		if err == nil {
			err = a.within(r.Context(), who, r.Method, p.path, func(name string) string { return chi.URLParam(r, name) })
		}
		if err != nil {
			a.hall.Fail(w, r, err)
			return
		}
		next(w, r.WithContext(who.With(r.Context())))
	}
}

// describePlains adds the operations that answer streams and files to the document.
func (a *api) describePlains() {
	doc := a.huma.OpenAPI()
	text := &huma.Schema{Type: huma.TypeString}
	for _, p := range a.plains() {
		op := &huma.Operation{
			OperationID: p.id, Method: p.method, Path: p.path, Summary: p.summary, Description: "Needs the role " + string(p.role) + ".",
			Security: []map[string][]string{{"bearer": {}}}, Responses: map[string]*huma.Response{"200": {Description: "OK", Content: make(map[string]*huma.MediaType)}},
		}
		for part := range strings.SplitSeq(p.path, "/") {
			if name, slot := strings.CutPrefix(part, "{"); slot {
				op.Parameters = append(op.Parameters, &huma.Param{Name: strings.TrimSuffix(name, "}"), In: "path", Required: true, Schema: text})
			}
		}
		for _, name := range p.query {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: text})
		}
		for _, kind := range p.gives {
			m := &huma.MediaType{Schema: text}
			if kind == inJSONType {
				m.Schema = doc.Components.Schemas.Schema(p.as, true, "")
			}
			op.Responses["200"].Content[kind] = m
		}
		a.refuses(op, refusals...)
		if slices.Contains(p.query, "after") {
			a.refuses(op, http.StatusBadRequest) // a place that cannot be read
		}
		if p.takes != nil {
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: doc.Components.Schemas.Schema(p.takes, true, "")}}}
			a.refuses(op, unread...)
		}
		doc.AddOperation(op)
	}
}
