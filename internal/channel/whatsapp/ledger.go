package whatsapp

import (
	"context"
	"sync"
	"time"
)

// A ledger knows of parts, by their keys, what WhatsApp said of them after it took them. The key
// goes along as biz_opaque_callback_data and comes back with every status, so that a part whose
// answer was lost is not sent twice.
type ledger struct {
	there *kept[string] // by key: the ids of parts that are there

	mu     sync.Mutex    // guards doubts
	doubts *kept[*doubt] // by key
}

// A doubt is about a part of which nobody knows whether WhatsApp has it.
type doubt struct {
	settled chan struct{} // closed by the ledger when there is an end to it
	id      string
	lost    *failure // when it was taken and could not be delivered
}

func newLedger(most int) *ledger {
	return &ledger{there: newKept[string](most), doubts: newKept[*doubt](most)}
}

// doubtful notes that a part may be there.
func (l *ledger) doubtful(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, had := l.doubts.get(key); !had {
		l.doubts.put(key, &doubt{settled: make(chan struct{})})
	}
}

// status notes what WhatsApp says of a part.
func (l *ledger) status(key, id string, lost *failure) {
	if key == "" || id == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if lost == nil {
		l.there.put(key, id)
	} else {
		l.there.drop(key)
	}
	d, ok := l.doubts.get(key)
	if !ok || d.lost != nil {
		return
	}
	if lost == nil {
		d.id = id
		l.doubts.drop(key)
	} else {
		d.lost = lost // whoever waits, or comes next, hears of it once
	}
	close(d.settled)
}

// look says what is known of a part, and waits for it when it may be there.
func (l *ledger) look(ctx context.Context, key string, patience time.Duration) (id string, lost *failure) {
	if id, ok := l.there.get(key); ok {
		return id, nil
	}
	l.mu.Lock()
	d, ok := l.doubts.get(key)
	l.mu.Unlock()
	if !ok {
		return "", nil
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-d.settled:
		l.mu.Lock()
		defer l.mu.Unlock()
		if d.lost != nil {
			l.doubts.drop(key)
		}
		return d.id, d.lost
	case <-timer.C:
	case <-ctx.Done():
	}
	return "", nil
}
