package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
)

// bundleSchemas is where a bundle has the schemas of payload types that its workflow expects: one file each, by name.
const bundleSchemas = "schemas/"

// A Brought is a payload type of an organization that a bundle brings along, compared with what is registered here.
type Brought struct {
	Name string `json:"name"`
	// Revision is that which is registered here; 0 when none is.
	Revision int             `json:"revision"`
	Schema   json.RawMessage `json:"schema"`
	Diff     string          `json:"diff,omitempty" doc:"from what is registered here, as a unified diff; empty when it is the same"`
	Problem  string          `json:"problem,omitempty" doc:"why it cannot be registered here"`
}

// schemaFiles are the schemas of the payload types that a workflow expects and that do not come with Chela, as files of a bundle.
func schemaFiles(c *definition.Compiled, own definition.OwnTypes) (map[string][]byte, error) {
	out := make(map[string][]byte)
	for _, name := range c.Own {
		schema, ok := own(name)
		if !ok {
			continue
		}
		raw, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encode the schema of %s: %w", name, err)
		}
		out[bundleSchemas+name+".json"] = append(raw, '\n')
	}
	return out, nil
}

// readSchemas reads the schemas of a bundle strictly: by the names of payload types that its workflow expects.
func readSchemas(files map[string][]byte, source []byte) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name, ok := strings.CutPrefix(file, bundleSchemas)
		if !ok {
			continue
		}
		if name, ok = strings.CutSuffix(name, ".json"); !ok {
			return nil, fault.New(fault.Invalid, "The bundle holds %q, which is no schema; one is called schemas/TYPE.json.", file)
		}
		if _, err := readSchema(name, files[file]); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The schema %s of the bundle does not fit. %s", file, fault.TextOf(err))
		}
		out[name] = files[file]
	}
	if len(out) == 0 {
		return nil, nil
	}
	f, problems := definition.Parse(source)
	if problems != nil {
		return out, nil // reading the workflow says so
	}
	expected := definition.Expected(f)
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !slices.Contains(expected, name) {
			return nil, fault.New(fault.Invalid, "The bundle holds the schema of %s, which its workflow does not expect.", name)
		}
	}
	return out, nil
}

// over finds the schemas that a bundle brings.
func over(brought map[string]json.RawMessage) definition.OwnTypes {
	return func(name string) (map[string]any, bool) {
		schema, err := readSchema(name, brought[name])
		return schema, err == nil
	}
}

// Brings says what the schemas of a bundle would change here. Nothing is recorded.
func (l *Library) Brings(ctx context.Context, b Bundle) ([]Brought, error) {
	out := []Brought{}
	for _, name := range slices.Sorted(maps.Keys(b.Schemas)) {
		brought := Brought{Name: name, Schema: b.Schemas[name]}
		was, err := l.store.Revisions(ctx, name)
		if err != nil {
			return nil, err
		}
		before := ""
		if len(was) > 0 {
			brought.Revision = was[0].Revision
			if same(was[0].Schema, brought.Schema) {
				out = append(out, brought)
				continue
			}
			before = indented(was[0].Schema)
			next, err := readSchema(name, brought.Schema)
			if err == nil {
				err = l.fitting(ctx, name, was[0].Schema, next)
			}
			if err != nil {
				brought.Problem = fault.TextOf(err)
			}
		}
		brought.Diff = udiff.Unified(fmt.Sprintf("%s, revision %d here", name, brought.Revision), name+", of the bundle", before, indented(brought.Schema))
		out = append(out, brought)
	}
	return out, nil
}

// indented is a schema line by line, its fields by name, so that two can be compared.
func indented(raw json.RawMessage) string {
	v, err := definition.Read(raw)
	if err != nil {
		return string(raw)
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(text) + "\n"
}

// CheckBundle says what is wrong with the workflow of a bundle, here and with its schemas registered.
func (l *Library) CheckBundle(ctx context.Context, b Bundle) definition.Problems {
	_, problems := l.check(ctx, b.Source, over(b.Schemas), l.store.Types(ctx))
	return problems
}

// bring registers the schemas of a bundle, after all of them and its workflow were found to fit.
func (l *Library) bring(ctx context.Context, by event.Party, b Bundle) error {
	brought, err := l.Brings(ctx, b)
	if err != nil {
		return err
	}
	for _, p := range brought {
		if p.Problem != "" {
			return fault.New(fault.Conflict, "The bundle's schema of %s cannot be registered here. %s", p.Name, p.Problem)
		}
	}
	if problems := l.CheckBundle(ctx, b); problems != nil {
		return Misfit(problems)
	}
	for _, p := range brought {
		if _, err := l.Register(ctx, by, p.Name, p.Schema, "It came with the bundle of "+b.Slug+"."); err != nil {
			return err
		}
	}
	return nil
}
