package builder

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"chela/internal/blueprint"
	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
)

// tries is how often a step is tried, atOnce how many steps are done at once.
const (
	tries  = 3
	atOnce = 4
)

// Execute does a plan: in the order of what depends on what, independent steps at once, each up to three times. A step of
// which a dependency was not done is skipped, and the plan is failed then. One that failed or was interrupted goes on:
// what was done before is not done twice.
func (b *Builder) Execute(ctx context.Context, by event.Party, id string) (Kept, error) {
	k, err := b.Store.BuildPlan(ctx, id)
	if err != nil || k.State == Completed {
		return k, err
	}
	if k.State == Pending {
		if err := b.rehearse(ctx, &k.Plan, k.Begin); err != nil {
			return k, fault.Wrap(err, fault.KindOf(err), "The plan %s cannot be done any more; nothing was changed. %s", id, fault.TextOf(err))
		}
	}
	if k.State != Executing {
		if err := b.move(ctx, by, id, Executing, nil, ""); err != nil {
			return k, err
		}
	}
	w := &work{b: b, by: by, plan: k.Plan, vars: make(map[string]string), done: make(map[string]bool)}
	if err := w.all(ctx, k.Begin); err != nil {
		return k, err
	}
	to := Completed
	for _, r := range w.results {
		if !r.Success {
			to = Failed
		}
	}
	if err := b.move(ctx, by, id, to, w.results, ""); err != nil {
		return k, err
	}
	return b.Store.BuildPlan(ctx, id)
}

// work is a plan being done.
type work struct {
	b    *Builder
	by   event.Party
	plan blueprint.Plan

	mu      sync.Mutex // guards the rest
	vars    map[string]string
	done    map[string]bool
	results []Result
}

// keyOf is the key of the edit that a step makes.
func keyOf(plan, step string) string { return "plan/" + plan + "/" + step }

func (w *work) author(step string) library.Author {
	return library.Author{Party: w.by, Key: keyOf(w.plan.ID, step)}
}

// all does the steps. The error is that of the context alone: what becomes of steps is in the results.
func (w *work) all(ctx context.Context, begin string) error {
	if w.plan.Fresh {
		if err := w.b.Library.Begin(ctx, w.author("begin"), w.plan.Workflow, begin, "Begun by the plan "+w.plan.ID+"."); err != nil {
			return err
		}
	}
	waves, err := w.plan.Waves()
	if err != nil {
		return err
	}
	for _, wave := range waves {
		results := make([]Result, len(wave))
		var all sync.WaitGroup
		room := make(chan struct{}, atOnce) // holds one for each step in hand; closed by nobody
		for i, s := range wave {
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				results[i] = w.step(ctx, s)
			})
		}
		all.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		w.results = append(w.results, results...)
	}
	return nil
}

// step does one step, or skips it.
func (w *work) step(ctx context.Context, s blueprint.Step) Result {
	r := Result{Step: s.ID}
	w.mu.Lock()
	vars := maps.Clone(w.vars)
	for _, d := range s.DependsOn {
		if !w.done[d] {
			r.Skipped, r.Error = true, fmt.Sprintf("The step %s, on which it depends, was not done.", d)
		}
	}
	w.mu.Unlock()
	if r.Skipped {
		return r
	}
	r.Started = w.b.Now()
	out, err := w.tried(ctx, s, vars, &r)
	r.Ended = w.b.Now()
	if err != nil {
		r.Error = fault.TextOf(err)
		return r
	}
	r.Success = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[s.ID] = true
	s.Given(out, w.vars)
	if len(out.Created) > 0 {
		r.Node = out.Created[0]
	}
	for _, op := range out.Operations {
		if op.Op == canvas.CreateFile {
			r.File = op.Path
		}
	}
	return r
}

// tried does a step, again when it could be otherwise then.
func (w *work) tried(ctx context.Context, s blueprint.Step, vars map[string]string, r *Result) (out canvas.Outcome, err error) {
	ops, err := s.Operations(vars)
	if err != nil {
		return out, fault.Wrap(err, fault.Invalid, "%s.", err)
	}
	for {
		r.Tries++
		_, out, err = w.b.Library.Edit(ctx, w.author(s.ID), w.plan.Workflow, library.Latest, ops)
		if err == nil || r.Tries == tries || ctx.Err() != nil {
			return out, err
		}
		timer := time.NewTimer(w.b.Wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Undo takes back what a plan did, the last first. What others changed in the same lines since is a fault.Conflict. The
// draft of a workflow that the plan began, and that nobody else has edited, is discarded.
func (b *Builder) Undo(ctx context.Context, by event.Party, id string) (Kept, error) {
	k, err := b.Store.BuildPlan(ctx, id)
	if err != nil {
		return k, err
	}
	if !k.State.CanBecome(Undone) {
		return k, fault.New(fault.Conflict, "The plan %s is %s; there is nothing to undo.", id, k.State)
	}
	edits, err := b.Shelf.Edits(ctx, k.Plan.Workflow, 0)
	if err != nil {
		return k, err
	}
	versions, err := b.Shelf.Versions(ctx, k.Plan.Workflow)
	if err != nil {
		return k, err
	}
	own, others := []int{}, false
	for _, e := range edits {
		switch {
		case e.Key == keyOf(id, "begin"):
		case strings.HasPrefix(e.Key, keyOf(id, "")):
			own = append(own, e.Revision)
		default:
			others = true
		}
	}
	if k.Plan.Fresh && !others && len(versions) == 0 {
		if err := b.Library.Discard(ctx, by, k.Plan.Workflow); err != nil {
			return k, err
		}
		return b.undone(ctx, by, id)
	}
	back := library.TakenBack(edits)
	for i := len(own) - 1; i >= 0; i-- {
		if back[own[i]] {
			continue
		}
		if _, err := b.Library.UndoEdit(ctx, by, k.Plan.Workflow, own[i]); err != nil {
			return k, err
		}
	}
	return b.undone(ctx, by, id)
}

func (b *Builder) undone(ctx context.Context, by event.Party, id string) (Kept, error) {
	if err := b.move(ctx, by, id, Undone, nil, ""); err != nil {
		return Kept{}, err
	}
	return b.Store.BuildPlan(ctx, id)
}

// Deploy saves the draft that a plan made and deploys it.
func (b *Builder) Deploy(ctx context.Context, by event.Party, id string) (library.Version, error) {
	k, err := b.Store.BuildPlan(ctx, id)
	if err != nil {
		return library.Version{}, err
	}
	if k.State != Completed {
		return library.Version{}, fault.New(fault.Conflict, "The plan %s is %s; only what is built can be deployed.", id, k.State)
	}
	v, err := b.Library.SaveDraft(ctx, by, k.Plan.Workflow, "Built by the plan "+id+".")
	if err != nil || v.State == library.Deployed {
		return v, err
	}
	return b.Library.Deploy(ctx, by, v.Slug, v.Number)
}
