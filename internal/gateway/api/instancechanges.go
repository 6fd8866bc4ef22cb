package api

import (
	"context"

	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/run"
)

// mostChanges bounds the events that are looked at for one answer.
const mostChanges = 5000

// InstanceChanges is what became of an instance.
type InstanceChanges struct {
	Items []instance.Change `json:"items" nullable:"false"`
	Next  event.Seq         `json:"next" doc:"ask again after it for what comes later"`
	More  bool              `json:"more,omitempty" doc:"later ones are recorded already; ask for them after next"`
}

func (a *api) instanceChanges(ctx context.Context, in *struct {
	IDPath
	After event.Seq `query:"after" doc:"only those after this position in the log"`
},
) (*Body[InstanceChanges], error) {
	if _, err := a.Store.Workflows.Instance(ctx, run.ID(in.ID)); err != nil {
		return nil, err
	}
	found, _, err := a.Store.Log.Events(ctx, in.After, event.Filter{Run: in.ID, Without: "desk.*", Limit: mostChanges})
	if err != nil {
		return nil, err
	}
	out := InstanceChanges{Items: []instance.Change{}, Next: in.After, More: len(found) == mostChanges}
	for _, e := range found {
		out.Next = e.Seq
		c, ok, err := instance.Changed(e.Event)
		if err != nil {
			return nil, err
		}
		if ok {
			out.Items = append(out.Items, c)
		}
	}
	return body(out, nil)
}
