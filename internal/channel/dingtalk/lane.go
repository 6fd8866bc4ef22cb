package dingtalk

import (
	"context"
	"sync"
)

// Bounds of what is in hand at once.
const (
	mostFrames = 1000
	mostBytes  = 32 << 20
	mostAtOnce = 16
)

// lanes do work: in each lane one after the other, and a few lanes at once.
type lanes struct {
	at  chan struct{} // holds one for each that is at work
	all sync.WaitGroup

	mu      sync.Mutex // guards the rest
	waiting map[string][]load
	frames  int
	bytes   int
}

type load struct {
	size int
	do   func()
}

func newLanes() *lanes {
	return &lanes{at: make(chan struct{}, mostAtOnce), waiting: make(map[string][]load)}
}

// put adds work to the end of a lane. It returns false when too much is in hand.
func (l *lanes) put(ctx context.Context, lane string, size int, do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frames == mostFrames || l.bytes+size > mostBytes {
		return false
	}
	l.frames, l.bytes = l.frames+1, l.bytes+size
	queue, busy := l.waiting[lane]
	l.waiting[lane] = append(queue, load{size, do})
	if !busy {
		l.all.Go(func() { l.work(ctx, lane) })
	}
	return true
}

// work does what is in a lane. What is left when ctx ends is not done.
func (l *lanes) work(ctx context.Context, lane string) {
	for {
		l.mu.Lock()
		queue := l.waiting[lane]
		if len(queue) == 0 {
			delete(l.waiting, lane)
			l.mu.Unlock()
			return
		}
		next := queue[0]
		l.waiting[lane] = queue[1:]
		l.mu.Unlock()
		select {
		case l.at <- struct{}{}:
			next.do()
			<-l.at
		case <-ctx.Done():
			next.do() // it sees that ctx is done
		}
		l.mu.Lock()
		l.frames, l.bytes = l.frames-1, l.bytes-next.size
		l.mu.Unlock()
	}
}
