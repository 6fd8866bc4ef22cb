package api

import (
	"context"
	"encoding/json"
	"net/http"

	"chela/internal/library"
	"chela/internal/org"
)

func payloadRoutes(a *api) {
	route(a, http.MethodGet, "/api/schemas", "list-schemas", "List payload types with their schemas: those that come with Chela, and your own", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]library.Payload], error) {
		out, err := a.Library.PayloadTypes(ctx)
		return body(append([]library.Payload{}, out...), err)
	})
	route(a, http.MethodGet, "/api/schemas/{name}", "get-schema", "Get a payload type: its revisions, the newest first, and which versions of workflows expect it", org.Viewer, func(ctx context.Context, in *SchemaPath) (*Body[SchemaOut], error) {
		return a.schemaOut(ctx, in.Name)
	})
	route(a, http.MethodPut, "/api/schemas/{name}", "set-schema", "Register a schema as the next revision of a payload type; one that breaks workflows which expect the type is refused", org.Editor, a.setSchema)
	route(a, http.MethodPost, "/api/schemas/{name}/undo", "undo-schema", "Take back the newest revision of a payload type", org.Editor, func(ctx context.Context, in *SchemaPath) (*struct{}, error) {
		return nil, a.Library.TakeBack(ctx, party(ctx), in.Name)
	})
}

// SchemaPath names a payload type.
type SchemaPath struct {
	Name string `path:"name" doc:"such as invoice.total.v1"`
}

// SchemaIn is a schema to register.
type SchemaIn struct {
	SchemaPath

	Body SchemaBody
}

// SchemaBody is a schema, and what is different.
type SchemaBody struct {
	Schema json.RawMessage `json:"schema" doc:"a JSON Schema of an object"`
	Note   string          `json:"note,omitempty" maxLength:"500"`
}

// SchemaOut is a payload type.
type SchemaOut struct {
	library.Payload

	Revisions []library.Payload `json:"revisions" nullable:"false" doc:"the newest first"`
	UsedBy    []string          `json:"usedBy" nullable:"false" doc:"versions of workflows that are deployed or played and expect it, as weekly-report 3"`
}

func (a *api) schemaOut(ctx context.Context, name string) (*Body[SchemaOut], error) {
	all, users, err := a.Library.PayloadType(ctx, name)
	if err != nil {
		return nil, err
	}
	return body(SchemaOut{Payload: all[0], Revisions: all, UsedBy: append([]string{}, users...)}, nil)
}

func (a *api) setSchema(ctx context.Context, in *SchemaIn) (*Body[SchemaOut], error) {
	if _, err := a.Library.Register(ctx, party(ctx), in.Name, in.Body.Schema, in.Body.Note); err != nil {
		return nil, err
	}
	return a.schemaOut(ctx, in.Name)
}
