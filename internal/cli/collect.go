package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// startHeap is the heap, in bytes, below which a start does not collect garbage; a start
// that replays a log passes it.
const startHeap = 64 << 20

// collectLater keeps the collector from running while the daemon starts, which would
// take about a quarter of the time. GOGC and GOMEMLIMIT in the environment come first.
func collectLater() {
	if ours() {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(startHeap)
	}
}

// ours reports whether it is for us to tell the collector.
func ours() bool { return os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" }

// collectLess lets a small heap grow to three times what is live, since a turn leaves much
// garbage behind one, and a large heap less. What the start has left goes back.
func collectLess() {
	if ours() {
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(mostPercent)
		afterCollection(collector.set)
	}
	time.AfterFunc(time.Second, func() {
		debug.FreeOSMemory()
		releaseStart()
	})
}

// How much garbage is let be, beside what is live: mostPercent of that, but no more than
// mostGarbage bytes, unless that would be less than leastPercent.
const (
	mostPercent  = 200
	leastPercent = 25
	mostGarbage  = 56 << 20
)

// percentFor is the collector's percentage for a live heap.
func percentFor(live uint64) int {
	if live <= mostGarbage*100/mostPercent {
		return mostPercent
	}
	return max(leastPercent, int(mostGarbage*100/live)) //nolint:gosec // at most mostPercent
}

// A pace is what the collector was told.
type pace struct {
	mu      sync.Mutex // guards the rest
	percent int
	holds   int // how many read much that stays
	heldOn  time.Duration
}

var collector = &pace{percent: mostPercent, heldOn: heldOn} //nolint:gochecknoglobals // there is one

// set tells the collector what fits the heap that it has left; small differences are not
// worth that the world stops for them.
func (p *pace) set() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := percentFor(live[0].Value.Uint64())
	if d := next - p.percent; d*d*100 > p.percent*p.percent || d != 0 && next == mostPercent {
		if p.percent = next; p.holds == 0 {
			debug.SetGCPercent(next)
		}
	}
}

// heldOn is how long after that the collector still waits: what is made of what was read stays as well.
const heldOn = 500 * time.Millisecond

// hold keeps the collector from running while much is read that stays, until a while after release is called.
func (p *pace) hold() (release func()) {
	if !ours() {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds++; p.holds == 1 {
		debug.SetGCPercent(-1)
	}
	return sync.OnceFunc(func() { time.AfterFunc(p.heldOn, p.release) })
}

func (p *pace) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds--; p.holds == 0 {
		debug.SetGCPercent(p.percent)
	}
}

// afterCollection calls f after every collection, in the goroutine of finalizers.
func afterCollection(f func()) {
	type seen struct{ _ *int } // one with a pointer is not put together with others
	var again func(*seen)
	again = func(s *seen) {
		f()
		runtime.SetFinalizer(s, again)
	}
	runtime.SetFinalizer(new(seen), again)
}
