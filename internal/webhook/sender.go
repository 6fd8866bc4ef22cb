package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Progress is how far an endpoint was told.
type Progress struct {
	Cursor   event.Seq // up to where
	Attempts int       // of the next event
	Since    time.Time // when the first of them was
	Next     time.Time // when the next one is; zero is at once
	Why      string    // why the last one failed
}

// A Store keeps how far endpoints were told.
type Store interface {
	Endpoints(ctx context.Context) ([]Endpoint, error)
	// Hold returns how far an endpoint was told, when this node may tell it until a time; another node may not.
	Hold(ctx context.Context, endpoint, node string, until time.Time) (p Progress, mine bool, err error)
	// Advance keeps how far an endpoint was told, and records drafts with it.
	Advance(ctx context.Context, endpoint string, p Progress, drafts ...event.Draft) error
}

// A Log is where it is read what happened.
type Log interface {
	event.Notifier
	Mint() *event.Mint
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
}

// Parts are what a [Sender] needs.
type Parts struct {
	Store Store
	Log   Log
	// Secrets returns the secrets that sign what an endpoint is sent, the newest first.
	Secrets func(ctx context.Context, e Endpoint) ([]string, error)
	// Key says with a fault.Unauthenticated that a key opens nothing any more. What was set with it ends with it.
	Key func(ctx context.Context, id string) error
	// Out reaches no address inside that the policy does not list; Client reaches all that an owner granted.
	Out, Client *http.Client
	Node        string
	Says        *slog.Logger // nil is slog.Default
}

// Times of deliveries.
const (
	answerTime = 20 * time.Second // until the other side must have answered
	holdTime   = 2 * time.Minute  // that a node may tell an endpoint, unless it goes on
	lookEvery  = 15 * time.Second // for endpoints that another node set or left
	gather     = 200 * time.Millisecond
	giveUp     = 24 * time.Hour
	mostAsked  = time.Hour // that a Retry-After is heeded
)

// waits are how long it is waited before each further attempt. The last ones end a day after the first.
var waits = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour} //nolint:gochecknoglobals // a table

// wait is how long it is waited after so many attempts, with a tenth more or less, so that not all come back at once.
func wait(attempts int) time.Duration {
	d := waits[min(attempts, len(waits))-1]
	return d + time.Duration((rand.Float64()-0.5)*0.2*float64(d)) //nolint:gosec // not a secret
}

// A Sender tells endpoints of what is recorded, each in order and at least once.
type Sender struct {
	Parts
	mu   sync.Mutex // guards live
	live map[string]func()
}

// A teller tells one endpoint.
type teller struct {
	*Sender
	Endpoint
	read event.Seq // up to where nothing was for it, which is kept from time to time
}

// keepEvery is how many events are read in vain until that is kept.
const keepEvery = 1000

// NewSender returns a sender.
func NewSender(p Parts) *Sender {
	if p.Says == nil {
		p.Says = slog.Default()
	}
	p.Out, p.Client = straight(p.Out), straight(p.Client)
	return &Sender{Parts: p, live: make(map[string]func())}
}

