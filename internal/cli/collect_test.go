package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestCollect_GarbageIsBounded: a small heap may grow to three times what is live, a large one by
// mostGarbage, a huge one by a quarter, so that the collector does not run without end.
func TestCollect_GarbageIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		live := rapid.Uint64Range(0, 64<<30).Draw(t, "live")
		p := percentFor(live)
		garbage := live * uint64(p) / 100
		if p > mostPercent || p < leastPercent || garbage > mostGarbage && p > leastPercent {
			t.Fatalf("%d bytes live: %d percent, %d bytes of garbage", live, p, garbage)
		}
		if more := percentFor(live + live/2); more > p {
			t.Fatalf("%d percent of %d bytes, %d of more", p, live, more)
		}
		if live < mostGarbage/2 && p != mostPercent {
			t.Fatalf("a small heap of %d bytes has %d percent", live, p)
		}
	})
}

// TestCollect_TheCollectorIsPaced: what the collector is told follows the heap that it leaves, up
// and down, after every collection.
func TestCollect_TheCollectorIsPaced(t *testing.T) { //nolint:paralleltest // there is one collector
	defer debug.SetGCPercent(debug.SetGCPercent(mostPercent))
	p := &pace{percent: mostPercent}
	told := make(chan int)
	stop := make(chan struct{})
	defer close(stop)
	afterCollection(func() {
		p.set()
		select {
		case told <- p.percent:
		case <-stop:
		}
	})
	comes := func(want int) bool {
		for range 5 { // a collection that had begun before does not count
			for heard := false; !heard; runtime.Gosched() {
				runtime.GC()
				select {
				case got := <-told:
					if heard = true; got == want {
						return true
					}
				default: // it is not listened for yet, or not yet told
				}
			}
		}
		return false
	}
	if !comes(mostPercent) {
		t.Error("a small heap is not let grow")
	}
	large := make([]byte, 4*mostGarbage)
	if !comes(leastPercent) {
		t.Error("a large heap is let grow")
	}
	runtime.KeepAlive(large)
	if !comes(mostPercent) {
		t.Error("a heap that is small again is not let grow")
	}
}

// TestCollect_NothingIsCollectedWhileItIsHeld: what the collector is told meanwhile holds when the last has let it go.
func TestCollect_NothingIsCollectedWhileItIsHeld(t *testing.T) { //nolint:paralleltest // there is one collector
	defer debug.SetGCPercent(debug.SetGCPercent(mostPercent))
	p := &pace{percent: leastPercent}
	told := func() int {
		now := debug.SetGCPercent(mostPercent)
		debug.SetGCPercent(now)
		return now
	}
	one, other := p.hold(), p.hold()
	one()
	one()
	if got := told(); got != -1 {
		t.Errorf("the collector is told %d percent while it is held", got)
	}
	p.set()
	if got := told(); got != -1 || p.percent != mostPercent {
		t.Errorf("the collector is told %d percent while it is held, and %d later", got, p.percent)
	}
	other()
	for begun := time.Now(); told() != mostPercent; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the collector is told %d percent when it was let go", told())
		}
	}
}
