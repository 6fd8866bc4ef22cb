package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/gateway/client"
)

// watchers measures the way of a change to a thousand open pages: from the request that
// makes it to the moment a watcher has it.
func (r report) watchers(b *testing.B, db string) {
	b.Helper()
	d := r.world(b, db).start(b)
	defer d.stop()
	base := "/api/projects/" + d.project(b) + "/tickets"
	l := deliver(b, d.cl, func(i int) error {
		return d.cl.Call(b.Context(), "POST", base, map[string]string{"title": fmt.Sprint("Ticket ", i)}, nil)
	})
	line(db+" an event to 1,000 watchers: deliveries", l.rate, "1/s", r.fanout.rate)
	line(db+" an event to 1,000 watchers: p50", ms(l.p50), "ms", ms(r.fanout.p50))
	line(db+" an event to 1,000 watchers: p99", ms(l.p99), "ms", ms(r.fanout.p99))
}

// floorFanout measures the same with a server that does nothing else.
func floorFanout(b *testing.B) load {
	b.Helper()
	url := child(b, "fanout")
	return deliver(b, client.New(url, ""), func(i int) error {
		res, err := http.Post(url, "text/plain", strings.NewReader(fmt.Sprintf("{\"title\":\"Ticket %d\"}", i))) //nolint:noctx,gosec // a report
		if err != nil {
			return err
		}
		return res.Body.Close()
	})
}

// changes is how many events every watcher gets, each when all have the one before.
const changes = 20

// deliver opens a thousand streams of events and measures how long each change takes to
// each of them.
func deliver(b *testing.B, cl *client.Client, change func(i int) error) load {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var open, ended sync.WaitGroup
	arrived := make(chan time.Time, thousand)
	for range thousand {
		open.Add(1)
		ended.Go(func() {
			stream, err := cl.Open(ctx, "/api/events?type=desk.ticket.*")
			if err != nil {
				b.Error(err)
				open.Done()
				return
			}
			defer func() { _ = stream.Close() }() // we leave
			listenTo(stream, open.Done, arrived)
		})
	}
	open.Wait()
	took := make([]time.Duration, 0, thousand*changes)
	begin := time.Now()
	for i := range changes {
		at := time.Now()
		if err := change(i); err != nil {
			b.Fatal(err)
		}
		for range thousand {
			took = append(took, (<-arrived).Sub(at))
		}
	}
	wall := time.Since(begin)
	cancel()
	ended.Wait()
	slices.Sort(took)
	return load{len(took), float64(len(took)) / wall.Seconds(), took[len(took)/2], took[len(took)*99/100]}
}

// listenTo tells when a stream is open and when each event arrives.
func listenTo(stream io.Reader, open func(), arrived chan<- time.Time) {
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		switch {
		case strings.HasPrefix(lines.Text(), ": the log from"):
			open()
		case strings.HasPrefix(lines.Text(), "data: "):
			arrived <- time.Now()
		}
	}
}
