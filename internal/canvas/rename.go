package canvas

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/definition"
)

// A change is another text at a place, written so that the rest of how the place is written stays.
type change struct {
	segs []seg
	want string
	in   func(string) string // the same change in the text as it is written
}

// rename gives a step another id; what needs it, expressions, tests and the layout follow.
func (e *editor) rename(op Operation) error {
	at, err := e.step(op.Node)
	if err != nil {
		return err
	}
	from, path := at.step().ID, at.path()
	if from == op.ID {
		return nil
	}
	if err := free(op.ID, e.taken()); err != nil {
		return err
	}
	to := joined(at.in, op.ID)
	var changes []change
	e.references(nil, e.data, from, op.ID, &changes)
	changes = append(changes, change{append(at.segs(), keySeg("id")), op.ID, func(s string) string { return strings.Replace(s, from, op.ID, 1) }})
	if err := e.rewrite(changes); err != nil {
		return err
	}
	if err := e.parse(); err != nil {
		return err
	}
	err = e.eachTested(func(segs []seg, p string) error {
		if p != path && !strings.HasPrefix(p, path+".") {
			return nil
		}
		return e.rekey(segs, to+strings.TrimPrefix(p, path))
	})
	if err != nil {
		return err
	}
	for p, pos := range e.layout {
		if p == path || strings.HasPrefix(p, path+".") {
			delete(e.layout, p)
			e.layout[to+strings.TrimPrefix(p, path)] = pos
		}
	}
	return nil
}

// references collects the texts that read a step or need it.
func (e *editor) references(segs []seg, v any, from, to string, out *[]change) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if len(segs) == 0 && k != "steps" && k != "output" {
				continue
			}
			e.references(append(slices.Clone(segs), keySeg(k)), x, from, to, out)
		}
	case []any:
		for i, x := range v {
			e.references(append(slices.Clone(segs), indexSeg(i)), x, from, to, out)
		}
	case string:
		in := func(s string) string { return renamed(s, from, to) }
		switch {
		case isNeed(segs):
			in = func(s string) string {
				if id, outcome := definition.Source(strings.Trim(s, `"'`)); id == from {
					return strings.Replace(s, need(id, outcome), need(to, outcome), 1)
				}
				return s
			}
		case !isExpression(segs):
			in = func(s string) string { return renamedIn(s, from, to) }
		}
		if want := in(v); want != v {
			*out = append(*out, change{segs, want, in})
		}
	}
}

// within is the path inside the innermost step, without indices.
func within(segs []seg) string {
	last := 0
	for i, s := range segs {
		if s.index >= 0 && i > 0 && (segs[i-1].key == "steps" && i == 1 || segs[i-1].key == "do" && i > 1 && (segs[i-2].key == "loop" || segs[i-2].key == "map") && segs[i-3].index >= 0) {
			last = i + 1
		}
	}
	var keys []string
	for _, s := range segs[last:] {
		if s.index < 0 {
			keys = append(keys, s.key)
		}
	}
	return strings.Join(keys, ".")
}

func isNeed(segs []seg) bool {
	return len(segs) > 2 && segs[0].key == "steps" && within(segs) == "needs"
}

// isExpression reports whether a text is an expression as a whole.
func isExpression(segs []seg) bool {
	return len(segs) > 2 && segs[0].key == "steps" && slices.Contains([]string{
		"when", "rule.when", "branch.when", "loop.until", "map.over", "wait.until", "wait.event.when", "contract.holds", "contract.record.when", "contract.number.value",
	}, within(segs))
}

// renamed is an expression that reads another variable.
func renamed(source, from, to string) string {
	var b strings.Builder
	quote, last := byte(0), byte(0)
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case quote != 0 && c == '\\' && i+1 < len(source):
			b.WriteString(source[i : i+2])
			i += 2
			continue
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && letter(c):
			end := i
			for end < len(source) && (letter(source[end]) || source[end] >= '0' && source[end] <= '9') {
				end++
			}
			word := source[i:end]
			if rest := strings.TrimLeft(source[end:], " "); word == from && last != '.' && !strings.HasPrefix(rest, "(") {
				word = to
			}
			b.WriteString(word)
			i, last = end, 'a'
			continue
		}
		if c != ' ' {
			last = c
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// renamedIn is a text whose expressions read another variable.
func renamedIn(text, from, to string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at+2])
		if at > 0 && text[at-1] == '$' {
			text = text[at+2:]
			continue
		}
		source, rest, err := definition.CutExpression(text[at+2:])
		if err != nil {
			b.WriteString(text[at+2:])
			return b.String()
		}
		b.WriteString(renamed(source, from, to) + "}")
		text = rest
	}
}

// rewrite makes changes of texts at once, each within how it is written where that can be.
func (f *file) rewrite(changes []change) error {
	t, err := f.text()
	if err != nil {
		return err
	}
	want := f.copied()
	type cut struct {
		start, end int
		text       string
	}
	var cuts []cut
	for _, c := range changes {
		want = with(want, c.segs, c.want)
		if s := t.find(c.segs); len(s.rest) == 0 {
			cuts = append(cuts, cut{s.part.start, s.part.end, c.in(t.src[s.part.start:s.part.end])})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return b.start - a.start })
	src := f.src
	for _, c := range cuts {
		src = src[:c.start] + c.text + src[c.end:]
	}
	if f.becomes(src, want) == nil {
		return nil
	}
	for _, c := range changes {
		if err := f.set(c.segs, c.want); err != nil {
			return err
		}
	}
	return nil
}

// rekey gives an entry of an object another key.
func (f *file) rekey(segs []seg, key string) error {
	t, err := f.text()
	if err != nil {
		return err
	}
	s := t.find(segs)
	if len(s.rest) > 0 {
		return fmt.Errorf("%s is not there", pathText(segs))
	}
	v, _ := valueAt(f.data, segs)
	last := len(s.parents) - 1
	e := s.parents[last].entries[s.indices[last]]
	want := without(f.copied(), segs)
	want = with(want, append(slices.Clone(segs[:len(segs)-1]), keySeg(key)), v)
	return f.becomes(f.src[:e.start]+scalar(key, true)+f.src[e.mark-1:], want)
}
