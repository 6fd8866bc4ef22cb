package cli

import (
	"math"
	"os"
	"runtime/debug"
	"time"
)

// startHeap is the heap, in bytes, below which a start does not collect garbage; a start
// that replays a log passes it.
const startHeap = 64 << 20

// collectLater keeps the collector from running while the daemon starts, which would
// take about a quarter of the time. GOGC and GOMEMLIMIT in the environment come first.
func collectLater() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(startHeap)
	}
}

// collectLess lets the heap grow to three times what is live: a turn leaves much garbage
// behind a small heap. What the start has left goes back.
func collectLess() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(200)
	}
	time.AfterFunc(time.Second, func() {
		debug.FreeOSMemory()
		releaseStart()
	})
}
