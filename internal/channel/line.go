package channel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
)

// A line is one channel at work.
type line struct {
	c       *Channels
	options Options
	adapter Adapter
	stop    context.CancelFunc
	ended   chan struct{}
	wake    chan struct{}

	types sync.WaitGroup // those who show that we write

	mu       sync.Mutex // guards the rest
	status   Status
	standing context.Context //nolint:containedctx // of the connection, done when it breaks
}

// work opens the channel and keeps it open: what breaks is tried again after 1 s, 2 s, 4 s …
// up to 5 minutes, from the start once it stood for a minute.
func (l *line) work(ctx context.Context) {
	for tries := 1; ctx.Err() == nil; tries++ {
		l.awaitAgent(ctx)
		began := l.c.Store.Log.Mint().Now()
		err := l.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if l.c.Store.Log.Mint().Now().Sub(began) > time.Minute {
			tries = 1
		}
		if err == nil {
			err = fault.New(fault.Unavailable, "The connection ended.")
		}
		l.broke(err, tries)
		if rest(ctx, pause(tries)) != nil {
			return
		}
	}
}

// agentEvery is how often it is looked for an agent that is missing.
const agentEvery = 10 * time.Second

// awaitAgent waits until the agent is there to which the channel speaks. That it is not is said
// once: nothing else is tried before.
func (l *line) awaitAgent(ctx context.Context) {
	if l.options.Agent == "" {
		return
	}
	name := org.AgentID(l.options.Agent).Name()
	for said := false; ctx.Err() == nil; said = true {
		if _, err := l.c.Store.Agents.Agent(ctx, org.AgentID("agent:"+name)); err == nil || fault.KindOf(err) != fault.NotFound {
			return // what else is wrong is said by who needs it
		}
		if !said {
			l.broke(fault.New(fault.NotFound, "The channel %s speaks to the agent %s, which does not exist. Add that agent, or configure the channel with another.", l.options.Name, name), 1)
		}
		_ = rest(ctx, agentEvery) // the loop ends with ctx
	}
}

// once opens the channel, and receives and sends until it breaks.
func (l *line) once(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	a, err := l.c.adapter(ctx, l.options, nil)
	if err != nil {
		return err
	}
	if k, ok := a.(Linker); ok {
		if err := l.link(ctx, k); err != nil {
			return err
		}
	}
	account, err := a.Check(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer l.fall()
	defer stop()
	l.mu.Lock()
	l.adapter, l.standing, l.status.Account = a, ctx, &account
	l.mu.Unlock()
	box := &outbox{store: l.c.Store, files: l.c.Files, channel: l.options.Name, node: l.c.Node, adapter: a, log: l.c.Log, since: l.c.Store.Log.Mint().Now(), open: NewKept[bool](mostOpen), busy: make(map[string]bool), free: make(map[string]time.Time)}
	defer l.grow(ctx, box)()
	sent := make(chan error, 1)
	go func() {
		defer stop()
		sent <- box.work(ctx, l.wake)
	}()
	defer func() { // whatever ended it, nothing is sent any more when the next connection begins
		stop()
		err = cmp.Or(err, <-sent)
	}()
	return a.Run(ctx, l)
}

// link has the channel joined to an account, and shows the code for it meanwhile.
func (l *line) link(ctx context.Context, k Linker) error {
	defer l.unlinked(Connecting, "")
	return k.Link(ctx, func(code string) { l.unlinked(Unlinked, code) })
}

func (l *line) unlinked(state Health, code string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.Link == code {
		return
	}
	if l.status.State != state {
		l.status.State, l.status.Since = state, l.c.Store.Log.Mint().Now()
	}
	l.status.Link, l.status.Account = code, nil
}

// caught is a panic as an error: what a platform sends must not end the daemon.
func caught(p any) error {
	if p == nil {
		return nil
	}
	return fmt.Errorf("panic: %v", p)
}

// Take implements [Inbox].
func (l *line) Take(ctx context.Context, m Message) error {
	id, err := l.c.gate.Take(ctx, l.options, m)
	if err == nil && id != "" {
		l.typing(m.Address, id)
	}
	return err
}

// Newest implements [Inbox].
func (l *line) Newest(ctx context.Context) ([]Newest, error) {
	return l.c.Store.Chats.NewestOf(ctx, l.options.Name)
}

// Mark implements [Inbox].
func (l *line) Mark(ctx context.Context, mark string) error {
	return l.c.Store.Platforms.Mark(ctx, l.options.Name, mark)
}

// Marked implements [Inbox].
func (l *line) Marked(ctx context.Context) (string, error) {
	return l.c.Store.Platforms.MarkOf(ctx, l.options.Name)
}

// How often and how long a chat is shown that an answer is on its way. Platforms forget it
// after some seconds, and a chat that only types for minutes looks broken.
const (
	typingEvery = 5 * time.Second
	typingAtAll = 2 * time.Minute
)

// fall is called when the connection has ended: nobody writes over it any more.
func (l *line) fall() {
	l.mu.Lock()
	l.standing = nil
	l.mu.Unlock()
	l.types.Wait()
}

// typing shows in a chat that a run works, until it ends or waits. Nothing depends on it.
func (l *line) typing(at Address, id run.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx := l.standing
	t, ok := l.adapter.(Typer)
	if !ok || ctx == nil {
		return
	}
	settled, leave := l.c.Store.Runs.Settled(id)
	l.types.Go(func() {
		defer leave()
		ctx, end := context.WithTimeout(ctx, typingAtAll)
		defer end()
		tick := time.NewTicker(typingEvery)
		defer tick.Stop()
		r, err := l.c.Store.Runs.Run(ctx, id) // there is none yet when the message waits for its turn
		if err != nil && fault.KindOf(err) != fault.NotFound || err == nil && r.State != run.Queued && r.State != run.Running {
			return // it settled before it was watched
		}
		for {
			if err := show(ctx, t, at); err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-settled:
				return
			case <-tick.C:
			}
		}
	})
}

func show(ctx context.Context, t Typer, at Address) (err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	return t.Typing(ctx, at)
}

// Up implements [Inbox].
func (l *line) Up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State != Up {
		l.status.State, l.status.Since, l.status.Problem, l.status.Tries = Up, l.c.Store.Log.Mint().Now(), "", 0
	}
}

func (l *line) broke(err error, tries int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State != Broken {
		l.status.Since = l.c.Store.Log.Mint().Now()
	}
	l.status.State, l.status.Tries, l.status.Problem = Broken, tries, OneLine(fault.TextOf(err), 400)
	l.c.Log.Warn("a channel is broken", "channel", l.options.Name, "try", tries, "err", fault.TextOf(err))
}

// Listen hands what a platform sends to the address of a channel to that channel; false says that
// none listens, and nothing was answered.
func (c *Channels) Listen(name string, w http.ResponseWriter, r *http.Request) bool {
	c.mu.Lock()
	l := c.open[name]
	c.mu.Unlock()
	var a Adapter
	if l != nil {
		l.mu.Lock()
		a = l.adapter
		l.mu.Unlock()
	}
	listener, ok := a.(Listener)
	if !ok {
		return false
	}
	listener.Listen(w, r, l)
	return true
}

// Receive implements [Inbox].
func (l *line) Receive(ctx context.Context, r Receipt) error {
	return l.c.gate.receive(ctx, l.options, r)
}
