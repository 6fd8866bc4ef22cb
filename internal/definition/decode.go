package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"chela/internal/yamlfile"
)

// MaxFile is the size of the largest file, in bytes. maxIndent and maxNest are how deep it may go.
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
	parsed, err := yamlfile.Read(raw, Depth())
	if err != nil {
		return nil, Problems{problemOf(err)}
	}
	return Decode(parsed)
}

// Decode is [Parse] of YAML that was read within [Depth].
func Decode(parsed *ast.File) (*File, Problems) {
	if len(parsed.Docs) != 1 || yamlfile.Empty(parsed.Docs[0]) {
		return nil, Problems{{Text: "The file holds no workflow, or more than one document; write one."}}
	}
	body := parsed.Docs[0].Body
	f := &File{lines: make(map[string]int)}
	f.locate("", body)
	if err := yamlfile.Decode(body, &f.Definition); err != nil {
		return nil, Problems{problemOf(err)}
	}
	f.settle()
	return f, nil
}

// problemOf is what is wrong with the YAML, as a sentence.
func problemOf(err error) Problem {
	out := Problem{Text: sentence(err.Error())}
	if p, ok := errors.AsType[*yamlfile.Problem](err); ok {
		out.Line = p.Line
	}
	return out
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

// Depth is how deep a file may be nested.
func Depth() yamlfile.Limits { return yamlfile.Limits{Indent: maxIndent, Nest: maxNest} }
