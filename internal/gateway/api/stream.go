package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
)

// lookEvery is how often it is looked whether who hears a stream still may.
const lookEvery = 200 * time.Millisecond

// stream answers with what takes a while to send: the one way to one. It ends soon after its
// asker's token was revoked, they were disabled or their role was lowered, on every node; who
// still may hear it asks again. ctx is done then, and whoever is in a write is out of it.
func (a *api) stream(need org.Role, send func(ctx context.Context, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began, ok := a.asPerson(w, r, need)
		if !ok {
			return
		}
		ctx, end := context.WithCancel(r.Context())
		watched := make(chan struct{})
		defer func() {
			end()
			<-watched // nothing touches w once it has been answered
		}()
		go func() {
			defer close(watched)
			if a.loses(ctx, r, began) {
				end()
				_ = http.NewResponseController(w).SetWriteDeadline(time.Now()) // one without deadlines blocks nobody
			}
		}()
		send(ctx, w, r)
	}
}

// loses returns true when who began a stream may not hear it any more, and false when it has ended.
func (a *api) loses(ctx context.Context, r *http.Request, began org.Person) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now, err := a.asker(r)
		if kind := fault.KindOf(err); err != nil && (kind == fault.Unauthenticated || kind == fault.Denied || kind == fault.NotFound) {
			return true
		}
		if err == nil && !now.Role.AtLeast(began.Role) {
			return true
		}
	}
}
