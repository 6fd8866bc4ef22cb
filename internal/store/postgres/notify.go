package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/store"
)

const channel = "chela_log"

// news is what the next notification says: who tells, runs that ended or began to wait, and topics
// that changed, each after a "#".
type news struct {
	teller  string     // names this process to itself: what it tells it has heard
	mu      sync.Mutex // guards sending and says
	sending bool       // a notification is about to be sent
	says    []string
	senders sync.WaitGroup
}

// maxNamed bounds what one notification names, whose payload has 8,000 bytes at most.
const maxNamed = 200

// Wake implements [store.Backend]. Calls that come while a notification is being
// sent share the next one.
func (b *Backend) Wake(ctx context.Context, settled []run.ID, topics []event.Topic) {
	b.news.mu.Lock()
	defer b.news.mu.Unlock()
	for _, id := range settled {
		b.news.says = append(b.news.says, string(id))
	}
	for _, t := range topics {
		if says := topicMark + string(t); !slices.Contains(b.news.says, says) {
			b.news.says = append(b.news.says, says)
		}
	}
	if b.news.sending {
		return
	}
	b.news.sending = true
	b.news.senders.Go(func() {
		<-time.After(10 * time.Millisecond) // gathers a burst of commits into one notification
		b.news.mu.Lock()
		says := b.news.says
		b.news.sending, b.news.says = false, nil
		b.news.mu.Unlock()
		if len(says) == 0 {
			says = []string{""}
		}
		for some := range slices.Chunk(says, maxNamed) {
			// Lost, it is made good by the next one and by the readers' own interval.
			_, _ = b.pool.Exec(context.WithoutCancel(ctx), "SELECT pg_notify($1, $2)", channel, b.news.teller+","+strings.Join(some, ","))
		}
	})
}

// Listen implements [store.Backend]. A lost connection is made again.
func (b *Backend) Listen(ctx context.Context, heard func(store.News)) error {
	for ctx.Err() == nil {
		_ = b.listen(ctx, heard) // tried again below
		heard(store.News{Missed: true})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (b *Backend) listen(ctx context.Context, heard func(store.News)) error {
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
		if teller, says, _ := strings.Cut(n.Payload, ","); teller != b.news.teller {
			heard(read(says))
		}
	}
}

const topicMark = "#"

// read returns what a notification names.
func read(says string) (out store.News) {
	for s := range strings.SplitSeq(says, ",") {
		if t, ok := strings.CutPrefix(s, topicMark); ok {
			out.Topics = append(out.Topics, event.Topic(t))
		} else if s != "" {
			out.Settled = append(out.Settled, run.ID(s))
		}
	}
	return out
}
