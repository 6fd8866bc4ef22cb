package channel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
)

// How often and how long a delivery is tried: 1 s, 2 s, 4 s … up to 5 minutes between, and
// given up after a day.
const (
	firstPause  = time.Second
	longPause   = 5 * time.Minute
	giveUpAfter = 24 * time.Hour
	sendTimeout = 30 * time.Second
	lastWords   = 5 * time.Second  // for what is under way when the connection ends
	troubled    = 10 * time.Second // after an error of our own
)

// mostOpen is of how many runs it is remembered that a draft may be there.
const mostOpen = 1000

// An outbox sends what is due in one channel: in order in each chat, a few chats at once.
type outbox struct {
	store   Store
	files   *artifact.Files
	channel string
	node    string // ours
	adapter Adapter
	log     *slog.Logger
	since   time.Time   // it is at work
	open    *Kept[bool] // by run: an attempt at a draft of which nobody knows whether it arrived

	mu   sync.Mutex           // guards the rest
	busy map[string]bool      // by chat: platforms count by it, whatever thread is meant
	lent map[string]bool      // to who shows what grows
	past map[string]bool      // by chat: a delivery has ended since what is due was read, which may still have it
	free map[string]time.Time // when a chat may be sent to again
	all  time.Time            // when anything may be sent again
}

