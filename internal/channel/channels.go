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
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
)

// Vault keeps the secrets of channels.
type Vault interface {
	// Keep keeps a value of the daemon's own, or forgets it when it is empty; drafts are recorded with it.
	Keep(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error
	Kept(ctx context.Context, name string) (string, error)
}

// Parts are what [Channels] is made of.
type Parts struct {
	Store       Store
	Inbox       *inbox.Inbox
	Files       *artifact.Files
	Vault       Vault
	Answers     Answers
	Platforms   []Platform
	Client      *http.Client
	Outside     *http.Client // reaches nothing inside, for addresses that no owner has set; nil is Client
	Node        string
	Shared      bool        // other daemons may share the database
	Transcribes func() bool // whether audio files are transcribed now; nil is never
	Hub         *stream.Hub // in which agents show what they write; none, and answers come whole
	Log         *slog.Logger
}

// Channels keeps every configured channel at work, and mends what breaks. On a database that
// several daemons share, each channel is worked by one that is alive.
type Channels struct {
	Parts
	gate *Gate

	changed chan struct{} // receives after a channel was configured here; it holds one signal

	mu   sync.Mutex // guards the rest
	open map[string]*line
}

// New returns the channels; [Channels.Run] works them.
func New(p Parts) *Channels {
	g := &Gate{store: p.Store, inbox: p.Inbox, files: p.Files, answers: p.Answers, transcribes: p.Transcribes, log: p.Log, chats: make(map[session.Chat]*turn), last: make(map[speaker]saying)}
	return &Channels{Parts: p, gate: g, changed: make(chan struct{}, 1), open: make(map[string]*line)}
}

// A Status says how a channel does.
type Status struct {
	Options
	Secrets []string  `json:"secrets,omitempty" doc:"the names of those that it has"`
	State   Health    `json:"state"`
	Since   time.Time `json:"since,omitzero"`
	Account *Account  `json:"account,omitempty" doc:"who we are there"`
	Problem string    `json:"problem,omitempty" doc:"why it does not work, and the way out"`
	Tries   int       `json:"tries,omitempty" doc:"to connect, since it broke"`
	Link    string    `json:"link,omitempty" doc:"the text of the QR code by which the platform's app joins us to an account; for admins, while it is unlinked"`
	Waiting int       `json:"waiting" doc:"deliveries that are not sent yet"`
	Failed  int       `json:"failed" doc:"deliveries that were given up"`
}

// A Health is how a channel does.
type Health string

// The standings. Unlinked says that somebody has to join it to an account, see [Linker], and
// Elsewhere that another daemon works it.
const (
	Off        Health = "off"
	Unlinked   Health = "unlinked"
	Connecting Health = "connecting"
	Up         Health = "up"
	Broken     Health = "broken"
	Elsewhere  Health = "elsewhere"
)

// again is how often it is looked which daemons there are, and what others configured.
const again = 2 * time.Second

// Run works the channels until ctx is done. Whatever a channel does, it ends nobody else.
func (c *Channels) Run(ctx context.Context) error {
	outgoing, leave := c.Store.Log.Subscribe(event.DeliveriesDue)
	defer leave()
	defer c.stopAll()
	tick := time.NewTicker(again)
	defer tick.Stop()
	for settled := false; ; {
		if !settled {
			if err := c.settle(ctx); err != nil && ctx.Err() == nil {
				c.Log.Warn("the channels cannot be read", "err", err)
			}
		}
		settled = false
		select {
		case <-ctx.Done():
			return nil
		case <-outgoing:
			c.wake()
			settled = true // an answer configures nothing
		case <-c.changed:
		case <-tick.C:
		}
	}
}

// settle makes what is at work what is configured.
func (c *Channels) settle(ctx context.Context) error {
	list, err := c.Store.Platforms.Channels(ctx)
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
	nodes, err := c.Store.Nodes.Nodes(ctx)
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
	l.status = Status{Options: o, State: Connecting, Since: c.Store.Log.Mint().Now()}
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

// poke signals on a channel that holds one signal.
func poke(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// wake has all outboxes look for what is due.
func (c *Channels) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.open {
		poke(l.wake)
	}
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
	client := c.Client
	if !o.Inside && len(o.Addresses(p)) > 0 && c.Outside != nil {
		client = c.Outside
	}
	return p.Open(Config{Options: o, Secrets: secrets, Client: client, Log: c.Log})
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

// placeOn is where a fact belongs that is of no conversation.
func placeOn(mint *event.Mint, stream string, by event.Party) event.Place {
	id := run.ID(mint.ID("run"))
	return event.Place{Stream: stream, Thread: mint.ID("thr"), Run: string(id), Task: run.RootTask(id), From: by}
}
