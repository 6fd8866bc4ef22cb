package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/run"
)

// left reports whether a step is left as it stands, because the run only undoes what another had done: it begins no step that had not ended. Steps
// that hold others are gone into, so that these are found.
func (g *playing) left(n *definition.Node) bool {
	if g.in.UndoOf == "" || n.Kind == definition.Map || n.Kind == definition.Loop || n.Kind == definition.Workflow {
		return false
	}
	return !g.s.Recorded(stepKey(g.prefix + n.ID)).Done
}

// undoneAll ends a run that undoes what another had done.
func (p *player) undoneAll(ctx context.Context) (run.Outcome, error) {
	var wait *waits
	if err := p.undo(ctx); errors.As(err, &wait) {
		return wait.outcome(), nil
	} else if err != nil {
		return run.Outcome{}, err
	}
	at := p.s.Place(run.Chela())
	at.Task, at.Key = run.RootTask(p.spec.ID), at.Run+"/end"
	if text := strings.TrimSpace(p.undone); text != "" {
		return run.Outcome{State: run.Failed, Reason: text, Drafts: []event.Draft{run.ErrorKind.Draft(at, run.TaskError{Code: "NOT_UNDONE", Message: text})}}, nil
	}
	raw, err := json.Marshal(Result{})
	if err != nil {
		return run.Outcome{}, fmt.Errorf("encode the result: %w", err)
	}
	summary := fmt.Sprintf("What %s had done is undone: %d steps.", p.def.Name, len(p.done))
	return run.Outcome{State: run.Done, Result: raw, Drafts: []event.Draft{run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: raw, Summary: summary})}}, nil
}
