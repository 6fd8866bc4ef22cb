package gateway

import (
	"context"
	"net/netip"
	"time"

	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/run"
)

// LoggedIn is the fact, of a kind, that something opens for a person or no longer does, with the address of the caller. It lies in the
// person's stream.
func (h *Hall) LoggedIn(ctx context.Context, kind event.Kind[org.Login], l org.Login, by event.Party) event.Draft {
	l.Address = textOf(arrivalOf(ctx).from)
	at := h.place(by)
	at.Stream = event.PersonStream(l.Person)
	return kind.Draft(at, l)
}

func (h *Hall) place(by event.Party) event.Place {
	id := h.store.Mint().ID("run")
	return event.Place{Stream: event.OrgStream, Thread: h.store.Mint().ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: by}
}

// textOf is an address as it is recorded, "" when it is not known.
func textOf(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// Refusals are recorded once an hour of an address, and of all together so many an hour, so that nobody fills the log.
const (
	refusedEvery = time.Hour
	mostRefused  = 60
)

// refused records that wrong tokens of an address are held back, unless that was recorded lately.
func (h *Hall) refused(ctx context.Context, from netip.Addr, now time.Time) {
	wrong, due := h.wrongs.tell(network(from), now)
	if !due {
		return
	}
	d := org.LoginRefusedKind.Draft(h.place(run.Chela()), org.LoginRefused{Address: textOf(from), Wrong: wrong})
	if err := h.store.Record(context.WithoutCancel(ctx), d); err != nil {
		h.opts.Log.WarnContext(ctx, "record that wrong tokens are held back", "err", err)
	}
}

// Shown is an event as a person may see it, wherever events are shown.
func Shown(reader org.Person, e event.Event) event.Event {
	return org.Shown(reader, memory.Shown(reader.ID, e))
}
