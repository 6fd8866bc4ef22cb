package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model/scripted"
	"chela/internal/org"
	"chela/internal/tool"
)

// A ToolMock answers calls of a tool in its step, in the tool's place. A call that no
// mock of the step fits goes to the tool itself.
type ToolMock struct {
	Tool   string     `json:"tool"`
	Match  *MockMatch `json:"match,omitempty"` // every call when left out
	Result MockResult `json:"result,omitzero"`
}

// A MockMatch says which calls are meant.
type MockMatch struct {
	Type    string   `json:"type,omitempty"` // any, containsKeys, exact, regex
	Keys    []string `json:"keys,omitempty"`
	JSON    string   `json:"json,omitempty"`
	Pattern string   `json:"pattern,omitempty"`
}

// A MockResult is what such a call gives.
type MockResult struct {
	Success *bool           `json:"success,omitempty"` // true when left out
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// check reports a mock that can fit nothing.
func (m ToolMock) check(place string) error {
	if m.Tool == "" || tool.Sanitize(m.Tool) != m.Tool || len(m.Tool) < 2 || len(m.Tool) > 64 || m.Tool[0] < 'a' {
		return fault.BadField(place+".tool", "A mock names a tool, such as read_tickets.")
	}
	if m.Match == nil {
		return nil
	}
	switch m.Match.Type {
	case "", "any":
	case "containsKeys":
		if len(m.Match.Keys) == 0 {
			return fault.BadField(place+".match.keys", "It names the arguments that a call has.")
		}
	case "exact":
		if _, err := event.Canonical([]byte(m.Match.JSON)); err != nil {
			return fault.BadField(place+".match.json", "It is the JSON of the arguments.")
		}
	case "regex":
		if _, err := regexp.Compile(m.Match.Pattern); err != nil || m.Match.Pattern == "" {
			return fault.BadField(place+".match.pattern", "It is no regular expression.")
		}
	default:
		return fault.BadField(place+".match.type", "The type is not known.", "any", "containsKeys", "exact", "regex")
	}
	return nil
}

// fits reports whether a call is meant.
func (m ToolMock) fits(name string, args json.RawMessage) bool {
	if m.Tool != name {
		return false
	}
	if m.Match == nil {
		return true
	}
	switch m.Match.Type {
	case "containsKeys":
		var have map[string]json.RawMessage
		return json.Unmarshal(args, &have) == nil && !slices.ContainsFunc(m.Match.Keys, func(k string) bool { return have[k] == nil })
	case "exact":
		have, err := event.Canonical(args)
		want, wrong := event.Canonical([]byte(m.Match.JSON))
		return err == nil && wrong == nil && bytes.Equal(have, want)
	case "regex":
		re, err := regexp.Compile(m.Match.Pattern)
		return err == nil && re.Match(args)
	}
	return true
}

// mocks are those of the step that is playing.
type mocks struct {
	mu    sync.Mutex // guards rules
	rules []ToolMock
}

func (m *mocks) set(rules []ToolMock) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rules = rules
}

func (m *mocks) find(name string, args json.RawMessage) (ToolMock, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rules {
		if r.fits(name, args) {
			return r, true
		}
	}
	return ToolMock{}, false
}

// over puts the file's mocks before the tools. A tool that only a mock knows is there
// too, and reads.
func (m *mocks) over(f File) func([]*tool.Tool) []*tool.Tool {
	return func(tools []*tool.Tool) []*tool.Tool {
		out := slices.Clone(tools)
		for _, name := range mocked(f) {
			i := slices.IndexFunc(out, func(t *tool.Tool) bool { return t.Name == name })
			if i < 0 {
				spec := tool.Spec{Name: name, Help: "Stands in for a tool.", Risk: tool.ReadOnly, Role: org.Viewer, Repeatable: true}
				out = append(out, tool.StandIn(spec, json.RawMessage(`{"type":"object"}`), nil, m.call(nil)))
				continue
			}
			spec := out[i].Spec
			spec.Permission = "" // a mocked call touches nothing; another needs what its risk needs
			out[i] = tool.StandIn(spec, out[i].Schema, m.act(out[i]), m.call(out[i]))
		}
		return out
	}
}

// act says what a call amounts to: nothing when a mock answers it.
func (m *mocks) act(real *tool.Tool) func(json.RawMessage, disk.Folders) (tool.Act, error) {
	return func(args json.RawMessage, f disk.Folders) (tool.Act, error) {
		if _, ok := m.find(real.Name, args); ok {
			return tool.Act{Risk: tool.ReadOnly}, nil
		}
		return real.Amounts(args, f)
	}
}

func (m *mocks) call(real *tool.Tool) func(context.Context, tool.Call) (tool.Result, error) {
	return func(ctx context.Context, c tool.Call) (tool.Result, error) {
		name := tool.Sanitize(c.Name)
		r, ok := m.find(name, c.Args)
		switch {
		case !ok && real == nil:
			return tool.Result{}, fault.New(fault.NotFound, "No mock of this step fits the call of %s.", name)
		case !ok:
			return real.Call(ctx, c)
		case r.Result.Success != nil && !*r.Result.Success:
			return tool.Result{}, fault.New(fault.Unavailable, "%s", strings.TrimSpace(r.Result.Error+" The call of "+name+" failed."))
		}
		return tool.Result{Text: plain(r.Result.Output)}, nil
	}
}

// mocked lists the tools that a file has mocks for.
func mocked(f File) []string {
	var out []string
	for _, s := range f.Steps {
		for _, m := range s.Mocks {
			if !slices.Contains(out, m.Tool) {
				out = append(out, m.Tool)
			}
		}
	}
	return out
}

// allow lets agents call what their replies call and a mock answers.
func (p *player) allow(ctx context.Context) error {
	names := mocked(p.file)
	wanted := make(map[string][]string)
	for _, s := range p.file.Steps {
		for _, r := range s.Replies {
			_, calls := scripted.Split(r.Text)
			for _, c := range slices.Concat(r.Calls, calls) {
				if slices.Contains(names, c.Name) && !slices.Contains(wanted[r.Agent], c.Name) {
					wanted[r.Agent] = append(wanted[r.Agent], c.Name)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) { // the log has them in this order
		var a struct {
			Tools []string `json:"tools"`
		}
		if err := p.read(ctx, "/api/agents/"+name, &a); err != nil {
			return err
		}
		have := len(a.Tools)
		for _, t := range wanted[name] {
			if !slices.Contains(a.Tools, t) && !slices.Contains(a.Tools, "*") {
				a.Tools = append(a.Tools, t)
			}
		}
		if len(a.Tools) == have {
			continue
		}
		if _, err := p.call(ctx, "PATCH", "/api/agents/"+name, encoded(a)); err != nil {
			return fmt.Errorf("let %s call what is mocked: %w", name, err)
		}
	}
	return nil
}
