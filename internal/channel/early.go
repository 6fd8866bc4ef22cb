package channel

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// The bounds of what is known of messages that have not come.
const (
	earlyFor  = 10 * time.Minute
	mostEarly = 1000 // the oldest are forgotten first
)

// early are edits and deletions of messages that have not come yet: networks deliver out of order, and what failed is sent again
// after what followed it. One process knows them, as long as it lives.
type early struct {
	mu  sync.Mutex // guards all
	all map[meant]expected
}

// meant is a message that somebody revised: their own. The sender is "" when the platform does not say who deleted it.
type meant struct{ channel, chat, id, sender string }

// An expected is the newest that is known of a message.
type expected struct {
	Message

	came time.Time
}

func meantBy(o Options, m Message, sender string) meant { return meant{o.Name, m.Chat, m.ID, sender} }

// keep remembers a revision. Nothing follows a deletion, and an edit only one that is not newer.
func (e *early) keep(o Options, m Message, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all == nil {
		e.all = make(map[meant]expected)
	}
	maps.DeleteFunc(e.all, func(_ meant, x expected) bool { return now.Sub(x.came) >= earlyFor })
	of := meantBy(o, m, m.Sender.ID)
	was, known := e.all[of]
	if known && m.What != Deleted && (was.What == Deleted || m.At.Before(was.At)) {
		return
	}
	if !known && len(e.all) >= mostEarly {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(e.all)), func(a, b meant) int { return e.all[a].came.Compare(e.all[b].came) })
		delete(e.all, oldest)
	}
	e.all[of] = expected{m, now}
}

// take returns what is known of a message that a sender said, and forgets it.
func (e *early) take(o Options, m Message, now time.Time) (Message, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, sender := range []string{m.Sender.ID, ""} {
		of := meantBy(o, m, sender)
		was, known := e.all[of]
		delete(e.all, of)
		if known && now.Sub(was.came) < earlyFor {
			return was.Message, true
		}
	}
	return Message{}, false
}