// work sends until ctx is done. wake receives when something may be due.
func (b *outbox) work(ctx context.Context, wake <-chan struct{}) error {
	var sends sync.WaitGroup
	defer sends.Wait()
	ended := make(chan struct{}, 1)
	for ctx.Err() == nil {
		b.mu.Lock()
		clear(b.past)
		b.mu.Unlock()
		due, err := b.store.Outbox.Due(ctx, b.channel)
		if err != nil {
			return err
		}
		next := longPause
		for _, d := range due {
			wait, begun := b.begin(d)
			if !begun {
				if wait > 0 {
					next = min(next, wait)
				}
				continue
			}
			sends.Go(func() {
				err := b.deliver(ctx, d)
				if err != nil && ctx.Err() == nil {
					b.log.Warn("a delivery is not made", "channel", b.channel, "delivery", d.ID, "err", err)
				}
				b.end(d, err)
				poke(ended)
			})
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-ended:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// mostChats are sent to at the same time: they share commits.
const mostChats = 32

// begin takes a chat when it is free and its delivery due; wait says how long it is not.
func (b *outbox) begin(d Delivery) (wait time.Duration, begun bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy[d.Chat] || b.lent[d.Chat] || b.past[d.Chat] || len(b.busy) >= mostChats {
		return 0, false
	}
	now := b.store.Log.Mint().Now()
	if d.State == Sending && d.Node != b.node {
		d.Next = d.UpdatedAt.Add(2 * sendTimeout) // it may be at it
	}
	if wait = max(d.Next.Sub(now), b.free[d.Chat].Sub(now)); wait > 0 {
		return wait, false
	}
	delete(b.free, d.Chat)
	b.busy[d.Chat] = true
	return 0, true
}

// end gives a chat free. After an error of ours, which no attempt has recorded, it rests.
func (b *outbox) end(d Delivery, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.busy, d.Chat)
	if b.past == nil {
		b.past = make(map[string]bool)
	}
	b.past[d.Chat] = true
	pace := b.adapter.Shape().Chat
	if err != nil {
		pace = max(pace, troubled)
	}
	if pace > 0 {
		b.free[d.Chat] = b.store.Log.Mint().Now().Add(pace)
	}
}

// turn waits until the channel may send again.
func (b *outbox) turn(ctx context.Context) error {
	b.mu.Lock()
	now := b.store.Log.Mint().Now()
	at := b.all
	if at.Before(now) {
		at = now
	}
	b.all = at.Add(b.adapter.Shape().All)
	b.mu.Unlock()
	return rest(ctx, at.Sub(now))
}

// rest waits, or until ctx is done.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// deliver sends the parts of a text that are left, one after the other.
func (b *outbox) deliver(ctx context.Context, d Delivery) (err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	c, err := b.content(ctx, d)
	if err != nil {
		return err
	}
	shape := b.adapter.Shape()
	c.parts = shape.parts(c.text)
	all := len(c.parts) + len(c.files)
	if d.Part >= all {
		_, err := b.store.Log.Append(ctx, SentKind.Draft(d.place("sent"), Sent{Delivery: d.ID, Part: max(all-1, 0), Parts: all}))
		return err
	}
	reply, err := b.store.Outbox.AnswerTo(ctx, d.Run, d.Thread)
	if err != nil {
		return err
	}
	d.Part = max(d.Part, c.from)
	d.Unknown = d.Unknown || d.State == Sending // whoever tried it has died
	for first := d.Part; d.Part < all; d.Part++ {
		out := Out{Address: d.Address, Key: fmt.Sprintf("%s/%d", d.ID, d.Part), Doubt: d.Unknown}
		if d.Part < len(c.parts) {
			out.Text = c.parts[d.Part]
		}
		if d.Part == 0 {
			out.ReplyTo = reply
		}
		if d.Part == len(c.parts)-1 {
			out.Buttons = c.buttons
		}
		if d.Part > first {
			if err := rest(ctx, shape.Chat); err != nil {
				return err
			}
		}
		if ok, err := b.send(ctx, &d, out, c); err != nil || !ok {
			return err
		}
		c.draft = ""
	}
	return nil
}

// send tries one part once. ok says that it is there.
func (b *outbox) send(ctx context.Context, d *Delivery, out Out, c content) (ok bool, err error) {
	if err := b.turn(ctx); err != nil {
		return false, nil
	}
	d.Attempts++
	tried := Tried{Delivery: d.ID, Part: d.Part, Attempt: d.Attempts, Node: b.node, Draft: c.draft}
	recorded, err := b.store.Log.Append(ctx, TriedKind.Draft(d.place(fmt.Sprint("try", d.Attempts)), tried))
	if err != nil || len(recorded) == 0 {
		return false, err // another daemon has it
	}
	sending, end := finishing(ctx, sendTimeout)
	id, err := b.put(sending, out, d.Part, c)
	end()
	keep := context.WithoutCancel(ctx) // what happened is recorded even when we are told to end
	if err == nil {
		_, err = b.store.Log.Append(keep, SentKind.Draft(d.place(fmt.Sprintf("sent%d.%d", d.Part, d.Attempts)), Sent{Delivery: d.ID, Part: d.Part, Parts: len(c.parts) + len(c.files), ID: id}))
		d.Unknown = false
		return err == nil, err
	}
	_, err = b.store.Log.Append(keep, RefusedKind.Draft(d.place(fmt.Sprint("refused", d.Attempts)), refused(b.store.Log.Mint().Now(), *d, err)))
	return false, err
}

// finishing is the context of a call to the platform. One that is under way when ctx ends has a
// moment to end: of a call that is cut off nobody knows whether it arrived.
func finishing(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	calling, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		_ = rest(calling, lastWords)
	})
	return calling, func() {
		stop()
		cancel()
	}
}

// handFile hands a file to the platform.
func (b *outbox) handFile(ctx context.Context, out Out, f session.File) (id string, err error) {
	raw, err := b.files.Get(artifact.Ref(f.Ref))
	if err != nil {
		return "", &Refusal{Text: fault.TextOf(err)}
	}
	out.File = &File{Name: f.Name, Type: f.Type, Raw: raw}
	return hand(ctx, b.adapter, out)
}

// hand hands a part to the platform.
func hand(ctx context.Context, a Adapter, out Out) (id string, err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	return a.Send(ctx, out)
}

// pause is how long it is waited after so many tries that brought nothing.
func pause(tries int) time.Duration {
	if n := min(max(tries-1, 0), 20); firstPause<<n < longPause {
		return firstPause << n
	}
	return longPause
}

