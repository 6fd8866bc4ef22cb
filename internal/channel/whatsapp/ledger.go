package whatsapp

import (
	"context"
	"sync"
	"time"

	"chela/internal/channel"
)

// A ledger knows of parts, by their keys, what WhatsApp said of them after it took them. The key
// goes along as biz_opaque_callback_data and comes back with every status, so that a part whose
// answer was lost is not sent twice. WhatsApp says it once, maybe before the channel is opened anew:
// each channel has one ledger over its openings.
type ledger struct {
	there *channel.Kept[string] // by key: the ids of parts that are there

	mu      sync.Mutex            // guards the rest
	doubts  *channel.Kept[*doubt] // by key
	hand    map[*time.Time]bool   // when what is being taken was made
	waiting map[*behind]bool      // for what comes
	start   behind                // whether we heard what came before it began
}

const mostKnown = 5000 // parts

// A doubt is about a part of which nobody knows whether WhatsApp has it.
type doubt struct {
	settled chan struct{} // closed by the ledger when there is an end to it
	id      string
	lost    *failure // when it was taken and could not be delivered
	behind
}

// behind is whether WhatsApp has told all that happened before a time. Its updates come one after
// the other, and after a break late: while older ones come, newer ones are still on their way.
type behind struct {
	since time.Time
	late  time.Time // when something from before was taken last
}

// mostBehind is for how long older updates have us wait for newer ones: some come again for days.
const mostBehind = 2 * time.Minute

// until is when nothing from before is to be expected any more, if nothing older comes meanwhile.
// The caller holds mu.
func (l *ledger) until(b *behind, settle time.Duration) time.Time {
	from := b.since
	if b.late.After(from) {
		from = b.late
	}
	for made := range l.hand {
		if !made.After(b.since) {
			from = time.Now()
		}
	}
	at, last := from.Add(settle), b.since.Add(mostBehind)
	if at.After(last) {
		return last
	}
	return at
}

func newLedger() *ledger {
	l := &ledger{there: channel.NewKept[string](mostKnown), doubts: channel.NewKept[*doubt](mostKnown), hand: make(map[*time.Time]bool), waiting: make(map[*behind]bool), start: behind{since: time.Now()}}
	l.waiting[&l.start] = true
	return l
}

// taking notes that an update is being taken that WhatsApp made at a time, which has whole seconds;
// taken is called when that has ended.
func (l *ledger) taking(made time.Time) (taken func()) {
	if made.IsZero() {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hand[&made] = true
	return func() {
		now := time.Now()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hand, &made)
		for b := range l.waiting {
			if !made.After(b.since) {
				b.late = now
			}
		}
	}
}

// doubtful notes that a part may be there.
func (l *ledger) doubtful(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubt(key, behind{since: time.Now()})
}

// before notes that a part may be there by an attempt from before the ledger began, unless WhatsApp
// would have told us of it already.
func (l *ledger) before(key string, settle time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ours := l.doubts.Get(key); ours {
		return
	}
	if time.Now().Before(l.until(&l.start, settle)) {
		l.doubt(key, l.start)
	}
}

// doubt begins one, or begins it anew. The caller holds mu.
func (l *ledger) doubt(key string, b behind) {
	d, had := l.doubts.Get(key)
	if !had {
		d = &doubt{settled: make(chan struct{})}
		l.doubts.Put(key, d)
	}
	d.behind = b
}

// status notes what WhatsApp says of a part.
func (l *ledger) status(key, id string, lost *failure) {
	if key == "" || id == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if lost == nil {
		l.there.Put(key, id)
	} else {
		l.there.Drop(key)
	}
	d, ok := l.doubts.Get(key)
	if !ok || d.lost != nil {
		return
	}
	if lost == nil {
		d.id = id
		l.doubts.Drop(key)
	} else {
		d.lost = lost // whoever waits, or comes next, hears of it once
	}
	close(d.settled)
}

// look says what is known of a part. When it may be there it waits until WhatsApp would have said
// so: for a while since it was in doubt, and longer while older updates come.
func (l *ledger) look(ctx context.Context, key string, settle time.Duration) (id string, lost *failure) {
	if id, ok := l.there.Get(key); ok {
		return id, nil
	}
	l.mu.Lock()
	d, ok := l.doubts.Get(key)
	if !ok {
		l.mu.Unlock()
		return "", nil
	}
	l.waiting[&d.behind] = true
	wait := time.Until(l.until(&d.behind, settle))
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, &d.behind)
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-d.settled:
			l.mu.Lock()
			defer l.mu.Unlock()
			if d.lost != nil {
				l.doubts.Drop(key)
			}
			return d.id, d.lost
		case <-timer.C:
		case <-ctx.Done():
			return "", nil
		}
		l.mu.Lock()
		wait = time.Until(l.until(&d.behind, settle))
		l.mu.Unlock()
		if wait <= 0 {
			return "", nil
		}
		timer.Reset(wait)
	}
}
