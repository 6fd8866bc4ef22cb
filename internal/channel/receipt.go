package channel

import (
	"context"

	"chela/internal/fault"
)

// receive puts into the log what became of a part of ours. What says nothing new is left out.
func (g *Gate) receive(ctx context.Context, o Options, r Receipt) error {
	id, part, err := g.store.PartOf(ctx, o.Name, r.Chat, r.ID)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil // of another program, or from before
	}
	if err != nil {
		return err
	}
	d, err := g.store.Delivery(ctx, id)
	if err != nil || d.knows(r.Fate) {
		return err
	}
	at := d.place("received:" + r.ID + ":" + string(r.Fate))
	_, err = g.store.Append(ctx, ReceivedKind.Draft(at, Received{Delivery: id, Part: part, Fate: r.Fate, Why: oneLine(r.Why, 300)}))
	return err
}

// knows reports whether a fate says nothing new of a delivery.
func (d Delivery) knows(f Fate) bool {
	switch f {
	case Arrived:
		return d.State == Delivered
	case Seen:
		return !d.Seen.IsZero()
	case Lost:
		return d.State == Failed || d.State == Delivered
	}
	return true
}
