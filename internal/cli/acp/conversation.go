package acp

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/talk"
)

// A conversation is one that the editor has open as a session. What it knows belongs to the goroutine of [conversation.run]; others
// have that do something.
type conversation struct {
	*connection
	id     string
	cwd    string
	leave  context.CancelFunc
	gone   <-chan struct{}   // is closed when the editor has it open no more
	do     chan func()       // is never closed; who sends waits until it is done
	frames chan client.Heard // is never closed; the follower waits while a message is being sent

	announce func() // tells the editor what can be said; it has to know the session by then

	thread  session.Thread
	choices choices
	seen    event.Seq
	current string // the run that was begun last and is not over
	prompt  *prompt
	own     map[string]bool            // messages that the editor sent and shows itself
	quiet   string                     // the run by whose id a command of the editor is answered, which it was told already
	shown   talk.Written               // of the answer that is being written
	writing string                     // the run that writes it
	over    struct{ run, text string } // what was said last; pieces of it may come late
	notice  string                     // that is shown unless the run's end says the same
	calls   map[string]string
	rounds  map[string]int
	asks    map[string]asking
	unmade  map[string]session.ClientCalls // calls that a run asked its program for, while they are told again
}

// A prompt is a message of the editor that is not answered yet.
type prompt struct {
	ended     chan outcome // has room for the one
	sending   bool
	quiet     bool
	cancelled bool
	message   string // the id of the event that took it
	held      bool   // it waits for its turn
	run       string // that answers it
}

// An outcome is how a prompt ended.
type outcome struct {
	cancelled bool
	run       string
	err       error
}

// A message is what a prompt says.
type message struct {
	text   string
	images [][]byte
	quiet  bool // its answer is not shown
}

func (c *connection) conversation(t session.Thread, cwd string, seen event.Seq) *conversation {
	return &conversation{
		connection: c, id: t.ID, cwd: cwd, thread: t, seen: seen, do: make(chan func()), frames: make(chan client.Heard),
		own: make(map[string]bool), calls: make(map[string]string), rounds: make(map[string]int), asks: make(map[string]asking), unmade: make(map[string]session.ClientCalls),
	}
}

// begin has the editor hear the conversation from now on, and be asked what waits for an answer.
func (v *conversation) begin(waiting []approval.Request) {
	ctx, leave := context.WithCancel(v.ctx)
	v.leave, v.gone = leave, ctx.Done()
	v.mu.Lock()
	before := v.open[v.id]
	v.open[v.id] = v
	v.mu.Unlock()
	if before != nil {
		before.leave()
	}
	after := v.seen
	for _, q := range waiting {
		v.ask(ctx, q)
	}
	for id, q := range v.unmade {
		v.serve(ctx, id, q)
	}
	v.all.Go(func() { v.run(ctx) })
	v.all.Go(func() { v.follow(ctx, after) })
}

// run does what others want done, and shows what is heard, one after the other. While a message is being sent nothing is heard: it is
// not known yet which one it is.
func (v *conversation) run(ctx context.Context) {
	for {
		frames := v.frames
		if v.prompt != nil && v.prompt.sending {
			frames = nil
		}
		select {
		case <-ctx.Done():
			return
		case f := <-v.do:
			f()
		case h := <-frames:
			v.hear(ctx, h)
		}
	}
}

// within has the conversation's goroutine do something, and waits for it. It returns false when there is none any more.
func (v *conversation) within(f func()) bool {
	done := make(chan struct{})
	select {
	case <-v.gone:
		return false
	case v.do <- func() { f(); close(done) }:
	}
	<-done
	return true
}

// follow hears the daemon's stream, again and again: a daemon may be started anew.
func (v *conversation) follow(ctx context.Context, after event.Seq) {
	for away := false; ctx.Err() == nil; {
		cl, err := v.Daemon()
		if err == nil {
			err = cl.Follow(ctx, v.id, after, func(h client.Heard) {
				after, away = max(after, h.Seq), false
				select {
				case <-ctx.Done():
				case v.frames <- h:
				}
			})
		}
		if ctx.Err() != nil {
			return
		}
		switch kind := fault.KindOf(err); {
		case err == nil:
		case kind == fault.Unauthenticated || kind == fault.Denied:
			v.within(func() { v.finish(outcome{err: withWayOut(err)}) })
		case !away:
			away = true
			v.logf("%s The session %s goes on once it answers again.", fault.TextOf(err), v.id)
		}
		if !rest(ctx) {
			return
		}
	}
}

// errBusy refuses a prompt beside another one.
func (v *conversation) errBusy() error {
	return fault.New(fault.Conflict, "The session %s answers a prompt already. Wait for its end, or cancel it with session/cancel.", v.id)
}

