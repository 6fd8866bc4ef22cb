package markup

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
)

// list is a unit of items, each with its marker before its first line.
func (r *reader) list(n *ast.List, at place) *unit {
	u := &unit{}
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := r.bullet
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		i := r.item(item, marker, at)
		i.first().gap = !n.IsTight && len(u.kids) > 0
		u.kids = append(u.kids, i)
	}
	return u
}

// item returns the blocks of an item, indented below its marker.
func (r *reader) item(n ast.Node, marker string, at place) *unit {
	inside := at
	inside.indent = min(at.indent+width(marker), deepest)
	u := &unit{kids: r.blocks(n, inside)}
	first := u.first()
	if first == nil || first.fence != nil && r.dialect.fence != nil || first.quote != at.quote || first.head != nil {
		alone := &unit{line: &line{marker: marker, indent: at.indent, quote: at.quote}}
		u.kids = append([]*unit{alone}, u.kids...)
		return u
	}
	first.indent = at.indent
	if width(first.marker) < deepest {
		first.marker = marker + first.marker
	}
	return u
}
