package api

import (
	"maps"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/desk"
)

// A RecordOut is a record whose body is that of its kind. [answers] documents it.
type RecordOut struct{ RecordOf[desk.Thing] }

// Schema implements [huma.SchemaProvider].
func (RecordOut) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// A ListOf is one page of records.
type ListOf[R any] struct {
	Items []R    `json:"items"`
	Total int    `json:"total"`
	Next  string `json:"next,omitempty" doc:"cursor of what follows"`
}

// A ListOut is one page of records of a kind. [listAnswers] documents it.
type ListOut ListOf[RecordOut]

// Schema implements [huma.SchemaProvider].
func (ListOut) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// bodySchema documents a raw body with the schema of a kind.
func bodySchema(a *api, k desk.Kind, patch bool) func(*huma.Operation) {
	return rawBody(a, reflect.TypeOf(k.Zero()), patch)
}

// rawBody documents a raw body with the schema of a type.
func rawBody(a *api, t reflect.Type, patch bool) func(*huma.Operation) {
	return func(op *huma.Operation) {
		if patch {
			op.Description += " The body is a merge patch: null clears a field."
		}
		s := a.huma.OpenAPI().Components.Schemas.Schema(t, true, "")
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: s}}}
		op.SkipValidateBody = true // ours names the field and what it may be
	}
}

// answers documents an answer that is a record of a kind.
func answers(a *api, k desk.Kind) func(*huma.Operation) {
	return answersAs(a, func(r huma.Registry) string { return recordSchema(r, k) })
}

// listAnswers documents an answer that is a list of records of a kind.
func listAnswers(a *api, k desk.Kind) func(*huma.Operation) {
	return answersAs(a, func(r huma.Registry) string { return listSchema(r, k) })
}

func answersAs(a *api, named func(huma.Registry) string) func(*huma.Operation) {
	return func(op *huma.Operation) {
		if !a.describes { // answers are not checked
			return
		}
		status := op.DefaultStatus
		if status == 0 {
			status = http.StatusOK
		}
		s := &huma.Schema{Ref: schemaPath + named(a.huma.OpenAPI().Components.Schemas)}
		op.Responses = map[string]*huma.Response{strconv.Itoa(status): {Content: map[string]*huma.MediaType{"application/json": {Schema: s}}}}
	}
}

// recordSchema adds the schema of a record of a kind, and returns its name.
func recordSchema(r huma.Registry, k desk.Kind) string {
	body := reflect.TypeOf(k.Zero())
	name := "RecordOf" + body.Elem().Name()
	if r.Map()[name] == nil {
		s := *r.Schema(reflect.TypeFor[AnyRecord](), false, "")
		s.Properties = maps.Clone(s.Properties)
		s.Properties["body"] = r.Schema(body, true, "")
		r.Map()[name] = &s
	}
	return name
}

// listSchema adds the schema of a list of records of a kind, and returns its name.
func listSchema(r huma.Registry, k desk.Kind) string {
	name := "ListOf" + reflect.TypeOf(k.Zero()).Elem().Name()
	if r.Map()[name] == nil {
		s := huma.SchemaFromType(r, reflect.TypeFor[ListOf[AnyRecord]]())
		s.Properties["items"].Items = &huma.Schema{Ref: schemaPath + recordSchema(r, k)}
		r.Map()[name] = s
	}
	return name
}
