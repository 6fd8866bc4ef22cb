// Package contract checks completion contracts: what has to be true before a word counts that something is
// done, on steps of workflows and on tickets. It looks at the world through a [World], whose calls of tools are
// decided and recorded as all are.
package contract

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// EvidenceKind records what was found of a contract when something was said to be done.
var EvidenceKind = event.Kind[Evidence]{Name: "workflow.evidence", PayloadType: "workflow.evidence.v1"}

// An Evidence is the payload of workflow.evidence.
type Evidence struct {
	Path   string  `json:"path"`             // of the step; empty for a ticket
	Ticket string  `json:"ticket,omitempty"` // the record whose contract it is
	Said   string  `json:"said,omitempty"`   // what the agent said was done
	Agent  string  `json:"agent,omitempty"`  // who said that it was done
	Met    bool    `json:"met"`
	Found  []Found `json:"found" nullable:"false"`

	Changed *disk.Changes `json:"changed,omitempty" doc:"what its calls did to files until then; left out for nothing"`
}

// A Found is what was found of one condition.
type Found struct {
	Condition string `json:"condition"`
	Met       bool   `json:"met"`
	Detail    string `json:"detail,omitempty"`
}

// Short says what is not met, in sentences; "" for nothing.
func (e Evidence) Short() string {
	var out []string
	for _, f := range e.Found {
		if !f.Met {
			out = append(out, strings.TrimSpace(fmt.Sprintf("Not met: %s. %s", strings.TrimSuffix(f.Condition, "."), f.Detail)))
		}
	}
	return strings.Join(out, "\n")
}

// Add takes in what was found of one more condition.
func (e *Evidence) Add(f Found) {
	e.Met = e.Met && f.Met
	e.Found = append(e.Found, f)
}

// A World is what conditions are checked against.
type World interface {
	// Call calls a tool and returns its result as data, nil when it is a text. An error for which Stops says no
	// means that the call failed.
	Call(ctx context.Context, t definition.ToolStep, args map[string]any, key string) (data any, err error)
	// Record returns a record of the desk, or a fault.NotFound.
	Record(ctx context.Context, id string) (desk.Record, error)
	// Stops reports whether an error of a call ends the work for now, as when a person is asked.
	Stops(ctx context.Context, err error) bool
	// Verdict is what the reviewers say.
	Verdict(ctx context.Context, key string) (Found, error)
}

// With is vars with one more value.
func With(vars definition.Vars, name string, v any) definition.Vars {
	out := maps.Clone(vars)
	out[name] = v
	return out
}

