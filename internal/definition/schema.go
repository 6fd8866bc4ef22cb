package definition

import (
	_ "embed" // the schema of files
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A Type is the type of an input.
type Type string

// The types of inputs. Text, date, time, person, project, ticket and url are texts that are read as what
// they name.
const (
	String  Type = "string"
	Long    Type = "text"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	Date    Type = "date" // as 2026-03-01
	Time    Type = "time" // as 2026-03-01T09:00:00Z
	Person  Type = "person"
	Project Type = "project"
	Ticket  Type = "ticket"
	URL     Type = "url"
	List    Type = "list"
	Object  Type = "object"
)

// Types lists the types of inputs.
func Types() []string {
	return []string{string(String), string(Long), string(Integer), string(Number), string(Boolean), string(Date), string(Time), string(Person), string(Project), string(Ticket), string(URL), string(List), string(Object)}
}

// cel is the type that expressions see.
func (t Type) cel() *types.Type {
	switch t {
	case Integer:
		return types.IntType
	case Number:
		return types.DoubleType
	case Boolean:
		return types.BoolType
	case List:
		return types.NewListType(types.DynType)
	case Object:
		return types.NewMapType(types.StringType, types.DynType)
	case String, Long, Date, Time, Person, Project, Ticket, URL:
	}
	return types.StringType
}

// A Schema is a compiled JSON Schema for answers.
type Schema struct {
	Raw      json.RawMessage
	compiled *jsonschema.Schema
	source   map[string]any
}

// closed loads nothing: a schema refers only to itself.
type closed struct{}

// Load implements the library's interface.
func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not loaded: a schema refers only to itself", url)
}

// CompileSchema compiles a schema; the error is a sentence.
func CompileSchema(v any) (*Schema, error) {
	source, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("a schema is an object such as {type: object, properties: …}")
	}
	raw, err := json.Marshal(source)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be written as JSON: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(closed{})
	if err := c.AddResource("schema:///answer", doc); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	compiled, err := c.Compile("schema:///answer")
	if err != nil {
		return nil, fmt.Errorf("the schema does not fit: %s", firstLine(err.Error()))
	}
	return &Schema{Raw: raw, compiled: compiled, source: source}, nil
}

func firstLine(s string) string { return strings.SplitN(s, "\n", 2)[0] }

// Read reads an answer that fits. A fence of Markdown around it is taken off. The error says what does
// not fit, one sentence for each.
func (s *Schema) Read(answer string) (any, error) {
	text := strings.TrimSpace(answer)
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, errors.New("The answer is no JSON.") //nolint:revive,staticcheck // it is shown as it is
	}
	if err := s.check(doc); err != nil {
		return nil, err
	}
	return s.Typed(Settled(doc)), nil
}

// Check says what of a settled value does not fit.
func (s *Schema) Check(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	return s.check(doc)
}

func (s *Schema) check(doc any) error {
	err := s.compiled.Validate(doc)
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return err
	}
	var out []string
	leaves(bad, &out)
	return errors.New(strings.Join(out, " "))
}

// mostLeaves is how many misfits are named.
const mostLeaves = 8

func leaves(e *jsonschema.ValidationError, out *[]string) {
	if len(e.Causes) == 0 && len(*out) < mostLeaves {
		where := "/" + strings.Join(e.InstanceLocation, "/")
		*out = append(*out, fmt.Sprintf("At %s: %s.", where, e.ErrorKind.LocalizedString(message.NewPrinter(language.English))))
	}
	for _, c := range e.Causes {
		leaves(c, out)
	}
}

// Typed makes numbers of whole ones where the schema says so.
func (s *Schema) Typed(v any) any { return typedBy(s.source, v) }

func typedBy(schema map[string]any, v any) any {
	switch x := v.(type) {
	case int64:
		if schema["type"] == "number" {
			return float64(x)
		}
	case string:
		if f, err := strconv.ParseFloat(x, 64); err == nil && schema["type"] == "number" {
			return f
		}
	case map[string]any:
		props, _ := schema["properties"].(map[string]any)
		for k := range x {
			if sub, ok := props[k].(map[string]any); ok {
				x[k] = typedBy(sub, x[k])
			}
		}
	case []any:
		if sub, ok := schema["items"].(map[string]any); ok {
			for i := range x {
				x[i] = typedBy(sub, x[i])
			}
		}
	}
	return v
}

// gives is the type of what fits a schema.
func (s *scope) schemaType(name string, schema map[string]any) *types.Type {
	switch schema["type"] {
	case "string":
		return types.StringType
	case "integer":
		return types.IntType
	case "number":
		return types.DoubleType
	case "boolean":
		return types.BoolType
	case "array":
		if items, ok := schema["items"].(map[string]any); ok {
			return types.NewListType(s.schemaType(name+"[]", items))
		}
		return types.NewListType(types.DynType)
	case "object":
		props, ok := schema["properties"].(map[string]any)
		if !ok {
			return types.NewMapType(types.StringType, types.DynType)
		}
		fields := make(map[string]*types.Type, len(props))
		for k, v := range props {
			fields[k] = types.DynType
			if sub, ok := v.(map[string]any); ok {
				fields[k] = s.schemaType(name+"."+k, sub)
			}
		}
		return s.shapes.add(name, fields)
	}
	return types.DynType
}

//go:embed workflow.schema.json
var fileSchema []byte

// FileSchema is the JSON Schema of workflow files, for editors.
func FileSchema() []byte { return fileSchema }
