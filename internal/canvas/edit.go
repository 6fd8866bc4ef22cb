package canvas

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"chela/internal/definition"
)

// A file is a workflow's text with what it says. Each edit rewrites a part of the text, reads it again, and holds
// it against what it should say then: a text that says anything else is refused.
type file struct {
	src    string
	parsed *ast.File
	data   any
}

func readFile(src string) (*file, error) {
	parsed, data, err := decode(src)
	if err != nil {
		return nil, err
	}
	return &file{src: src, parsed: parsed, data: data}, nil
}

// becomes takes a text that should say want.
func (f *file) becomes(src string, want any) error {
	parsed, got, err := decode(src)
	if err != nil || !reflect.DeepEqual(got, want) && !same(got, want) {
		return errShape
	}
	f.src, f.parsed, f.data = src, parsed, got
	return nil
}

// copied is a copy of what the file says.
func (f *file) copied() any { return definition.Settled(f.data) }

// A spot is a part with the way to it.
type spot struct {
	parents []*part
	indices []int
	part    *part
	rest    []seg // what of the path is not there
}

// find goes along a path as far as the text has it.
func (t *text) find(segs []seg) spot {
	s := spot{part: t.root}
	for i, g := range segs {
		at := -1
		switch {
		case s.part.kind == mapping && g.index < 0:
			at = slices.IndexFunc(s.part.entries, func(e entry) bool { return e.key == g.key })
		case s.part.kind == sequence && g.index < len(s.part.entries):
			at = g.index
		}
		if at < 0 {
			s.rest = segs[i:]
			return s
		}
		s.parents, s.indices = append(s.parents, s.part), append(s.indices, at)
		s.part = s.part.entries[at].value
	}
	return s
}

// set writes a value at a path.
func (f *file) set(segs []seg, v any) error {
	t, err := f.text()
	if err != nil {
		return err
	}
	s := t.find(segs)
	want := with(f.copied(), segs, settled(v))
	for i := len(s.rest) - 1; i > 0; i-- {
		if s.rest[i].index >= 0 {
			v = []any{v}
		} else {
			v = object{{s.rest[i].key, v}}
		}
	}
	switch {
	case len(s.rest) == 0:
		return f.becomes(t.replace(s, v), want)
	case s.part.kind == mapping && s.rest[0].index < 0:
		return f.becomes(t.addKey(s.part, s.rest[0].key, v), want)
	case s.part.kind == sequence && s.rest[0].index >= 0:
		return f.becomes(t.addItem(s.part, len(s.part.entries), valueLines(v), v), want)
	case s.part.kind == mapping || s.part.kind == sequence:
		return fmt.Errorf("%s cannot be written there", pathText(segs))
	}
	if s.rest[0].index >= 0 {
		v = []any{v}
	} else {
		v = object{{s.rest[0].key, v}}
	}
	return f.becomes(t.replace(s, v), want)
}

// remove takes away what is at a path.
func (f *file) remove(segs []seg) error {
	t, err := f.text()
	if err != nil {
		return err
	}
	s := t.find(segs)
	if len(s.rest) > 0 || len(s.parents) == 0 {
		return fmt.Errorf("%s is not there", pathText(segs))
	}
	last := len(s.parents) - 1
	parent := s.parents[last]
	want := without(f.copied(), segs)
	if len(parent.entries) > 1 || parent.flow {
		src, err := t.cut(parent, s.indices[last])
		if err != nil {
			return err
		}
		return f.becomes(src, want)
	}
	if last == 0 {
		return fmt.Errorf("%s is all that there is", pathText(segs))
	}
	var empty any = object{}
	if parent.kind == sequence {
		empty = []any{}
	}
	return f.becomes(t.replace(spot{parents: s.parents[:last], indices: s.indices[:last], part: parent}, empty), want)
}

// insert writes an item into the list at a path. lines writes it for a block at a column.
func (f *file) insert(segs []seg, i int, lines func(col int) []string, v any) error {
	t, err := f.text()
	if err != nil {
		return err
	}
	s := t.find(segs)
	if s.part.kind == sequence && len(s.rest) == 0 && (len(s.part.entries) > 0 || inFlow(s.parents)) {
		return f.becomes(t.addItem(s.part, i, lines, v), inserted(f.copied(), segs, i, settled(v)))
	}
	if len(s.rest) > 1 || len(s.rest) == 1 && s.part.kind != mapping {
		return errShape
	}
	want := with(f.copied(), segs, []any{settled(v)})
	if len(s.rest) == 1 {
		if s.part.flow {
			return f.becomes(t.addKey(s.part, s.rest[0].key, []any{v}), want)
		}
		return f.becomes(t.addLines(s.part, s.rest[0].key, append([]string{strings.Repeat(" ", s.part.col) + s.rest[0].key + ":"}, lines(s.part.col+2)...)), want)
	}
	if inFlow(s.parents) {
		return f.becomes(t.replace(s, []any{v}), want)
	}
	last := len(s.parents) - 1
	parent := s.parents[last]
	return f.becomes(t.put(parent, s.indices[last], "", lines(parent.col+2)), want)
}

func inFlow(parents []*part) bool {
	return slices.ContainsFunc(parents, func(p *part) bool { return p.flow })
}

// valueLines writes a value as an item.
func valueLines(v any) func(int) []string { return func(col int) []string { return item(v, col) } }

// reconcile makes what is at a path a value, and leaves the text of all that is the same already.
func (f *file) reconcile(segs []seg, v any) error {
	now, there := valueAt(f.data, segs)
	if there && same(now, settled(v)) {
		return nil
	}
	switch want := v.(type) {
	case object:
		if old, ok := now.(map[string]any); ok && len(old) > 0 && len(want) > 0 {
			return f.reconcileObject(segs, old, want)
		}
	case []any:
		if old, ok := now.([]any); ok && len(old) > 0 && len(want) > 0 {
			return f.reconcileList(segs, old, want)
		}
	}
	return f.set(segs, v)
}

func (f *file) reconcileObject(segs []seg, old map[string]any, want object) error {
	for _, p := range want {
		if err := f.reconcile(append(slices.Clone(segs), keySeg(p.key)), p.value); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(old)) {
		if !slices.ContainsFunc(want, func(p pair) bool { return p.key == k }) {
			if err := f.remove(append(slices.Clone(segs), keySeg(k))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *file) reconcileList(segs []seg, old, want []any) error {
	from := 0
	for from < len(old) && from < len(want) && same(old[from], settled(want[from])) {
		from++
	}
	tail := 0
	for tail < len(old)-from && tail < len(want)-from && same(old[len(old)-1-tail], settled(want[len(want)-1-tail])) {
		tail++
	}
	both := min(len(old), len(want)) - tail
	at := func(i int) []seg { return append(slices.Clone(segs), indexSeg(i)) }
	for i := from; i < both; i++ {
		if err := f.reconcile(at(i), want[i]); err != nil {
			return err
		}
	}
	for i := both; i < len(want)-tail; i++ {
		if err := f.insert(segs, i, valueLines(want[i]), want[i]); err != nil {
			return err
		}
	}
	for i := len(old) - tail - 1; i >= both; i-- {
		if err := f.remove(at(i)); err != nil {
			return err
		}
	}
	return nil
}
