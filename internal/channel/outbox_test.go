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

// lagging has deliveries listed as they stood before they ended.
type lagging struct {
	Outbox
	lists [][]Delivery // one after the other
	first chan struct{}
}

func (l *lagging) Due(context.Context, string) ([]Delivery, error) {
	if len(l.lists) == 0 {
		return nil, nil
	}
	out := l.lists[0]
	if l.lists = l.lists[1:]; len(l.lists) == 0 {
		close(l.first) // the call of the first list answers
		synctest.Wait()
	}
	return out, nil
}

// TestOutbox_WhatEndsWhileItIsListed: a delivery that is made between the reading of what is due and the look at it is not made twice.
func TestOutbox_WhatEndsWhileItIsListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSlate()
		s.state, s.said, s.hang = run.Done, "Done.", make(chan struct{})
		d := Delivery{ID: "msg_1", Run: "run_1", Channel: "team", Address: Address{Chat: "c1"}, State: Queued}
		under := d
		under.State, under.Attempts = Sending, 1
		b := s.box()
		b.store.Outbox = &lagging{Outbox: b.store.Outbox, lists: [][]Delivery{{d}, {under}}, first: s.hang}
		under.Node = b.node
		ctx, end := context.WithCancel(t.Context())
		wake, over := make(chan struct{}, 1), make(chan error)
		go func() { over <- b.work(ctx, wake) }()
		synctest.Wait()
		wake <- struct{}{}
		time.Sleep(time.Second)
		end()
		if err := <-over; err != nil {
			t.Error(err)
		}
		if want := []string{TriedKind.Name, SentKind.Name}; !slices.Equal(s.facts, want) || !slices.Equal(s.sent, []string{"Done."}) {
			t.Errorf("%q are sent, as %q, want %q", s.sent, s.facts, want)
		}
	})
}
