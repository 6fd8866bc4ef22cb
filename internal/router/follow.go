package router

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/session"
)

// follow records how the instances stand that messages began, and tells their conversations how they ended. It reports whether
// there were any.
func (r *Router) follow(ctx context.Context) (some bool, err error) {
	if now := r.Runs.Now(); r.learnt.Load() && now.Sub(r.learntAt) >= learnEvery {
		r.learnt.Store(false)
		r.learntAt = now
		if err := r.learn(ctx); err != nil {
			return false, err
		}
	}
	open, err := r.Store.RouterPlans(ctx)
	if err != nil {
		return false, err
	}
	for _, b := range open {
		state := stateOf(b.Run)
		if state == b.Plan.State && b.Step == b.Plan.Step {
			continue
		}
		if b.Run.State.Final() && b.Answering { // that it was begun is told first
			continue
		}
		if err := r.tell(ctx, b, state); err != nil {
			return true, err
		}
	}
	return len(open) > 0, nil
}

// learnEvery is how often the shelf is read again at most because somebody accepted or declined a workflow: many phrases take seconds.
const learnEvery = 10 * time.Minute

// learn reads the shelf again with what people accepted since.
func (r *Router) learn(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, err := r.read(ctx)
	if err == nil {
		r.shelf.Store(s)
	}
	return err
}

// stateOf is the state of a plan whose instance is that run.
func stateOf(r run.Run) State {
	switch r.State {
	case run.Done:
		return Completed
	case run.Failed, run.Cancelled:
		return Failed
	case run.Waiting:
		if r.Paused() {
			return Paused
		}
	case run.Queued, run.Running:
	}
	return Executing
}

// tell records that a plan moved. Somebody may have begun another since: then only its end is told.
func (r *Router) tell(ctx context.Context, b Begun, state State) error {
	return r.write(ctx, func(batch *run.Batch, tx Tx) error {
		batch.Hold(event.ThreadStream(b.Thread))
		at := event.Place{Stream: event.ThreadStream(b.Thread), Thread: b.Thread, Run: string(b.Run.ID), Task: run.RootTask(b.Run.ID), From: Party(), Key: fmt.Sprintf("router/%s/%d/%s/%s", b.Run.ID, b.Run.Segment, state, b.Step)}
		at.To = []event.Party{b.Run.By}
		now, err := tx.RouterSession(b.Thread, b.Person)
		if err != nil {
			return err
		}
		moved := PlanMovedKind.Draft(at, PlanMoved{Run: b.Run.ID, State: state, Step: b.Step})
		recorded, err := batch.Append(moved)
		if err != nil || len(recorded) == 0 {
			return err
		}
		at.Key = ""
		var drafts []event.Draft
		if now.Plan != nil && now.Plan.Run == b.Run.ID {
			from := now.State
			plan := *now.Plan
			plan.State, plan.Step, now.Plan = state, b.Step, &plan
			if from == state {
				drafts = append(drafts, ChangedKind.Draft(at, Changed{From: from, Session: now}))
			} else if from.CanBecome(state) {
				_, c := now.move(state)
				drafts = append(drafts, ChangedKind.Draft(at, c))
			}
		}
		if b.Run.State.Final() {
			drafts = append(drafts, session.SaidKind.Draft(at, session.Said{Message: r.ended(b)}))
		}
		_, err = batch.Append(drafts...)
		return err
	})
}

// ended tells how an instance ended.
func (r *Router) ended(b Begun) string {
	switch b.Run.State {
	case run.Failed:
		return fmt.Sprintf("**%s** (%s) failed: %s", b.Plan.Name, b.Run.ID, b.Run.Reason)
	case run.Cancelled:
		return fmt.Sprintf("**%s** (%s) was cancelled. %s", b.Plan.Name, b.Run.ID, b.Run.Reason)
	case run.Done, run.Queued, run.Running, run.Waiting:
	}
	text := fmt.Sprintf("**%s** (%s) is done.", b.Plan.Name, b.Run.ID)
	if out := shown(b.Output); out != "" {
		text += "\n\n" + out
	}
	return text
}

// mostOutput is how much of an output is told, in bytes.
const mostOutput = 3000

// shown is an output as people read it.
func shown(raw json.RawMessage) string {
	v, err := definition.Read(raw)
	if m, ok := v.(map[string]any); ok { // the result of an instance
		v = m["output"]
	}
	if err != nil || v == nil {
		return ""
	}
	text := definition.Text(v)
	if m, ok := v.(map[string]any); ok {
		var lines []string
		for _, k := range sortedKeys(m) {
			lines = append(lines, fmt.Sprintf("- **%s**: %s", spaced(k), definition.Text(m[k])))
		}
		text = strings.Join(lines, "\n")
	}
	if len(text) > mostOutput {
		text = strings.ToValidUTF8(text[:mostOutput], "") + "…"
	}
	return text
}
