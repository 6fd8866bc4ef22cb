// Package tool lets a model call typed Go functions. A tool declares what it does to
// the world ([Risk]), the least role it needs, and whether it may run beside others
// or twice; one without a declaration does not register. Its arguments are a Go
// struct from which the schema that the model sees derives (schema.go). The agent's
// loop calls tools; guard decides before each call.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// A Risk says what a call does to the world.
type Risk string

// The risks, least first.
const (
	ReadOnly     Risk = "READ_ONLY"
	WriteRecords Risk = "WRITE_RECORDS" // our own database
	NetworkCalls Risk = "NETWORK_CALLS"
	WriteFiles   Risk = "WRITE_FILES"
	ExecShell    Risk = "EXEC_SHELL"
)

// Risks lists all risks.
func Risks() []Risk { return []Risk{ReadOnly, WriteRecords, NetworkCalls, WriteFiles, ExecShell} }

// A Spec declares a tool.
type Spec struct {
	Name       string
	Help       string // read by the model; short
	Risk       Risk
	Role       org.Role      // the least role of the person it acts for
	Repeatable bool          // doing it twice is harmless
	Timeout    time.Duration // 0 means 30 s
}

// A Call is one use of a tool, with who uses it and why.
type Call struct {
	ID    string // the model's id of the call
	Name  string
	Args  json.RawMessage
	Key   string // the same for every attempt of this call: for idempotency elsewhere
	Run   run.Run
	Place event.Place // of the task that calls
	Agent org.AgentID
	Role  org.Role // of the person it acts for

	Folders Folders // what it may touch of the disk
}

// A Result is what came of a call. Drafts are recorded in the transaction that
// records the result, so that a change of ours and its result are one.
type Result struct {
	Text   string
	Drafts []event.Draft
}

// A Tool is something a model may call.
type Tool struct {
	Spec
	Schema json.RawMessage
	call   func(ctx context.Context, c Call) (Result, error)
}

// Call runs the tool. Arguments that do not fit never reach its function.
func (t *Tool) Call(ctx context.Context, c Call) (Result, error) { return t.call(ctx, c) }

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]{1,63}$`)

// Func makes a tool of a function that reads or acts outside.
func Func[In, Out any](s Spec, fn func(context.Context, Call, In) (Out, error)) *Tool {
	return Record(s, func(ctx context.Context, c Call, in In) (Out, []event.Draft, error) {
		out, err := fn(ctx, c, in)
		return out, nil, err
	})
}

// Record makes a tool of a function that plans changes of our own records.
func Record[In, Out any](s Spec, fn func(context.Context, Call, In) (Out, []event.Draft, error)) *Tool {
	switch {
	case !validName.MatchString(s.Name):
		panic("tool: " + s.Name + " is not a name for a tool")
	case s.Help == "":
		panic("tool: " + s.Name + " has no help")
	case !slices.Contains(Risks(), s.Risk):
		panic("tool: " + s.Name + " declares no risk")
	case s.Role == "":
		panic("tool: " + s.Name + " names no role")
	}
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	return &Tool{Spec: s, Schema: SchemaOf[In](), call: func(ctx context.Context, c Call) (Result, error) {
		var in In
		args := c.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if err := event.DecodeStrict(args, &in); err != nil {
			return Result{}, fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: %s", s.Name, fault.TextOf(err))
		}
		if err := misfit(reflect.ValueOf(in), ""); err != nil {
			return Result{}, fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: %s", s.Name, fault.TextOf(err))
		}
		out, drafts, err := fn(ctx, c, in)
		if err != nil {
			return Result{}, err
		}
		raw, err := json.Marshal(out)
		if err != nil {
			return Result{}, fmt.Errorf("encode the result of %s: %w", s.Name, err)
		}
		return Result{Text: string(raw), Drafts: drafts}, nil
	}}
}

// StandIn makes a tool that is called in another's place; what its arguments are is its
// own affair.
func StandIn(s Spec, schema json.RawMessage, call func(context.Context, Call) (Result, error)) *Tool {
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	return &Tool{Spec: s, Schema: schema, call: call}
}

// A Set is the tools there are.
type Set struct{ byName map[string]*Tool }

// NewSet panics when two tools have one name.
func NewSet(tools ...*Tool) *Set {
	s := &Set{byName: make(map[string]*Tool, len(tools))}
	for _, t := range tools {
		if s.byName[t.Name] != nil {
			panic("tool: there are two tools named " + t.Name)
		}
		s.byName[t.Name] = t
	}
	return s
}

// Find returns the tool of that name. Models decorate names now and then; blanks,
// case and a leading "functions." are forgiven.
func (s *Set) Find(name string) (*Tool, bool) {
	if t, ok := s.byName[name]; ok {
		return t, true
	}
	t, ok := s.byName[Sanitize(name)]
	return t, ok
}

// Sanitize brings a model's spelling of a tool's name into the form of names.
func Sanitize(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(name, "functions.")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r == '-', r == ' ', r == '.':
			return '_'
		}
		return -1
	}, name)
}

// All returns the tools by name.
func (s *Set) All() []*Tool {
	out := make([]*Tool, 0, len(s.byName))
	for _, t := range s.byName {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Of returns the tools that an agent's list names; "*" names all.
func (s *Set) Of(names []string) []*Tool {
	if slices.Contains(names, "*") {
		return s.All()
	}
	var out []*Tool
	for _, t := range s.All() {
		if slices.Contains(names, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// The protocol's frame around every call.
var (
	CallKind   = event.Kind[CallPayload]{Name: event.ToolCall}
	ResultKind = event.Kind[ResultPayload]{Name: event.ToolResult}
	ErrorKind  = event.Kind[ErrorPayload]{Name: event.ToolError}
)

// A CallPayload is the payload of tool.call: an intention.
type CallPayload struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Call string          `json:"call"` // the model's id of the call
	Risk Risk            `json:"risk"`
	Rule string          `json:"rule"` // of guard, that allowed it
}

// A ResultPayload is the payload of tool.result.
type ResultPayload struct {
	Tool    string `json:"tool"`
	Success bool   `json:"success"`
	Result  string `json:"result"`
	Call    string `json:"call"`
	Rest    string `json:"rest,omitempty"` // artifact with the whole of a result that was cut
	MS      int64  `json:"ms"`
}

// An ErrorPayload is the payload of tool.error.
type ErrorPayload struct {
	Tool    string `json:"tool"`
	Success bool   `json:"success"` // false
	Error   string `json:"error"`
	Call    string `json:"call"`
	MS      int64  `json:"ms"`
}