// Check checks one condition under a key, which its calls have. An error means that nobody can say yet, or that
// the work stops for now.
func Check(ctx context.Context, w World, c definition.Term, key string, vars definition.Vars) (Found, error) {
	texts := make(map[string]string, len(c.Texts))
	for name, t := range c.Texts {
		v, err := t.Text(ctx, vars)
		if err != nil {
			return Found{Detail: sentence(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
		}
		texts[name] = v
	}
	switch {
	case c.Holds != "":
		yes, err := c.When.True(ctx, vars)
		if err != nil {
			return Found{Detail: sentence(err.Error())}, nil
		}
		return Found{Met: yes}, nil
	case c.File != nil:
		return called(ctx, w, definition.ToolStep{Name: "read_file", Agent: c.File.Agent}, map[string]any{"path": texts["path"], "limit": int64(1)}, key, func(any) (bool, string) { return true, "" })
	case c.Command != nil:
		args := map[string]any{"command": texts["run"], "timeout_seconds": int64(600)}
		if texts["dir"] != "" {
			args["working_dir"] = texts["dir"]
		}
		return called(ctx, w, definition.ToolStep{Name: "shell_exec", Agent: c.Command.Agent}, args, key, ended0)
	case c.Record != nil:
		return record(ctx, w, c, texts["id"], vars)
	case c.Number != nil:
		return number(ctx, c, vars)
	case c.Cites != nil:
		return cites(ctx, w, c.Cites, texts["text"])
	}
	return w.Verdict(ctx, key)
}

// called checks by a call of a tool.
func called(ctx context.Context, w World, t definition.ToolStep, args map[string]any, key string, met func(data any) (bool, string)) (Found, error) {
	data, err := w.Call(ctx, t, args, key)
	if err != nil && w.Stops(ctx, err) {
		return Found{}, err
	}
	if err != nil {
		return Found{Detail: fault.TextOf(err)}, nil
	}
	yes, detail := met(data)
	return Found{Met: yes, Detail: detail}, nil
}

// ended0 reports whether a program ended with 0, and what it said when not.
func ended0(data any) (bool, string) {
	m, _ := data.(map[string]any)
	code, _ := m["exit_code"].(int64)
	if code == 0 && m["exit_code"] != nil && m["timed_out"] != true {
		return true, "It ended with 0."
	}
	return false, head(fmt.Sprintf("It ended with %v. %v %v", m["exit_code"], definition.Text(m["stderr"]), definition.Text(m["stdout"])))
}

// record checks a record.
func record(ctx context.Context, w World, c definition.Term, id string, vars definition.Vars) (Found, error) {
	r, err := w.Record(ctx, id)
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.Deleted {
		return Found{Detail: fmt.Sprintf("The record %s does not exist.", id)}, nil
	}
	if err != nil {
		return Found{}, err
	}
	known, err := Known(r)
	if err != nil {
		return Found{}, err
	}
	yes, err := c.When.True(ctx, With(vars, "record", known))
	if err != nil {
		return Found{Detail: sentence(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
	}
	return Found{Met: yes, Detail: fmt.Sprintf("%s is %s.", id, definition.Text(known["status"]))}, nil
}

// Known is a record as expressions see it: its fields, with id, kind and projectId.
func Known(r desk.Record) (map[string]any, error) {
	v, err := definition.Read(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.ID, err)
	}
	body, _ := v.(map[string]any)
	known := map[string]any{"id": r.ID, "kind": string(r.Kind), "projectId": r.Project}
	maps.Copy(known, body)
	return known, nil
}

func number(ctx context.Context, c definition.Term, vars definition.Vars) (Found, error) {
	v, err := c.Value.Eval(ctx, vars)
	if err != nil {
		return Found{Detail: sentence(err.Error())}, nil //nolint:nilerr // what cannot be computed is not met
	}
	var f float64
	switch n := v.(type) {
	case int64:
		f = float64(n)
	case float64:
		f = n
	default:
		return Found{Detail: fmt.Sprintf("%s is no number.", head(definition.Text(v)))}, nil
	}
	low, high := c.Number.Min, c.Number.Max
	return Found{Met: (low == nil || f >= *low) && (high == nil || f <= *high), Detail: "It is " + definition.Text(v) + "."}, nil
}

var (
	address  = pattern.New(`https?://[^\s<>"')\]]+`)
	recordID = pattern.New(`\b(` + strings.Join(desk.Prefixes(), "|") + `)_[0-9a-z]{8,}\b`)
)

// mostCited is how many sources of a text are looked up.
const mostCited = 50

// IDs are the ids of records that a text names, sorted.
func IDs(text string) []string {
	ids := recordID.FindAllString(text, mostCited)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// cites checks that a text names sources: addresses, or records that are there.
func cites(ctx context.Context, w World, c *definition.Cites, text string) (Found, error) {
	found := address.FindAllString(text, mostCited)
	for _, id := range IDs(text) {
		r, err := w.Record(ctx, id)
		if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.Deleted {
			return Found{Detail: fmt.Sprintf("It names %s, which does not exist.", id)}, nil
		}
		if err != nil {
			return Found{}, err
		}
		found = append(found, id)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	least := max(c.Least, 1)
	return Found{Met: len(found) >= least, Detail: fmt.Sprintf("It names %d sources; %d are needed.", len(found), least)}, nil
}

// ConditionOf is a term of a record's contract as the checks of workflows have it. A verdict is none of them.
func ConditionOf(t desk.Term) definition.Condition {
	c := definition.Condition{Name: t.Title(), Holds: t.Holds, Verdict: t.Verdict != nil}
	switch {
	case t.File != nil:
		c.File = &definition.FileCheck{Path: t.File.Path, Agent: t.File.Agent}
	case t.Command != nil:
		c.Command = &definition.Command{Run: t.Command.Run, Dir: t.Command.Dir, Agent: t.Command.Agent}
	case t.Record != nil:
		c.Record = &definition.RecordCheck{ID: t.Record.ID, When: t.Record.When}
	case t.Number != nil:
		c.Number = &definition.NumberCheck{Value: t.Number.Value, Min: t.Number.Min, Max: t.Number.Max}
	case t.Cites != nil:
		c.Cites = &definition.Cites{Text: t.Cites.Text, Least: t.Cites.Least}
	}
	return c
}

func sentence(s string) string {
	if s == "" {
		return "It cannot be computed."
	}
	return fmt.Sprintf("%c%s.", s[0]&^0x20, s[1:])
}

// mostDetail is how much of what a check said is kept, in bytes.
const mostDetail = 2000

func head(s string) string {
	if len(s) <= mostDetail {
		return s
	}
	return s[:mostDetail] + "…"
}
