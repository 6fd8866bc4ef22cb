// Package tool lets a model call typed Go functions. A tool declares what it does to
// the world ([Risk]), the least role it needs, and whether it may run beside others
// or twice; one without a declaration does not register. Its arguments are a Go
// struct from which the schema that the model sees derives (schema.go). A [Catalog] holds the
// tools there are, also those of others that come and go (catalog.go). The agent's
// loop calls tools; guard decides before each call.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/form"
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
	Send         Risk = "SEND" // to people outside, by a channel
	WriteFiles   Risk = "WRITE_FILES"
	ExecShell    Risk = "EXEC_SHELL"
)

// Risks lists all risks.
func Risks() []Risk { return []Risk{ReadOnly, WriteRecords, NetworkCalls, Send, WriteFiles, ExecShell} }

// Permission is what an agent needs for calls of this risk; "" is none.
func (k Risk) Permission() org.Permission {
	switch k {
	case ReadOnly:
	case WriteRecords, Send:
		return org.Records
	case NetworkCalls:
		return org.Network
	case WriteFiles:
		return org.Files
	case ExecShell:
		return org.Shell
	}
	return ""
}

// A Spec declares a tool.
type Spec struct {
	Name       string
	Help       string         // read by the model; short
	Risk       Risk           // the worst it does; an [Actor] says less of arguments that do less
	Permission org.Permission // needed too, beside the one of its risk; of files it takes the place
	Untrusted  string         // where its results come from when it is outside: "files", "programs", "network"
	Private    bool           // its results are private: a run that has seen them asks before it sends anything out
	Role       org.Role       // the least role of the person it acts for
	Parts      []Part         // operations that are permitted one by one; an [Actor] names the one it is
	Repeatable bool           // doing it twice is harmless
	Asks       string         // why a person is asked although only records change; "" asks nobody
	Everyone   bool           // every agent may use it, whatever its list says
	Common     bool           // what it reaches is the whole organization's: it is not called for a key that is for one project
	Parallel   bool           // it may run beside others although it does more than read
	Alone      bool           // never beside another call, although it only reads
	Client     bool           // the program that asks makes the calls, see [session.ClientTools]; nothing is done here
	Timeout    time.Duration  // 0 means 30 s
}

// A Part is an operation of a tool that a list may name in place of the whole tool.
type Part struct {
	Name string   `json:"name"` // the tool's, _ and the operation
	Risk Risk     `json:"risk"`
	Role org.Role `json:"role"`
}

// Of returns the declaration of a part; "" and what is no part is the whole tool.
func (s Spec) Of(part string) Spec {
	for _, p := range s.Parts {
		if p.Name == part {
			s.Name, s.Risk, s.Role, s.Parts = p.Name, p.Risk, p.Role, nil
		}
	}
	return s
}

// Needs lists the permissions that an agent needs for a call of risk k.
func (s Spec) Needs(k Risk) []org.Permission {
	of := k.Permission()
	switch {
	case of == "" && s.Permission == "":
		return nil
	case s.Permission == "":
		return []org.Permission{of}
	case of == "" || of == s.Permission || k == WriteFiles:
		return []org.Permission{s.Permission}
	}
	return []org.Permission{s.Permission, of}
}

// Whole is the tool that the declaration is of, or is of a part of.
func (s Spec) Whole() string { return org.Whole(s.Name) }

// Uses returns the declarations of what a list may name: the tool's, or those of its parts.
func (s Spec) Uses() []Spec {
	if len(s.Parts) == 0 {
		return []Spec{s}
	}
	out := make([]Spec, 0, len(s.Parts))
	for _, p := range s.Parts {
		out = append(out, s.Of(p.Name))
	}
	return out
}

// A Call is one use of a tool, with who uses it and why.
type Call struct {
	ID      string // the model's id of the call
	Name    string
	Args    json.RawMessage
	Key     string // the same for every attempt of this call: for idempotency elsewhere
	Run     run.Run
	Place   event.Place // of the task that calls
	Agent   org.AgentID
	Role    org.Role          // of the person it acts for
	Folders disk.Folders      // what it may touch of the disk
	Origins []string          // of what the run has seen
	Secrets map[string]Secret // by name, of those that the call asked for; all were granted
	Onward  Onward            `json:"-"` // may it go on to another address; nil refuses
	Inquire Inquire           `json:"-"` // puts a form of a server of others to the person for whom the run works; nil when there is none
	Changes *disk.Changes     `json:"-"` // takes in what the call changes of files; nil when nobody wants to know
	Begins  bool              `json:"-"` // the caller waits by itself for a task that the call begins
	Proof   *Proof            `json:"-"` // what was found of the contract of what it says is done; nil when there is none
}

// Inquire puts a form to the person for whom a run works, and waits for the answer.
type Inquire func(ctx context.Context, q Inquiry) (Filled, error)

// An Inquiry is what a server of others asks a person during a call.
type Inquiry struct {
	Server string
	Form   form.Form
}

