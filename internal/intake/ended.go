package intake

import (
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
)

// failed reports whether an intake failed. One whose run has ended did, whatever it says: the end of a run of an earlier version
// of Chela is not in its record.
func (in *Intake) failed(ctx context.Context, b desk.IntakeBody) (bool, error) {
	if b.Status != desk.IntakeReceived && b.Status != desk.IntakeProcessing {
		return b.Status == desk.IntakeFailed, nil
	}
	return in.runs.Over(ctx, run.ID(b.RunID))
}

// Ended is the [run.Ending] of intakes: one whose run was cancelled, took too long or lost its worker too often failed, and
// can be tried again.
func (in *Intake) Ended(ctx context.Context, r run.Run, reason string) ([]event.Draft, error) {
	var i input
	if err := json.Unmarshal(r.Input, &i); err != nil {
		return nil, fmt.Errorf("read the run's input: %w", err)
	}
	w, err := in.clerk.Begin(ctx, event.Place{Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID), From: run.Chela(), Trace: r.Trace}, r.Project)
	if err != nil {
		return nil, err
	}
	w.Settle()
	_, err = clerk.Edit(w, desk.Intake, i.Intake, func(b *desk.IntakeBody) {
		if b.RunID != string(r.ID) || b.Status != desk.IntakeReceived && b.Status != desk.IntakeProcessing {
			return
		}
		b.Status = desk.IntakeFailed
		for n := range b.Phases {
			if b.Phases[n].Status == "running" {
				b.Phases[n].Status, b.Phases[n].Summary = "failed", reason
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return w.Drafts()
}