// refused says what comes after an attempt that failed.
func refused(now time.Time, d Delivery, err error) Refused {
	out := Refused{Delivery: d.ID, Part: d.Part, Why: OneLine(err.Error(), 300), Again: now.Add(pause(d.Attempts - d.Part))} // of the attempts, as many were good as parts are there
	var no *Refusal
	out.Unknown = !errors.As(err, &no) || d.Unknown // a no to this attempt says nothing of those before
	if no != nil && no.After > 0 {
		out.Again = now.Add(no.After)
	}
	if no != nil && no.Final || now.Sub(d.CreatedAt) > giveUpAfter {
		out.Again = time.Time{}
	}
	return out
}

// place is where the facts of a delivery belong; each is recorded once.
func (d Delivery) place(what string) event.Place {
	id := run.ID(d.Run)
	return event.Place{Stream: d.Stream, Thread: d.Thread, Run: string(id), Task: run.RootTask(id), From: run.Chela(), Key: "delivery:" + d.ID + ":" + what}
}

// A content is what a delivery says.
type content struct {
	text    string         // Markdown
	parts   []string       // it, in the platform's form
	files   []session.File // after the text, each a part
	buttons []Button
	over    []string // the platform's ids of what is there already and becomes the first parts
	draft   string   // the key of a draft that may be there and then becomes the first part
	from    int      // the first part that is not there as it is to be
	only    bool     // what cannot be edited is not sent
}

// content is what a delivery says, and what can be pressed under it.
func (b *outbox) content(ctx context.Context, d Delivery) (c content, err error) {
	if asked, ok := strings.CutSuffix(d.ID, OutcomeSuffix); ok {
		return b.outcome(ctx, asked)
	}
	e, err := b.store.Log.EventByID(ctx, d.ID)
	if err != nil {
		return c, err
	}
	switch e.Message.Type {
	case session.SaidKind.Name:
		p, _, err := session.SaidKind.Open(e)
		if err != nil {
			return c, err
		}
		if p.Confirmed != nil && !*p.Confirmed {
			p.Message += "\n\n*Not confirmed:* " + p.Review
		}
		if len(p.Files) > 0 { // it is none of the texts that grow
			return content{text: p.Message, files: p.Files}, nil
		}
		return b.grown(ctx, d, p.Message)
	case session.NoticeKind.Name:
		p, _, err := session.NoticeKind.Open(e)
		if err != nil {
			return c, err
		}
		return b.grown(ctx, d, p.Message)
	case PairingRequestedKind.Name:
		p, _, err := PairingRequestedKind.Open(e)
		return content{text: fmt.Sprintf("I do not know you yet. Give this code to somebody who may let you in: **%s**. It counts until %s UTC.", p.Code, p.Until.UTC().Format("15:04"))}, err
	case approval.RequestedKind.Name:
		p, _, err := approval.RequestedKind.Open(e)
		return content{text: p.Markdown(), buttons: buttons(p)}, err
	}
	return c, fault.New(fault.Internal, "The event %s of the type %s cannot be delivered.", d.ID, e.Message.Type)
}

// buttons are the answers that a question takes and that say nothing about later ones.
func buttons(r approval.Request) []Button {
	var out []Button
	for _, c := range r.Choices {
		if c != approval.Always && c != approval.Found && (c != approval.Accept || r.Form == nil || r.Form.Complete()) {
			out = append(out, Button{Text: strings.ToUpper(c[:1]) + c[1:], Press: c + ":" + r.ID})
		}
	}
	return out
}

// Deliveries lists what was sent and what waits, the newest first.
func (c *Channels) Deliveries(ctx context.Context, f Filter) ([]Delivery, error) {
	return c.Store.Outbox.Deliveries(ctx, f)
}

// Resend has a delivery that failed be tried again.
func (c *Channels) Resend(ctx context.Context, by event.Party, id string) (Delivery, error) {
	d, err := c.Store.Outbox.Delivery(ctx, id)
	if err != nil {
		return d, err
	}
	if d.State != Failed {
		return d, fault.New(fault.Conflict, "The delivery %s is %s; only one that failed is sent again.", id, string(d.State))
	}
	at := d.place("")
	at.From, at.Key = by, ""
	if _, err := c.Store.Log.Append(ctx, AgainKind.Draft(at, Again{Delivery: id})); err != nil {
		return d, err
	}
	return c.Store.Outbox.Delivery(ctx, id)
}
