// Package hook lets the organization's own programs take part in what happens: at named
// points they are told, and at some they may deny or alter what is about to be done. What
// a hook does is its target's affair (hook/outside); here is the order, the time limit,
// and what a failure means. file.go reads hooks.yaml.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// A Point is where hooks are called.
type Point string

// The points. At the blocking ones hooks are asked before something is done, at the
// others they are told afterwards.
const (
	Prompt            Point = "prompt"
	BeforeTool        Point = "before_tool"
	BeforeCompaction  Point = "before_compaction"
	Approval          Point = "approval"
	SessionStart      Point = "session_start"
	SessionEnd        Point = "session_end"
	RunStart          Point = "run_start"
	RunEnd            Point = "run_end"
	AgentStart        Point = "agent_start"
	AgentStop         Point = "agent_stop"
	ChildStart        Point = "child_start"
	ChildStop         Point = "child_stop"
	AfterTool         Point = "after_tool"
	ApprovalRequested Point = "approval_requested"
	ApprovalAnswered  Point = "approval_answered"
	Notification      Point = "notification"
	DaemonStart       Point = "daemon_start"
	DaemonStop        Point = "daemon_stop"
)

// A Description says what a point is.
type Description struct {
	Point    Point  `json:"point"`
	Blocking bool   `json:"blocking"`
	Text     string `json:"text"`
}

// Points describes all points.
func Points() []Description {
	return []Description{
		{Prompt, true, "Somebody says something; the text may be altered."},
		{BeforeTool, true, "An agent is about to call a tool that is permitted or will be asked about; the arguments may be altered, and are then judged again."},
		{BeforeCompaction, true, "A conversation is too long for the model and is about to be cut down."},
		{Approval, true, "A person is about to be asked; a note may be added, which they see. It cannot answer for them."},
		{SessionStart, false, "A conversation began."},
		{SessionEnd, false, "A conversation was closed."},
		{RunStart, false, "A run began."},
		{RunEnd, false, "A run ended."},
		{AgentStart, false, "An agent took a task."},
		{AgentStop, false, "An agent's task ended, well or not."},
		{ChildStart, false, "An agent began a child."},
		{ChildStop, false, "A child ended, well or not."},
		{AfterTool, false, "A call of a tool ended, well or not."},
		{ApprovalRequested, false, "A person is asked."},
		{ApprovalAnswered, false, "A person answered, or nobody did in time."},
		{Notification, false, "Chela said something in a conversation."},
		{DaemonStart, false, "A daemon began to serve."},
		{DaemonStop, false, "A daemon stops."},
	}
}

// Blocking reports whether hooks at the point may deny or alter.
func (p Point) Blocking() bool {
	return slices.ContainsFunc(Points(), func(d Description) bool { return d.Point == p && d.Blocking })
}

// Known reports whether there is such a point.
func (p Point) Known() bool {
	return slices.ContainsFunc(Points(), func(d Description) bool { return d.Point == p })
}

// The payloads of the blocking points.
type (
	// Said is the payload of prompt. Text may be altered.
	Said struct {
		Thread  string `json:"thread_id,omitempty"`
		Project string `json:"project,omitempty"`
		From    string `json:"from"`
		Channel string `json:"channel,omitempty"`
		Text    string `json:"text"`
	}
	// ToolUse is the payload of before_tool. Args may be altered.
	ToolUse struct {
		Run     string          `json:"run_id"`
		Project string          `json:"project,omitempty"`
		Agent   string          `json:"agent"`
		Tool    string          `json:"tool"`
		Args    json.RawMessage `json:"args"`
	}
	// Compaction is the payload of before_compaction.
	Compaction struct {
		Run      string `json:"run_id"`
		Agent    string `json:"agent"`
		Messages int    `json:"messages"`
	}
	// Asking is the payload of approval. Only Note may be altered.
	Asking struct {
		Run      string      `json:"run_id"`
		Project  string      `json:"project,omitempty"`
		Agent    string      `json:"agent"`
		Kind     string      `json:"kind"` // "tool_calls", "look_up", "outcome_unknown", "budget_reached"
		Question string      `json:"question"`
		Detail   string      `json:"detail,omitempty"`
		Calls    []AskedCall `json:"calls,omitempty"`
		Note     string      `json:"note,omitempty"`
	}
	// AskedCall is a call that a person is asked about.
	AskedCall struct {
		Tool   string          `json:"tool"`
		Risk   string          `json:"risk"`
		Args   json.RawMessage `json:"args"`
		Folder string          `json:"folder,omitempty"`
		Why    string          `json:"why"`
	}
	// Happened is the payload of the points that are told: an event of the log, or of the
	// daemon without one.
	Happened struct {
		Seq     event.Seq       `json:"seq,omitempty"`
		Type    string          `json:"type,omitempty"`
		Thread  string          `json:"thread_id,omitempty"`
		Run     string          `json:"run_id,omitempty"`
		Task    string          `json:"task_id,omitempty"`
		From    string          `json:"from,omitempty"`
		Node    string          `json:"node,omitempty"`
		Payload json.RawMessage `json:"payload,omitempty"`
	}
)

