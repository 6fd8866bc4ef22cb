// Package terminal is the conversation in a terminal. A [Model] is all its state; messages of
// keys and of the daemon change it in [Model.next], which does nothing itself, so that it is
// tested without a terminal. What was said is printed above and belongs to the terminal's
// scrollback; only what still changes is drawn. Begin with model.go.
package terminal

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// Options say what a conversation begins with.
type Options struct {
	Daemon  *client.Client
	Project string   // of conversations that begin
	Agent   string   // that is spoken to directly
	Thread  string   // to go on with; empty begins one
	History *History // nil keeps nothing
	Opening []string // what a new conversation begins with
	In      io.Reader
	Out     io.Writer
}

// Run speaks with the person until they leave.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	var f follower
	defer f.wg.Wait()
	defer cancel()
	l := coloured()
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		l = look{}
	}
	m := newModel(ctx, o, l)
	m.follow = func(thread string, after event.Seq) { f.follow(ctx, thread, after) }
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithFPS(frames))
	f.daemon, f.send = o.Daemon, p.Send
	last, err := p.Run()
	if m, ok := last.(Model); ok && m.err != nil {
		return m.err
	}
	return err
}

// A follower hears one thread at a time, and says so to the program.
type follower struct {
	daemon interface {
		Follow(ctx context.Context, thread string, after event.Seq, hear func(client.Heard)) error
	}
	send  func(tea.Msg)
	leave context.CancelFunc
	wg    sync.WaitGroup
}

// again is how long it waits before a stream that ended is followed again.
const again = time.Second

// follow hears a thread from now on instead of the one before. The program's loop alone calls it.
func (f *follower) follow(ctx context.Context, thread string, after event.Seq) {
	if f.leave != nil {
		f.leave()
	}
	ctx, f.leave = context.WithCancel(ctx)
	f.wg.Go(func() {
		for ctx.Err() == nil {
			err := f.daemon.Follow(ctx, thread, after, func(h client.Heard) {
				after = max(after, h.Seq)
				if ctx.Err() == nil {
					f.send(heardMsg{h})
				}
			})
			if ctx.Err() == nil && err != nil && fault.KindOf(err) == fault.Unavailable {
				f.send(cutMsg{})
			}
			select {
			case <-ctx.Done():
			case <-time.After(again):
			}
		}
	})
}