// Filled is what came of it.
type Filled struct {
	Action string          // "accept", "decline" or "cancel", as the server is told
	Values json.RawMessage // of the form that is accepted
	Why    string          // a sentence, where it was not put to the person, or not answered
}

// A Claim is that a record is done.
type Claim struct {
	Record string
	Said   string // what was done
}

// A Claimer is an argument struct whose call may say that a record is done. When a contract says what that takes,
// it is checked before the call is made.
type Claimer interface{ Claim() (c Claim, ok bool) }

// A Proof is what was found of a contract.
type Proof struct {
	Found  desk.Proof
	Short  string        // what is not met, sentences
	Drafts []event.Draft // the evidence, which is recorded with what the call changes
}

// Onward says whether a call, which was permitted, may go on to an address that it was not
// asked about, as to where a page leads or what it loads. It may be asked after the call, for
// as long as the page is open.
type Onward func(ctx context.Context, address string) error

// A Result is what came of a call. Drafts are recorded in the transaction that
// records the result, so that a change of ours and its result are one.
type Result struct {
	Text   string
	Drafts []event.Draft
	From   []string  // where it comes from when that is outside: hosts, or one of the origins
	Shows  []string  // artifacts with pictures, for models that see them
	Failed bool      // Text says what went wrong, in words from outside; an error has words of ours
	Stands *Standing // how a task stands that an agent of others was given; nil for none

	Changed *disk.Changes // what was done to files; nil for nothing. It may be there beside an error
}

// A Sourced output knows where it comes from: an origin, or all hosts that had a part in it,
// which a redirect makes others than the one that was asked.
type Sourced interface{ From() []string }

// A Shower output has pictures, kept as artifacts, that a model may look at: of a kind and a
// size that all models take.
type Shower interface{ Shows() []string }

// A Tool is something a model may call.
type Tool struct {
	Spec
	Schema json.RawMessage
	call   func(ctx context.Context, c Call) (Result, error)
	act    func(args json.RawMessage, f disk.Folders) (Act, error)
	show   func(ctx context.Context, c Call) (string, error)
	ask    func(args json.RawMessage) (Question, error)
	claim  func(args json.RawMessage) (Claim, bool)
}

// A Question is put to a person, whose answer is the call's result.
type Question struct {
	Text   string // a sentence
	Detail string
	Wait   time.Duration
}

// An Asker is an argument struct whose call is answered by a person.
type Asker interface{ Ask() Question }

// Asking makes a tool whose result is what a person answers.
func Asking[In Asker](s Spec) *Tool {
	t := Func(s, func(context.Context, Call, In) (string, error) {
		return "", fault.New(fault.Internal, "%s is answered by a person.", s.Name)
	})
	t.ask = func(args json.RawMessage) (Question, error) {
		in, err := read[In](s.Name, args)
		if err != nil {
			return Question{}, err
		}
		return in.Ask(), nil
	}
	return t
}

// Question returns what a person is asked in place of a call; ok is false when the tool is
// called.
func (t *Tool) Question(args json.RawMessage) (q Question, ok bool, err error) {
	if t.ask == nil {
		return Question{}, false, nil
	}
	q, err = t.ask(args)
	return q, true, err
}

// Call runs the tool. Arguments that do not fit never reach its function.
func (t *Tool) Call(ctx context.Context, c Call) (Result, error) { return t.call(ctx, c) }

// Claims returns what a call with these arguments says is done; ok is false when it says no such thing.
func (t *Tool) Claims(args json.RawMessage) (c Claim, ok bool) {
	if t.claim == nil {
		return Claim{}, false
	}
	return t.claim(args)
}

// Amounts says what a call with these arguments amounts to, or why they do not fit.
func (t *Tool) Amounts(args json.RawMessage, f disk.Folders) (Act, error) {
	if t.act == nil {
		return Act{}, nil
	}
	return t.act(args, f)
}

// Preview shows what a call would change, as a unified diff; "" when it cannot be shown so.
func (t *Tool) Preview(ctx context.Context, c Call) (string, error) {
	if t.show == nil {
		return "", nil
	}
	return t.show(ctx, c)
}

// Showing has a tool show what a call is about to run or change, as a [Previewer] does whose arguments know it by themselves.
func Showing[In any](t *Tool, show func(context.Context, Call, In) (string, error)) *Tool {
	t.show = func(ctx context.Context, c Call) (string, error) {
		in, err := read[In](t.Name, c.Args)
		if err != nil {
			return "", err
		}
		return show(ctx, c, in)
	}
	return t
}

