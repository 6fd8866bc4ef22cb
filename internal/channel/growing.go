package channel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/stream"
)

// When what an agent writes is shown before it is whole: enough to read, and seldom enough for the
// limits of platforms.
const (
	readable    = 80                      // characters are enough to read
	idle        = 1500 * time.Millisecond // after so long without more, less is
	mostGrown   = 1 << 15                 // characters that are kept, more than any part has
	slowestEdit = time.Second             // between two edits where the platform's shape does not say
	editTimeout = 10 * time.Second
	editPause   = 5 * time.Second        // after an edit that failed without saying until when
	busyPause   = 200 * time.Millisecond // until it is looked again at a chat to which something goes
	mostDrafts  = 2                      // attempts at the first part of one run
)

// Drafted is a part that the platform has before its text is whole.
type Drafted struct {
	Run     string `json:"run"`
	Number  int    `json:"number"` // of the run's drafts, from 0
	Channel string `json:"channel"`
	Address
	ID  string `json:"id"`  // the platform's
	Key string `json:"key"` // of the attempt
}

// A Draft is how things stand with what grows of a run in a chat.
type Draft struct {
	ID     string // the platform's, of the one that becomes the next text; "" when there is none
	Number int    // how many the run has had
	Waits  bool   // a text of ours for the chat is on its way
}

// A growth is what an agent is writing in a run, as far as it was heard.
type growth struct {
	run, thread string
	more        chan struct{} // receives after it grew; it holds one signal

	mu     sync.Mutex // guards the rest
	task   string
	text   []byte
	at     int // characters
	answer int // of the answers that were begun
	since  time.Time
}

// take adds a tick. What came before is not added again; after a hole, which a slow reader
// has, nothing is added until an answer is begun anew.
func (g *growth) take(t stream.Tick) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.At == 0 {
		g.task, g.text, g.at = t.Task, nil, 0
		g.answer++
	}
	all := []rune(t.Text)
	if g.task != t.Task || t.At > g.at || t.At+len(all) <= g.at || t.At+len(all) > mostGrown {
		return
	}
	g.text, g.at, g.since = append(g.text, string(all[g.at-t.At:])...), t.At+len(all), time.Now()
	poke(g.more)
}

// A grower shows in the chats of one channel what agents are writing, while the connection stands.
type grower struct {
	box  *outbox
	edit Editor
	wake chan<- struct{} // of the outbox

	works sync.WaitGroup
	mu    sync.Mutex // guards the rest
	runs  map[string]*growth
}

// grow begins to show what grows, where the platform can edit; the function that is returned
// waits until that has ended, which is soon after ctx is done.
func (l *line) grow(ctx context.Context, box *outbox) (ended func()) {
	e, ok := box.adapter.(Editor)
	if !ok || l.c.Hub == nil {
		return func() {}
	}
	g := &grower{box: box, edit: e, wake: l.wake, runs: make(map[string]*growth)}
	heard := l.c.Hub.Subscribe("")
	g.works.Go(func() {
		defer heard.Close()
		g.hear(ctx, heard.C)
	})
	return g.works.Wait
}

// hear takes what is written until ctx is done. It waits for nothing else.
func (g *grower) hear(ctx context.Context, ticks <-chan stream.Tick) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-ticks:
			if t.Kind == "delta" {
				g.of(ctx, t).take(t)
			}
		}
	}
}

// of is the growth that a tick belongs to, begun when there is none.
func (g *grower) of(ctx context.Context, t stream.Tick) *growth {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.runs[t.Run]
	if x == nil {
		x = &growth{run: t.Run, thread: t.Thread, more: make(chan struct{}, 1)}
		g.runs[t.Run] = x
		g.works.Go(func() {
			defer func() {
				g.mu.Lock()
				defer g.mu.Unlock()
				delete(g.runs, x.run)
			}()
			if err := g.show(ctx, x); err != nil && ctx.Err() == nil {
				g.box.log.Warn("an answer is not shown while it is written", "channel", g.box.channel, "run", x.run, "err", err)
			}
		})
	}
	return x
}

