package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/gateway"
	"chela/internal/org"
)

// tailRoom is how many of the newest events are kept for those who watch. Who is further
// behind reads the log itself.
const tailRoom = 1000

// growing is a log that says when it has grown.
type growing interface {
	End(ctx context.Context) (event.Seq, error)
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	event.Notifier
}

// A tail holds the log's newest events, read and encoded once for all who watch. It
// reads only while somebody does. Safe for concurrent use.
type tail struct {
	log growing

	mu    sync.Mutex    // guards what follows
	count int           // watchers
	stop  func()        // tells the reader to stop
	done  chan struct{} // closed when the reader has stopped
	from  event.Seq     // the events after it, up to end, are in frames
	end   event.Seq
	kept  []frame       // oldest first
	more  chan struct{} // closed when there are more
}

// A frame is an event as it is sent.
type frame struct {
	event event.Event
	raw   []byte
}

func newTail(log growing) *tail { return &tail{log: log, more: make(chan struct{})} }

// join begins to watch; the function returned ends that. The last watcher waits until nothing
// reads the log any more, so that it can be closed.
func (t *tail) join(ctx context.Context) (func(), error) {
	end, err := t.log.End(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count++; t.count == 1 {
		t.from, t.end, t.kept = end, end, nil
		grown, forget := t.log.Subscribe(event.LogGrew)
		reading, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the first watcher
		done := make(chan struct{})
		t.stop, t.done = func() { cancel(); forget() }, done
		go func() {
			defer close(done)
			t.follow(reading, grown)
		}()
	}
	return t.left, nil
}

// left ends a watch.
func (t *tail) left() {
	t.mu.Lock()
	t.count--
	last, stop, done := t.count == 0, t.stop, t.done
	t.mu.Unlock()
	if last {
		stop()
		<-done
	}
}

func (t *tail) follow(ctx context.Context, grown <-chan struct{}) {
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for t.read(ctx); ctx.Err() == nil; t.read(ctx) { // once at first: the log may have grown before
		select {
		case <-ctx.Done():
		case <-grown:
		case <-alive.C: // a wake-up from another node may be lost
		}
	}
}

// read takes in what is new. When it cannot, watchers read for themselves.
func (t *tail) read(ctx context.Context) {
	for {
		after := t.position()
		events, end, err := t.log.Events(ctx, after, event.Filter{Limit: tailRoom})
		if ctx.Err() != nil || err == nil && end == after {
			return
		}
		frames := make([]frame, 0, len(events))
		for i := 0; err == nil && i < len(events); i++ {
			var f frame
			f, err = newFrame(events[i].Event)
			frames = append(frames, f)
		}
		t.take(frames, after, end, err)
		if err != nil || len(events) < tailRoom {
			return
		}
	}
}

func (t *tail) position() event.Seq {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end
}

// take keeps what was read after a position, unless another reader was there first: one
// that has been told to stop may be at its end.
func (t *tail) take(frames []frame, after, end event.Seq, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end != after {
		return
	}
	if err != nil {
		t.from, t.kept = t.end+1, nil // nobody is that far
	} else {
		t.end, t.kept = end, append(t.kept, frames...)
	}
	if n := len(t.kept) - tailRoom; n > 0 {
		t.from = t.kept[n-1].event.Seq
		t.kept = append([]frame(nil), t.kept[n:]...)
	}
	close(t.more)
	t.more = make(chan struct{})
}

// since returns the frames past after that the filter lets through, and up to where it
// has looked; ok is false when the log itself has to be read. more is closed when there
// is more to see than that.
func (t *tail) since(after event.Seq, f event.Filter) (frames [][]byte, end event.Seq, more <-chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if after < t.from {
		return nil, after, t.more, false
	}
	for i := len(t.kept) - 1; i >= 0 && t.kept[i].event.Seq > after; i-- {
		if f.Admits(t.kept[i].event) {
			frames = append(frames, t.kept[i].raw)
		}
	}
	slices.Reverse(frames)
	return frames, max(after, t.end), t.more, true
}

func newFrame(e event.Event) (frame, error) {
	raw, err := json.Marshal(logged(gateway.Shown(org.Person{}, e))) // for all who watch
	return frame{e, fmt.Appendf(nil, "id: %d\nevent: log\ndata: %s\n\n", e.Seq, raw)}, err
}
