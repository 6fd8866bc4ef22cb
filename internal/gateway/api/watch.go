package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/org"
)

// watch sends what becomes of a conversation as server-sent events, in the words of systems that build workflows by chat, see
// [builder.Watch]: from Last-Event-ID, or the query's after, on; without either from now on.
func (a *api) watch(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	thread := chi.URLParam(r, "id")
	if err := a.there(ctx, thread); err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	after, err := a.placeOf(ctx, r)
	stand, failed := a.Store.Workflows.RouterSessions(ctx, thread, 100)
	if err != nil || failed != nil {
		a.hall.Fail(w, r, cmp.Or(err, failed))
		return
	}
	told := builder.NewWatch(a.Builder.Store, thread)
	told.Plays(stand)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	s := sse{w: w, c: http.NewResponseController(w), a: a, filter: event.Filter{Limit: 500}, after: after}
	s.send(fmt.Appendf(nil, ": the conversation %s from %d on\nretry: 1000\n\n", thread, after))
	grown, leave := a.Store.Log.Subscribe(event.LogGrew)
	defer leave()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	reader := person(r.Context())
	for s.watched(ctx, told, reader); s.err == nil && ctx.Err() == nil; s.watched(ctx, told, reader) {
		select {
		case <-ctx.Done():
		case <-grown:
		case <-alive.C:
			s.send([]byte(": alive\n\n"))
		}
	}
}

// watched sends what a watch tells of the events since.
func (s *sse) watched(ctx context.Context, w *builder.Watch, reader org.Person) {
	for s.err == nil && ctx.Err() == nil {
		events, end, err := s.a.Store.Log.Events(ctx, s.after, s.filter)
		for i := 0; err == nil && i < len(events); i++ {
			if events[i].Erased {
				continue
			}
			var told []builder.Told
			told, err = w.Tell(ctx, gateway.Shown(reader, events[i].Event))
			for _, t := range told {
				var raw []byte
				if raw, err = json.Marshal(t.Data); err == nil {
					s.send(fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", events[i].Seq, t.Name, raw))
				}
			}
		}
		if s.err == nil {
			s.err = err
		}
		if s.after = end; len(events) < s.filter.Limit {
			return
		}
	}
}
