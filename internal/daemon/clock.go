package daemon

import (
	"context"

	"chela/internal/schedule"
	"chela/internal/tool"
	toolclock "chela/internal/tool/clock"
)

// clockTools are the tools by which agents make schedules for people.
func (d *Daemon) clockTools() []*tool.Tool {
	return toolclock.Tools(toolclock.Parts{Schedules: scheduled{d}, Plan: d.db.Plan, Zones: d.db.Notifications, Now: d.db.Mint().Now})
}

// scheduled edits schedules for tools, which are made before the editor is.
type scheduled struct{ d *Daemon }

func (s scheduled) CreateThrough(ctx context.Context, h schedule.Hand, f schedule.Fields) (schedule.Schedule, error) {
	return s.d.schedules.CreateThrough(ctx, h, f)
}

func (s scheduled) ChangeThrough(ctx context.Context, h schedule.Hand, id schedule.ID, edit func(*schedule.Fields)) (schedule.Schedule, error) {
	return s.d.schedules.ChangeThrough(ctx, h, id, edit)
}

func (s scheduled) DeleteThrough(ctx context.Context, h schedule.Hand, id schedule.ID) error {
	return s.d.schedules.DeleteThrough(ctx, h, id)
}
