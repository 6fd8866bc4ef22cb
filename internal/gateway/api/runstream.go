package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/talk"
)

// runStream sends what a run brings forth as server-sent events while it comes: "tick" for each piece,
// and "reply" when it has ended or waits for somebody.
func (a *api) runStream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	found, err := a.Store.Runs.Run(ctx, run.ID(chi.URLParam(r, "id")))
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	acc := inbox.Accepted{Thread: found.Thread, Run: string(found.ID)}
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
	if _, err := fmt.Fprint(w, ": the run "+found.ID+"\n\n"); err != nil || out.Flush() != nil {
		return // the client is gone
	}
	for tick, err := range a.Talk.Stream(ctx, acc) {
		if err != nil || send("tick", tick) != nil {
			return // the client asks again
		}
	}
	var reply talk.Reply
	if reply, err = a.Talk.Await(ctx, acc); err == nil && ctx.Err() == nil {
		_ = send("reply", reply) // the client is gone
	}
}
