// Package yamlfile reads the YAML that people write, strictly: one document, without what a file of settings
// has no use for, no deeper than it needs to be, and with a line for each thing that is wrong.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits are how deep a file may go. The YAML library takes any depth, at a cost that grows with its square.
type Limits struct {
	Indent int // columns
	Nest   int // levels, on a line or in brackets
}

// A Problem is what is wrong at a line of a file.
type Problem struct {
	Line int    // from 1; 0 when it is of the file as a whole
	Text string // a clause without a full stop
}

// Error implements [error].
func (p *Problem) Error() string { return p.Text }

// Unmarked returns a file without the byte order mark that some editors, such as those of Windows, write before it.
func Unmarked(raw []byte) []byte { return bytes.TrimPrefix(raw, []byte("\ufeff")) }

// Read reads a file, which the caller has bounded in size. It refuses what is nested too deeply before anything
// recurses over it. Each document is one that the caller may [Decode]. An error is a *[Problem].
func Read(raw []byte, most Limits) (*ast.File, error) {
	tokens := lexer.Tokenize(string(Unmarked(raw)))
	if err := shallow(tokens, most); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, problemOf(err)
	}
	return parsed, nil
}

// Empty reports whether a document says nothing.
func Empty(d *ast.DocumentNode) bool { return d.Body == nil || d.Body.Type() == ast.CommentType }

// Decode decodes strictly over what into holds already. An error is a *[Problem].
func Decode(n ast.Node, into any) error {
	if err := yaml.NodeToValue(n, into, yaml.Strict()); err != nil {
		return problemOf(err)
	}
	return nil
}

// A Text is a text of a file as it is read: without quotes, and with its escapes decoded.
type Text struct {
	Line  int
	Value string
}

// Texts returns each text below a node, keys and values, in the order of the file.
func Texts(n ast.Node) []Text {
	var out texts
	ast.Walk(&out, n)
	return out
}

type texts []Text

// Visit implements [ast.Visitor].
func (t *texts) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.StringNode:
		*t = append(*t, Text{n.GetToken().Position.Line, n.Value})
	case *ast.LiteralNode:
		*t = append(*t, Text{n.GetToken().Position.Line, n.Value.Value})
		return nil
	}
	return t
}

func shallow(tokens token.Tokens, most Limits) error {
	flow, row, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			row, line = 0, t.Position.Line
		}
		switch t.Type { //nolint:exhaustive // the rest nests nothing
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType, token.MappingKeyType, token.DirectiveType:
			return &Problem{line, "anchors, aliases, tags, merges, directives and ? keys are not taken; write the value out"}
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingValueType:
			row++
		}
		if flow > most.Nest || flow == 0 && row > most.Nest || t.Position.IndentNum > most.Indent {
			return &Problem{line, "the file is nested too deeply"}
		}
	}
	return nil
}

// problemOf says what the library found.
func problemOf(err error) *Problem {
	var unknown *yaml.UnknownFieldError
	var kind *yaml.TypeError
	var at yaml.Error
	switch {
	case errors.As(err, &unknown):
		return &Problem{unknown.Token.Position.Line, fmt.Sprintf("the key %q is not known here", unknown.Token.Value)}
	case errors.As(err, &kind):
		return &Problem{kind.Token.Position.Line, fmt.Sprintf("%q does not fit; it takes %s", kind.Token.Value, kindName(kind.DstType))}
	case errors.As(err, &at) && at.GetToken() != nil:
		return &Problem{at.GetToken().Position.Line, strings.TrimSuffix(at.GetMessage(), ".")}
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return &Problem{0, strings.TrimSuffix(strings.TrimSpace(line), ".")}
}

func kindName(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the default names the rest
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	default:
		return "keys with values"
	}
}
