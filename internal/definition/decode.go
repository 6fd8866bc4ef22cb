package definition

import (
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

// MaxFile is the size of the largest file, in bytes. MaxIndent and maxNest are how deep it may go: the
// YAML library takes any depth, at a cost that grows with its square.
const (
	MaxFile   = 256 << 10
	maxIndent = 120
	maxNest   = 32
)

// A Problem is what is wrong at a place of a file.
type Problem struct {
	Line int    `json:"line"` // from 1; 0 when it is of the file as a whole
	Path string `json:"path,omitempty"`
	Text string `json:"text"` // a sentence
}

// Problems are all that is wrong with a file, in its order.
type Problems []Problem

// In writes the problems as lines of a file of that name.
func (p Problems) In(file string) string {
	var b strings.Builder
	for i, one := range p {
		if i > 0 {
			b.WriteByte('\n')
		}
		if one.Line > 0 {
			fmt.Fprintf(&b, "%s:%d: %s", file, one.Line, one.Text)
		} else {
			fmt.Fprintf(&b, "%s: %s", file, one.Text)
		}
	}
	return b.String()
}

// A File is a definition that was read, with the lines that its parts are on.
type File struct {
	Definition

	lines map[string]int // by path, such as steps[2].agent.task
}

// LineOf is the line of a path, or of what it is in.
func (f *File) LineOf(path string) int {
	for {
		if line, ok := f.lines[path]; ok {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return 1
		}
		path = path[:cut]
	}
}

// Parse reads a file strictly. The problems say why it cannot be read; what it says is checked by [Check].
func Parse(raw []byte) (*File, Problems) {
	if len(raw) > MaxFile {
		return nil, Problems{{Text: fmt.Sprintf("The file has %d bytes; a workflow has at most %d.", len(raw), MaxFile)}}
	}
	tokens := lexer.Tokenize(string(raw))
	if p := shallow(tokens); p != nil {
		return nil, Problems{*p}
	}
	parsed, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, Problems{problemOf(err)}
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil || parsed.Docs[0].Body.Type() == ast.CommentType {
		return nil, Problems{{Text: "The file holds no workflow, or more than one document; write one."}}
	}
	body := parsed.Docs[0].Body
	f := &File{lines: make(map[string]int)}
	f.locate("", body)
	if err := yaml.NodeToValue(body, &f.Definition, yaml.Strict()); err != nil {
		return nil, Problems{problemOf(err)}
	}
	f.settle()
	return f, nil
}

// shallow refuses what a workflow has no use for, before anything recurses over it.
func shallow(tokens token.Tokens) *Problem {
	flow, row, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			row, line = 0, t.Position.Line
		}
		switch t.Type { //nolint:exhaustive // the rest nests nothing
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType, token.MappingKeyType, token.DirectiveType:
			return &Problem{Line: line, Text: "Anchors, aliases, tags, merges, directives and ? keys are not taken; write the value out."}
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingValueType:
			row++
		}
		if flow > maxNest || flow == 0 && row > maxNest || t.Position.IndentNum > maxIndent {
			return &Problem{Line: line, Text: "The file is nested too deeply."}
		}
	}
	return nil
}

// locate notes the lines of a node and of what is in it.
func (f *File) locate(path string, n ast.Node) {
	if n == nil || n.GetToken() == nil {
		return
	}
	if _, known := f.lines[path]; !known {
		f.lines[path] = n.GetToken().Position.Line
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			f.locateKey(path, v)
		}
	case *ast.MappingValueNode:
		f.locateKey(path, n)
	case *ast.SequenceNode:
		for i, v := range n.Values {
			f.locate(fmt.Sprintf("%s[%d]", path, i), v)
		}
	}
}

func (f *File) locateKey(path string, v *ast.MappingValueNode) {
	key := v.Key.GetToken().Value
	if path != "" {
		key = path + "." + key
	}
	f.lines[key] = v.Key.GetToken().Position.Line
	f.locate(key, v.Value)
}

// problemOf is a sentence for an error of the library.
func problemOf(err error) Problem {
	var unknown *yaml.UnknownFieldError
	var kind *yaml.TypeError
	var at yaml.Error
	switch {
	case errors.As(err, &unknown):
		return Problem{Line: unknown.Token.Position.Line, Text: fmt.Sprintf("The key %q is not known here.", unknown.Token.Value)}
	case errors.As(err, &kind):
		return Problem{Line: kind.Token.Position.Line, Text: fmt.Sprintf("%q does not fit; it takes %s.", kind.Token.Value, kindName(kind.DstType))}
	case errors.As(err, &at) && at.GetToken() != nil:
		return Problem{Line: at.GetToken().Position.Line, Text: sentence(at.GetMessage())}
	}
	return Problem{Text: sentence(strings.TrimSpace(strings.SplitN(err.Error(), "\n", 2)[0]))}
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return "It cannot be read."
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
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
