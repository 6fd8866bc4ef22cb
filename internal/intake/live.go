package intake

import (
	"context"

	"chela/internal/desk"
	"chela/internal/run"
)

// Stands returns an intake as it stands, and whether it is over.
func (in *Intake) Stands(ctx context.Context, id string) (b desk.IntakeBody, over bool, err error) {
	read := func() error {
		r, err := in.clerk.Store().Record(ctx, id)
		if err == nil {
			b, err = desk.Open[desk.IntakeBody](r)
		}
		return err
	}
	if err := read(); err != nil {
		return b, false, err
	}
	ended, err := in.runs.Over(ctx, run.ID(b.RunID))
	if err == nil && ended {
		err = read() // what its run recorded at last
	}
	return b, ended || b.Status != desk.IntakeReceived && b.Status != desk.IntakeProcessing, err
}
