package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/store"
)

// readers are the connections that read, made when they are first needed. Who finds none waits.
type readers struct {
	path string
	room chan struct{} // holds one for each that is in use
	gone chan struct{} // closed when nothing more is read

	mu   sync.Mutex // guards the rest
	free []*reader  // the last that was used is used next: it has most of what is read in its cache
}

// A reader is a connection whose query can be interrupted.
type reader struct {
	*handle
	stop chan struct{} // closed to interrupt it
}

func newReaders(path string) *readers {
	return &readers{path: path, room: make(chan struct{}, max(4, runtime.GOMAXPROCS(0))), gone: make(chan struct{})}
}

// take returns a reader for a query.
func (p *readers) take(ctx context.Context) (*reader, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p.over():
		return nil, errOver()
	}
	select {
	case p.room <- struct{}{}:
	case <-p.gone:
		return nil, errOver()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := p.pop()
	if err != nil {
		<-p.room
	}
	return r, err
}

func (p *readers) over() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

func errOver() error { return fault.New(fault.Unavailable, "The database is closed.") }

func (p *readers) pop() (*reader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		r := p.free[n-1]
		p.free = p.free[:n-1]
		return r, nil
	}
	h, err := openHandle(p.path, "query_only(1)")
	if err != nil {
		return nil, err
	}
	r := &reader{handle: h}
	r.arm()
	return r, nil
}

// put gives a reader back.
func (p *readers) put(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, r)
	<-p.room
}

// patience is how long a reader that is in use is waited for when all are closed.
const patience = 5 * time.Second

// close ends reading, once. Who reads is waited for.
func (p *readers) close() error {
	close(p.gone)
	late := time.NewTimer(patience)
	defer late.Stop()
	for range cap(p.room) {
		select {
		case p.room <- struct{}{}:
		case <-late.C:
			return errors.New("close the database: somebody still reads it")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, r := range p.free {
		err = errors.Join(err, r.close())
	}
	return err
}

// arm makes the reader ready to be interrupted.
func (r *reader) arm() {
	r.stop = make(chan struct{})
	r.conn.SetInterrupt(r.stop)
}

// Query implements [store.Backend]. What ends before its time ends with the error of ctx.
func (b *Backend) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	r, err := b.readers.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	leave := func() bool { return true }
	if ctx.Done() != nil {
		stop := r.stop
		leave = context.AfterFunc(ctx, func() { close(stop) })
	}
	back := func(err error) error {
		if !leave() {
			<-r.stop
			r.arm()
			if err != nil {
				err = ctx.Err()
			}
		}
		b.readers.put(r)
		return err
	}
	s, err := r.prepare(store.Statement{SQL: query, Args: args})
	if err != nil {
		return nil, back(err)
	}
	return &rows{s: s, done: func(err error) error {
		r.done(s)
		return back(err)
	}}, nil
}