// A Call is what a target gets, as JSON.
type Call struct {
	Point Point           `json:"point"`
	Hook  string          `json:"hook"`
	Data  json.RawMessage `json:"data"`
}

// An Answer is what a target says. Its zero value lets things be.
type Answer struct {
	Deny string          `json:"deny,omitempty"` // a reason; denies
	Data json.RawMessage `json:"data,omitempty"` // the payload instead
}

// A Target is called. It may panic, hang until its context ends, or answer nonsense.
type Target interface {
	Call(ctx context.Context, c Call) (Answer, error)
}

// A Subscription is one hook.
type Subscription struct {
	Name      string
	Points    []Point
	Tools     []string // only calls of these; none means all
	Priority  int      // the smaller the earlier
	Timeout   time.Duration
	FailsOpen bool   // a failure of the hook denies nothing
	Key       string // of what it calls: the same twice counts once
	Target    Target
}

// DefaultTimeout is how long a hook may take.
const DefaultTimeout = 5 * time.Second

// An Answered is the payload of hook.answered: a hook denied, altered or failed.
type Answered struct {
	Hook    string `json:"hook"`
	Point   Point  `json:"point"`
	Run     string `json:"run,omitempty"`
	Denied  string `json:"denied,omitempty"`
	Altered bool   `json:"altered,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// AnsweredKind records what a hook did to what happened.
var AnsweredKind = event.Kind[Answered]{Name: "hook.answered", PayloadType: "hook.answered.v1"}

// Options of [Hooks].
type Options struct {
	// Source returns the subscriptions that hold now. An error denies at blocking points.
	Source func(ctx context.Context) ([]Subscription, error)
	Record func(ctx context.Context, a Answered) // of what is worth it
	Log    *slog.Logger
}

// Hooks call what is subscribed. A nil one has no subscriptions.
type Hooks struct {
	opts Options

	mu     sync.Mutex // guards warned
	warned string     // why the subscriptions could not be read, when that was logged last
}

// New returns hooks.
func New(o Options) *Hooks { return &Hooks{opts: o} }

// subscriptions returns what holds now. Why it cannot be read is logged once, until it can or cannot for another reason.
func (h *Hooks) subscriptions(ctx context.Context) ([]Subscription, error) {
	all, err := h.opts.Source(ctx)
	why := ""
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		why = reason(err)
	}
	h.mu.Lock()
	fresh := why != h.warned
	h.warned = why
	h.mu.Unlock()
	if fresh && err != nil {
		h.opts.Log.Warn("the hooks cannot be read: none is told, and what one could deny is denied", "err", err)
	}
	return all, err
}

// Of returns what is subscribed to a point, in the order in which it is called; the same
// twice counts once.
func Of(all []Subscription, at Point, tool string) []Subscription {
	var out []Subscription
	seen := make(map[string]struct{})
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Subscription) int { return a.Priority - b.Priority })
	for _, s := range sorted {
		if _, again := seen[s.Key]; again || !slices.Contains(s.Points, at) || tool != "" && len(s.Tools) > 0 && !org.Lists(s.Tools, tool) {
			continue
		}
		seen[s.Key] = struct{}{}
		out = append(out, s)
	}
	return out
}

// Heard reports whether anything is subscribed to points that are told.
func (h *Hooks) Heard(ctx context.Context) bool {
	if h == nil {
		return false
	}
	all, err := h.subscriptions(ctx)
	return err == nil && slices.ContainsFunc(all, func(s Subscription) bool {
		return slices.ContainsFunc(s.Points, func(p Point) bool { return !p.Blocking() })
	})
}

// Ask calls the hooks of a blocking point one after the other and returns the payload as
// they leave it. The error is a fault.Denied with the reason when one denies.
func Ask[P any](ctx context.Context, h *Hooks, at Point, run, tool string, payload P) (P, error) {
	if h == nil {
		return payload, nil
	}
	all, err := h.subscriptions(ctx)
	if err != nil {
		return payload, fault.Wrap(err, fault.Denied, "Nothing is done while the hooks cannot be read. %s", fault.TextOf(err))
	}
	for _, s := range Of(all, at, tool) {
		next, err := ask(ctx, h, s, at, run, payload)
		if err != nil {
			return payload, err
		}
		payload = next
	}
	return payload, nil
}

// ask calls one hook of a blocking point.
func ask[P any](ctx context.Context, h *Hooks, s Subscription, at Point, run string, payload P) (P, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return payload, fmt.Errorf("encode for hooks: %w", err)
	}
	told := Answered{Hook: s.Name, Point: at, Run: run}
	answer, err := h.call(ctx, s, Call{Point: at, Hook: s.Name, Data: raw})
	next := payload
	if err == nil && answer.Deny == "" && len(answer.Data) > 0 && !bytes.Equal(answer.Data, raw) {
		var altered P
		if err = event.DecodeStrict(answer.Data, &altered); err == nil {
			next, told.Altered = altered, true
		}
	}
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return payload, context.Cause(ctx)
	case err != nil:
		told.Failed = reason(err)
		h.record(ctx, told)
		if s.FailsOpen {
			return payload, nil
		}
		return payload, fault.Wrap(err, fault.Denied, "The hook %s failed, so it was not done. An admin can see why in the log (hook.answered).", s.Name)
	case answer.Deny != "":
		told.Denied = answer.Deny
		h.record(ctx, told)
		return payload, fault.New(fault.Denied, "The hook %s denied it: %s", s.Name, answer.Deny)
	case told.Altered:
		h.record(ctx, told)
	}
	return next, nil
}

// reason is what is recorded of a failure.
func reason(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Text
	}
	return err.Error()
}

// Tell calls the hooks of a point that is told. What they answer changes nothing.
func (h *Hooks) Tell(ctx context.Context, at Point, what Happened) {
	if h == nil {
		return
	}
	all, err := h.subscriptions(ctx)
	if err != nil {
		return
	}
	raw, err := json.Marshal(what)
	if err != nil {
		h.opts.Log.Error("encode for hooks", "point", at, "err", err)
		return
	}
	for _, s := range Of(all, at, "") {
		if _, err := h.call(ctx, s, Call{Point: at, Hook: s.Name, Data: raw}); err != nil && context.Cause(ctx) == nil {
			h.record(ctx, Answered{Hook: s.Name, Point: at, Run: what.Run, Failed: reason(err)})
		}
	}
}

func (h *Hooks) record(ctx context.Context, a Answered) {
	if h.opts.Record != nil {
		h.opts.Record(ctx, a)
	}
}

// Try calls a hook by hand.
func (h *Hooks) Try(ctx context.Context, s Subscription, c Call) (Answer, error) {
	return h.call(ctx, s, c)
}

// call calls a target within its time; a panic is an error. A target that does not end
// with its context is left behind.
func (h *Hooks) call(ctx context.Context, s Subscription, c Call) (Answer, error) {
	limit := s.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	late := fault.New(fault.Unavailable, "It did not end within %s.", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1) // never blocks the target
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				h.opts.Log.Error("panic in a hook", "hook", s.Name, "panic", p, "stack", string(debug.Stack()))
				r = result{err: fault.New(fault.Internal, "It broke; the daemon's log has the details.")}
			}
			done <- r
		}()
		r.answer, r.err = s.Target.Call(ctx, c)
	}()
	select {
	case r := <-done:
		if r.err != nil && context.Cause(ctx) != nil {
			return Answer{}, context.Cause(ctx)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}
