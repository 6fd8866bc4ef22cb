package hook_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"chela/internal/event"
	"chela/internal/hook"
)

// log is an event log in memory. Two daemons may read it.
type log struct {
	grown chan struct{}

	mu     sync.Mutex // guards the rest
	events []event.Exported
	at     event.Seq
}

func (l *log) add(kinds ...string) {
	l.mu.Lock()
	for _, kind := range kinds {
		var e event.Exported
		e.Seq = event.Seq(len(l.events) + 1)
		e.Message.Type = kind
		l.events = append(l.events, e)
	}
	l.mu.Unlock()
	select {
	case l.grown <- struct{}{}:
	default:
	}
}

func (l *log) Subscribe(event.Topic) (<-chan struct{}, func()) { return l.grown, func() {} }

func (l *log) End(context.Context) (event.Seq, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return event.Seq(len(l.events)), nil
}

func (l *log) Events(_ context.Context, after event.Seq, _ event.Filter) ([]event.Exported, event.Seq, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events[after:]), event.Seq(len(l.events)), nil
}

func (l *log) Cursor(context.Context, string) (event.Seq, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at, nil
}

func (l *log) MoveCursor(_ context.Context, _ string, from, to event.Seq) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at != from {
		return false, nil
	}
	l.at = to
	return true, nil
}

// told are the points that a hook was told of.
type told struct {
	mu     sync.Mutex // guards points
	points []hook.Point
}

func (o *told) Call(_ context.Context, c hook.Call) (hook.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.points = append(o.points, c.Point)
	return hook.Answer{}, nil
}

func TestTellerRun_TellsWhatIsRecordedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &log{grown: make(chan struct{}, 1)}
		l.add("before", "run")
		heard := new(told)
		subs := []hook.Subscription{{Name: "h", Key: "h", Points: []hook.Point{hook.RunStart, hook.DaemonStart, hook.DaemonStop}, Timeout: hook.DefaultTimeout, Target: heard}}
		teller := hook.Teller{
			Hooks: hook.New(hook.Options{Source: func(context.Context) ([]hook.Subscription, error) { return subs, nil }, Log: slog.New(slog.DiscardHandler)}),
			From:  l, Node: "a", Log: slog.New(slog.DiscardHandler),
			Point: func(m event.Message) (hook.Point, bool) { return hook.RunStart, m.Type == "run" },
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		for range 2 { // daemons that share the log
			go func() { ended <- teller.Run(ctx, 2) }()
		}
		synctest.Wait()
		for range 3 {
			l.add("run", "other")
			synctest.Wait()
		}
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		count := map[hook.Point]int{}
		for _, p := range heard.points {
			count[p]++
		}
		if count[hook.RunStart] != 3 || count[hook.DaemonStart] != 2 || count[hook.DaemonStop] != 2 {
			t.Errorf("told %v, want 3 runs, and 2 starts and ends of daemons", count)
		}
	})
}
