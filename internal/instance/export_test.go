package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A line is one recorded step of a history.
type line struct {
	Key     string          `json:"key"`
	Done    bool            `json:"done"`
	Type    string          `json:"type,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// History plays a test and returns all that was recorded of its instance.
func History(ctx context.Context, c *definition.Compiled, t definition.Test) ([]byte, error) {
	p, m, inputs, err := prepared(c, t)
	if err != nil {
		return nil, err
	}
	if _, err := p.whole(ctx, c, "", inputs, 0); err != nil && fault.KindOf(err) == fault.Internal {
		return nil, err
	}
	return json.MarshalIndent(m.lines(), "", " ")
}

// Replay plays an instance over its history, and returns the keys of what it recorded beside it: nothing, when
// the engine still does what it did. Nothing is given: a step that is not answered from the history fails.
func Replay(ctx context.Context, c *definition.Compiled, t definition.Test, raw []byte) (added []string, err error) {
	t.Given, t.Reviews, t.Evidence = nil, nil, nil
	p, m, inputs, err := prepared(c, t)
	if err != nil {
		return nil, err
	}
	var was []line
	if err := json.Unmarshal(raw, &was); err != nil {
		return nil, err
	}
	for _, l := range was {
		r := run.Recorded{Key: l.Key, Begun: true, Done: l.Done}
		r.Event.Message.Type, r.Event.Message.Payload = l.Type, l.Payload
		m.steps[l.Key] = r
	}
	_, err = p.whole(ctx, c, "", inputs, 0)
	for key := range m.steps {
		if !slices.ContainsFunc(was, func(l line) bool { return l.Key == key }) {
			added = append(added, key)
		}
	}
	if len(p.given.failed) > 0 {
		err = errors.Join(err, fmt.Errorf("it asked anew: %v", p.given.failed))
	}
	return added, err
}

func prepared(c *definition.Compiled, t definition.Test) (*player, *memory, map[string]any, error) {
	inputs, _, err := c.TakeInputs(t.Inputs)
	m := &memory{mint: event.NewMint(testStart), steps: make(map[string]run.Recorded)}
	p := &player{h: New(nil, nil, nil, nil, nil, Options{}), s: m, def: c, given: &answers{test: t, turns: make(map[string]int)}}
	p.spec.ID, p.spec.CreatedAt = "run_test", testStart
	return p, m, inputs, err
}

func (m *memory) lines() []line {
	var out []line
	for _, key := range slices.Sorted(maps.Keys(m.steps)) {
		r := m.steps[key]
		out = append(out, line{key, r.Done, r.Event.Message.Type, r.Event.Message.Payload})
	}
	return out
}
