package channel

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/run"
)

// TestOutbox_WhatIsUnderWayIsFinished: a connection that ends cuts off no call of which nobody would know
// whether it arrived; one that hangs is not waited for.
func TestOutbox_WhatIsUnderWayIsFinished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers time.Duration // after the connection ended
		sent    []string
		facts   []string
	}{
		"it answers":      {time.Second, []string{"Done."}, []string{TriedKind.Name, SentKind.Name}},
		"it hangs":        {time.Minute, nil, []string{TriedKind.Name, RefusedKind.Name}},
		"it answers late": {lastWords + time.Second, nil, []string{TriedKind.Name, RefusedKind.Name}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSlate()
				s.state, s.said, s.hang = run.Done, "Done.", make(chan struct{})
				ctx, end := context.WithCancel(t.Context())
				began, over := time.Now(), make(chan error)
				go func() {
					over <- s.box().deliver(ctx, Delivery{ID: "msg_1", Run: "run_1", Channel: "team", Address: Address{Chat: "c1"}})
				}()
				synctest.Wait()
				end()
				time.AfterFunc(c.answers, func() { close(s.hang) })
				if err := <-over; err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > lastWords || !slices.Equal(s.sent, c.sent) || !slices.Equal(s.facts, c.facts) {
					t.Errorf("after %s %q are sent, %q", took, s.sent, s.facts)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
