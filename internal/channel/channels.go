package channel

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/artifact"
	"chela/internal/dispatch"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
)

// Vault keeps the secrets of channels.
type Vault interface {
	// Keep keeps a value of the daemon's own, or forgets it when it is empty; drafts are recorded with it.
	Keep(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error
	Kept(ctx context.Context, name string) (string, error)
}

// Parts are what [Channels] is made of.
type Parts struct {
	Store     Store
	Dispatch  *dispatch.Dispatcher
	Files     *artifact.Files
	Vault     Vault
	Answers   Answers
	Platforms []Platform
	Client    *http.Client
	Node      string
	Shared    bool // other daemons may share the database
	Log       *slog.Logger
}

// Channels keeps every configured channel at work, and mends what breaks. On a database that
// several daemons share, each channel is worked by one that is alive.
type Channels struct {
	Parts
	gate *Gate

	mu   sync.Mutex // guards the rest
	open map[string]*line
}

// New returns the channels; [Channels.Run] works them.
func New(p Parts) *Channels {
	g := &Gate{store: p.Store, dispatch: p.Dispatch, files: p.Files, answers: p.Answers, log: p.Log, chats: make(map[session.Chat]*turn)}
	return &Channels{Parts: p, gate: g, open: make(map[string]*line)}
}

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

// A Status says how a channel does.
type Status struct {
	Options
	Secrets []string  `json:"secrets,omitempty" doc:"the names of those that it has"`
	State   Standing  `json:"state"`
	Since   time.Time `json:"since,omitzero"`
	Account *Account  `json:"account,omitempty" doc:"who we are there"`
	Problem string    `json:"problem,omitempty" doc:"why it does not work, and the way out"`
	Tries   int       `json:"tries,omitempty" doc:"to connect, since it broke"`
	Waiting int       `json:"waiting" doc:"deliveries that are not sent yet"`
	Failed  int       `json:"failed" doc:"deliveries that were given up"`
}

// A Standing is how a channel does.
type Standing string

// The standings. Elsewhere says that another daemon works it.
const (
	Off        Standing = "off"
	Connecting Standing = "connecting"
	Up         Standing = "up"
	Broken     Standing = "broken"
	Elsewhere  Standing = "elsewhere"
)

// again is how often it is looked which daemons there are.
const again = 2 * time.Second

// Run works the channels until ctx is done. Whatever a channel does, it ends nobody else.
func (c *Channels) Run(ctx context.Context) error {
	outgoing, leave := c.Store.Outgoing()
	defer leave()
	defer c.stopAll()
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		if err := c.settle(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("the channels cannot be read", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-outgoing:
			c.wake()
		case <-tick.C:
		}
	}
}

// settle makes what is at work what is configured.
func (c *Channels) settle(ctx context.Context) error {
	list, err := c.Store.Channels(ctx)
	if err != nil {
		return err
	}
	live, err := c.alive(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	want := make(map[string]bool)
	for _, o := range list {
		if o.Off || c.ownerOf(o.Name, live) != c.Node {
			continue
		}
		want[o.Name] = true
		if l := c.open[o.Name]; l != nil && same(l.options, o) {
			continue
		} else if l != nil {
			c.end(l)
		}
		c.open[o.Name] = c.begin(ctx, o)
	}
	for name, l := range c.open {
		if !want[name] {
			c.end(l)
		}
	}
	return nil
}

func same(a, b Options) bool {
	x, _ := json.Marshal(a) // both are plain
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// alive are the daemons that share the database, this one among them.
func (c *Channels) alive(ctx context.Context) ([]string, error) {
	if !c.Shared {
		return []string{c.Node}, nil
	}
	nodes, err := c.Store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	nodes[c.Node] = time.Time{}
	return slices.Sorted(maps.Keys(nodes)), nil
}

// ownerOf is who works a channel: of the daemons that are alive the one whose name, with the
// channel's, has the greatest sum, so that few channels move when one comes or goes.
func (c *Channels) ownerOf(channel string, alive []string) string {
	sum := func(node string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(node + "\x00" + channel)) // never fails
		return h.Sum64()
	}
	return slices.MaxFunc(alive, func(a, b string) int { return cmp.Compare(sum(a), sum(b)) })
}

func (c *Channels) platform(k Kind) (Platform, bool) {
	i := slices.IndexFunc(c.Platforms, func(p Platform) bool { return p.Kind == k })
	if i < 0 {
		return Platform{}, false
	}
	return c.Platforms[i], true
}

// begin starts a channel. The caller holds mu.
func (c *Channels) begin(ctx context.Context, o Options) *line {
	ctx, stop := context.WithCancel(ctx)
	l := &line{c: c, options: o, stop: stop, ended: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.status = Status{Options: o, State: Connecting, Since: c.Store.Mint().Now()}
	go func() {
		defer close(l.ended)
		l.work(ctx)
	}()
	return l
}

// end stops a channel. The caller holds mu.
func (c *Channels) end(l *line) {
	l.stop()
	<-l.ended
	delete(c.open, l.options.Name)
}

func (c *Channels) stopAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.open {
		l.stop()
	}
	for _, l := range c.open {
		c.end(l)
	}
}

// wake has all outboxes look for what is due.
func (c *Channels) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.open {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// work opens the channel and keeps it open: what breaks is tried again after 1 s, 2 s, 4 s …
// up to 5 minutes, from the start once it stood for a minute.
func (l *line) work(ctx context.Context) {
	for tries := 1; ctx.Err() == nil; tries++ {
		began := l.c.Store.Mint().Now()
		err := l.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if l.c.Store.Mint().Now().Sub(began) > time.Minute {
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

// once opens the channel, and receives and sends until it breaks.
func (l *line) once(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil { // a platform's answer must not end the daemon
			err = fmt.Errorf("panic in the channel %s: %v", l.options.Name, p)
		}
	}()
	a, err := l.c.adapter(ctx, l.options, nil)
	if err != nil {
		return err
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
	box := &outbox{store: l.c.Store, channel: l.options.Name, node: l.c.Node, adapter: a, log: l.c.Log, busy: make(map[Address]bool), free: make(map[Address]time.Time)}
	sent := make(chan error, 1)
	go func() {
		defer stop()
		sent <- box.work(ctx, l.wake)
	}()
	err = a.Run(ctx, l)
	stop()
	return cmp.Or(err, <-sent)
}

// Take implements [Inbox].
func (l *line) Take(ctx context.Context, m Message) error {
	id, err := l.c.gate.Take(ctx, l.options, m)
	if err == nil && id != "" {
		l.typing(m.Address, id)
	}
	return err
}

// How often and how long a chat is shown that an answer is on its way. Platforms forget it
// after some seconds; reference devclaw.md §5.
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
	settled, leave := l.c.Store.Settled(id)
	l.types.Go(func() {
		defer leave()
		ctx, end := context.WithTimeout(ctx, typingAtAll)
		defer end()
		tick := time.NewTicker(typingEvery)
		defer tick.Stop()
		for {
			if err := t.Typing(ctx, at); err != nil {
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

// Up implements [Inbox].
func (l *line) Up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State != Up {
		l.status.State, l.status.Since, l.status.Problem, l.status.Tries = Up, l.c.Store.Mint().Now(), "", 0
	}
}

func (l *line) broke(err error, tries int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State != Broken {
		l.status.Since = l.c.Store.Mint().Now()
	}
	l.status.State, l.status.Tries, l.status.Problem = Broken, tries, oneLine(fault.TextOf(err), 400)
	l.c.Log.Warn("a channel is broken", "channel", l.options.Name, "try", tries, "err", fault.TextOf(err))
}

// adapter opens a channel with the secrets of the vault and those given beside them.
func (c *Channels) adapter(ctx context.Context, o Options, more map[string]string) (Adapter, error) {
	p, ok := c.platform(o.Kind)
	if !ok {
		return nil, fault.BadField("kind", fmt.Sprintf("There is no kind of channel %q. `chela channel kinds` lists them.", o.Kind))
	}
	if err := o.Check(p); err != nil {
		return nil, err
	}
	secrets, err := c.secrets(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	maps.Copy(secrets, more)
	for _, n := range p.Secrets {
		if !n.Optional && secrets[n.Name] == "" {
			return nil, fault.BadField("secrets", fmt.Sprintf("A channel of the kind %s needs the secret %s: %s", p.Kind, n.Name, n.Help))
		}
	}
	return p.Open(Config{Options: o, Secrets: secrets, Client: c.Client, Log: c.Log})
}

const secretPrefix = "channel."

// secretOf is where the vault keeps the secrets of a channel.
func secretOf(name string) string { return secretPrefix + name }

// SecretsIn returns the secrets of a channel in an entry of the vault, for who hides them.
func SecretsIn(entry, value string) (out map[string]string, ok bool) {
	if !strings.HasPrefix(entry, secretPrefix) || json.Unmarshal([]byte(value), &out) != nil {
		return nil, false
	}
	return out, true
}

func (c *Channels) secrets(ctx context.Context, name string) (map[string]string, error) {
	out := make(map[string]string)
	raw, err := c.Vault.Kept(ctx, secretOf(name))
	if err != nil || raw == "" {
		return out, err
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return nil, fmt.Errorf("read the secrets of the channel %s: %w", name, err)
	}
	return out, nil
}

// orgPlace is where a change of the channels belongs.
func (c *Channels) orgPlace(by event.Party) event.Place {
	id := run.ID(c.Store.Mint().ID("run"))
	return event.Place{Stream: event.OrgStream, Thread: c.Store.Mint().ID("thr"), Run: string(id), Task: run.RootTask(id), From: by}
}
