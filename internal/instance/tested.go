package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/contract"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/review"
	"chela/internal/run"
)

// answers are what the steps of a test give: nothing outside is asked. Safe for concurrent use.
type answers struct {
	test definition.Test

	mu     sync.Mutex // guards the rest
	turns  map[string]int
	failed []string // what the test does not say, sentences
}

// given reports whether a test says what steps of a kind give.
func given(k definition.Kind) bool {
	switch k {
	case definition.Agent, definition.Tool, definition.Model, definition.Wait, definition.Workflow:
		return true
	case definition.RuleKind, definition.Branch, definition.Loop, definition.Map, definition.Transform:
	}
	return false
}

// plain takes the numbers of rounds and attempts out of a path: each[2].write becomes each.write.
func plain(path string) string {
	var b strings.Builder
	skip := false
	for _, r := range path {
		switch {
		case r == '[' || r == '#':
			skip = true
		case r == ']' || r == '.':
			if r == '.' {
				b.WriteRune(r)
			}
			skip = false
		case !skip:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// next is the value of several, one after the other; the last stays.
func (a *answers) next(what string, v any) any {
	list, many := v.([]any)
	if !many {
		return v
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.turns[what]
	a.turns[what]++
	if len(list) == 0 {
		return nil
	}
	return list[min(i, len(list)-1)]
}

// take is what a step gives.
func (a *answers) take(n *definition.Node, path string) (any, error) {
	v, ok := a.test.Given[plain(path)]
	if !ok {
		if n.Kind == definition.Wait && n.Step.Wait.Person == nil && n.Step.Wait.Event == nil {
			return map[string]any{"at": ""}, nil
		}
		return nil, a.missing("The test %s gives nothing for the step %s, which was reached.", a.test.Name, plain(path))
	}
	v = a.next("given/"+plain(path), v)
	m, object := v.(map[string]any)
	if why, failing := m["error"].(string); failing && len(m) == 1 {
		return nil, fault.New(fault.Conflict, "%s", why)
	}
	switch {
	case n.Schema != nil:
		if err := n.Schema.Check(v); err != nil {
			return nil, a.missing("What the test %s gives for %s does not fit. %s", a.test.Name, plain(path), err)
		}
		return n.Schema.Typed(v), nil
	case n.Kind == definition.Agent && !object:
		return map[string]any{"text": definition.Text(v), "agent": n.Step.Agent.Name}, nil
	case n.Kind == definition.Tool:
		return map[string]any{"text": definition.Text(v), "data": v}, nil
	case n.Kind == definition.Wait && n.Step.Wait.Person != nil && !object:
		return map[string]any{"choice": definition.Text(v), "note": "", "by": "per_test"}, nil
	case n.Kind == definition.Wait && n.Step.Wait.Event != nil:
		return map[string]any{"event": v}, nil
	}
	return v, nil
}

// missing notes what the test does not say, and is the error of the step.
func (a *answers) missing(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = append(a.failed, text)
	return fault.New(fault.Invalid, "%s", text)
}

// verdict is what the next reviewer of a step says: approve, or why not.
func (a *answers) verdict(path string) (review.Verdict, error) {
	v, ok := a.test.Reviews[plain(path)]
	if !ok {
		return review.Verdict{}, a.missing("The test %s says no verdict for the step %s, which is reviewed.", a.test.Name, plain(path))
	}
	text := definition.Text(a.next("review/"+plain(path), v))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns["reviewer/"+path]++
	out := review.Verdict{Reviewer: fmt.Sprintf("agent:person/per_test%d", a.turns["reviewer/"+path]), Pass: text == "approve", Reasons: text}
	return out, nil
}

// found is what is found of a condition that looks outside: it is met unless the test says not.
func (a *answers) found(key, title string) contract.Found {
	path, _, _ := strings.Cut(key, "#")
	of, _ := a.test.Evidence[plain(path)].(map[string]any)
	met, said := of[title].(bool)
	if !said {
		return contract.Found{Met: true, Detail: "The test says so."}
	}
	return contract.Found{Met: met, Detail: "The test says so."}
}

// memory is the record of an instance that is only played in a test.
type memory struct {
	mint *event.Mint

	mu    sync.Mutex // guards the rest
	steps map[string]run.Recorded
	told  []Step
}

// Recorded implements [record].
func (m *memory) Recorded(key string) run.Recorded {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.steps[key]
}

// Steps implements [record].
func (m *memory) Steps(fits func(key string) bool) []run.Recorded {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []run.Recorded
	for key, r := range m.steps {
		if fits(key) {
			out = append(out, r)
		}
	}
	return out
}

// Hold implements [record].
func (m *memory) Hold(drafts ...event.Draft) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range drafts {
		e := event.Event{Stream: d.Stream, Message: d.Message}
		if s, ok, err := StepKind.Open(e); ok && err == nil {
			m.told = append(m.told, s)
		}
		mark, ok := run.MarkOf(d.Message)
		if !ok {
			continue
		}
		r := m.steps[mark.Key]
		r.Key, r.Begun = mark.Key, true
		if mark.Done {
			r.Done, r.Event = true, e
		}
		m.steps[mark.Key] = r
	}
}

// Place implements [record].
func (m *memory) Place(from event.Party) event.Place {
	return event.Place{Stream: event.ThreadStream("thr_test"), Thread: "thr_test", Run: "run_test", Task: "task_test", From: from}
}

// Mint implements [record].
func (m *memory) Mint() *event.Mint { return m.mint }

// A Tested is what came of a test.
type Tested struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Failed []string `json:"failed,omitempty"` // what did not hold, sentences
	State  string   `json:"state"`
	Steps  []Step   `json:"steps"` // where each stands, in the order in which they ended
}

// testStart is when instances of tests begin.
var testStart = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Test plays a test of a workflow: no model is asked, no tool is called, and nobody waits.
func Test(ctx context.Context, c *definition.Compiled, t definition.Test) Tested {
	out := Tested{Name: t.Name}
	inputs, _, err := c.TakeInputs(t.Inputs)
	if err != nil {
		out.Failed = []string{capital(err.Error())}
		return out
	}
	given := &answers{test: t, turns: make(map[string]int)}
	m := &memory{mint: event.NewMint(testStart), steps: make(map[string]run.Recorded)}
	h := New(nil, nil, nil, nil, nil, Options{})
	p := &player{h: h, s: m, def: c, given: given}
	p.spec.ID, p.spec.By, p.spec.CreatedAt = "run_test", event.Party{AgentID: "agent:person/per_test", Role: "person"}, testStart
	var output any
	for range mostTries { // what is tried again waits no time here
		output, err = p.whole(ctx, c, "", inputs, 0)
		w, waits := waiting(err)
		if !waits {
			break
		}
		m.mint.Forward(max(w.outcome().Until.Sub(m.mint.Now()), time.Second))
	}
	if err != nil {
		err = errors.Join(err, p.undo(ctx))
	}
	out.Steps = m.told
	out.judge(t, given, output, err)
	return out
}

// mostTries is how often an instance of a test waits.
const mostTries = 1000

// judge compares what came of the test with what it expects.
func (out *Tested) judge(t definition.Test, given *answers, output any, err error) {
	bad := func(format string, args ...any) { out.Failed = append(out.Failed, fmt.Sprintf(format, args...)) }
	out.Failed = append(out.Failed, given.failed...)
	var short *unproven
	switch {
	case errors.As(err, &short):
		out.State = "unproven"
	case err != nil:
		out.State = string(Failed)
	default:
		out.State = string(Done)
	}
	want := t.Expect.State
	if want == "" {
		want = string(Done)
	}
	if out.State != want {
		why := ""
		if err != nil {
			why = ": " + fault.TextOf(err)
		}
		bad("It is %s, and not %s%s", out.State, want, why)
	}
	if t.Expect.Error != "" && (err == nil || !strings.Contains(fault.TextOf(err), t.Expect.Error)) {
		bad("The reason of its failure does not have %q.", t.Expect.Error)
	}
	last := make(map[string]State)
	for _, s := range out.Steps {
		last[plain(s.Path)] = s.State
	}
	for _, path := range slices.Sorted(maps.Keys(t.Expect.Steps)) {
		if got, want := string(last[path]), definition.Text(t.Expect.Steps[path]); got != want {
			bad("The step %s is %q, and not %q.", path, got, want)
		}
	}
	if t.Expect.Output != nil {
		for _, s := range lacks("output", normal(output), normal(t.Expect.Output)) {
			bad("%s", s)
		}
	}
	out.OK = len(out.Failed) == 0
}

// normal is a value as JSON has it, so that numbers compare.
func normal(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// lacks says what got does not have of want.
func lacks(at string, got, want any) []string {
	w, object := want.(map[string]any)
	if !object {
		if definition.Text(got) == definition.Text(want) {
			return nil
		}
		return []string{fmt.Sprintf("The %s is %s, and not %s.", at, definition.Text(got), definition.Text(want))}
	}
	g, _ := got.(map[string]any)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(w)) {
		out = append(out, lacks(at+"."+k, g[k], w[k])...)
	}
	return out
}
