// Package browser lets agents use a real browser: one Chromium for each conversation, without
// a window, with a profile that is thrown away, held by its own sandbox, and closed when it
// is not used. All its traffic goes through a proxy of ours that judges every address when it
// is dialled (proxy.go). browser.go says who has which session, session.go what one is,
// page.go what is done in it, snapshot.go how a page is told.
package browser

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"chela/internal/artifact"
	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// A Reach says which addresses may be connected to now. An error denies.
type Reach func(context.Context) (netaddr.Reach, error)

// A Keeper keeps pictures.
type Keeper interface {
	Put(b []byte) (artifact.Ref, error)
}

// Options say how browsers run. The zero value is the default.
type Options struct {
	Path        string        // of the program; empty takes the one that is installed
	Unsandboxed bool          // without Chromium's own sandbox
	Idle        time.Duration // after which an unused session is closed; 5 minutes
	Most        int           // sessions at once; 4
	Memory      int64         // bytes that one may use, with all its processes; 1 GiB
	Processor   time.Duration // that one may use of it between two calls; 2 minutes
	Log         *slog.Logger  // nil is silence

	load     time.Duration                  // a page has; 30 s
	resolver *net.Resolver                  // of names; nil is the system's
	flags    []chromedp.ExecAllocatorOption // further ones
}

// Browsers are the sessions of all conversations.
type Browsers struct {
	reach Reach
	keep  Keeper
	o     Options
	base  context.Context // of all sessions
	end   context.CancelFunc

	mu       sync.Mutex // guards the rest; sessions are opened and used outside
	sessions map[string]*session
	opening  int
	closed   bool
	work     sync.WaitGroup // sessions that are being closed
	watches  sync.WaitGroup // of open sessions
}

// New returns the browsers. Sessions live until Close, whatever becomes of ctx.
func New(ctx context.Context, reach Reach, keep Keeper, o Options) *Browsers {
	o = o.filled()
	b := &Browsers{reach: reach, keep: keep, o: o, sessions: make(map[string]*session)}
	b.base, b.end = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// filled has the defaults for what is left open.
func (o Options) filled() Options {
	o.Idle, o.Most = cmp.Or(o.Idle, 5*time.Minute), cmp.Or(o.Most, 4)
	o.Memory, o.Processor = cmp.Or(o.Memory, 1<<30), cmp.Or(o.Processor, 2*time.Minute)
	o.load = cmp.Or(o.load, loadTime)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Close ends all sessions and waits until their processes have ended.
func (b *Browsers) Close() {
	b.mu.Lock()
	b.closed = true
	for thread := range b.sessions {
		b.drop(thread)
	}
	b.mu.Unlock()
	b.end()
	b.work.Wait()
	b.watches.Wait()
}

// drop closes a session behind the caller's back. mu is held.
func (b *Browsers) drop(thread string) {
	s := b.sessions[thread]
	delete(b.sessions, thread)
	if s == nil {
		return
	}
	if s.idle != nil {
		s.idle.Stop()
	}
	b.work.Go(s.close)
}

// Tools returns the tools for the browser.
func (b *Browsers) Tools() []*tool.Tool {
	return []*tool.Tool{
		tool.Func(spec("browser_navigate", tool.NetworkCalls), b.navigate),
		tool.Func(spec("browser_snapshot", tool.ReadOnly), b.snapshot),
		tool.Func(spec("browser_click", tool.NetworkCalls), b.click),
		tool.Func(spec("browser_fill", tool.NetworkCalls), b.fill),
		tool.Func(spec("browser_content", tool.ReadOnly), b.content),
		tool.Func(spec("browser_screenshot", tool.ReadOnly), b.screenshot),
		tool.Func(spec("browser_tabs", tool.NetworkCalls), b.tabs),
	}
}

func spec(name string, risk tool.Risk) tool.Spec {
	s := tool.Spec{
		Name: name, Help: tool.HelpFile(help, name), Risk: risk, Permission: org.Browser, Untrusted: "network", Role: org.Viewer,
		Repeatable: true, Alone: true, Timeout: 90 * time.Second, // Chromium starts, the page loads
	}
	if name == "browser_click" || name == "browser_fill" { // they may send
		s.Role, s.Repeatable = org.Editor, false
	}
	return s
}

// in uses the session of a conversation, alone. One that is not there is opened when start
// says so. The call is about an address; "" for what is there already.
func (b *Browsers) in(ctx context.Context, c tool.Call, about string, start bool, use func(*session) error) error {
	thread := c.Run.Thread
	s, err := b.get(ctx, thread, start)
	if err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err = func() error {
		defer func() { <-s.turn }()
		s.uses.Add(1)
		s.proxy.take()
		if about != "" {
			s.proxy.follow(about, c.Onward)
		}
		return use(s)
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	s.used = time.Now()
	if s.idle != nil {
		s.idle.Reset(b.o.Idle)
	}
	if err == nil || s.alive() {
		return said(ctx, err)
	}
	if b.sessions[thread] == s {
		b.drop(thread)
	}
	if over := s.over.Load(); over != nil {
		return over
	}
	return fault.Wrap(err, fault.Unavailable, "The page does not answer any more, so the browser was closed. browser_navigate begins again.")
}

// said keeps errors of Chromium's to the log.
func said(ctx context.Context, err error) error {
	if _, ours := errors.AsType[*fault.Error](err); err == nil || ours {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fault.Wrap(err, fault.Unavailable, "The browser could not do it. Look at the page again with browser_snapshot.")
}

func (b *Browsers) get(ctx context.Context, thread string, start bool) (*session, error) {
	b.mu.Lock()
	if s := b.sessions[thread]; s != nil {
		if s.alive() {
			b.mu.Unlock()
			return s, nil
		}
		b.drop(thread)
		if over := s.over.Load(); over != nil && !start {
			b.mu.Unlock()
			return nil, over
		}
	}
	if !start || b.closed {
		b.mu.Unlock()
		return nil, fault.New(fault.NotFound, "No page is open in this conversation. browser_navigate opens one.")
	}
	if len(b.sessions)+b.opening >= b.o.Most && !b.make() {
		b.mu.Unlock()
		return nil, fault.New(fault.Unavailable, "%d conversations use a browser at this moment, which is as many as may. Try again in a minute.", b.o.Most)
	}
	b.opening++
	b.mu.Unlock()
	s, err := open(ctx, b.base, b.reach, b.o)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opening--
	if err != nil {
		return nil, err
	}
	if b.closed || b.sessions[thread] != nil { // closed or opened meanwhile
		b.work.Go(s.close)
		return nil, fault.New(fault.Conflict, "The browser was opened or closed at the same time. Try again.")
	}
	b.sessions[thread] = s
	b.watches.Go(func() { s.watch(b.o) })
	s.used = time.Now()
	s.idle = time.AfterFunc(b.o.Idle, func() { b.rest(thread, s) })
	b.o.Log.Info("browser opened", "thread", thread)
	return s, nil
}

// make makes room by closing the session that was not used for longest. mu is held.
func (b *Browsers) make() bool {
	oldest := ""
	for thread, s := range b.sessions {
		if len(s.turn) == 0 && (oldest == "" || s.used.Before(b.sessions[oldest].used)) {
			oldest = thread
		}
	}
	if oldest != "" {
		b.drop(oldest)
	}
	return oldest != ""
}

// rest closes a session that was not used for a while.
func (b *Browsers) rest(thread string, s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.sessions[thread] != s:
	case len(s.turn) > 0:
		s.idle.Reset(b.o.Idle)
	default:
		b.drop(thread)
		b.o.Log.Info("browser closed, since it was not used", "thread", thread)
	}
}
