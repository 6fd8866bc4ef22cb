// Package definition reads workflows: one YAML file with inputs, steps and what they depend on. A file
// is read strictly and within limits ([Parse]), checked as a whole ([Check]: references, cycles, types),
// and its expressions are compiled, in CEL, before anything runs. It does no I/O; package instance plays
// what it gives.
package definition

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Definition is a workflow as its file has it.
type Definition struct {
	Slug        string    `yaml:"slug"`
	Name        string    `yaml:"name"`
	Description string    `yaml:"description"`
	Label       string    `yaml:"version"` // of its author; the library numbers by itself
	Category    string    `yaml:"category"`
	Examples    []string  `yaml:"examples"` // messages that ask for it
	CostUSD     float64   `yaml:"estimated_cost_usd"`
	Inputs      []Input   `yaml:"inputs"`
	Triggers    []Trigger `yaml:"triggers"`
	Budget      Budget    `yaml:"budget"`
	Steps       []Step    `yaml:"steps"`
	Output      any       `yaml:"output"` // values with expressions; nil is the last step's
	Tests       []Test    `yaml:"tests"`
}

// An Input is a value that an instance is started with.
type Input struct {
	Name        string `yaml:"name" json:"name"`
	Type        Type   `yaml:"type" json:"type"`
	Description string `yaml:"description" json:"description,omitempty"`
	Required    bool   `yaml:"required" json:"required,omitempty"`
	Default     any    `yaml:"default" json:"default,omitempty"`
	Enum        []any  `yaml:"enum" json:"enum,omitempty"`
}

// A Trigger starts instances. Every workflow may be started by a person and by the API besides.
type Trigger struct {
	Message bool           `yaml:"message" json:"message,omitempty"` // the router may start it
	Cron    string         `yaml:"cron" json:"cron,omitempty"`
	Zone    string         `yaml:"timezone" json:"timezone,omitempty"` // of cron; UTC when left out
	Event   *EventPattern  `yaml:"event" json:"event,omitempty"`
	Webhook string         `yaml:"webhook" json:"webhook,omitempty"` // how the address ends that programs post to
	Inputs  map[string]any `yaml:"inputs" json:"inputs,omitempty"`   // values with expressions over event
}

// An EventPattern fits events of a type for which a condition holds.
type EventPattern struct {
	Type string `yaml:"type" json:"type"`           // may end in * to mean a namespace
	When string `yaml:"when" json:"when,omitempty"` // CEL over event
}

// A Budget bounds an instance. 0 bounds nothing.
type Budget struct {
	USD    float64  `yaml:"usd"`
	Tokens int      `yaml:"tokens"`
	Time   Duration `yaml:"time"` // of work, without the time that it waited
}

// A Step is one node. Exactly one of the fields from Agent to Transform says what it does.
type Step struct {
	ID    string    `yaml:"id"`
	Title string    `yaml:"title"`
	Needs *[]string `yaml:"needs"` // steps, or step.outcome; nil is the step before it in the file
	When  string    `yaml:"when"`  // CEL; the step is skipped when it is false

	Agent     *AgentStep    `yaml:"agent"`
	Tool      *ToolStep     `yaml:"tool"`
	Model     *ModelStep    `yaml:"model"`
	Rule      []Rule        `yaml:"rule"`
	Branch    []Case        `yaml:"branch"`
	Loop      *LoopStep     `yaml:"loop"`
	Map       *MapStep      `yaml:"map"`
	Wait      *WaitStep     `yaml:"wait"`
	Workflow  *WorkflowStep `yaml:"workflow"`
	Transform any           `yaml:"transform"` // values with expressions

	Expects    *Expects    `yaml:"expects"`
	Review     *Review     `yaml:"review"`
	Contract   []Condition `yaml:"contract"`
	Retry      Retry       `yaml:"retry"`
	Timeout    Duration    `yaml:"timeout"`
	Compensate *ToolStep   `yaml:"compensate"` // undoes it when the instance fails later
}

// A Kind says what a step does.
type Kind string

// The kinds of steps.
const (
	Agent     Kind = "agent"
	Tool      Kind = "tool"
	Model     Kind = "model"
	RuleKind  Kind = "rule"
	Branch    Kind = "branch"
	Loop      Kind = "loop"
	Map       Kind = "map"
	Wait      Kind = "wait"
	Workflow  Kind = "workflow"
	Transform Kind = "transform"
)

// Kinds lists the kinds that s names; a step that can run has one.
func (s Step) Kinds() []Kind {
	var out []Kind
	for _, k := range []struct {
		kind Kind
		is   bool
	}{
		{Agent, s.Agent != nil},
		{Tool, s.Tool != nil},
		{Model, s.Model != nil},
		{RuleKind, s.Rule != nil},
		{Branch, s.Branch != nil},
		{Loop, s.Loop != nil},
		{Map, s.Map != nil},
		{Wait, s.Wait != nil},
		{Workflow, s.Workflow != nil},
		{Transform, s.Transform != nil},
	} {
		if k.is {
			out = append(out, k.kind)
		}
	}
	return out
}

