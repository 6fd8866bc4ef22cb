package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// A document is what is read of an OpenAPI 3.1 document: as much of it as the API's own has.
type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID         string              `json:"operationId"`
	Summary    string              `json:"summary"`
	Text       string              `json:"description"`
	Parameters []parameter         `json:"parameters"`
	Body       *content            `json:"requestBody"`
	Responses  map[string]*content `json:"responses"`
}

type parameter struct {
	Name   string `json:"name"`
	In     string `json:"in"`
	Schema schema `json:"schema"`
	Text   string `json:"description"`
}

type content struct {
	Content map[string]struct {
		Schema schema `json:"schema"`
	} `json:"content"`
}

// json returns the schema of the JSON, if there is one.
func (c *content) json() (schema, bool) {
	if c == nil {
		return schema{}, false
	}
	m, ok := c.Content["application/json"]
	return m.Schema, ok
}

type schema struct {
	Ref        string            `json:"$ref"`
	Type       kinds             `json:"type"`
	Format     string            `json:"format"`
	Encoding   string            `json:"contentEncoding"`
	Text       string            `json:"description"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional extra             `json:"additionalProperties"`
}

// kinds are the types that a value may have; null beside another one says nothing in Go.
type kinds []string

// UnmarshalJSON implements [json.Unmarshaler].
func (k *kinds) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*k = kinds{one}
		return nil
	}
	var all []string
	err := json.Unmarshal(raw, &all)
	*k = slices.DeleteFunc(all, func(t string) bool { return t == "null" })
	return err
}

// An extra is the schema of members that have no name: none when it is false.
type extra struct{ *schema }

// UnmarshalJSON implements [json.Unmarshaler].
func (e *extra) UnmarshalJSON(raw []byte) error {
	var allowed bool
	if json.Unmarshal(raw, &allowed) == nil {
		if allowed {
			e.schema = &schema{}
		}
		return nil
	}
	e.schema = new(schema)
	return json.Unmarshal(raw, e.schema)
}

const refPrefix = "#/components/schemas/"

// initialisms are words that Go writes in capitals.
var initialisms = map[string]string{"id": "ID", "ids": "IDs", "url": "URL", "api": "API", "json": "JSON", "http": "HTTP", "html": "HTML", "ip": "IP", "png": "PNG", "cpu": "CPU", "db": "DB", "sql": "SQL"}

// goName is the exported Go name of a name of the document: projectId, delta_pack, list-tickets.
func goName(name string) string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '$' }) {
		start := 0
		for i := 1; i < len(part); i++ {
			if isUpper(part[i]) && !isUpper(part[i-1]) {
				words = append(words, part[start:i])
				start = i
			}
		}
		words = append(words, part[start:])
	}
	var b strings.Builder
	for _, w := range words {
		if all, ok := initialisms[strings.ToLower(w)]; ok {
			b.WriteString(all)
		} else {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
