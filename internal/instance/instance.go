// Package instance plays workflows as runs. An instance keeps the version of its workflow. Each step has
// a path and is recorded when it ends ([StepKind]), with what it gave; a segment that died plays the
// workflow again, and steps that ended answer from the log. Tasks of agents, calls of tools and
// questions to models go through package agent, as everything does.
package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// RunKind is the kind of run that plays a workflow.
const RunKind = "workflow"

// An Input is what such a run is started with.
type Input struct {
	Slug    string          `json:"slug"`
	Version int             `json:"version"`
	Inputs  json.RawMessage `json:"inputs"`
	Author  event.Party     `json:"author"`            // who deployed the version; the run may do no more than they may
	Origins []string        `json:"origins,omitempty"` // where the inputs come from when that is outside
	Depth   int             `json:"depth,omitempty"`   // how many instances began one another before it, by events
	// Uses are the versions of the workflows that it plays as parts, by slug.
	Uses map[string]int `json:"uses,omitempty"`
	// RetryOf is the run whose steps were taken over, but for From and what needs it.
	RetryOf run.ID `json:"retry_of,omitempty"`
	From    string `json:"from,omitempty"`
	// UndoOf is the cancelled run that this one compensates; it does nothing else.
	UndoOf run.ID `json:"undo_of,omitempty"`
}

// A State is where a step stands.
type State string

// The states of a step. Passed steps were not done because their condition does not hold, skipped ones
// because nothing led to them; undone ones were compensated.
const (
	Started  State = "started"
	Waiting  State = "waiting"
	Retrying State = "retrying"
	Done     State = "done"
	Passed   State = "passed"
	Skipped  State = "skipped"
	Failed   State = "failed"
	Undone   State = "undone"
)

// Ended reports whether s can only be undone.
func (s State) Ended() bool { return s == Done || s == Passed || s == Skipped || s == Failed }

// StepKind records where a step of an instance stands.
var StepKind = event.Kind[Step]{Name: "workflow.step", PayloadType: "workflow.step.v1"}

// A Step is the payload of workflow.step.
type Step struct {
	Path    string          `json:"path"` // ids, those of maps and loops with the number of the round: each[2].write
	Kind    definition.Kind `json:"kind"`
	Title   string          `json:"title,omitempty"`
	State   State           `json:"state"`
	Attempt int             `json:"attempt,omitempty"`
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"` // a sentence
	Reason  string          `json:"reason,omitempty"`
	Event   string          `json:"event,omitempty"` // the type of event that it waits for
	Until   time.Time       `json:"until,omitzero"`  // when it goes on
	// Unproven says that it failed because its contract was not met.
	Unproven bool     `json:"unproven,omitempty"`
	From     []string `json:"from,omitempty"` // where the run has data from by then
}

// A Result is the result of a run that played a workflow.
type Result struct {
	Output any `json:"output,omitempty"`
	// Unproven says that agents and tools said it was done, but a contract was not met.
	Unproven bool `json:"unproven,omitempty"`
}

// Versions finds workflows.
type Versions interface {
	// Source is the file of a version, with the organization's own payload types; it may be a fault.NotFound.
	Source(ctx context.Context, slug string, version int) (raw []byte, own definition.OwnTypes, err error)
}

// Questions finds what persons answered.
type Questions interface {
	Approval(ctx context.Context, id string) (approval.Approval, error)
}

// People knows the persons.
type People interface {
	Persons(ctx context.Context) ([]org.Person, error)
}

// Records reads records of the desk.
type Records interface {
	Record(ctx context.Context, id string) (desk.Record, error) // fault.NotFound
}

// Options of a [Handler]. The zero value is the default.
type Options struct {
	Parallel int                                           // steps of an instance at once; 0 means 8
	Redact   func(ctx context.Context, text string) string // takes secrets out of errors; nil leaves all
	Program  func(name string) bool                        // whether agents' programs find one of a name; nil finds all
	Log      *slog.Logger                                  // nil means slog.Default
}

// A Handler plays instances. Safe for concurrent use.
type Handler struct {
	agents   *agent.Runner
	versions Versions
	asked    Questions
	people   People
	records  Records
	opts     Options

	mu    sync.Mutex // guards cache and order
	cache map[string]*definition.Compiled
	order []string
}

