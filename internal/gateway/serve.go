package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Times of the server: for the head of a request, for a connection that is not used, and for
// requests in hand when it stops. Streams do not end by themselves, and are ended sooner.
const (
	headTime   = 10 * time.Second
	idleTime   = 2 * time.Minute
	stopTime   = 3 * time.Second
	streamTime = 500 * time.Millisecond
)

// Serve answers the requests that come to l until ctx is done and those in hand are answered.
func Serve(ctx context.Context, l net.Listener, doors http.Handler) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &http.Server{Handler: doors, ReadHeaderTimeout: headTime, IdleTimeout: idleTime, BaseContext: func(net.Listener) context.Context { return base }}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, stop := context.WithTimeout(base, stopTime)
		defer stop()
		time.AfterFunc(streamTime, cancel)
		stopped <- s.Shutdown(grace)
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return s.Close()
	}
	return nil
}
