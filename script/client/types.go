package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

const module = "chela/internal/"

// types are the types that packages declare, by the names of their schemas: the package's name, then
// the type's.
type types map[string]declared

type declared struct {
	path     string // of the package
	name     string // with the package's
	fields   []string
	embedded bool // it has fields of other structs, too
}

// is reports whether the type is that of a schema: another package may call its own so.
func (d declared) is(s schema) bool {
	for _, f := range d.fields {
		if _, ok := s.Properties[f]; !ok {
			return false
		}
	}
	return d.name != "" && (d.embedded || len(d.fields) == len(s.Properties))
}

// declarations reads the exported types of the packages in the folders of internal.
func declarations(internal string) (types, error) {
	folders, err := os.ReadDir(internal)
	if err != nil {
		return nil, err
	}
	out := make(types)
	for _, f := range folders {
		pkg := f.Name()
		if !f.IsDir() || edges[pkg] {
			continue
		}
		files, err := filepath.Glob(filepath.Join(internal, pkg, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			if err := out.read(file, pkg); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// edges are packages that the client does not import.
var edges = map[string]bool{"gateway": true, "store": true, "daemon": true, "cli": true, "scenario": true, "config": true}

func (t types) read(file, pkg string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if ok && s.Name.IsExported() && s.TypeParams == nil {
			if of, ok := s.Type.(*ast.StructType); ok {
				d := declared{path: path.Join(module, pkg), name: pkg + "." + s.Name.Name}
				d.read(of)
				t[strings.ToUpper(pkg[:1])+pkg[1:]+s.Name.Name] = d
			}
		}
		_, isFunc := n.(*ast.FuncDecl)
		return !isFunc
	})
	return nil
}

// read notes the names that the fields of a struct have in JSON, but for those that the document does not show.
func (d *declared) read(s *ast.StructType) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			d.embedded = d.embedded || len(f.Names) == 0
			for _, n := range f.Names {
				if n.IsExported() {
					d.fields = append(d.fields, n.Name)
				}
			}
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if reflect.StructTag(tag).Get("hidden") == "true" {
			continue
		}
		switch name {
		case "-", "":
		default:
			d.fields = append(d.fields, name)
		}
	}
}

// known is the type of a schema that a package below the gateway declares.
func (g *generator) known(name string) (declared, bool) {
	d := g.declared[name]
	return d, d.is(g.doc.Components.Schemas[name])
}

// goType is the Go type of a schema.
func (g *generator) goType(s schema) (string, error) {
	if name, ok := strings.CutPrefix(s.Ref, refPrefix); ok {
		if d, ok := g.known(name); ok {
			g.imports[d.path] = true
			return d.name, nil
		}
		return goName(name), nil
	}
	if len(s.Type) > 1 {
		return "", fmt.Errorf("a value of the types %v has no Go type", s.Type)
	}
	if len(s.Type) == 0 {
		g.imports["encoding/json"] = true
		return "json.RawMessage", nil
	}
	switch s.Type[0] {
	case "string":
		switch {
		case s.Encoding == "base64":
			return "[]byte", nil
		case s.Format == "date-time":
			g.imports["time"] = true
			return "time.Time", nil
		}
		return "string", nil
	case "integer":
		return "int", nil
	case "number":
		return "float64", nil
	case "boolean":
		return "bool", nil
	case "array":
		if s.Items == nil {
			return "", fmt.Errorf("an array says nothing of its items")
		}
		of, err := g.goType(*s.Items)
		return "[]" + of, err
	case "object":
		if s.Additional.schema == nil || len(s.Properties) > 0 {
			return "", fmt.Errorf("an object with members has no name")
		}
		if s.Additional.Ref == "" && len(s.Additional.Type) == 0 {
			return g.goType(schema{}) // whatever it holds
		}
		of, err := g.goType(*s.Additional.schema)
		return "map[string]" + of, err
	}
	return "", fmt.Errorf("a value of the type %q has no Go type", s.Type[0])
}