// straight is a client that follows no redirect: the address is the one that was checked.
func straight(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Run tells endpoints until ctx is done.
func (s *Sender) Run(ctx context.Context) error {
	changed, stop := s.Log.Subscribe(event.EndpointsChanged)
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.match(ctx, &all); err != nil && ctx.Err() == nil {
			s.Says.Warn("webhooks are told later", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-tick.C:
		}
	}
	return nil
}

// match has one teller run for each endpoint as it is now.
func (s *Sender) match(ctx context.Context, all *sync.WaitGroup) error {
	list, err := s.Store.Endpoints(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := make(map[string]bool)
	for _, e := range list {
		if e.Off {
			continue
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode an endpoint: %w", err)
		}
		key := string(raw)
		now[key] = true
		if s.live[key] != nil {
			continue
		}
		own, cancel := context.WithCancel(ctx)
		s.live[key] = cancel
		all.Go(func() { (&teller{Sender: s, Endpoint: e}).tell(own) })
	}
	for key, cancel := range s.live {
		if !now[key] {
			cancel()
			delete(s.live, key)
		}
	}
	return nil
}

// tell tells the endpoint until ctx is done.
func (t *teller) tell(ctx context.Context) {
	grew, stop := t.Log.Subscribe(event.LogGrew)
	defer stop()
	for ctx.Err() == nil && !t.Off {
		next, err := t.round(ctx)
		if err != nil && ctx.Err() == nil {
			t.Says.Warn("a webhook is told later", "endpoint", t.Name, "err", err)
			next = lookEvery
		}
		if next == 0 && !t.Off { // all is told; the next event wakes
			select {
			case <-ctx.Done():
				return
			case <-grew:
			}
		}
		timer := time.NewTimer(max(next, gather))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// round tells what can be told now, and returns when to go on; 0 is when something happens.
func (t *teller) round(ctx context.Context) (time.Duration, error) {
	for !t.Off {
		now := t.Log.Mint().Now()
		p, mine, err := t.Store.Hold(ctx, t.ID, t.Node, now.Add(holdTime))
		if err != nil {
			return 0, err
		}
		if !mine {
			return lookEvery, nil
		}
		if until := p.Next.Sub(now); until > 0 {
			return min(until, holdTime/2), nil
		}
		from := p.Cursor
		if p.Attempts == 0 {
			from = max(from, t.read)
		}
		batch, upTo, err := t.Log.Events(ctx, from, event.Filter{Without: namespace + "*"})
		if err != nil || len(batch) == 0 && upTo <= from {
			return 0, err
		}
		if err := ended(ctx, t.Key, t.By); err != nil {
			if fault.KindOf(err) != fault.Unauthenticated {
				return 0, err
			}
			return 0, t.off(ctx, p, "The key with which it was set opens nothing any more.")
		}
		if err := t.batch(ctx, p, batch, max(upTo, from)); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// batch tells of events, up to the first that is not taken, or until the hold has to be renewed.
func (t *teller) batch(ctx context.Context, p Progress, events []event.Exported, end event.Seq) error {
	held := t.Log.Mint().Now()
	for _, of := range events {
		if of.Erased || !t.Wants(of.Event) {
			continue
		}
		out, err := t.Deliver(ctx, t.Endpoint, of.Event)
		if err != nil {
			return err
		}
		if !out.Taken() {
			return t.failed(ctx, p, of, out)
		}
		p = Progress{Cursor: of.Seq}
		if err := t.Store.Advance(ctx, t.ID, p); err != nil || t.Log.Mint().Now().Sub(held) > holdTime/4 {
			return err
		}
	}
	t.read = end
	if end-p.Cursor < keepEvery && p.Attempts == 0 {
		return nil
	}
	return t.Store.Advance(ctx, t.ID, Progress{Cursor: end})
}

// failed keeps when to try again, or that it is given up.
func (t *teller) failed(ctx context.Context, p Progress, of event.Exported, out Outcome) error {
	now := t.Log.Mint().Now()
	p.Cursor = max(p.Cursor, of.Seq-1)
	if p.Attempts++; p.Attempts == 1 {
		p.Since = now
	}
	p.Why = out.Why
	p.Next = now.Add(max(wait(p.Attempts), min(out.After, mostAsked)))
	at := Place(t.Log.Mint(), run.Chela())
	if out.Gone {
		return t.off(ctx, p, "The other side says that nobody listens there any more (410).")
	}
	if last := p.Since.Add(giveUp); p.Next.After(last) && now.Before(last) {
		p.Next = last // it is tried until the end of the day
	}
	if p.Next.Sub(p.Since) <= giveUp && p.Next.After(now) {
		return t.Store.Advance(ctx, t.ID, p)
	}
	f := Failed{ID: t.Log.Mint().ID("whf"), Endpoint: t.ID, Seq: of.Seq, Type: of.Message.Type, Why: out.Why, Attempts: p.Attempts}
	return t.Store.Advance(ctx, t.ID, Progress{Cursor: of.Seq}, FailedKind.Draft(at, f))
}

// off switches the endpoint off by itself.
func (t *teller) off(ctx context.Context, p Progress, why string) error {
	t.Off = true
	off := t.Endpoint
	off.Why = why
	return t.Store.Advance(ctx, t.ID, p, EndpointSetKind.Draft(Place(t.Log.Mint(), run.Chela()), off))
}

// ended returns the error that key has for the key with which somebody acted, if they had one.
func ended(ctx context.Context, key func(context.Context, string) error, by event.Party) error {
	if by.Key == "" {
		return nil
	}
	return key(ctx, by.Key)
}

// Place is where facts about webhooks lie.
func Place(mint *event.Mint, by event.Party) event.Place {
	id := mint.ID("run")
	return event.Place{Stream: event.OrgStream, Thread: mint.ID("thr"), Run: id, Task: "task_" + id[len("run_"):], From: by}
}

// An Outcome is what came of one attempt.
type Outcome struct {
	Code  int           // of the answer; 0 is none
	Why   string        // it was not taken, a sentence
	After time.Duration // the other side asks to be left alone
	Gone  bool          // for good
}

// Taken reports whether the other side took it.
func (o Outcome) Taken() bool { return o.Why == "" }

// A Message is what an endpoint is sent.
type Message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      Data      `json:"data"`
}

// A Data is the event.
type Data struct {
	Seq     event.Seq       `json:"seq"`
	ID      string          `json:"id"`
	Stream  string          `json:"stream"`
	Thread  string          `json:"threadId,omitempty"`
	Run     string          `json:"runId,omitempty"`
	From    event.Party     `json:"from"`
	Payload json.RawMessage `json:"payload"`
}

// Deliver sends an event once. Its webhook-id is the event's, the same at each attempt, so that the other side
// can leave out what it has. An error says that it was not tried.
func (s *Sender) Deliver(ctx context.Context, e Endpoint, of event.Event) (Outcome, error) {
	body, err := json.Marshal(Message{of.Message.Type, of.At.UTC(), Data{of.Seq, of.Message.ID, of.Stream, of.Message.ThreadID, of.Message.RunID, of.Message.From, of.Message.Payload}})
	if err != nil {
		return Outcome{}, fmt.Errorf("encode an event: %w", err)
	}
	secrets, err := s.Secrets(ctx, e)
	if err != nil {
		return Outcome{}, err
	}
	now := s.Log.Mint().Now()
	stamp := strconv.FormatInt(now.Unix(), 10)
	var signed []string
	for _, secret := range secrets {
		k, err := NewSigner(secret)
		if err != nil {
			return Outcome{}, err
		}
		signed = append(signed, k.Sign(of.Message.ID, stamp, body))
	}
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return Outcome{}, fmt.Errorf("prepare a delivery: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Chela-Webhooks")
	r.Header.Set(HeaderID, of.Message.ID)
	r.Header.Set(HeaderTimestamp, stamp)
	r.Header.Set(HeaderSignature, strings.Join(signed, " "))
	client := s.Out
	if e.Inside {
		client = s.Client
	}
	res, err := client.Do(r)
	if err != nil {
		return Outcome{Why: reason(err)}, nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // nobody asks what it says
	_ = res.Body.Close()                                         // it was read
	return answered(res), nil
}

// reason is why a request was not answered, a sentence.
func reason(err error) string {
	var denied *fault.Error
	switch {
	case errors.As(err, &denied):
		return fault.TextOf(err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("It did not answer within %s.", answerTime)
	}
	return "It cannot be reached: " + err.Error()
}

func answered(res *http.Response) Outcome {
	o := Outcome{Code: res.StatusCode}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return o
	}
	o.Why, o.Gone = "It answered "+res.Status+".", res.StatusCode == http.StatusGone
	if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n > 0 {
		o.After = time.Duration(n) * time.Second
	}
	return o
}
