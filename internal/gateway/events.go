package gateway

import (
	"net/http"
	"sync"
	"time"
)

// Events is an answer of server-sent events: each is sent at once. Safe for concurrent use.
type Events struct {
	mu    sync.Mutex // guards w
	w     http.ResponseWriter
	flush *http.ResponseController
}

// NewEvents begins an answer of events.
func NewEvents(w http.ResponseWriter) *Events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	return &Events{w: w, flush: http.NewResponseController(w)}
}

// Write sends what is written at once.
func (e *Events) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n, err := e.w.Write(p)
	if err == nil {
		err = e.flush.Flush()
	}
	return n, err
}

// KeepAlive sends a comment every so often until stop is called.
func (e *Events) KeepAlive(every time.Duration) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if _, err := e.Write([]byte(": alive\n\n")); err != nil {
					return
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
