//go:build whatsmeow

package whatsmeow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lib "go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"chela/internal/channel"
	"chela/internal/fault"
)

// takeTimeout is how long one message may take, with the files in it. After five minutes the library would go on
// with the next.
const takeTimeout = 2 * time.Minute

// unanswered is how many signs of life in a row may stay without an answer.
const unanswered = 3

// A connection is one connection of ours. Its events come one after the other, and WhatsApp is told that we have a
// message when its handler says so. The first that was not taken ends it: the next has it and all after it again.
type connection struct {
	a      *Adapter
	client *lib.Client
	device *device
	in     channel.Inbox
	ctx    context.Context //nolint:containedctx // for what is done with events, which bring none; done when we are told to end
	wire   context.Context //nolint:containedctx // of the connection; done when nothing may be confirmed over it any more
	stop   context.CancelFunc
	broke  chan error // the first reason; it holds one
	cut    atomic.Bool
	once   sync.Once
	gone   chan struct{} // closed by once when the library has let go of the connection

	mu   sync.RWMutex // held for reading by those who handle an event
	over bool
}

// Run receives until ctx is done or the connection breaks.
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	d, err := a.device(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if d.ID == nil {
		return a.unlinked()
	}
	wire, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s := &connection{a: a, client: a.client(d), device: d, in: in, ctx: ctx, wire: wire, stop: stop, broke: make(chan error, 1), gone: make(chan struct{})}
	s.client.AddEventHandlerWithSuccessStatus(s.handle)
	a.live.Store(s.client)
	defer a.live.Store(nil)
	defer s.end()
	dialled := context.AfterFunc(ctx, stop)
	err = s.client.ConnectContext(wire)
	dialled()
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return a.trouble(err)
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.broke:
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

// closes is how long the library is given to close a connection that was cut off.
const closes = time.Second

// end waits for those who handle an event; after it nothing is handed on.
func (s *connection) end() {
	if s.cut.Load() {
		// Told to, the library would take leave of the other side, which hears nothing any more.
		last := time.NewTimer(closes)
		defer last.Stop()
		select {
		case <-s.gone:
		case <-last.C:
		}
	}
	s.client.Disconnect()
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// fail ends the connection.
func (s *connection) fail(err error) {
	select {
	case s.broke <- err:
	default:
	}
}

// sever ends the connection at once: nothing is confirmed over it any more.
func (s *connection) sever(err error) {
	s.cut.Store(true)
	s.stop()
	s.fail(err)
}

// handle takes an event. false says that it is to come again.
func (s *connection) handle(e any) (ok bool) {
	if _, is := e.(*events.Disconnected); is {
		s.once.Do(func() { close(s.gone) })
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.over || s.ctx.Err() != nil || s.wire.Err() != nil {
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			s.sever(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			ok = false
		}
	}()
	switch e := e.(type) {
	case *events.Message:
		return s.kept(s.take(e))
	case *events.Receipt:
		return s.kept(s.receive(e))
	case *events.Connected:
		s.in.Up()
		s.introduce()
	case *events.PushNameSetting:
		s.introduce()
	default:
		if err := s.ended(e); err != nil {
			s.fail(err)
		}
	}
	return true
}

func (s *connection) kept(err error) bool {
	if err != nil {
		s.sever(fmt.Errorf("a message of WhatsApp was not taken and will come again: %w", err))
	}
	return err == nil
}

// introduce tells WhatsApp our name, which others are shown, and that nobody looks at us: the phone goes on to ring.
func (s *connection) introduce() {
	if s.device.PushName == "" {
		return // it comes soon after the linking
	}
	if err := s.client.SendPresence(s.ctx, types.PresenceUnavailable); err != nil {
		s.a.log.DebugContext(s.ctx, "our name was not told to WhatsApp", "channel", s.a.name, "error", err)
	}
}

// ended says why an event ends the connection; nil when it does not.
func (s *connection) ended(e any) error {
	switch e := e.(type) {
	case *events.LoggedOut:
		// The library may forget the device after it tells us, when we have closed its file already.
		if err := s.device.forget(s.ctx); err != nil {
			s.a.log.WarnContext(s.ctx, "the keys of a device that was unlinked are still there", "channel", s.a.name, "error", err)
		}
		return fault.New(fault.Unavailable, "The phone or WhatsApp has unlinked the channel %s (%s). `chela channel link %s` shows a code to link it again.", s.a.name, e.Reason, s.a.name)
	case *events.StreamReplaced:
		return fault.New(fault.Unavailable, "Another program uses the keys of the channel %s. Only one may.", s.a.name)
	case *events.TemporaryBan:
		return fault.New(fault.Unavailable, "WhatsApp has blocked the number of the channel %s for a while: %s.", s.a.name, oneLine(e.String()))
	case *events.ClientOutdated:
		return s.a.outdated(s.ctx)
	case *events.ConnectFailure:
		return s.a.trouble(fmt.Errorf("%s %s", e.Reason, e.Message))
	case *events.StreamError:
		return s.a.trouble(errors.New("it ended the connection with the error " + e.Code))
	case *events.KeepAliveTimeout:
		if e.ErrorCount < unanswered {
			return nil
		}
		return s.a.trouble(errors.New("it does not answer"))
	case *events.Disconnected, *events.ManualLoginReconnect:
		return s.a.trouble(errors.New("it ended the connection"))
	}
	return nil
}

// whole adds the hidden address of who sent something, where only we know it.
func (s *connection) whole(m *types.MessageSource) error {
	if plain(m.Sender).Server != types.DefaultUserServer || plain(m.SenderAlt).Server == types.HiddenUserServer {
		return nil
	}
	hidden, err := s.device.LIDs.GetLIDForPN(s.ctx, plain(m.Sender))
	if err != nil {
		return fmt.Errorf("look up who a number is: %w", err)
	}
	m.SenderAlt = hidden
	return nil
}

// take hands a message on. What is of no use is passed over.
func (s *connection) take(e *events.Message) error {
	ctx, end := context.WithTimeout(s.ctx, takeTimeout)
	defer end()
	if err := s.whole(&e.Info.MessageSource); err != nil {
		return err
	}
	s.unseal(ctx, e)
	m, ok := reader{s.device.me, s.device.GetLID(), s.a.media}.message(e)
	if !ok {
		return nil
	}
	if m.What == channel.Said {
		s.a.memory.heard.Put(m.ID, heard{chat: e.Info.Chat, sender: e.Info.Sender, words: oneLine(spoken(within(e.Message)))})
	}
	return s.in.Take(ctx, m)
}

// unseal reads a reaction that a group of announcements has encrypted once more. Where that cannot be, it is left out.
func (s *connection) unseal(ctx context.Context, e *events.Message) {
	if e.Message.GetEncReactionMessage() == nil {
		return
	}
	if r, err := s.client.DecryptReaction(ctx, e); err == nil {
		e.Message = &waE2E.Message{ReactionMessage: r}
	} else {
		s.a.log.DebugContext(ctx, "a reaction cannot be read", "channel", s.a.name, "error", err)
	}
}

// receive hands on what became of messages of ours.
func (s *connection) receive(e *events.Receipt) error {
	r := channel.Receipt{At: e.Timestamp.UTC()}
	switch e.Type {
	case types.ReceiptTypeDelivered, types.ReceiptTypeInactive:
		r.Fate = channel.Arrived
	case types.ReceiptTypeRead, types.ReceiptTypePlayed:
		r.Fate = channel.Seen
	default:
		return nil
	}
	if err := s.whole(&e.MessageSource); err != nil {
		return err
	}
	chat, ok := chatOf(e.MessageSource)
	if !ok || e.IsFromMe {
		return nil
	}
	for _, id := range e.MessageIDs {
		r.ID, r.Chat = id, idOf(chat)
		if sentTo, known := s.a.memory.chats.Get(id); known {
			r.Chat = sentTo
		}
		if err := s.in.Receive(s.ctx, r); err != nil {
			return err
		}
	}
	return nil
}