// A view is what a chat shows of a growth.
type view struct {
	*growth
	at     *Address // nil until it was looked up
	over   bool     // nothing more is shown of this run
	tries  int      // at a draft, that brought none
	doubt  bool     // a draft may be there of which nobody knows
	shown  string
	answer int  // of which it is shown
	seen   int  // how many characters of it were looked at
	full   bool // the part holds no more of it
	next   time.Time
}

// show shows a growth until its run ends or waits.
func (g *grower) show(ctx context.Context, x *growth) (err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	settled, leave := g.box.store.Runs.Settled(run.ID(x.run))
	defer leave()
	began, ended, err := g.ended(ctx, x)
	if ended || err != nil {
		return err // before it was watched
	}
	v := view{growth: x, doubt: began.Before(g.box.since)} // whoever showed it before us may have died
	for {
		wait, err := g.step(ctx, &v)
		if err != nil {
			return err
		}
		timer := time.NewTimer(cmp.Or(wait, longPause))
		select {
		case <-ctx.Done():
		case <-settled:
		case <-x.more:
			timer.Stop()
			continue
		case <-timer.C:
			continue
		}
		timer.Stop()
		return nil
	}
}

// ended reports whether the run of a growth has ended or waits, and when it began.
func (g *grower) ended(ctx context.Context, x *growth) (began time.Time, ended bool, err error) {
	r, err := g.box.store.Runs.Run(ctx, run.ID(x.run))
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return began, true, nil
	}
	return r.CreatedAt, r.State != run.Queued && r.State != run.Running, err
}

// step shows what there is when its time has come, or returns how long that is to wait for;
// 0 is until there is more.
func (g *grower) step(ctx context.Context, v *view) (wait time.Duration, err error) {
	now := time.Now()
	if d := v.next.Sub(now); v.over || d > 0 {
		return max(d, 0), nil
	}
	v.mu.Lock()
	text, at, since, answer := string(v.text), v.growth.at, v.since, v.growth.answer
	v.mu.Unlock()
	if answer != v.answer {
		v.answer, v.full, v.seen = answer, false, 0
	}
	if v.full || at == v.seen {
		return 0, nil
	}
	if d := idle - now.Sub(since); at < readable && d > 0 {
		return d, nil
	}
	shape := g.box.adapter.Shape()
	parts := shape.parts(text)
	v.seen, v.next = at, now.Add(g.pace())
	if len(parts) == 0 || parts[0] == v.shown {
		v.full = len(parts) > 1
		return 0, nil
	}
	wait, err = g.put(ctx, v, parts[0])
	if wait == 0 && !v.over && err == nil {
		v.shown, v.full, wait = parts[0], len(parts) > 1, g.pace()
	} else {
		v.seen = 0
	}
	v.next = time.Now().Add(wait)
	return wait, err
}

// pace is how long it is between two edits.
func (g *grower) pace() time.Duration { return cmp.Or(g.box.adapter.Shape().Edit, slowestEdit) }

// put shows a text: in the run's draft, or as one. Wait says that it is not shown yet.
func (g *grower) put(ctx context.Context, v *view, text string) (wait time.Duration, err error) {
	if v.at == nil {
		th, err := g.box.store.Conversations.Session(ctx, v.thread)
		if err != nil || th.Chat == nil || th.Chat.Channel != g.box.channel {
			v.over = true
			return 0, err
		}
		v.at = &Address{Chat: th.Chat.Chat, Branch: th.Chat.Branch}
	}
	wait, lent := g.box.lend(v.at.Chat)
	if !lent {
		return wait, nil
	}
	var rests time.Duration
	defer func() {
		g.box.back(v.at.Chat, rests)
		poke(g.wake)
	}()
	d, err := g.box.store.Outbox.Draft(ctx, v.run, g.box.channel, *v.at)
	if err != nil {
		return 0, err
	}
	if d.Waits { // it goes first, and may be what this becomes
		return busyPause, nil
	}
	if d.ID == "" {
		rests = max(g.box.adapter.Shape().Chat, g.pace())
		return g.draft(ctx, v, d, text)
	}
	if young, err := g.box.young(ctx, v.run, d); err != nil || !young {
		v.over = true
		return 0, err
	}
	rests = g.pace()
	sending, end := finishing(ctx, editTimeout)
	defer end()
	return v.heed(change(sending, g.edit, d.ID, Out{Address: *v.at, Text: text, Growing: true, Key: draftKey(v.run, d.Number-1)})), nil
}

