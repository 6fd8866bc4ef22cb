package bench

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A load is what a closed loop of callers measured.
type load struct {
	calls    int
	rate     float64 // per second
	p50, p99 time.Duration
}

// drive makes calls in c loops at once, after a short warm-up. call is told which loop
// it is in and how many calls that loop has made.
func drive(b *testing.B, c, calls int, call func(loop, n int) error) load {
	b.Helper()
	calls = max(calls, 2*c)
	if err := call(0, 0); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	took := make([]time.Duration, calls)
	begin := time.Now()
	var wait sync.WaitGroup
	for loop := range c {
		wait.Go(func() {
			for n := 1; ; n++ {
				i := int(next.Add(1)) - 1
				if i >= calls {
					return
				}
				at := time.Now()
				if err := call(loop, n); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(at)
			}
		})
	}
	wait.Wait()
	wall := time.Since(begin)
	slices.Sort(took)
	return load{calls, float64(calls) / wall.Seconds(), took[calls/2], took[calls*99/100]}
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
