package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// What HTTP/2 may take: streams at once of a connection, and bytes of a frame, as the standard has it.
const (
	mostStreams = 128
	mostFrame   = 1 << 14
)

// Serve answers the requests that come to l until ctx is done and those in hand are answered.
func Serve(ctx context.Context, l net.Listener, doors http.Handler) error {
	s := &http.Server{Handler: doors}
	return serve(ctx, s, func() error { return s.Serve(l) })
}

// ServeTLS is [Serve] over TLS with a certificate, by HTTP/2 to those who speak it. What goes wrong with connections is
// the log's.
func ServeTLS(ctx context.Context, l net.Listener, c *Certificate, doors http.Handler, log *slog.Logger) error {
	s := &http.Server{
		Handler: doors, TLSConfig: c.Config(), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: mostStreams, MaxReadFrameSize: mostFrame},
	}
	return serve(ctx, s, func() error { return s.ServeTLS(l, "", "") })
}

// serve has a server answer until ctx is done and what is in hand is answered.
func serve(ctx context.Context, s *http.Server, listen func() error) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.ReadHeaderTimeout, s.IdleTimeout, s.BaseContext = headTime, idleTime, func(net.Listener) context.Context { return base }
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, stop := context.WithTimeout(base, stopTime)
		defer stop()
		time.AfterFunc(streamTime, cancel)
		stopped <- s.Shutdown(grace)
	}()
	if err := listen(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return s.Close()
	}
	return nil
}