// Kind is what s does. The step has been checked.
func (s Step) Kind() Kind { return s.Kinds()[0] }

// Body are the steps inside a loop or a map; nil for every other step.
func (s Step) Body() []Step {
	switch {
	case s.Loop != nil:
		return s.Loop.Do
	case s.Map != nil:
		return s.Map.Do
	}
	return nil
}

// An AgentStep is a task for an agent, who works with its tools.
type AgentStep struct {
	Name     string   `yaml:"name"`     // of the agent; empty has the router choose one
	Requires []string `yaml:"requires"` // capabilities it must have
	Prefers  []string `yaml:"prefers"`
	Task     string   `yaml:"task"`   // text with expressions
	Schema   any      `yaml:"schema"` // of its answer; nil is a text
}

// A ToolStep is one call of a tool, without a model.
type ToolStep struct {
	Name  string         `yaml:"name"`
	Agent string         `yaml:"agent"` // as whom; empty is the first enabled agent that may call it
	Args  map[string]any `yaml:"args"`  // values with expressions
}

// A ModelStep is one question to a model, which answers in a form.
type ModelStep struct {
	Prompt string `yaml:"prompt"` // text with expressions
	System string `yaml:"system"`
	Schema any    `yaml:"schema"`
}

// A Rule gives a value when its condition holds. Of a list the first that fits counts; one without a
// condition always fits.
type Rule struct {
	When string `yaml:"when"`
	Then any    `yaml:"then"`
}

// A Case is an outcome of a branch, which other steps need as step.case.
type Case struct {
	Case string `yaml:"case"`
	When string `yaml:"when"` // empty always fits
}

// A LoopStep does its steps again until a condition holds.
type LoopStep struct {
	Until string `yaml:"until"` // CEL, with the results of the round
	Most  int    `yaml:"most"`  // rounds
	Do    []Step `yaml:"do"`
}

// A MapStep does its steps once for each item of a list.
type MapStep struct {
	Over     string `yaml:"over"`     // an expression that gives a list
	Parallel int    `yaml:"parallel"` // items at once; 0 means 4
	Most     int    `yaml:"most"`     // items; 0 means 100
	Do       []Step `yaml:"do"`
}

// A WaitStep waits for a time, an event or a person; exactly one field is set.
type WaitStep struct {
	For    Duration    `yaml:"for"`
	Until  string      `yaml:"until"` // a date, a time, or an expression that gives one
	Event  *EventWait  `yaml:"event"`
	Person *PersonWait `yaml:"person"`
}

// An EventWait is for the first event that fits.
type EventWait struct {
	Type string `yaml:"type"`
	When string `yaml:"when"` // CEL over event and what is known
}

// A PersonWait is for a person's choice.
type PersonWait struct {
	Ask     string   `yaml:"ask"`     // text with expressions
	Detail  string   `yaml:"detail"`  // text with expressions
	Choices []string `yaml:"choices"` // nil means approve and deny
	Role    string   `yaml:"role"`    // the least role; empty is editor
	Only    []string `yaml:"only"`    // persons, as ids or texts with expressions
	Except  []string `yaml:"except"`
}

// A WorkflowStep plays another workflow as a part of this one.
type WorkflowStep struct {
	Slug   string         `yaml:"slug"`
	Inputs map[string]any `yaml:"inputs"` // values with expressions
}

// Expects says which payload the answer of an agent or a model is. The library's registry knows the schema of
// a payload type.
type Expects struct {
	PayloadType string   `yaml:"payload_type"` // such as research.summary.v1
	SchemaRef   string   `yaml:"schema_ref"`   // such as schema://clutch/research/summary@1; it names the same
	Required    []string `yaml:"required"`     // fields that have to be there besides
}

// A Review has what a step gave looked at by others before it counts.
type Review struct {
	By        []Reviewer `yaml:"by"`
	Quorum    int        `yaml:"quorum"`     // of them that have to pass it; 0 means all
	Rework    *int       `yaml:"rework"`     // how often it may be reworked; nil means 3, which is the most
	Escalate  *Reviewer  `yaml:"escalate"`   // who reviews after two reworks
	After     int        `yaml:"after"`      // reworks, before it is escalated; 0 means 2
	FastTrack *FastTrack `yaml:"fast_track"` // passes without a reviewer
	Criteria  string     `yaml:"criteria"`   // what reviewers look at; text with expressions
}

