package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/channel"
	"chela/internal/fault"
)

// The opcodes of the gateway.
const (
	opEvent     = 0
	opBeat      = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opBeaten    = 11
)

// intents are the kinds of events that we take anything of: of servers, messages and reactions
// there and in private, and what messages say.
const intents = 1<<0 | 1<<9 | 1<<10 | 1<<12 | 1<<13 | 1<<15

const (
	maxFrame   = 32 << 20 // bytes; what there is of a great server comes at once
	maxEvent   = 1 << 20  // bytes; more than a message can have
	maxWaiting = 256      // events that are not taken yet
	goneOn     = 4000     // what we close with: all but 1000 and 1001 keep the session
	calm       = time.Minute
	lastWord   = time.Second // for what was said on a connection that takes nothing any more
)

// A frame is what goes over the gateway.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  maybe[int64]    `json:"s"`
	Name maybe[string]   `json:"t"`
}

// An errBroken is the end of a connection that may go on at once.
type errBroken struct{ why string }

func (e errBroken) Error() string { return e.why }

// Run receives until ctx is done. A connection that breaks is made again at once, but for one
// that did not stand for a minute: the caller comes back after a while then.
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	for again := false; ; again = true {
		began := time.Now()
		err := a.connect(ctx, in)
		if ctx.Err() != nil {
			return nil
		}
		why, ok := errors.AsType[errBroken](err)
		if !ok {
			return err
		}
		if again && time.Since(began) < calm {
			return fault.New(fault.Unavailable, "The channel %s lost its connection with Discord: %s", a.name, why.why)
		}
		a.log.InfoContext(ctx, "a connection with Discord goes on", "channel", a.name, "why", why.why)
	}
}

// connect makes one connection and receives from it until it breaks.
func (a *Adapter) connect(ctx context.Context, in channel.Inbox) error {
	if err := a.recall(ctx, in); err != nil {
		return err
	}
	s := a.kept.open()
	at := s.url
	if at == "" {
		var err error
		if at, err = a.gateway(ctx, s); err != nil {
			return err
		}
	}
	u, err := url.Parse(at)
	open := strings.HasPrefix(a.api.base, "http:") // the token goes no less safely than to the rest
	if err != nil || u.Host == "" || u.Scheme != "wss" && (u.Scheme != "ws" || !open) {
		a.kept.detour()
		return a.noDiscord("the address of its gateway is no safe WebSocket's")
	}
	u.RawQuery = "v=10&encoding=json"
	conn, resp, err := a.api.http.Dialer().DialContext(ctx, u.String(), http.Header{"User-Agent": {userAgent}})
	if resp != nil {
		defer func() { _ = resp.Body.Close() }() // a few bytes that the library has read
	}
	if err != nil {
		a.kept.detour()
		return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with the gateway of Discord: %v", a.name, err)
	}
	conn.SetReadLimit(maxFrame)
	l := &link{a: a, in: in, conn: conn, session: s.id, events: make(chan event, maxWaiting)}
	l.heard.Store(true)
	return l.serve(ctx)
}

// gateway asks where connections begin, and whether another session may.
func (a *Adapter) gateway(ctx context.Context, s session) (string, error) {
	var g struct {
		URL   string `json:"url"`
		Limit maybe[struct {
			Total     int     `json:"total"`
			Remaining int     `json:"remaining"`
			After     float64 `json:"reset_after"` // milliseconds
		}] `json:"session_start_limit"`
	}
	if err := a.api.do(ctx, request{method: http.MethodGet, path: "/gateway/bot", route: "gateway"}, &g); err != nil {
		return "", a.trouble(err)
	}
	// Who begins more sessions than that loses the token.
	if n := g.Limit.V; s.id == "" && n.Total > 0 && n.Remaining <= 0 {
		return "", fault.New(fault.Unavailable, "The bot of the channel %s connected %d times within a day, and Discord takes no more. It may again in %s. Look whether another program has its token.", a.name, n.Total, seconds(n.After/1000).Round(time.Second))
	}
	return g.URL, nil
}

// A link is one connection with the gateway.
type link struct {
	a       *Adapter
	in      channel.Inbox
	conn    *websocket.Conn
	session string                // written by the worker
	marked  time.Time             // when it was kept up to where it was taken; the worker's
	events  chan event            // nobody closes it; the reader waits when it is full
	heard   atomic.Bool           // the last beat was answered
	full    atomic.Bool           // the reader waits and hears nothing
	seq     atomic.Int64          // of the last event that was taken
	broken  atomic.Pointer[error] // what the first write said that failed

	writing sync.Mutex // one writes at a time
}

