// Package workflow plays definitions as runs. A [Definition] is a list of named steps over a state
// that a segment of the run builds anew from the log; [Play] does them in order, goes back where a
// step asks for it, waits where a person has to be asked, and ends the run.
//
// A step that was done before a crash is done again: what it asked models and tools is recorded
// under keys, and is answered from the log.
package workflow

import (
	"context"
	"fmt"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Definition is a way of working.
type Definition[S any] struct {
	Name  string
	Steps []Step[S]
	// Failed says how the run ends when a step failed.
	Failed func(ctx context.Context, state S, step string, cause error) (run.Outcome, error)
}

// A Step is a part of a definition.
type Step[S any] struct {
	Name string
	When func(state S) bool // it is passed over otherwise; nil is always
	Do   func(state S, ctx context.Context) (Next, error)
	Most int // how often it is done when a later step goes back; 0 is once
}

// A Next says what follows a step. The zero value is the step after it.
type Next struct {
	back string
	end  *run.Outcome
}

// Back goes back to an earlier step.
func Back(step string) Next { return Next{back: step} }

// End ends the run, or has it wait.
func End(o run.Outcome) Next { return Next{end: &o} }

// Check returns an error unless the steps have names of their own and something to do.
func (d Definition[S]) Check() error {
	known := make(map[string]bool)
	for _, s := range d.Steps {
		switch {
		case s.Name == "" || s.Do == nil:
			return fmt.Errorf("workflow %s: the step %q has no name or nothing to do", d.Name, s.Name)
		case known[s.Name]:
			return fmt.Errorf("workflow %s: two steps are named %s", d.Name, s.Name)
		}
		known[s.Name] = true
	}
	if len(d.Steps) == 0 || d.Failed == nil {
		return fmt.Errorf("workflow %s: it has no steps, or does not say how it fails", d.Name)
	}
	return nil
}

// Play does the steps of d over a state until one ends the run. A definition whose last step does
// not end it, or that goes back too often, is at fault and fails.
func Play[S any](ctx context.Context, d Definition[S], state S) (run.Outcome, error) {
	done := make([]int, len(d.Steps))
	for at := 0; at < len(d.Steps); {
		step := d.Steps[at]
		if step.When != nil && !step.When(state) {
			at++
			continue
		}
		if done[at]++; done[at] > max(step.Most, 1) {
			return d.Failed(ctx, state, step.Name, d.broken("the step %s is done %d times and more", step.Name, done[at]))
		}
		next, err := step.Do(state, ctx)
		if wait, ok := agent.Waits(err); ok {
			return wait, nil
		}
		switch {
		case err != nil:
			return d.Failed(ctx, state, step.Name, err)
		case next.end != nil:
			return *next.end, nil
		case next.back == "":
			at++
			continue
		}
		to := d.index(next.back, at)
		if to < 0 {
			return d.Failed(ctx, state, step.Name, d.broken("%s goes back to %s, which is not before it", step.Name, next.back))
		}
		at = to
	}
	return d.Failed(ctx, state, "", d.broken("no step ended the run"))
}

// index is where a step is that lies not after another; -1 when there is none of the name.
func (d Definition[S]) index(name string, last int) int {
	for i := range last + 1 {
		if d.Steps[i].Name == name {
			return i
		}
	}
	return -1
}

func (d Definition[S]) broken(format string, args ...any) error {
	return fault.New(fault.Internal, "The workflow %s is at fault: %s.", d.Name, fmt.Sprintf(format, args...))
}
