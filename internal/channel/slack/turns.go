package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
)

// Bounds of what waits because it could not be taken.
const (
	mostWaiting  = 1000             // letters
	mostBytes    = 16 << 20         // of all that wait
	waitsAtMost  = 7 * time.Minute  // Slack sends for the last time after six
	linkPatience = time.Minute      // for which a connection stands while something waits
	firstAgain   = time.Second / 4  // then twice as long each time
	lastAgain    = 10 * time.Second // unless Slack asks for more
)

// A letter is an event or a press as it came, with what tells Slack that we have it.
type letter struct {
	chat  string // "" when it is of none
	id    string // the same when it comes again; "" when nobody knows
	size  int    // bytes
	came  time.Time
	event *event // one of these, or neither when it is nothing for us
	press *press
	done  func() error // may be nil
}

// turns keep the order of each chat: what could not be taken waits here, and nothing that came
// after it in its chat is taken before. The zero value is ready.
type turns struct {
	mu    sync.Mutex // guards the rest, and users of each turn
	chats map[string]*turn
	count int // letters that wait
	size  int // their bytes
}

// A turn is a chat of which something is being taken or waits.
type turn struct {
	users int

	mu    sync.Mutex // guards the rest; held by who takes something of the chat
	wait  []letter   // in the order in which they came
	again time.Time  // before which the first of them is not tried
	tries int
}

// enter waits until nobody else takes anything of a chat.
func (t *turns) enter(chat string) (c *turn, leave func()) {
	t.mu.Lock()
	if t.chats == nil {
		t.chats = make(map[string]*turn)
	}
	if c = t.chats[chat]; c == nil {
		c = new(turn)
		t.chats[chat] = c
	}
	c.users++
	t.mu.Unlock()
	c.mu.Lock()
	return c, func() {
		idle := len(c.wait) == 0
		c.mu.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if c.users--; c.users == 0 && idle {
			delete(t.chats, chat)
		}
	}
}

// room takes the place of a letter, or reports that there is none.
func (t *turns) room(l letter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count >= mostWaiting || t.size+l.size > mostBytes {
		return false
	}
	t.count++
	t.size += l.size
	return true
}

func (t *turns) gone(l letter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	t.size -= l.size
}

// waiting are the chats of which something waits, or is being taken.
func (t *turns) waiting() (chats []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 {
		return nil
	}
	for chat := range t.chats {
		chats = append(chats, chat)
	}
	return chats
}

// errWaits is why a letter is not taken: one before it waits.
var errWaits = errors.New("what came before it waits")

// inTurn takes a letter after those of its chat that wait. When it cannot be taken it waits, too;
// Slack is told only when it was taken.
func (a *Adapter) inTurn(ctx context.Context, in channel.Inbox, l letter) error {
	if l.chat == "" { // nothing that anybody said
		return l.finish()
	}
	c, leave := a.turns.enter(l.chat)
	defer leave()
	err := a.overdue(ctx, in, c)
	if err == nil {
		if err = a.give(ctx, in, l); err == nil {
			return l.finish()
		}
	}
	a.keep(c, l, err)
	return err
}

// overdue takes what waits in a chat, as far as it can be taken now.
func (a *Adapter) overdue(ctx context.Context, in channel.Inbox, c *turn) error {
	for len(c.wait) > 0 {
		l := c.wait[0]
		if now := time.Now(); now.Before(c.again) {
			return fmt.Errorf("%w: %w", errLater, errWaits)
		} else if now.Sub(l.came) > waitsAtMost {
			a.log.WarnContext(ctx, "something of Slack waited too long and is left out", "channel", a.name, "chat", l.chat)
		} else if err := a.give(ctx, in, l); err != nil {
			c.rest(err)
			return err
		} else if err := l.finish(); err != nil {
			return err
		}
		c.wait = slices.Delete(c.wait, 0, 1)
		c.tries = 0
		a.turns.gone(l)
	}
	return nil
}

// keep has a letter that could not be taken wait. One that is there already keeps its place.
func (a *Adapter) keep(c *turn, l letter, err error) {
	if i := slices.IndexFunc(c.wait, func(o letter) bool { return l.id != "" && o.id == l.id }); i >= 0 {
		c.wait[i].done = l.done // Slack waits for the newest
		return
	}
	if !a.turns.room(l) {
		return // Slack sends it again
	}
	if c.wait = append(c.wait, l); len(c.wait) == 1 {
		c.rest(err)
	}
}

// rest says when the first that waits is tried again. By HTTP that is when Slack comes back, which
// it does once at once and then after a minute.
func (c *turn) rest(err error) {
	var pause time.Duration
	if c.wait[0].done != nil {
		pause = min(firstAgain<<min(c.tries, 10), lastAgain)
	}
	c.tries++
	c.again = time.Now().Add(max(pause, failureOf(err).After))
}

func (l letter) finish() error {
	if l.done == nil {
		return nil
	}
	return l.done()
}

// retry takes what waits and is due. next is after which time something more is; 0 when nothing
// waits.
func (a *Adapter) retry(ctx context.Context, in channel.Inbox) (next time.Duration, err error) {
	for _, chat := range a.turns.waiting() {
		after, err := a.retryIn(ctx, in, chat)
		if err != nil {
			return 0, err
		}
		if after > 0 && (next == 0 || after < next) {
			next = after
		}
	}
	return next, nil
}

func (a *Adapter) retryIn(ctx context.Context, in channel.Inbox, chat string) (after time.Duration, err error) {
	c, leave := a.turns.enter(chat)
	defer leave()
	if err := a.overdue(ctx, in, c); err != nil && !errors.Is(err, errLater) {
		return 0, err
	}
	if len(c.wait) == 0 {
		return 0, nil
	}
	if time.Since(c.wait[0].came) > linkPatience {
		return 0, fault.New(fault.Unavailable, "For a minute the channel %s could not see at Slack what a message in %s belongs to. It comes again when Slack answers.", a.name, oneLine(chat))
	}
	return max(time.Until(c.again), time.Millisecond), nil
}