// mostCached bounds the compiled workflows that are kept.
const mostCached = 64

// New returns a handler.
func New(agents *agent.Runner, versions Versions, asked Questions, people People, records Records, o Options) *Handler {
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Redact == nil {
		o.Redact = func(_ context.Context, text string) string { return text }
	}
	return &Handler{agents: agents, versions: versions, asked: asked, people: people, records: records, opts: o, cache: make(map[string]*definition.Compiled)}
}

// compiled returns a version, ready to be played.
func (h *Handler) compiled(ctx context.Context, slug string, version int) (*definition.Compiled, error) {
	key := fmt.Sprintf("%s@%d", slug, version)
	h.mu.Lock()
	c := h.cache[key]
	h.mu.Unlock()
	if c != nil {
		return c, nil
	}
	raw, own, err := h.versions.Source(ctx, slug, version)
	if err != nil {
		return nil, err
	}
	c, problems := definition.ReadFile(raw, own)
	if problems != nil {
		return nil, fault.New(fault.Internal, "Version %d of the workflow %s cannot be read any more. %s", version, slug, problems.In(slug+".yaml"))
	}
	if len(c.Own) > 0 { // their schemas may change
		return c, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cache[key] == nil {
		h.cache[key] = c
		h.order = append(h.order, key)
	}
	if len(h.order) > mostCached {
		delete(h.cache, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
	return c, nil
}

// Handle is the [run.Handler] of instances.
func (h *Handler) Handle(ctx context.Context, s *run.Segment) (run.Outcome, error) {
	var in Input
	if err := json.Unmarshal(s.Run.Input, &in); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	c, err := h.compiled(ctx, in.Slug, in.Version)
	if err != nil {
		return run.Outcome{}, err
	}
	inputs, err := definition.Read(in.Inputs)
	if err != nil {
		return run.Outcome{}, fmt.Errorf("read the inputs: %w", err)
	}
	values, _ := inputs.(map[string]any)
	var p *player
	var output any
	for again := true; again; {
		sc, failed := h.agents.WorkflowScope(ctx, s, in.Author, in.Origins)
		if failed != nil {
			return run.Outcome{}, failed
		}
		p = &player{h: h, s: s, spec: s.Run, sc: sc, in: in, def: c}
		output, err = p.whole(ctx, c, "", values, 0)
		if again, failed = heardMore(ctx, s, err); failed != nil {
			return run.Outcome{}, failed
		}
	}
	if in.UndoOf != "" && context.Cause(ctx) == nil && !errors.Is(err, run.ErrSuperseded) {
		return p.undoneAll(ctx)
	}
	return p.end(ctx, output, err)
}

// end says how the segment ends.
func (p *player) end(ctx context.Context, output any, err error) (run.Outcome, error) {
	var wait *waits
	switch {
	case errors.As(err, &wait):
		return wait.outcome(), nil
	case err != nil && (context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded)):
		return run.Outcome{}, err
	}
	root := run.RootTask(p.spec.ID)
	at := p.s.Place(run.Chela())
	at.Task, at.Key = root, at.Run+"/end"
	if err != nil {
		text := p.h.opts.Redact(ctx, fault.TextOf(err))
		if undo := p.undo(ctx); undo != nil {
			if errors.As(undo, &wait) {
				return wait.outcome(), nil
			}
			return run.Outcome{}, undo
		}
		if p.undone != "" {
			text += " " + p.undone
		}
		var short *unproven
		raw, failed := json.Marshal(Result{Unproven: errors.As(err, &short)})
		if failed != nil {
			return run.Outcome{}, fmt.Errorf("encode the result: %w", failed)
		}
		return run.Outcome{State: run.Failed, Reason: text, Result: raw, Drafts: []event.Draft{run.ErrorKind.Draft(at, run.TaskError{Code: "STEP_FAILED", Message: text})}}, nil
	}
	raw, err := json.Marshal(Result{Output: output})
	if err != nil {
		return run.Outcome{}, fmt.Errorf("encode the result: %w", err)
	}
	summary := p.def.Name + " is done."
	return run.Outcome{State: run.Done, Result: raw, Drafts: []event.Draft{run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: raw, Summary: summary})}}, nil
}
