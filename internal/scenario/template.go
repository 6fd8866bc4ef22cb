package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chela/internal/fault"
	"chela/internal/pattern"
)

var (
	template = pattern.New(`\{\{\s*([\w.-]+(?:\[\d+\])?(?:\.[\w.]+)?)\s*\}\}`)
	listed   = pattern.New(`^(\w+)\[(\d+)\]\.([\w.]+)$`)
)

// fill puts in what templates stand for: {{projectId}}, {{threadId}} or {{sessionId}} of
// the conversation, {{name}} of a capture, {{threads[0].threadId}} of the newest record.
func (p *player) fill(ctx context.Context, text string) (string, error) {
	return p.filled(ctx, text, func(s string) string { return s })
}

// fillJSON does so within JSON.
func (p *player) fillJSON(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	text, err := p.filled(ctx, string(raw), func(s string) string { return strings.Trim(string(encoded(s)), `"`) })
	return json.RawMessage(text), err
}

func (p *player) filled(ctx context.Context, text string, write func(string) string) (string, error) {
	var failed error
	out := template.ReplaceAllStringFunc(text, func(found string) string {
		value, err := p.value(ctx, template.FindStringSubmatch(found)[1])
		if err != nil && failed == nil {
			failed = err
		}
		return write(value)
	})
	return out, failed
}

func (p *player) value(ctx context.Context, name string) (string, error) {
	switch name {
	case "projectId":
		return p.project, nil
	case "threadId", "sessionId":
		return p.thread, nil
	}
	if v, ok := p.captured[name]; ok {
		return v, nil
	}
	m := listed.FindStringSubmatch(name)
	if m == nil {
		return "", fault.New(fault.Invalid, "Nothing is known as {{%s}}; there are projectId, threadId, threads[0].threadId, and what was captured: %s.", name, strings.Join(slices.Sorted(maps.Keys(p.captured)), ", "))
	}
	c, ok := collectionNamed(m[1])
	n, err := strconv.Atoi(m[2])
	if !ok || c.Path == "" || err != nil {
		return "", fault.New(fault.Invalid, "{{%s}} names no list of records, such as {{tickets[0].id}}.", name)
	}
	raw, err := p.get(ctx, fmt.Sprintf("/api/projects/%s/%s?newest=true&limit=500", p.project, c.Path))
	if err != nil {
		return "", err
	}
	found := walk(flat(raw), fmt.Sprintf("$[%d].%s", n, m[3]))
	if len(found) == 0 {
		return "", fault.New(fault.NotFound, "{{%s}} finds nothing: there are not so many records, or they have no such field.", name)
	}
	return plain(found[0]), nil
}

// capture keeps what lies at the paths of an answer under their names.
func (p *player) capture(names map[string]string, answer json.RawMessage) error {
	for name, path := range names {
		found := walk(answer, path)
		if len(found) == 0 {
			found = walk(flat(answer), path)
		}
		if len(found) == 0 {
			return fault.New(fault.NotFound, "There is nothing at %q of the answer to capture as %s.", path, name)
		}
		p.captured[name] = plain(found[0])
	}
	return nil
}