// A Reviewer is an agent, a named person, or any person with a role.
type Reviewer struct {
	Agent  string `yaml:"agent"`
	Person string `yaml:"person"` // an id, a name, or a text with expressions
	Role   string `yaml:"role"`
}

// A FastTrack passes what cost and took less than these.
type FastTrack struct {
	USD  float64  `yaml:"usd"`
	Time Duration `yaml:"time"`
}

// A Condition is a part of a completion contract: something that has to be true when a step is done. Exactly one
// field besides Name is set.
type Condition struct {
	Name    string       `yaml:"name"`    // for people
	Holds   string       `yaml:"holds"`   // CEL over what is known and result
	File    *FileCheck   `yaml:"file"`    // is there
	Command *Command     `yaml:"command"` // ends with 0
	Record  *RecordCheck `yaml:"record"`  // is in a state
	Number  *NumberCheck `yaml:"number"`  // lies in a range
	Cites   *Cites       `yaml:"cites"`   // names its sources
	Verdict bool         `yaml:"verdict"` // the review passed it, with reasons
}

// A FileCheck is that an agent can read a file.
type FileCheck struct {
	Path  string `yaml:"path"`  // text with expressions
	Agent string `yaml:"agent"` // whose folders; empty is the first enabled agent that may read files
}

// A Command is that a line for a shell ends with 0.
type Command struct {
	Run   string `yaml:"run"`   // text with expressions
	Dir   string `yaml:"dir"`   // text with expressions
	Agent string `yaml:"agent"` // who runs it; empty is the first enabled agent that may
}

// A RecordCheck is that a condition holds of a record.
type RecordCheck struct {
	ID   string `yaml:"id"`   // text with expressions
	When string `yaml:"when"` // CEL over record; empty is that it is there
}

// A NumberCheck is that a number lies in a range.
type NumberCheck struct {
	Value string   `yaml:"value"` // an expression
	Min   *float64 `yaml:"min"`
	Max   *float64 `yaml:"max"`
}

// Cites is that a text names sources: addresses, or records that are there.
type Cites struct {
	Text  string `yaml:"text"`  // text with expressions
	Least int    `yaml:"least"` // different ones; 0 means 1
}

// A Retry says how often a step that failed is done again. Each wait is twice the one before.
type Retry struct {
	Times int      `yaml:"times"`
	Wait  Duration `yaml:"wait"`
}

// A Test plays the workflow without a model: answers come from the test.
type Test struct {
	Name   string         `yaml:"name"`
	Inputs map[string]any `yaml:"inputs"`
	Given  map[string]any `yaml:"given"` // what steps give, by path; a list gives one after the other
	// Reviews are the verdicts of reviewers, by the path of the step: approve, or why not; a list gives one
	// after the other. Evidence says of conditions that look outside whether they are met, by path and name.
	Reviews  map[string]any `yaml:"reviews"`
	Evidence map[string]any `yaml:"evidence"`
	Expect   Expectation    `yaml:"expect"`
}

// An Expectation is what a test demands.
type Expectation struct {
	State  string         `yaml:"state"`  // done, unproven or failed; empty is done
	Steps  map[string]any `yaml:"steps"`  // the state of steps, by path
	Output any            `yaml:"output"` // that has to be in the output
	Error  string         `yaml:"error"`  // text in the reason of a failure
}

// A Duration is written as 90s, 15m, 2h or 3d; empty is none.
type Duration string

// maxDuration is the longest time that a file may name.
const maxDuration = 366 * 24 * time.Hour

// Parse reads the duration; the error is a sentence's middle.
func (d Duration) Parse() (time.Duration, error) {
	if d == "" {
		return 0, nil
	}
	var out time.Duration
	var err error
	if days, ok := strings.CutSuffix(string(d), "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n > 366 {
			err = strconv.ErrRange
		}
		out = time.Duration(n) * 24 * time.Hour
	} else {
		out, err = time.ParseDuration(string(d))
	}
	if err != nil || out < 0 || out > maxDuration {
		return 0, fmt.Errorf("%q is no time span; write 90s, 15m, 2h or 3d, at most 366d", string(d))
	}
	return out, nil
}

// Std is d as the standard library has it. It has been checked.
func (d Duration) Std() time.Duration {
	out, err := d.Parse()
	if err != nil {
		return 0
	}
	return out
}

// Source is a need's step and outcome; the outcome is empty for any but an error.
func Source(need string) (step, outcome string) {
	step, outcome, _ = strings.Cut(need, ".")
	return step, outcome
}

// Failed is the outcome of a step that failed, for the steps that need it so.
const Failed = "error"

// NeedsOf are the needs of step i of a list: those it names, else the step before it.
func NeedsOf(steps []Step, i int) []string {
	switch {
	case steps[i].Needs != nil:
		return *steps[i].Needs
	case i == 0:
		return nil
	}
	return []string{steps[i-1].ID}
}