// draftKey names the attempts at a draft.
func draftKey(run string, number int) string { return fmt.Sprintf("draft/%s/%d", run, number) }

// draftFact is the key under which a draft is recorded.
func draftFact(run string, number int) string { return fmt.Sprintf("draft:%s:%d", run, number) }

// editable reports whether a part that was sent then takes edits.
func (b *outbox) editable(sent time.Time) bool {
	window := b.adapter.Shape().Editable
	return window == 0 || b.store.Log.Mint().Now().Sub(sent) < window
}

// young reports whether the draft of a run takes edits.
func (b *outbox) young(ctx context.Context, of string, d Draft) (bool, error) {
	if b.adapter.Shape().Editable == 0 {
		return true, nil
	}
	e, err := b.store.Log.ByKey(ctx, run.Chela().AgentID, draftFact(of, d.Number-1))
	return err == nil && b.editable(e.At), err
}

// draft sends the first part and records it before anything is done with it.
func (g *grower) draft(ctx context.Context, v *view, d Draft, text string) (wait time.Duration, err error) {
	if _, ended, err := g.ended(ctx, v.growth); ended || err != nil { // its answer was sent
		v.over = true
		return 0, err
	}
	reply, err := g.box.store.Outbox.AnswerTo(ctx, v.run, v.thread)
	if err != nil {
		return 0, err
	}
	out := Out{Address: *v.at, Text: text, Growing: true, ReplyTo: reply, Key: draftKey(v.run, d.Number), Doubt: v.doubt}
	sending, end := finishing(ctx, sendTimeout)
	defer end()
	id, err := hand(sending, g.box.adapter, out)
	no, _ := errors.AsType[*Refusal](err)
	v.doubt = err != nil && (v.doubt || no == nil)
	if g.box.open.Drop(v.run); v.doubt {
		g.box.open.Put(v.run, true)
	}
	if err != nil || id == "" {
		if v.tries++; v.tries == mostDrafts || id == "" && err == nil {
			v.over = true
		}
		return v.heed(err), nil
	}
	at := event.Place{Stream: event.ThreadStream(v.thread), Thread: v.thread, Run: v.run, Task: run.RootTask(run.ID(v.run)), From: run.Chela(), Key: draftFact(v.run, d.Number)}
	_, err = g.box.store.Log.Append(context.WithoutCancel(ctx), DraftedKind.Draft(at, Drafted{Run: v.run, Number: d.Number, Channel: g.box.channel, Address: *v.at, ID: id, Key: out.Key}))
	return 0, err
}

// heed is how long nothing is shown after the platform said err; for ever when it is a no for good.
func (v *view) heed(err error) time.Duration {
	if err == nil {
		return 0
	}
	no, _ := errors.AsType[*Refusal](err)
	if no != nil && no.Final {
		v.over = true
		return 0
	}
	if no != nil && no.After > 0 {
		return no.After
	}
	return editPause
}

// change has a part that was sent say something else.
func change(ctx context.Context, e Editor, id string, out Out) (err error) {
	defer func() { err = errors.Join(err, caught(recover())) }()
	return e.Edit(ctx, id, out)
}

