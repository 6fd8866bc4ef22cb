package canvas

import (
	"slices"
	"strings"
)

// replace is the text with another value at a spot.
func (t *text) replace(s spot, v any) string {
	if len(s.parents) == 0 {
		return t.src
	}
	last := len(s.parents) - 1
	parent, i := s.parents[last], s.indices[last]
	if parent.flow {
		old, text := parent.entries[i].value, inline(v)
		if old.kind == absent {
			text = " " + text
		}
		return t.src[:old.start] + text + t.src[old.end:]
	}
	if parent.kind == sequence {
		return t.putItem(parent, i, v)
	}
	head, lines := block(v, parent.col+2, false)
	return t.put(parent, i, head, lines)
}

// putItem is the text with another item in a block's list.
func (t *text) putItem(parent *part, i int, v any) string {
	e := parent.entries[i]
	lines := item(v, t.column(e.start))
	end := t.lineEnd(e.value.end)
	comment := ""
	if e.value.kind != mapping && e.value.kind != sequence || e.value.flow {
		comment = t.comment(e.value.end)
	}
	lines[0] = strings.TrimLeft(lines[0], " ") + comment
	return t.src[:e.start] + strings.Join(lines, "\n") + t.src[end:]
}

// comment is the comment behind an offset in its line, with the blanks before it.
func (t *text) comment(off int) string {
	rest := t.src[off:t.lineEnd(off)]
	if strings.TrimSpace(rest) == "" {
		return ""
	}
	return rest
}

// put is the text with another value behind the key of an entry of a block: the rest of its line, and lines below.
// A comment behind the key stays.
func (t *text) put(parent *part, i int, head string, lines []string) string {
	e := parent.entries[i]
	old := e.value
	comment := ""
	switch {
	case old.kind == literal:
		line := t.src[old.start:t.lineEnd(old.start)]
		comment = line[contentLen(line):]
	case old.own || old.kind == absent:
		comment = t.comment(e.mark)
	default:
		comment = t.comment(old.end)
	}
	if strings.TrimSpace(comment) == "" {
		comment = ""
	}
	if head != "" {
		head = " " + head
	}
	out := head + comment
	if len(lines) > 0 {
		out += "\n" + strings.Join(lines, "\n")
	}
	return t.src[:e.mark] + out + t.src[t.lineEnd(old.end):]
}

// stepKeys is the order in which a step says what it says.
var stepKeys = []string{ //nolint:gochecknoglobals // a table
	"id", "name", "title", "case", "type", "description", "required", "needs", "when", "agent", "tool", "model", "rule", "branch", "loop", "map", "wait", "workflow", "transform",
	"expects", "review", "contract", "retry", "timeout", "compensate",
}

// before is after which entry of a block a key belongs.
func before(p *part, key string) int {
	rank := slices.Index(stepKeys, key)
	if rank < 0 || !slices.ContainsFunc(p.entries, func(e entry) bool { return e.key == "id" }) {
		return len(p.entries) - 1
	}
	at := 0
	for i, e := range p.entries {
		if r := slices.Index(stepKeys, e.key); r >= 0 && r < rank {
			at = i
		}
	}
	return at
}

// addKey is the text with one more key in an object.
func (t *text) addKey(p *part, key string, v any) string {
	if p.flow {
		text := scalar(key, true) + ": " + inline(v)
		if len(p.entries) == 0 {
			return t.src[:p.start] + "{" + text + "}" + t.src[p.end:]
		}
		at := p.entries[before(p, key)].value.end
		return t.src[:at] + ", " + text + t.src[at:]
	}
	_, lines := block(object{{key, v}}, p.col, false)
	return t.addLines(p, key, lines)
}

// addLines is the text with lines for one more key in an object that is a block.
func (t *text) addLines(p *part, key string, lines []string) string {
	at := t.entryEnd(p, before(p, key))
	return t.src[:at] + "\n" + strings.Join(lines, "\n") + t.src[at:]
}

// addItem is the text with one more item in a list.
func (t *text) addItem(p *part, i int, lines func(int) []string, v any) string {
	if p.flow {
		switch {
		case len(p.entries) == 0:
			return t.src[:p.start] + "[" + inline(v) + "]" + t.src[p.end:]
		case i < len(p.entries):
			at := p.entries[i].start
			return t.src[:at] + inline(v) + ", " + t.src[at:]
		}
		at := p.entries[len(p.entries)-1].value.end
		return t.src[:at] + ", " + inline(v) + t.src[at:]
	}
	text := strings.Join(lines(p.col), "\n")
	if i < len(p.entries) {
		at := t.headStart(p, i)
		return t.src[:at] + text + "\n" + t.src[at:]
	}
	at := t.entryEnd(p, len(p.entries)-1)
	return t.src[:at] + "\n" + text + t.src[at:]
}

// entryEnd is the line break behind an entry of a block and the comments that are further in.
func (t *text) entryEnd(p *part, i int) int {
	end := t.lineEnd(p.entries[i].value.end)
	for next := end + 1; next < len(t.src); next = t.lineEnd(next) + 1 {
		line := t.src[next:t.lineEnd(next)]
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case trimmed[0] != '#' || len(line)-len(trimmed) <= p.col:
			return end
		}
		end = t.lineEnd(next)
	}
	return end
}

// headStart is where an entry of a block begins, with the comments right above it.
func (t *text) headStart(p *part, i int) int {
	start := t.lineStart(p.entries[i].start)
	least := 0
	if i > 0 {
		least = t.lineEnd(p.entries[i-1].value.end) + 1
	}
	for start > least {
		above := t.lineStart(start - 1)
		line := t.src[above : start-1]
		trimmed := strings.TrimLeft(line, " ")
		if above < least || trimmed == "" || trimmed[0] != '#' || len(line)-len(trimmed) != p.col {
			break
		}
		start = above
	}
	return start
}

// cut is the text without an entry of several, or of brackets.
func (t *text) cut(p *part, i int) (string, error) {
	e := p.entries[i]
	switch {
	case p.flow && len(p.entries) == 1:
		return t.src[:p.start+1] + t.src[p.end-1:], nil
	case p.flow && i > 0:
		return t.src[:p.entries[i-1].value.end] + t.src[e.value.end:], nil
	case p.flow:
		return t.src[:e.start] + t.src[p.entries[1].start:], nil
	case strings.TrimLeft(t.src[t.lineStart(e.start):e.start], " ") != "": // behind a dash
		if i > 0 || strings.Contains(t.src[t.lineEnd(e.value.end):p.entries[1].start], "#") {
			return "", errShape
		}
		return t.src[:e.start] + t.src[p.entries[1].start:], nil
	}
	start, end := t.headStart(p, i), min(t.entryEnd(p, i)+1, len(t.src))
	blankAbove := start > 1 && strings.TrimSpace(t.src[t.lineStart(start-1):start]) == ""
	if blankAbove && strings.TrimSpace(t.src[end:t.lineEnd(end)]) == "" {
		start = t.lineStart(start - 1)
	}
	return t.src[:start] + t.src[end:], nil
}
