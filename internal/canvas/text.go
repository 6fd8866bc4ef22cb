package canvas

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A text is a file with the places of its parts, so that one part can be rewritten and every other byte stays.
type text struct {
	src   string
	lines []int // where each line begins
	root  *part
}

// A part is a value at a place. Places are offsets in bytes.
type part struct {
	kind       partKind
	flow       bool // in brackets or braces
	start, end int  // of the value; equal when nothing is written
	col        int  // of the entries of a block, in columns from 0
	own        bool // a block that begins on a line of its own
	entries    []entry
}

type partKind byte

const (
	plain partKind = iota
	quoted
	literal // a block of text, after | or >
	absent
	mapping
	sequence
)

// An entry is a value with its key, or an item of a list.
type entry struct {
	key   string
	start int // of the key or the dash
	mark  int // behind the colon or the dash; in brackets where the value begins
	value *part
}

// errShape says that a file is written in a way that this package does not rewrite.
var errShape = errors.New("it is written in a way that only the file's own text can be changed")

// text finds the parts of a file.
func (f *file) text() (*text, error) {
	src := f.src
	t := &text{src: src, lines: []int{0}}
	for i := range len(src) {
		if src[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	var err error
	t.root, err = t.read(f.parsed.Docs[0].Body, -1, 0, false)
	return t, err
}

// at is the offset of a token.
func (t *text) at(tok *token.Token) int {
	if tok == nil || tok.Position.Line < 1 || tok.Position.Line > len(t.lines) {
		return -1
	}
	off := t.lines[tok.Position.Line-1]
	for n := tok.Position.Column - 1; n > 0 && off < len(t.src); n-- {
		_, size := utf8.DecodeRuneInString(t.src[off:])
		off += size
	}
	return off
}

// lineStart is where the line of an offset begins, lineEnd where its line break is.
func (t *text) lineStart(off int) int { return strings.LastIndexByte(t.src[:off], '\n') + 1 }

func (t *text) lineEnd(off int) int {
	if i := strings.IndexByte(t.src[off:], '\n'); i >= 0 {
		return off + i
	}
	return len(t.src)
}

// column is how many columns stand before an offset in its line.
func (t *text) column(off int) int { return utf8.RuneCountInString(t.src[t.lineStart(off):off]) }

// read finds the parts of a node. outer is the column of the block that it is in, mark where its value may begin.
func (t *text) read(n ast.Node, outer, mark int, flow bool) (*part, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.mapping(n.Values, n.Start, n.End, n.IsFlowStyle, mark)
	case *ast.MappingValueNode:
		return t.mapping([]*ast.MappingValueNode{n}, n.Key.GetToken(), nil, false, mark)
	case *ast.SequenceNode:
		return t.sequence(n, mark)
	case *ast.NullNode:
		if t.nothing(mark, flow) {
			return &part{kind: absent, start: mark, end: mark}, nil
		}
	}
	start := t.at(n.GetToken())
	if start < 0 || start >= len(t.src) {
		return nil, errShape
	}
	p := &part{start: start}
	switch c := t.src[start]; {
	case c == '"' || c == '\'':
		p.kind, p.end = quoted, quoteEnd(t.src, start)
	case n.Type() == ast.LiteralType:
		p.kind, p.end = literal, t.literalEnd(start, outer)
	case flow:
		p.end = flowEnd(t.src, start)
	default:
		p.end = t.plainEnd(start, outer)
	}
	if p.end < 0 {
		return nil, errShape
	}
	return p, nil
}

// nothing reports whether no value is written behind a mark.
func (t *text) nothing(mark int, flow bool) bool {
	rest := strings.TrimLeft(t.src[mark:t.lineEnd(mark)], " \t")
	return rest == "" || rest[0] == '#' || flow && strings.ContainsRune(",]}", rune(rest[0]))
}

func (t *text) mapping(values []*ast.MappingValueNode, start, end *token.Token, flow bool, mark int) (*part, error) {
	p := &part{kind: mapping, flow: flow, start: t.at(start)}
	for i, v := range values {
		at, colon := t.at(v.Key.GetToken()), t.at(v.Start)
		if at < 0 || colon <= at || colon >= len(t.src) || t.src[colon] != ':' {
			return nil, errShape
		}
		if i == 0 && !flow {
			p.start, p.col = at, t.column(at)
		}
		if !flow && t.column(at) != p.col {
			return nil, errShape
		}
		value, err := t.read(v.Value, p.col, colon+1, flow)
		if err != nil {
			return nil, err
		}
		p.entries = append(p.entries, entry{key: v.Key.GetToken().Value, start: at, mark: colon + 1, value: value})
	}
	return t.closed(p, end, mark)
}

func (t *text) sequence(n *ast.SequenceNode, mark int) (*part, error) {
	p := &part{kind: sequence, flow: n.IsFlowStyle, start: t.at(n.Start)}
	if !p.flow {
		p.col = t.column(p.start)
	}
	for i, v := range n.Values {
		e := entry{}
		if !p.flow {
			if i >= len(n.Entries) {
				return nil, errShape
			}
			if e.start = t.at(n.Entries[i].Start); e.start < 0 || t.src[e.start] != '-' {
				return nil, errShape
			}
			e.mark = e.start + 1
		}
		value, err := t.read(v, p.col, e.mark, p.flow)
		if err != nil {
			return nil, err
		}
		if e.value = value; p.flow {
			e.start, e.mark = value.start, value.start
		}
		p.entries = append(p.entries, e)
	}
	return t.closed(p, n.End, mark)
}

// closed sets where a list or an object ends.
func (t *text) closed(p *part, end *token.Token, mark int) (*part, error) {
	switch {
	case p.start < 0 || p.start >= len(t.src):
		return nil, errShape
	case p.flow:
		close := t.at(end)
		if close < p.start || !strings.ContainsRune("]}", rune(t.src[close])) {
			return nil, errShape
		}
		p.end = close + 1
	case len(p.entries) == 0:
		return nil, errShape
	default:
		p.own = strings.Contains(t.src[min(mark, p.start):p.start], "\n") || p.start == 0 || mark == 0
		p.end = p.entries[len(p.entries)-1].value.end
	}
	return p, nil
}

// quoteEnd is behind the quote that closes the one at start, -1 when none does.
func quoteEnd(src string, start int) int {
	q := src[start]
	for i := start + 1; i < len(src); i++ {
		switch {
		case q == '"' && src[i] == '\\':
			i++
		case src[i] == q && q == '\'' && i+1 < len(src) && src[i+1] == q:
			i++
		case src[i] == q:
			return i + 1
		}
	}
	return -1
}

// flowEnd is where a plain text in brackets ends.
func flowEnd(src string, start int) int {
	i := start
	for i < len(src) && !strings.ContainsRune(",[]{}\n", rune(src[i])) && !strings.HasPrefix(src[i:], " #") && !strings.HasPrefix(src[i:], ": ") {
		i++
	}
	return start + len(strings.TrimRight(src[start:i], " \t\r"))
}

// plainEnd is where a plain text in a block ends, which may go on in lines that are further in.
func (t *text) plainEnd(start, outer int) int {
	end := start + contentLen(t.src[start:t.lineEnd(start)])
	if end < t.lineEnd(start) && strings.Contains(t.src[end:t.lineEnd(start)], "#") {
		return end
	}
	for next := t.lineEnd(end) + 1; next < len(t.src); next = t.lineEnd(next) + 1 {
		line := t.src[next:t.lineEnd(next)]
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case len(line)-len(trimmed) <= outer || trimmed[0] == '#':
			return end
		}
		end = next + contentLen(line)
	}
	return end
}

// contentLen is how long a line is without a comment and blanks at its end.
func contentLen(line string) int {
	if i := strings.Index(line, " #"); i >= 0 {
		line = line[:i]
	}
	return len(strings.TrimRight(line, " \t\r"))
}

// literalEnd is where a block of text ends, which begins with | or > at start.
func (t *text) literalEnd(start, outer int) int {
	head := t.lineEnd(start)
	end, keep := start+contentLen(t.src[start:head]), strings.Contains(t.src[start:head], "+")
	for next := head + 1; next < len(t.src); next = t.lineEnd(next) + 1 {
		line := t.src[next:t.lineEnd(next)]
		trimmed := strings.TrimLeft(line, " ")
		blank := strings.TrimSpace(line) == ""
		if !blank && len(line)-len(trimmed) <= outer {
			break
		}
		if !blank || keep {
			end = t.lineEnd(next)
		}
	}
	return end
}
