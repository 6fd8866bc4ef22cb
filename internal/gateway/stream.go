package gateway

import (
	"context"
	"net/http"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
)

// lookEvery is how often it is looked whether who hears a stream still may.
const lookEvery = 200 * time.Millisecond

// Stream answers with what takes a while to send. Every stream of every door begins here. It ends
// soon after its caller's token was revoked, they were disabled or their role was lowered, on every
// node; a caller who still may hear it asks again. ctx is done then, and a write that blocks returns.
func (h *Hall) Stream(need org.Role, send func(ctx context.Context, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	follow := func(w http.ResponseWriter, r *http.Request) {
		began := CallerOf(r.Context()).Person
		ctx, end := context.WithCancel(r.Context())
		watched := make(chan struct{})
		defer func() {
			end()
			<-watched // nothing touches w once it has been answered
		}()
		go func() {
			defer close(watched)
			if h.loses(ctx, r, began) {
				end()
				_ = http.NewResponseController(w).SetWriteDeadline(time.Now()) // one without deadlines blocks nobody
			}
		}()
		send(ctx, w, r)
	}
	permitted := h.For(need, follow)
	return func(w http.ResponseWriter, r *http.Request) {
		if CallerOf(r.Context()).Person.Role.AtLeast(need) { // a door has permitted them
			follow(w, r)
			return
		}
		permitted(w, r)
	}
}

// While does for a caller, whom a door has permitted, what takes a while to send, as [Hall.Stream] does, and returns what came of it.
func (h *Hall) While(w http.ResponseWriter, r *http.Request, c Caller, need org.Role, do func(w http.ResponseWriter, r *http.Request) error) (err error) {
	h.Stream(need, func(ctx context.Context, w http.ResponseWriter, r *http.Request) {
		err = do(w, r.WithContext(ctx))
	})(w, r.WithContext(c.With(r.Context())))
	return err
}

// loses returns true when the caller who began a stream may not hear it any more, and false when it has ended.
func (h *Hall) loses(ctx context.Context, r *http.Request, began org.Person) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now, err := h.Authenticate(r)
		if kind := fault.KindOf(err); err != nil && (kind == fault.Unauthenticated || kind == fault.Denied || kind == fault.NotFound) {
			return true
		}
		if err == nil && !now.Person.Role.AtLeast(began.Role) {
			return true
		}
	}
}
