package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/instance"
	"chela/internal/run"
)

// A Start is what an instance is begun with.
type Start struct {
	Slug    string
	Version int // 0 is the deployed one
	Inputs  map[string]any
	Project string // an id
	By      event.Party
	Lane    run.Lane
	Key     string   // asked again under it, no other instance begins; empty is none
	Origins []string // where the inputs come from when that is outside
	Depth   int      // how many instances began one another before it, by events
	Trace   *event.Trace
}

// An Instance is a run that plays a workflow.
type Instance struct {
	Run     run.Run `json:"run"`
	Slug    string  `json:"slug"`
	Version int     `json:"version"`
	Name    string  `json:"name"`
	RetryOf run.ID  `json:"retry_of,omitempty"`
	// Unproven says that it failed because a contract was not met.
	Unproven bool           `json:"unproven,omitempty"`
	Input    instance.Input `json:"-"`
}

// A Standing is where a step of an instance stands.
type Standing struct {
	instance.Step

	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	Order     event.Seq `json:"-"`
}

// mostUses is how many workflows a workflow may play, at any depth.
const mostUses = 50

// uses are the versions of the workflows that c plays, at any depth, by slug.
func (l *Library) uses(ctx context.Context, c *definition.Compiled) (map[string]int, error) {
	out := make(map[string]int)
	var visit func(c *definition.Compiled, above []string) error
	visit = func(c *definition.Compiled, above []string) error {
		above = append(slices.Clone(above), c.Slug)
		var err error
		c.Graph.Walk(func(n *definition.Node) {
			if err != nil || n.Kind != definition.Workflow {
				return
			}
			slug := n.Step.Workflow.Slug
			if slug == c.Slug {
				err = fault.New(fault.Invalid, "The workflow %s plays itself.", slug)
				return
			}
			if slices.Contains(above, slug) {
				err = fault.New(fault.Invalid, "The workflows %s play each other in a circle.", strings.Join(append(above, slug), ", "))
				return
			}
			if out[slug] != 0 {
				return
			}
			v, e := l.store.Version(ctx, slug, 0)
			if e != nil {
				err = fault.Wrap(e, fault.KindOf(e), "The step %s plays the workflow %s: %s", n.Path, slug, fault.TextOf(e))
				return
			}
			if out[slug] = v.Number; len(out) > mostUses {
				err = fault.New(fault.TooLarge, "The workflow plays more than %d others.", mostUses)
				return
			}
			part, e := v.Read()
			if e != nil {
				err = e
				return
			}
			err = visit(part, above)
		})
		return err
	}
	return out, visit(c, nil)
}

// Start begins an instance and returns its run. Inputs that do not fit are a fault.Invalid that names
// the input.
func (l *Library) Start(ctx context.Context, s Start) (run.ID, error) {
	v, err := l.store.Version(ctx, s.Slug, s.Version)
	if err != nil {
		return "", err
	}
	c, err := v.Read()
	if err != nil {
		return "", err
	}
	given := make(map[string]any, len(s.Inputs))
	for k, x := range s.Inputs {
		given[k] = x
	}
	for _, in := range c.Inputs {
		if in.Type == definition.Project && given[in.Name] == nil && s.Project != "" {
			given[in.Name] = s.Project
		}
	}
	inputs, name, err := c.TakeInputs(given)
	if err != nil {
		return "", fault.BadField("inputs."+name, sentence(err.Error()))
	}
	if err := l.project(ctx, c, &s, inputs); err != nil {
		return "", err
	}
	uses, err := l.uses(ctx, c)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(inputs)
	if err != nil {
		return "", fmt.Errorf("encode inputs: %w", err)
	}
	return l.begin(ctx, s, c.Name, instance.Input{Slug: v.Slug, Version: v.Number, Inputs: raw, Author: v.Author(), Origins: s.Origins, Depth: s.Depth, Uses: uses})
}

// project finds the projects that an instance names, by their ids or names; without one of its own it is in the first.
func (l *Library) project(ctx context.Context, c *definition.Compiled, s *Start, inputs map[string]any) error {
	for _, in := range c.Inputs {
		named, _ := inputs[in.Name].(string)
		if in.Type != definition.Project || named == "" {
			continue
		}
		id, err := l.projects(ctx, named)
		if err != nil {
			return fault.BadField("inputs."+in.Name, fault.TextOf(err)+" It takes the name or the id of a project; `chela project list` shows them.")
		}
		inputs[in.Name] = id
		if s.Project == "" {
			s.Project = id
		}
	}
	return nil
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// begin records and queues an instance; taken are steps of another that it takes over.
func (l *Library) begin(ctx context.Context, s Start, name string, in instance.Input, taken ...instance.Step) (run.ID, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return "", fmt.Errorf("encode input: %w", err)
	}
	mint := l.runs.Mint()
	spec := run.Spec{
		ID: run.ID(mint.ID("run")), Thread: mint.ID("thr"), Project: s.Project, Kind: instance.RunKind, Lane: s.Lane, Title: name, Input: raw, By: s.By, Trace: s.Trace,
	}
	if in.UndoOf != "" {
		spec.ForkOf = in.UndoOf
	}
	if in.RetryOf != "" { // its first segment begins with the steps that are recorded of it
		spec.ForkOf = in.RetryOf
	}
	at := event.Place{Stream: event.ThreadStream(spec.Thread), Thread: spec.Thread, Run: string(spec.ID), Task: run.RootTask(spec.ID), From: s.By, Trace: s.Trace}
	first := at
	if s.Key != "" {
		first.Key = "workflow/" + s.Key
	}
	if in.UndoOf != "" { // once, whoever asks
		first.From, first.Key = run.Chela(), "workflow/undo/"+string(in.UndoOf)
	}
	drafts := []event.Draft{StartedKind.Draft(at, Started{Slug: in.Slug, Version: in.Version, RetryOf: in.RetryOf})}
	own := at
	own.From = run.Chela()
	for _, step := range taken {
		drafts = append(drafts, instance.Taken(own, step))
	}
	err = l.write(ctx, func(b *run.Batch, _ Tx) error {
		recorded, err := b.Append(run.RequestKind.Draft(first, run.TaskRequest{Title: name}))
		if err == nil && len(recorded) == 0 {
			err = errAsked
		}
		if err != nil {
			return err
		}
		return b.Start(spec, drafts...)
	})
	return spec.ID, err
}

