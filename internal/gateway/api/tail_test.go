package api

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

type note struct {
	Text string `json:"text"`
}

var noteKind = event.Kind[note]{Name: "log.note", PayloadType: "log.note.v1"}

func openStore(t *testing.T) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	return db
}

// add records n notes, in turns in two conversations.
func add(t *testing.T, db *store.DB, n int) {
	t.Helper()
	drafts := make([]event.Draft, n)
	for i := range drafts {
		thread := fmt.Sprintf("thr_%d", i%2)
		at := event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
		drafts[i] = noteKind.Draft(at, note{fmt.Sprint(i)})
	}
	if _, err := db.Log.Append(t.Context(), drafts...); err != nil {
		t.Error(err)
	}
}

// watched takes n frames of a filter's from the tail, or from the log where it says so.
func watched(t *testing.T, a *tail, after event.Seq, f event.Filter, n int) (got []string) {
	t.Helper()
	for len(got) < n {
		frames, end, more, ok := a.since(after, f)
		if !ok {
			events, to, err := a.log.Events(t.Context(), after, f)
			if err != nil {
				t.Error(err)
				return got
			}
			for _, e := range events {
				one, err := newFrame(e.Event)
				if err != nil {
					t.Error(err)
				}
				frames = append(frames, one.raw)
			}
			end = to
		}
		for _, raw := range frames {
			got = append(got, string(raw))
		}
		if after = end; ok && len(got) < n {
			<-more
		}
	}
	return got
}

// logFrames is what the log itself has.
func logFrames(t *testing.T, db *store.DB, after event.Seq, f event.Filter) (want []string) {
	t.Helper()
	f.Limit = 100_000
	events, _, err := db.Log.Events(t.Context(), after, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		one, err := newFrame(e.Event)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(one.raw))
	}
	return want
}

func TestTail_WatchersMissNothingAndGetNothingTwice(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	a := newTail(db.Log)
	add(t, db, 50)
	leave, err := a.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const later = 3000 // more than the tail holds
	filters := []struct {
		f event.Filter
		n int
	}{{event.Filter{}, 50 + later}, {event.Filter{Thread: "thr_1"}, (50 + later) / 2}, {event.Filter{Type: "log.*"}, 50 + later}}
	got := make([][]string, 4*len(filters))
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() {
			c := filters[i%len(filters)]
			got[i] = watched(t, a, 0, c.f, c.n)
		})
	}
	for range later / 100 {
		add(t, db, 100)
	}
	wait.Wait()
	for i := range got {
		c := filters[i%len(filters)]
		if want := logFrames(t, db, 0, c.f); !slices.Equal(got[i], want) {
			t.Errorf("watcher %d got %d events, the log has %d", i, len(got[i]), len(want))
		}
	}
	leave()
	again, err := a.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer again()
	end, err := db.Log.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, 2)
	if got, want := watched(t, a, end, event.Filter{}, 2), logFrames(t, db, end, event.Filter{}); !slices.Equal(got, want) {
		t.Errorf("who comes after all have left gets %q, not %q", got, want)
	}
}

// broken is a store whose log cannot be read for a while.
type broken struct {
	store.Log
	mu  sync.Mutex // guards err
	err error
}

func (b *broken) Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, after, b.err
	}
	return b.Log.Events(ctx, after, f)
}

func (b *broken) set(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func TestTail_ALogThatCannotBeReadIsNotTakenForAnEmptyOne(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	b := &broken{Log: db.Log}
	a := newTail(b)
	leave, err := a.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	end := a.position()
	_, _, more, ok := a.since(end, event.Filter{})
	if !ok {
		t.Fatal("who is at the end has to read the log")
	}
	b.set(fault.New(fault.Unavailable, "The disk is away."))
	add(t, db, 1)
	<-more
	if _, _, _, ok := a.since(end, event.Filter{}); ok {
		t.Error("what could not be read counts as nothing")
	}
	b.set(nil)
	add(t, db, 1)
	if got, want := watched(t, a, end, event.Filter{}, 2), logFrames(t, db, end, event.Filter{}); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// slow is a store whose readers take a while to notice that they are told to stop.
type slow struct {
	store.Log
	began   chan struct{}
	reading atomic.Bool
}

func (s *slow) Events(ctx context.Context, after event.Seq, _ event.Filter) ([]event.Exported, event.Seq, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	close(s.began)
	<-ctx.Done()
	for range 10_000 {
		runtime.Gosched()
	}
	return nil, after, ctx.Err()
}

// Who watched last may close the log, and must not leave anybody behind who reads it.
func TestTail_NothingReadsWhenTheLastWatcherHasLeft(t *testing.T) {
	t.Parallel()
	s := &slow{Log: openStore(t).Log, began: make(chan struct{})}
	leave, err := newTail(s).join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-s.began
	leave()
	if s.reading.Load() {
		t.Error("the log is read after the last watcher has left")
	}
}
