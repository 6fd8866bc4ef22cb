package whatsapp

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsapptest"
)

// TestLedger_WaitsWhileOlderUpdatesCome: what WhatsApp says of a part comes after all that
// happened before.
func TestLedger_WaitsWhileOlderUpdatesCome(t *testing.T) {
	t.Parallel()
	const settle = 5 * time.Second
	older := func(began time.Time) time.Time { return began.Add(-time.Minute) }
	for name, c := range map[string]struct {
		made   func(began time.Time) time.Time // of the updates
		status bool                            // comes after the tenth update
		want   time.Duration                   // until it is known, or may be sent again
	}{
		"older":            {made: older, status: true, want: 30 * time.Second},
		"older, and no":    {made: older, want: 30*time.Second + settle},
		"from now on":      {made: func(began time.Time) time.Time { return began.Add(time.Second) }, want: settle},
		"of no known time": {made: func(time.Time) time.Time { return time.Time{} }, want: settle},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLedger()
				l.doubtful("part")
				began := time.Now()
				var updates sync.WaitGroup
				defer updates.Wait()
				updates.Go(func() {
					for range 10 {
						time.Sleep(3 * time.Second)
						l.taking(c.made(began))()
					}
					if c.status {
						l.status("part", "wamid.1", nil)
					}
				})
				id, lost := l.look(t.Context(), "part", settle)
				if lost != nil || (id == "wamid.1") != c.status || time.Since(began) != c.want {
					t.Errorf("%q after %s", id, time.Since(began))
				}
				if len(l.waiting) != 1 {
					t.Errorf("%d wait", len(l.waiting))
				}
			})
		})
	}
}

// TestLedger_DoesNotWaitForEver: an update that is refused comes again for days.
func TestLedger_DoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		began := time.Now()
		ended := make(chan bool)
		go func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(time.Second):
					l.taking(began.Add(-time.Hour))()
				}
			}
		}()
		time.Sleep(time.Minute)
		l.before("of an earlier life", 10*time.Second)
		if id, _ := l.look(t.Context(), "of an earlier life", 10*time.Second); id != "" || time.Since(began) != mostBehind {
			t.Errorf("%q after %s", id, time.Since(began))
		}
		l.before("another", 10*time.Second)
		if _, _ = l.look(t.Context(), "another", 10*time.Second); time.Since(began) != mostBehind {
			t.Errorf("the next waits %s", time.Since(began))
		}
		l.doubtful("part")
		if _, _ = l.look(t.Context(), "part", 10*time.Second); time.Since(began) != 2*mostBehind {
			t.Errorf("one in doubt since waits %s", time.Since(began)-mostBehind)
		}
		close(ended)
	})
}

// TestLedger_WaitsWhileAnOlderUpdateIsTaken, which may last.
func TestLedger_WaitsWhileAnOlderUpdateIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		l.doubtful("part")
		began := time.Now()
		taken := l.taking(began.Add(-time.Minute))
		defer l.taking(began.Add(time.Second))()
		time.AfterFunc(time.Minute, taken)
		if id, _ := l.look(t.Context(), "part", 10*time.Second); id != "" || time.Since(began) != 70*time.Second {
			t.Errorf("%q after %s", id, time.Since(began))
		}
	})
}

// TestLedger_StatusBeforeTheNextOpening: the channel is opened anew after WhatsApp said what became of a
// part whose answer was lost.
func TestLedger_StatusBeforeTheNextOpening(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	s.Enter(alone)
	p := Platform()
	open := func() *Adapter {
		opened, err := p.Open(configOf(s, "settle", "50ms"))
		a, ok := opened.(*Adapter)
		if err != nil || !ok {
			t.Fatalf("%T, %v", opened, err)
		}
		return a
	}
	a := open()
	if err := s.Hook(address(t, a, new(channeltest.Inbox))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Unhook)
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), out(alone, "once")); err == nil {
		t.Fatal("the answer is not lost")
	}
	delivered(s)
	if id, err := open().Send(t.Context(), out(alone, "once")); err != nil || !slices.Equal(s.Texts(alone), []string{"once"}) || s.Sent(alone)[0].ID != id {
		t.Errorf("sent %q, %v", s.Texts(alone), err)
	}
}

// TestLedger_StatusBehindOthers: people write so much that WhatsApp says late, after more than settle,
// that a part is there whose answer was lost.
func TestLedger_StatusBehindOthers(t *testing.T) {
	t.Parallel()
	s := whatsapptest.New(t)
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		slow := time.NewTimer(20 * time.Millisecond)
		<-slow.C
		return nil
	}}
	a := with(t, s, "settle", "200ms")
	if err := s.Hook(address(t, a, in)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Unhook)
	for range 30 {
		s.Say(team, anna, "hello")
	}
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), out(team, "once")); err == nil {
		t.Fatal("the answer is not lost")
	}
	if id, err := a.Send(t.Context(), out(team, "once")); err != nil || !slices.Equal(s.Texts(team), []string{"once"}) || s.Sent(team)[0].ID != id {
		t.Errorf("sent %q, %v", s.Texts(team), err)
	}
}