// Asked reports whether err says that an instance was asked for before, under the same key.
func Asked(err error) bool { return errors.Is(err, errAsked) }

// Retry begins an instance anew from a step: it takes over what the other steps of an ended instance
// gave, but for those that need the step, and for those that were undone with what needs them. Inputs that are given
// replace the old ones.
func (l *Library) Retry(ctx context.Context, by event.Party, id run.ID, from string, given map[string]any) (run.ID, error) {
	old, err := l.store.Instance(ctx, id)
	if err != nil {
		return "", err
	}
	if !old.Run.State.Final() {
		return "", fault.New(fault.Conflict, "The instance %s is %s; cancel it before it is begun anew from a step.", id, old.Run.State)
	}
	c, steps, err := l.played(ctx, old)
	if err != nil {
		return "", err
	}
	taken, err := takenOver(c, steps, from)
	if err != nil {
		return "", fault.BadField("from", sentence(err.Error()))
	}
	in, s := old.Input, Start{Project: old.Run.Project, By: by, Lane: old.Run.Lane, Trace: run.TraceOf(ctx)}
	in.RetryOf, in.From = id, from
	if given != nil {
		was, err := definition.Read(in.Inputs)
		if err != nil {
			return "", err
		}
		merged, _ := was.(map[string]any)
		for k, x := range given {
			merged[k] = x
		}
		inputs, name, err := c.TakeInputs(merged)
		if err != nil {
			return "", fault.BadField("inputs."+name, sentence(err.Error()))
		}
		if slices.ContainsFunc(c.Inputs, func(i definition.Input) bool { return i.Type == definition.Project && given[i.Name] != nil }) {
			s.Project = "" // it works where the inputs say now
		}
		if err := l.project(ctx, c, &s, inputs); err != nil {
			return "", err
		}
		if in.Inputs, err = json.Marshal(inputs); err != nil {
			return "", fmt.Errorf("encode inputs: %w", err)
		}
	}
	return l.begin(ctx, s, c.Name, in, taken...)
}

// takenOver are the steps of an ended instance that one begun anew from a step takes over.
func takenOver(c *definition.Compiled, steps []Standing, from string) ([]instance.Step, error) {
	again, err := c.Graph.From(from)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.State == instance.Undone {
			anew, err := c.Graph.From(instance.Top(s.Path))
			if err != nil {
				return nil, err
			}
			again = append(again, anew...)
		}
	}
	var handled []string
	for _, n := range c.Graph.Nodes {
		if n.Handled {
			handled = append(handled, n.ID)
		}
	}
	var taken []instance.Step
	for _, s := range steps {
		if top := instance.Top(s.Path); s.State.Ended() && (s.State != instance.Failed || slices.Contains(handled, top)) && !slices.Contains(again, top) {
			taken = append(taken, s.Step)
		}
	}
	return taken, nil
}

// played is what an instance played, and how far its steps came.
func (l *Library) played(ctx context.Context, old Instance) (*definition.Compiled, []Standing, error) {
	v, err := l.store.Version(ctx, old.Slug, old.Version)
	if err != nil {
		return nil, nil, err
	}
	c, err := v.Read()
	if err != nil {
		return nil, nil, err
	}
	steps, err := l.store.Steps(ctx, old.Run.ID)
	return c, steps, err
}

// Undo begins an instance that compensates what a cancelled one had done, the last step first. A fault.Conflict says that
// there is nothing to undo, or that it is being undone.
func (l *Library) Undo(ctx context.Context, by event.Party, id run.ID) (run.ID, error) {
	old, err := l.store.Instance(ctx, id)
	if err != nil {
		return "", err
	}
	if old.Run.State != run.Cancelled {
		return "", fault.New(fault.Conflict, "The instance %s is %s; only one that was cancelled is undone. One that fails is undone by itself.", id, old.Run.State)
	}
	c, steps, err := l.played(ctx, old)
	if err != nil {
		return "", err
	}
	undoes := false
	c.Graph.Walk(func(n *definition.Node) { undoes = undoes || n.Compensate != nil })
	var taken []instance.Step
	for _, s := range steps {
		if s.State.Ended() {
			taken = append(taken, s.Step)
		}
	}
	if !undoes || len(taken) == 0 {
		return "", fault.New(fault.Conflict, "Nothing that the instance %s had done can be undone: no step that ended has a compensate.", id)
	}
	in := old.Input
	in.UndoOf, in.RetryOf, in.From = id, "", ""
	begun, err := l.begin(ctx, Start{Project: old.Run.Project, By: by, Lane: old.Run.Lane, Trace: run.TraceOf(ctx)}, "Undo "+c.Name, in, taken...)
	if errors.Is(err, errAsked) {
		return "", fault.New(fault.Conflict, "The instance %s is being undone, or is undone.", id)
	}
	return begun, err
}