// say sends a message and returns when what answers it has ended.
func (v *conversation) say(ctx context.Context, m message) (outcome, error) {
	p := &prompt{ended: make(chan outcome, 1), sending: true, quiet: m.quiet}
	busy := false
	if !v.within(func() {
		if busy = v.prompt != nil; !busy {
			v.prompt = p
		}
	}) {
		return outcome{}, v.closed()
	}
	if busy {
		return outcome{}, v.errBusy()
	}
	acc, err := v.send(v.ctx, m)
	open := v.within(func() { v.accepted(p, acc, err) })
	switch {
	case err != nil:
		return outcome{}, err
	case !open && p.cancelled: // the session was closed while the message was being sent
		p.message, p.run, p.held = acc.Message, acc.Run, acc.Queued
		if p.run != "" || p.held {
			v.stop(p)
		}
		return outcome{cancelled: true}, nil
	}
	left := ctx.Done()
	for {
		select {
		case out := <-p.ended:
			return out, out.err
		case <-left: // the request alone was cancelled
			left = nil
			v.cancel()
		case <-v.gone:
			select {
			case out := <-p.ended: // before it was closed
				return out, out.err
			default:
				return outcome{}, v.closed()
			}
		}
	}
}

func (v *conversation) closed() error {
	return fault.New(fault.Conflict, "The session %s was closed. Load it again with session/load.", v.id)
}

// tries is how often something is asked of a daemon that is away.
const tries = 5

// send sends a message. It has a key, so that it is said once although it is sent again when the daemon went away before it answered.
func (v *conversation) send(ctx context.Context, m message) (acc inbox.Accepted, err error) {
	in := client.ChatBody{ThreadID: &v.id, Text: m.text, Images: m.images, IdempotencyKey: new("acp-" + rand.Text())}
	if !m.quiet {
		in.Tools = v.tools()
	}
	for n := 0; n < tries; n++ {
		var cl *client.Client
		if cl, err = v.Daemon(); err == nil {
			out, failed := cl.Chat(ctx, in)
			acc, err = out.Accepted, failed
		}
		if err == nil || fault.KindOf(err) != fault.Unavailable || !rest(ctx) {
			break
		}
	}
	return acc, withWayOut(err)
}

// accepted takes note of what became of the prompt's message.
func (v *conversation) accepted(p *prompt, acc inbox.Accepted, err error) {
	p.sending = false
	if err != nil {
		v.prompt = nil
		return
	}
	p.message, p.run, p.held = acc.Message, acc.Run, acc.Queued
	v.own[acc.Message] = true
	switch {
	case acc.Run == "" && !acc.Queued: // a command
		if !p.quiet {
			v.editor.show(v.id, update{agent: acc.Reply})
		}
		v.finish(outcome{})
	case p.cancelled:
		v.stop(p)
	}
}

// finish ends the prompt.
func (v *conversation) finish(out outcome) {
	if v.prompt != nil && !v.prompt.sending {
		v.prompt.ended <- out
		v.prompt = nil
	}
}

// cancel ends what answers the prompt or, without one, what works in the conversation.
func (v *conversation) cancel() {
	v.within(func() {
		p := v.prompt
		if p == nil && v.current == "" {
			return
		}
		if p == nil {
			p = &prompt{run: v.current}
		}
		if p.cancelled = true; !p.sending {
			v.stop(p)
		}
	})
}

// stop cancels the run of a prompt, or deletes its message while that waits. The prompt ends when the log says so.
func (v *conversation) stop(p *prompt) {
	id, message, held := p.run, p.message, p.held
	v.all.Go(func() {
		err := v.retry(func(cl *client.Client) error {
			if held {
				return cl.DropWaiting(v.ctx, v.id, message)
			}
			_, err := cl.CancelRun(v.ctx, id)
			return err
		})
		switch fault.KindOf(err) {
		case fault.Conflict, fault.NotFound: // it has ended
		default:
			if err != nil {
				v.within(func() { v.finish(outcome{err: err}) })
			}
		}
	})
}

// retry asks the daemon for something, several times when it is away.
func (c *connection) retry(do func(cl *client.Client) error) (err error) {
	for n := 0; n < tries; n++ {
		var cl *client.Client
		if cl, err = c.Daemon(); err == nil {
			err = do(cl)
		}
		if err == nil || fault.KindOf(err) != fault.Unavailable || !rest(c.ctx) {
			return err
		}
	}
	return err
}

// aside is a sentence of ours beside what agents say.
func aside(text string) string { return "\n\n[" + text + "]\n\n" }

// finished ends the prompt when its run has ended.
func (v *conversation) finished(id string, f run.Finished) {
	f.Reason = cmp.Or(f.Reason, "The run "+id+" ended without a reason.")
	for of, a := range v.asks {
		if a.run == id {
			a.withdraw()
			delete(v.asks, of)
		}
	}
	if v.current == id {
		v.current = ""
	}
	if v.notice != "" && (f.State == run.Done || !strings.Contains(v.notice, f.Reason)) {
		v.editor.show(v.id, update{agent: v.notice})
	}
	v.notice = ""
	p := v.prompt
	if p == nil || p.run != id {
		if p == nil && f.State == run.Failed {
			v.editor.show(v.id, update{agent: aside(f.Reason)})
		}
		return
	}
	out := outcome{run: id}
	switch f.State {
	case run.Cancelled:
		out.cancelled = true
		if !p.cancelled { // somebody else did it
			v.editor.show(v.id, update{agent: aside(f.Reason)})
		}
	case run.Failed:
		out.err = fault.New(fault.Internal, "%s", f.Reason)
	case run.Done, run.Queued, run.Running, run.Waiting:
	}
	v.finish(out)
}
