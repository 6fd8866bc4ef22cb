package channel

import (
	"context"
	"time"

	"chela/internal/fault"
)

// How long a report waits for the record of the part that it is about, and how often it is looked.
const (
	recordTime = 5 * time.Second
	recordLook = 20 * time.Millisecond
)

// receive puts into the log what became of a part of ours. What says nothing new is left out. A
// report may come before it is recorded that the part is there; then it waits for that, and comes
// again when there is none: were it taken, and the daemon to die, nobody would know of the part.
func (g *Gate) receive(ctx context.Context, o Options, r Receipt) error {
	id, part, err := g.partOf(ctx, o, r)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil // of another program, or from before
	}
	if err != nil {
		return err
	}
	d, err := g.store.Outbox.Delivery(ctx, id)
	if err != nil || d.knows(r.Fate) {
		return err
	}
	at := d.place("received:" + r.ID + ":" + string(r.Fate))
	_, err = g.store.Log.Append(ctx, ReceivedKind.Draft(at, Received{Delivery: id, Part: part, Fate: r.Fate, Why: OneLine(r.Why, 300)}))
	return err
}

// partOf finds the part that a report is about.
func (g *Gate) partOf(ctx context.Context, o Options, r Receipt) (delivery string, part int, err error) {
	for end := time.Now().Add(recordTime); ; {
		open, err := g.store.Outbox.InDoubt(ctx, o.Name, r.Chat) // before it is looked: it may be recorded meanwhile
		if err != nil {
			return "", 0, err
		}
		delivery, part, err = g.store.Outbox.PartOf(ctx, o.Name, r.Chat, r.ID)
		if err == nil || fault.KindOf(err) != fault.NotFound || !open {
			return delivery, part, err
		}
		if time.Now().After(end) {
			return "", 0, fault.Wrap(err, fault.Unavailable, "The channel %s reports on %s in the chat %s, which is not recorded yet. It is to report again.", o.Name, r.ID, r.Chat)
		}
		if err := rest(ctx, recordLook); err != nil {
			return "", 0, err
		}
	}
}

// knows reports whether a fate says nothing new of a delivery.
func (d Delivery) knows(f Fate) bool {
	switch f {
	case Taken:
		return true
	case Arrived:
		return d.State == Delivered
	case Seen:
		return !d.Seen.IsZero()
	case Lost:
		return d.State == Failed || d.State == Delivered
	}
	return true
}
