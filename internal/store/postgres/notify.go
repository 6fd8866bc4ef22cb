package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/run"
)

const channel = "chela_log"

// news is what the next notification says. Its payload lists runs that ended or began
// to wait.
type news struct {
	mu      sync.Mutex // guards sending and settled
	sending bool       // a notification is about to be sent
	settled []run.ID
	senders sync.WaitGroup
}

// maxNamed bounds the runs of one notification, whose payload has 8,000 bytes at most.
const maxNamed = 200

// Wake implements [store.Backend]. Calls that come while a notification is being
// sent share the next one.
func (b *Backend) Wake(ctx context.Context, settled []run.ID) {
	b.news.mu.Lock()
	defer b.news.mu.Unlock()
	b.news.settled = append(b.news.settled, settled...)
	if b.news.sending {
		return
	}
	b.news.sending = true
	b.news.senders.Go(func() {
		<-time.After(10 * time.Millisecond) // gathers a burst of commits into one notification
		b.news.mu.Lock()
		runs := b.news.settled
		b.news.sending, b.news.settled = false, nil
		b.news.mu.Unlock()
		if len(runs) == 0 {
			runs = []run.ID{""}
		}
		for some := range slices.Chunk(runs, maxNamed) {
			// Lost, it is made good by the next one and by the readers' own interval.
			_, _ = b.pool.Exec(context.WithoutCancel(ctx), "SELECT pg_notify($1, $2)", channel, joinIDs(some))
		}
	})
}

// Listen implements [store.Backend]. A lost connection is made again.
func (b *Backend) Listen(ctx context.Context, heard func(settled []run.ID)) error {
	for ctx.Err() == nil {
		_ = b.listen(ctx, heard) // tried again below
		heard(nil)               // whatever was missed meanwhile
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (b *Backend) listen(ctx context.Context, heard func(settled []run.ID)) error {
	pooled, err := b.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // it must not go back to the pool listening
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(splitIDs(n.Payload))
	}
}

func joinIDs(in []run.ID) string {
	var out strings.Builder
	for i, id := range in {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(string(id))
	}
	return out.String()
}

func splitIDs(s string) (out []run.ID) {
	for id := range strings.SplitSeq(s, ",") {
		out = append(out, run.ID(id))
	}
	return out
}
