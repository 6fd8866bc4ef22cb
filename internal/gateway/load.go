package gateway

import (
	"context"
	"errors"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"chela/internal/fault"
)

// What all requests together hold, in bytes. Decoding takes some times what a body has.
const (
	mostSmall   = 64 << 20 // memory, for bodies that stay there
	mostLarge   = 256 << 20
	mostDisk    = 4 << 30
	smallWeight = 4
)

// patience is how long a body that has come waits for memory. It lies on the disk meanwhile.
const patience = 30 * time.Second

// retryAfter is when who found the daemon busy may come again, in seconds.
const retryAfter = "5"

// A load bounds what requests hold at the same time, for the whole daemon.
type load struct {
	dir   string // of bodies that come; empty is the system's
	small *semaphore.Weighted
	large *semaphore.Weighted
	disk  *semaphore.Weighted
}

func newLoad(dir string) *load {
	return &load{dir: dir, small: semaphore.NewWeighted(mostSmall), large: semaphore.NewWeighted(mostLarge), disk: semaphore.NewWeighted(mostDisk)}
}

func busy() error {
	return &status{fault.New(fault.Unavailable, "The daemon has as many large requests in hand as it takes; send this one again in %s seconds.", retryAfter), http.StatusServiceUnavailable, retryAfter}
}

// wait takes memory to decode a large body in, when others have given back theirs.
func (l *load) wait(ctx context.Context, n int64) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n = min(n, mostLarge)
	if l.large.Acquire(ctx, n) != nil {
		return nil, busy()
	}
	return func() {
		if n >= mostLarge/8 {
			debug.FreeOSMemory() // the next one begins with what this one had
		}
		l.large.Release(n)
	}, nil
}

// file makes a file for a body. It has no name, so that nothing is left of it when the daemon dies.
func (l *load) file() (*os.File, error) {
	f, err := os.CreateTemp(l.dir, ".body-*")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The body cannot be kept on the disk while it comes.")
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