// lend gives a chat to which nothing goes to one who shows what grows, and takes the channel's
// turn; wait says when to ask again. Who shows never stands before a delivery.
func (b *outbox) lend(chat string) (wait time.Duration, lent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.store.Log.Mint().Now()
	if b.busy[chat] || b.lent[chat] {
		return busyPause, false
	}
	if wait = max(b.free[chat].Sub(now), b.all.Sub(now)); wait > 0 {
		return wait, false
	}
	if b.lent == nil {
		b.lent = make(map[string]bool)
	}
	b.all, b.lent[chat] = now.Add(b.adapter.Shape().All), true
	return 0, true
}

// back gives a chat back, which then rests.
func (b *outbox) back(chat string, rests time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.lent, chat)
	if rests > 0 {
		b.free[chat] = b.store.Log.Mint().Now().Add(rests)
	}
}

// grown is the content of a text that takes the place of what was shown of it while it grew.
func (b *outbox) grown(ctx context.Context, d Delivery, text string) (content, error) {
	c := content{text: text}
	if _, ok := b.adapter.(Editor); !ok || d.Part > 0 {
		return c, nil
	}
	draft, err := b.store.Outbox.Draft(ctx, d.Run, d.Channel, d.Address)
	switch {
	case err != nil:
		return c, err
	case draft.ID != "":
		young, err := b.young(ctx, d.Run, draft)
		if young {
			c.over = []string{draft.ID}
		}
		return c, err
	case b.adapter.Shape().Tells:
		c.draft, err = b.draftOf(ctx, d, draft.Number)
	}
	return c, err
}

// draftOf is the key of a draft that may be there and is not recorded: the answer to an attempt was
// lost, or whoever worked the channel when the run began may have made one and died. All attempts
// at a delivery do the same, until what they would edit may take no edits any more. Number is how
// many drafts the run has had.
func (b *outbox) draftOf(ctx context.Context, d Delivery, number int) (key string, err error) {
	r, err := b.store.Runs.Run(ctx, run.ID(d.Run))
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return "", nil // what is said has none
	}
	if err != nil || !b.editable(r.CreatedAt) {
		return "", err
	}
	if d.Attempts > 0 {
		e, err := b.store.Log.ByKey(ctx, run.Chela().AgentID, d.place(fmt.Sprint("try", d.Attempts)).Key)
		if err != nil {
			return "", err
		}
		p, _, err := TriedKind.Open(e)
		return p.Draft, err
	}
	if open, _ := b.open.Get(d.Run); !open && !r.CreatedAt.Before(b.since) {
		return "", nil
	}
	return draftKey(d.Run, number), nil
}

// first hands over the first part of a text under the key of a draft that may be there already, and
// has what is there say it all.
func (b *outbox) first(ctx context.Context, e Editor, out Out, draft string) (id string, err error) {
	whole := out
	out.Key, out.Doubt = draft, true
	if id, err = hand(ctx, b.adapter, out); err != nil {
		return "", err
	}
	err = change(ctx, e, id, out)
	if no, _ := errors.AsType[*Refusal](err); no != nil && no.Final { // it is gone by now
		return hand(ctx, b.adapter, whole)
	}
	return id, err
}

// put hands a part to the platform: a file, or a text by an edit of what is there for it already, else anew.
func (b *outbox) put(ctx context.Context, out Out, part int, c content) (id string, err error) {
	if i := part - len(c.parts); i >= 0 {
		return b.handFile(ctx, out, c.files[i])
	}
	e, ok := b.adapter.(Editor)
	switch {
	case part == 0 && c.draft != "":
		return b.first(ctx, e, out, c.draft)
	case !ok || part >= len(c.over):
		return hand(ctx, b.adapter, out)
	}
	err = change(ctx, e, c.over[part], out)
	if no, _ := errors.AsType[*Refusal](err); no == nil || !no.Final {
		if c.only {
			return "", err // it stays what the other delivery sent
		}
		return c.over[part], err
	}
	b.log.Info("a message of ours cannot be edited any more", "channel", b.channel, "message", c.over[part], "err", err)
	if c.only {
		return "", nil
	}
	return hand(ctx, b.adapter, out)
}
