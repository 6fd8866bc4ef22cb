package dingtalk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
)

// Run receives until ctx is done.
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	work := a.stream
	if a.mode == modeHTTP {
		work = a.wait
	}
	err := work(ctx, in)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A stream is one time of receiving, over one connection after the other.
type stream struct {
	*Adapter
	in    channel.Inbox
	end   context.CancelCauseFunc
	lanes *lanes
}

// A moved says that DingTalk wants us to connect anew.
type moved struct{ why string }

func (m moved) Error() string { return "DingTalk ended the connection: " + m.why }

// How often DingTalk may move us before a connection has stood for a while; then we rest.
const (
	quickMoves = 3
	longEnough = time.Minute
)

// stream receives. DingTalk closes each connection after a time and says so before; then the
// next one is opened, while what came over the old one may still be answered there.
func (a *Adapter) stream(ctx context.Context, in channel.Inbox) error {
	ctx, end := context.WithCancelCause(ctx)
	s := &stream{Adapter: a, in: in, end: end, lanes: newLanes()}
	var links sync.WaitGroup
	defer links.Wait()
	defer s.lanes.all.Wait()
	defer end(nil)
	for quick := 0; ; quick++ {
		l, err := a.connect(ctx)
		if err != nil {
			return a.trouble(err)
		}
		in.Up()
		began := time.Now()
		err = s.receive(ctx, l)
		links.Go(func() {
			l.hands.Wait() // with the end of ctx they end
			_ = l.conn.Close()
		})
		if why := context.Cause(ctx); why != nil {
			return why
		}
		if time.Since(began) > longEnough {
			quick = 0
		}
		if _, again := errors.AsType[moved](err); !again || quick == quickMoves {
			return fault.Wrap(err, fault.Unavailable, "The channel %s lost its connection with DingTalk: %s", a.name, failureOf(err).Text)
		}
	}
}

// receive reads frames until the connection breaks or is to be left.
func (s *stream) receive(ctx context.Context, l *link) error {
	watching, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { l.watch(watching, s.keepalive) })
	defer watch.Wait()
	defer end()
	defer context.AfterFunc(ctx, func() { _ = l.conn.Close() })()
	l.conn.SetPongHandler(func(string) error { return l.heard(s.keepalive) })
	for {
		if err := l.heard(s.keepalive); err != nil {
			return err
		}
		raw, err := l.read()
		if err != nil {
			return s.broken(err)
		}
		f, err := decodeFrame(raw)
		if err != nil {
			s.log.WarnContext(ctx, "a frame of DingTalk cannot be read", "channel", s.name, "bytes", len(raw))
			continue
		}
		if err := s.frame(ctx, l, f); err != nil {
			return err
		}
	}
}

// broken says why nothing can be read.
func (s *stream) broken(err error) error {
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errors.New("it is silent")
	}
	return s.api.http.Failed(err, false)
}

// frame does what a frame asks for. An error ends the connection.
func (s *stream) frame(ctx context.Context, l *link, f frame) error {
	switch {
	case f.Type == typeSystem && f.Topic == topicDisconnect:
		_ = l.write(f.answer(http.StatusOK, f.Data)) // it is left in any case
		return moved{oneLine(f.Data)}
	case f.ID == "":
		s.log.WarnContext(ctx, "a frame of DingTalk has no id and cannot be answered", "channel", s.name, "type", oneLine(f.Type))
		return nil
	case f.Type == typeSystem:
		return l.write(f.answer(http.StatusOK, f.Data))
	case f.Type == typeEvent:
		return l.write(f.answer(http.StatusOK, saysTook))
	case f.Type == typeCallback:
		return s.callback(ctx, l, f)
	}
	s.log.WarnContext(ctx, "a frame of DingTalk is of a type that is not known", "channel", s.name, "type", oneLine(f.Type))
	return l.write(f.answer(http.StatusNotFound, ""))
}

// callback hands on what people did.
func (s *stream) callback(ctx context.Context, l *link, f frame) error {
	var m channel.Message
	var ok bool
	var err error
	switch f.Topic {
	case topicMessage:
		m, ok, err = s.message([]byte(f.Data))
	case topicCard:
		m, ok, err = press(f.ID, []byte(f.Data))
	default:
		s.log.WarnContext(ctx, "a callback of DingTalk has a topic that is not known", "channel", s.name, "topic", oneLine(f.Topic))
		return l.write(f.answer(http.StatusNotFound, ""))
	}
	if err != nil {
		s.log.WarnContext(ctx, "a callback of DingTalk cannot be read", "channel", s.name, "topic", f.Topic, "error", err)
	}
	if !ok { // it would come again for ever
		return l.write(f.answer(http.StatusOK, saysDone))
	}
	l.hands.Add(1)
	if !s.lanes.put(ctx, m.Chat, len(f.Data), func() { s.take(ctx, l, f, m) }) {
		l.hands.Done()
		return errors.New("more messages came than can be held")
	}
	return nil
}

// take hands a message to the inbox and answers its frame when it is there. Whatever goes
// wrong ends the connection: all that was not answered comes again, in the order it came.
func (s *stream) take(ctx context.Context, l *link, f frame, m channel.Message) {
	defer l.hands.Done()
	if ctx.Err() != nil {
		return
	}
	panicked, err := s.hand(ctx, m)
	if panicked {
		_ = l.write(f.answer(http.StatusInternalServerError, "")) // the connection ends all the same
	}
	if err != nil {
		s.end(fmt.Errorf("take a message of DingTalk: %w", err))
		return
	}
	if err := l.write(f.answer(http.StatusOK, saysDone)); err != nil {
		s.log.DebugContext(ctx, "a message of DingTalk was taken and comes again", "channel", s.name, "error", err)
	}
}

// hand hands a message to the inbox; a panic there must not end the daemon.
func (s *stream) hand(ctx context.Context, m channel.Message) (panicked bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			panicked, err = true, fmt.Errorf("panic: %v", p)
		}
	}()
	return false, s.in.Take(ctx, m)
}
