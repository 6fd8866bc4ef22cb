package channeltest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
)

// A Running is an adapter's Run that is under way.
type Running struct {
	End  <-chan error // what Run returns
	stop func()
}

// Run runs an adapter, until the test ends.
func Run(t testing.TB, a channel.Adapter, in channel.Inbox) Running {
	ctx, cancel := context.WithCancel(t.Context())
	end, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		end <- a.Run(ctx, in)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return Running{end, cancel}
}

// Stopped ends a run that is to end without an error.
func (r Running) Stopped(t testing.TB) {
	t.Helper()
	r.stop()
	if err := <-r.End; err != nil {
		t.Errorf("Run ended with %v", err)
	}
}

// Keep does something over and over, as the daemon runs a channel, only sooner, until the test
// ends. The function that it returns ends it before, and returns what went wrong.
func Keep(t testing.TB, run func(context.Context) error) (end func() []error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan []error, 1)
	go func() {
		var errs []error
		for ctx.Err() == nil {
			err := run(ctx)
			if err != nil {
				errs = append(errs, err)
			} else if ctx.Err() == nil {
				t.Error("it ended, and nothing is said to have gone wrong")
			}
			later := time.NewTimer(2 * time.Millisecond)
			select {
			case <-later.C:
			case <-ctx.Done():
			}
		}
		ended <- errs
	}()
	end = sync.OnceValue(func() []error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { end() })
	return end
}

// Listen serves a channel's address.
func Listen(t testing.TB, a channel.Listener, in channel.Inbox) (url string) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.Listen(w, r, in) }))
	t.Cleanup(h.Close)
	return h.URL
}

// WantFault fails the test when an error is not a fault of a kind with some words in what people
// read.
func WantFault(t testing.TB, err error, kind fault.Kind, words string) {
	t.Helper()
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != kind || !strings.Contains(f.Text, words) {
		t.Errorf("got %v, want a fault of kind %d with %q", err, kind, words)
	}
}

// RefusalOf returns a platform's no, or ends the test.
func RefusalOf(t testing.TB, err error) *channel.Refusal {
	t.Helper()
	r, ok := errors.AsType[*channel.Refusal](err)
	if !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}

// Buttons makes buttons of pairs: what they say, and what they carry.
func Buttons(pairs ...string) []channel.Button {
	var out []channel.Button
	for p := range slices.Chunk(pairs, 2) {
		out = append(out, channel.Button{Text: p[0], Press: p[1]})
	}
	return out
}