// serve has one goroutine read, one beat, and takes the events itself.
func (l *link) serve(ctx context.Context) error {
	up, fall := context.WithCancelCause(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer fall(nil)
	others.Go(func() {
		<-up.Done()
		end := websocket.FormatCloseMessage(goneOn, "")
		_ = l.conn.WriteControl(websocket.CloseMessage, end, time.Now().Add(time.Second)) // it ends either way
		_ = l.conn.Close()
	})
	others.Go(func() { fall(l.read(up, fall, &others)) })
	for {
		select {
		case <-up.Done():
			return context.Cause(up)
		case e := <-l.events:
			if err := l.a.take(ctx, l, e); err != nil {
				return err
			}
			l.seq.Store(max(l.seq.Load(), e.seq))
			l.a.kept.took(l.session, e.seq)
			if err := l.mark(ctx, e); err != nil {
				return err
			}
		}
	}
}

// read reads until the connection ends, and says why it did.
func (l *link) read(ctx context.Context, fall context.CancelCauseFunc, others *sync.WaitGroup) error {
	every, err := l.hello()
	if err != nil {
		return err
	}
	l.introduce()
	others.Go(func() { fall(l.beat(ctx, every)) })
	for {
		f, err := l.next()
		if err != nil {
			return err
		}
		switch f.Op {
		case opEvent:
			if err := l.sort(ctx, f); err != nil {
				return err
			}
		case opBeat:
			l.pulse()
		case opBeaten:
			l.heard.Store(true)
		case opReconnect:
			return errBroken{"Discord asked for another connection"}
		case opInvalid:
			return l.invalid(f)
		}
	}
}

// hello waits for the first frame, which says how often we are to beat.
func (l *link) hello() (time.Duration, error) {
	_ = l.conn.SetReadDeadline(time.Now().Add(l.a.answer)) // it never fails
	f, err := l.next()
	if err != nil {
		return 0, err
	}
	_ = l.conn.SetReadDeadline(time.Time{})
	var h struct {
		Every float64 `json:"heartbeat_interval"` // milliseconds
	}
	if err := json.Unmarshal(f.Data, &h); f.Op != opHello || err != nil || h.Every < 1 {
		return 0, l.a.noDiscord("its gateway does not begin with Hello")
	}
	return max(seconds(h.Every/1000), 10*time.Millisecond), nil
}

// introduce goes on with the session that there is, or begins one.
func (l *link) introduce() {
	if s := l.a.kept.open(); s.id != "" {
		l.seq.Store(s.seq)
		l.write(opResume, resume{Token: l.a.api.token, Session: s.id, Seq: s.seq})
		return
	}
	i := identify{Token: l.a.api.token, Intents: intents}
	i.Properties.OS, i.Properties.Browser, i.Properties.Device = runtime.GOOS, "chela", "chela"
	l.write(opIdentify, i)
}

type identify struct {
	Token      string `json:"token"`
	Intents    int    `json:"intents"`
	Properties struct {
		OS      string `json:"os"`
		Browser string `json:"browser"`
		Device  string `json:"device"`
	} `json:"properties"`
}

type resume struct {
	Token   string `json:"token"`
	Session string `json:"session_id"`
	Seq     int64  `json:"seq"`
}

// beat shows that we are there, and ends when nobody answers.
func (l *link) beat(ctx context.Context, every time.Duration) error {
	timer := time.NewTimer(time.Duration(rand.Float64() * float64(every))) //nolint:gosec // it only spreads
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		if !l.heard.Swap(false) && !l.full.Load() {
			return errBroken{"Discord does not answer any more"}
		}
		l.pulse()
		timer.Reset(every)
	}
}

// pulse beats once. What it names is the last event that was taken: to forget those after it
// would be too early.
func (l *link) pulse() {
	if n := l.seq.Load(); n > 0 {
		l.write(opBeat, n)
		return
	}
	l.write(opBeat, nil)
}

// write sends a frame. One that cannot be sent ends the connection, but not before the reader had a
// moment for what Discord said last: its code decides what comes next.
func (l *link) write(op int, data any) {
	raw, err := json.Marshal(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data})
	l.writing.Lock()
	defer l.writing.Unlock()
	if err == nil {
		_ = l.conn.SetWriteDeadline(time.Now().Add(l.a.answer)) // it never fails
		err = l.conn.WriteMessage(websocket.TextMessage, raw)
	}
	if err != nil && l.broken.CompareAndSwap(nil, &err) {
		_ = l.conn.NetConn().SetReadDeadline(time.Now().Add(lastWord)) // what is closed is not read anyway
	}
}

// next reads a frame. What is no frame is passed over.
func (l *link) next() (frame, error) {
	for {
		_, raw, err := l.conn.ReadMessage()
		if err != nil {
			return frame{}, l.ended(err)
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			l.a.log.Warn("a frame of Discord cannot be read", "channel", l.a.name, "error", err)
			continue
		}
		return f, nil
	}
}

// invalid says what comes after Discord does not know the session.
func (l *link) invalid(f frame) error {
	var goOn bool
	if json.Unmarshal(f.Data, &goOn) != nil || !goOn {
		l.a.kept.begin(session{})
	}
	return fault.New(fault.Unavailable, "Discord ended the session of the channel %s; the next begins in a moment.", l.a.name)
}

// ended says what the end of a connection means
// (discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes).
func (l *link) ended(err error) error {
	name := l.a.name
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok {
		if first := l.broken.Load(); first != nil {
			err = *first
		}
		return errBroken{"the connection broke: " + l.a.api.hide(err.Error())}
	}
	switch closed.Code {
	case 4004:
		l.a.kept.begin(session{})
		return l.a.denied(err)
	case 4014:
		l.a.kept.begin(session{})
		return fault.Wrap(err, fault.Denied, "The bot of the channel %s may not read what people write. Switch on Message Content Intent on the page Bot of discord.com/developers/applications.", name)
	case 4010, 4011:
		return fault.Wrap(err, fault.Invalid, "The bot of the channel %s is on more servers than one connection may serve, which is 2500. Take it from some, or make another bot.", name)
	case 4012, 4013:
		return fault.Wrap(err, fault.Invalid, "Discord does not take the way the channel %s connects (%d). A newer version of Chela is needed.", name, closed.Code)
	case 4003, 4007, 4009:
		l.a.kept.begin(session{})
	}
	return errBroken{fmt.Sprintf("Discord ended it with code %d %s", closed.Code, cmp.Or(oneLine(closed.Text), "and no reason"))}
}
