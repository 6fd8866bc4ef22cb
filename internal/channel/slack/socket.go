package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/channel"
	"chela/internal/fault"
)

const (
	maxFrame   = 4 << 20          // bytes; a message of 40,000 characters with its blocks has less
	backlog    = 16               // frames that wait to be taken
	lingering  = 10 * time.Second // for which a connection is read after the next one stands
	ticketLife = 10 * time.Second // of an address that was not used
	lost       = 3                // pings without a sign after which a connection is dead
)

// An envelope is what comes over a link.
type envelope struct {
	Type    string          `json:"type"`
	ID      string          `json:"envelope_id"` // what is acknowledged
	Payload json.RawMessage `json:"payload"`
	Reason  string          `json:"reason"` // of a disconnect
}

// A frame is a text that came over a link, or why nothing comes any more.
type frame struct {
	from *link
	raw  []byte
	err  error
}

// A socket is Socket Mode at work: one link, and during a change two.
type socket struct {
	a  *Adapter
	in channel.Inbox

	now     *link // nil when it ended while the next one is being opened
	before  *link // still read; may be nil
	opening bool
	frames  chan frame     // from the links; a full one makes them wait, nobody closes it
	opened  chan dialed    // from who opens the next link; holds one
	leave   *time.Timer    // ends before
	again   *time.Timer    // for what waits
	work    sync.WaitGroup // the goroutines of the links
}

type dialed struct {
	link *link
	err  error
}

// socket receives until the connection breaks. When Slack announces its end the next one is
// opened first, so that nothing falls between.
func (a *Adapter) socket(ctx context.Context, in channel.Inbox) error {
	ctx, stop := context.WithCancel(ctx)
	s := &socket{a: a, in: in, frames: make(chan frame, backlog), opened: make(chan dialed, 1), leave: time.NewTimer(time.Hour), again: time.NewTimer(time.Hour)}
	defer s.end(stop)
	first, err := a.dial(ctx)
	if err != nil {
		return err
	}
	s.follow(ctx, first)
	s.now = first
	if err := a.past.opened(ctx, a.me.Load(), in); err != nil {
		return err
	}
	in.Up()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case f := <-s.frames:
			err = s.frame(ctx, f)
		case d := <-s.opened:
			err = s.change(ctx, d)
		case <-s.leave.C:
			if s.before != nil {
				_ = s.before.conn.Close() // its end comes as a frame
			}
		case <-s.again.C:
			err = s.retry(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// end closes what is open, and waits for whoever works on it.
func (s *socket) end(stop context.CancelFunc) {
	s.leave.Stop()
	s.again.Stop()
	stop()
	s.work.Wait()
	select {
	case d := <-s.opened: // it came too late
		if d.link != nil {
			_ = d.link.conn.Close()
		}
	default:
	}
}

// follow starts what reads a link and what asks it for signs of life. Both end with ctx.
func (s *socket) follow(ctx context.Context, l *link) {
	ctx, stop := context.WithCancel(ctx)
	cut := context.AfterFunc(ctx, func() { _ = l.conn.Close() }) // whoever reads is to wake
	s.work.Go(func() {
		defer cut()
		defer stop()
		for {
			raw, err := l.next()
			select {
			case s.frames <- frame{l, raw, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				_ = l.conn.Close() // it is broken
				return
			}
		}
	})
	s.work.Go(func() {
		tick := time.NewTicker(l.ping)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(l.ping)); err != nil {
					return // whoever reads hears no sign any more
				}
			}
		}
	})
}

// frame does what a frame says.
func (s *socket) frame(ctx context.Context, f frame) error {
	switch {
	case f.err != nil && f.from != s.now:
		if f.from == s.before {
			s.before = nil
			s.a.past.doubled(false)
		}
		return nil
	case f.err != nil && s.opening:
		s.now = nil
		return nil
	case f.err != nil:
		return fault.Wrap(f.err, fault.Unavailable, "The connection of the channel %s with Slack broke: %s", s.a.name, plainly(f.err))
	}
	var e envelope
	if err := json.Unmarshal(f.raw, &e); err != nil {
		s.a.log.WarnContext(ctx, "a message of Slack cannot be read", "channel", s.a.name, "error", err)
		return nil
	}
	if e.Type == "disconnect" {
		return s.disconnected(ctx, f.from, e.Reason)
	}
	if e.ID == "" {
		return nil // hello, and what nobody waits for
	}
	l := s.a.letter(ctx, e.Type, e.Payload)
	l.id = cmp.Or(l.id, e.ID)
	l.done = func() error { return s.confirm(f.from, e.ID) }
	err := s.a.inTurn(ctx, s.in, l)
	if errors.Is(err, errLater) {
		return s.retry(ctx)
	}
	return err
}

// retry takes what waits, and comes back when more of it is due.
func (s *socket) retry(ctx context.Context) error {
	next, err := s.a.retry(ctx, s.in)
	if err == nil && next > 0 {
		s.again.Reset(next)
	}
	return err
}

// confirm tells Slack that we have what came in an envelope. If a link ends meanwhile that is
// left anyway, it comes again over the next one.
func (s *socket) confirm(l *link, id string) error {
	raw, err := json.Marshal(envelope{ID: id})
	if err == nil {
		err = l.confirm(raw)
	}
	if err != nil && l == s.now && !s.opening {
		return fault.Wrap(err, fault.Unavailable, "The connection of the channel %s with Slack broke: %s", s.a.name, plainly(err))
	}
	return nil
}

// MarshalJSON writes an envelope as what acknowledges it.
func (e envelope) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID string `json:"envelope_id"`
	}{e.ID})
}

// disconnected opens the next link when Slack says that this one ends soon: "warning" comes
// some seconds before, "refresh_requested" when the server behind it is renewed.
func (s *socket) disconnected(ctx context.Context, l *link, reason string) error {
	if err := s.a.shut(reason); err != nil {
		return err
	}
	if l != s.now || s.opening {
		return nil
	}
	s.opening = true
	s.a.past.doubled(true) // Slack uses the next one as soon as it stands, and we hear of that later
	s.work.Go(func() {
		next, err := s.a.dial(ctx)
		s.opened <- dialed{next, err}
	})
	return nil
}

// shut returns why Slack does not want us to come back, if it does not.
func (a *Adapter) shut(reason string) error {
	switch reason {
	case "link_disabled":
		return fault.New(fault.Conflict, "Socket Mode of the app of the channel %s is turned off. Turn it on on the app's page, or set receive=http.", a.name)
	case "too_many_websockets":
		return fault.New(fault.Conflict, "The app of the channel %s has as many connections as Slack allows, which is 10. Stop other programs that use its app_token.", a.name)
	}
	return nil
}

// change goes on with the next link; the one before is read until Slack closes it.
func (s *socket) change(ctx context.Context, d dialed) error {
	s.opening = false
	if d.err != nil {
		return d.err
	}
	if s.before != nil {
		_ = s.before.conn.Close() // there were two changes at once
	}
	s.before, s.now = s.now, d.link
	s.a.past.doubled(s.before != nil)
	s.follow(ctx, d.link)
	s.leave.Reset(lingering)
	s.in.Up()
	return nil
}
