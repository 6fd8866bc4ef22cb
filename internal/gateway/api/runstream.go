package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
)

// runStream sends what a run brings forth as server-sent events while it comes: "tick" for each piece,
// and "reply" when it has ended or waits for somebody.
func (a *api) runStream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	found, err := a.Store.Runs.Run(ctx, run.ID(chi.URLParam(r, "id")))
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	a.follow(ctx, w, inbox.Accepted{Thread: found.Thread, Run: string(found.ID)})
}

// chatStream takes a message in a conversation, as POST /api/chat does, and sends its answer as runStream
// does. The id "new" begins a conversation; the header X-Session-ID says which.
func (a *api) chatStream(w http.ResponseWriter, r *http.Request) {
	acc, caller, err := a.chatted(r)
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	w.Header().Set("X-Session-ID", acc.Thread)
	a.hall.Stream(org.Viewer, func(ctx context.Context, w http.ResponseWriter, _ *http.Request) { a.follow(ctx, w, acc) })(w, r.WithContext(caller.With(r.Context())))
}

func (a *api) chatted(r *http.Request) (inbox.Accepted, gateway.Caller, error) {
	caller, raw, err := a.hall.Take(r, org.Viewer, maxChat)
	if err != nil {
		return inbox.Accepted{}, caller, err
	}
	var b ChatBody
	if err := event.DecodeStrict(raw, &b); err != nil {
		return inbox.Accepted{}, caller, err
	}
	if b.Thread = chi.URLParam(r, "id"); b.Thread == "new" {
		b.Thread = ""
	}
	m, err := a.messageOf(caller.With(r.Context()), b)
	if err != nil {
		return inbox.Accepted{}, caller, err
	}
	acc, err := a.Talk.Say(r.Context(), m)
	return acc, caller, err
}

// follow sends what becomes of a message as server-sent events while it comes.
func (a *api) follow(ctx context.Context, w http.ResponseWriter, acc inbox.Accepted) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	send := func(event string, v any) error {
		raw, err := json.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, raw)
		}
		if err == nil {
			err = out.Flush()
		}
		return err
	}
	if _, err := fmt.Fprint(w, ": the run "+acc.Run+"\n\n"); err != nil || out.Flush() != nil {
		return // the client is gone
	}
	for tick, err := range a.Talk.Stream(ctx, acc) {
		if err != nil || send("tick", tick) != nil {
			return // the client asks again
		}
	}
	reply, err := a.Talk.Await(ctx, acc)
	if err == nil && ctx.Err() == nil {
		_ = send("reply", reply) // the client is gone
	}
}