// isName reports whether a tool may be called so by a model: 2 to 64 of a to z, 0 to 9 and
// _, a letter first.
func isName(s string) bool {
	return len(s) >= 2 && len(s) <= 64 && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

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
	case !isName(s.Name):
		panic("tool: " + s.Name + " is not a name for a tool")
	case s.Help == "":
		panic("tool: " + s.Name + " has no help")
	case !slices.Contains(Risks(), s.Risk):
		panic("tool: " + s.Name + " declares no risk")
	case s.Role == "":
		panic("tool: " + s.Name + " names no role")
	case slices.ContainsFunc(s.Parts, func(p Part) bool { return org.Whole(p.Name) != s.Name || p.Risk == "" || p.Role == "" }):
		panic("tool: a part of " + s.Name + " is not declared")
	case s.Parallel && (!s.Repeatable || s.Alone):
		panic("tool: " + s.Name + " may run beside others only when repeating it is harmless")
	}
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	t := &Tool{Spec: s, Schema: SchemaOf[In](), call: func(ctx context.Context, c Call) (Result, error) {
		in, err := read[In](s.Name, c.Args)
		if err != nil {
			return Result{}, err
		}
		out, drafts, err := fn(ctx, c, in)
		if err != nil {
			return Result{}, err
		}
		text, err := encode(out)
		if err != nil {
			return Result{}, fmt.Errorf("encode the result of %s: %w", s.Name, err)
		}
		res := Result{Text: text, Drafts: drafts}
		if s, ok := any(out).(Sourced); ok {
			res.From = s.From()
		}
		if s, ok := any(out).(Shower); ok {
			res.Shows = s.Shows()
		}
		return res, nil
	}}
	t.act = func(args json.RawMessage, f disk.Folders) (act Act, err error) {
		in, err := read[In](s.Name, args)
		if actor, ok := any(in).(Actor); ok && err == nil {
			act = actor.Act(f)
			if act.Part != "" && act.Risk == "" {
				act.Risk = s.Of(act.Part).Risk
			}
		}
		return act, err
	}
	if _, ok := any(*new(In)).(Claimer); ok {
		t.claim = func(args json.RawMessage) (Claim, bool) {
			in, err := read[In](s.Name, args)
			if err != nil { // the call says what is wrong
				return Claim{}, false
			}
			return any(in).(Claimer).Claim() //nolint:forcetypeassert // asked above
		}
	}
	if _, ok := any(*new(In)).(Previewer); ok {
		t.show = func(ctx context.Context, c Call) (string, error) {
			in, err := read[In](s.Name, c.Args)
			if err != nil {
				return "", err
			}
			return any(in).(Previewer).Preview(ctx, c) //nolint:forcetypeassert // asked above
		}
	}
	return t
}

// encode writes a result as a model reads it: JSON in which < is a <.
func encode(out any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// read decodes the arguments of a call.
func read[In any](name string, args json.RawMessage) (in In, err error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err = Broken(name, args); err != nil {
		return in, err
	}
	if err = event.DecodeStrict(args, &in); err == nil {
		err = misfit(reflect.ValueOf(in), "")
	}
	if checked, ok := any(in).(Checker); ok && err == nil {
		err = checked.Check()
	}
	if err != nil {
		err = fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: %s", name, fault.TextOf(err))
	}
	return in, err
}

// StandIn makes a tool that is called in another's place; what its arguments are is its
// own affair, and so is what they amount to.
func StandIn(s Spec, schema json.RawMessage, act func(args json.RawMessage, f disk.Folders) (Act, error), call func(context.Context, Call) (Result, error)) *Tool {
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	return &Tool{Spec: s, Schema: schema, act: act, call: call}
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
	// From lists where it comes from, when it says so: hosts, or origins.
	From []string `json:"from,omitempty"`
	// Shows lists artifacts with pictures that a model was shown with it, if it sees any.
	Shows []string `json:"shows,omitempty"`
	// Changed is what it did to files; nil for nothing.
	Changed *disk.Changes `json:"changed,omitempty"`
	// Stands is how a task stands that an agent of others was given; nil for none.
	Stands *Standing `json:"stands,omitempty"`
}

// A Standing is how a task stands that an agent of others was given, in its words.
type Standing struct {
	Task    string `json:"task,omitempty"`
	State   string `json:"state,omitempty"`   // in which it ended or asks for something; empty while it goes on
	Context string `json:"context,omitempty"` // of its conversation
}

// Asks reports whether the task waits for an answer.
func (s Standing) Asks() bool { return s.State == "input_required" }

// An ErrorPayload is the payload of tool.error.
type ErrorPayload struct {
	Tool    string `json:"tool"`
	Success bool   `json:"success"` // false
	Error   string `json:"error"`
	Call    string `json:"call"`
	MS      int64  `json:"ms"`
	// Changed is what it did to files all the same; nil for nothing.
	Changed *disk.Changes `json:"changed,omitempty"`
}

// HelpFile reads the help of a tool from the Markdown file of its name. A tool without one
// panics at the start.
func HelpFile(files fs.FS, name string) string {
	raw, err := fs.ReadFile(files, name+".md")
	if err != nil {
		panic("tool: " + name + " has no help: " + err.Error())
	}
	return strings.TrimSpace(string(raw))
}
