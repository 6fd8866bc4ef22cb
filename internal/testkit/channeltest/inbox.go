package channeltest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"chela/internal/channel"
)

// An Inbox is a log: it has each message once. Its zero value takes everything.
type Inbox struct {
	// Refuse says that a message is not taken, and Lose that a receipt is not. They may be nil,
	// are called by many at once, and may take their time.
	Refuse func(channel.Message) error
	Lose   func(channel.Receipt) error
	// Before is what earlier lives took.
	Before []channel.Newest

	pulse
	mu       sync.Mutex
	came     []channel.Message // that were not refused
	took     []channel.Message // each once
	receipts []channel.Receipt
	ups      int
	mark     string
}

var _ channel.Inbox = (*Inbox)(nil)

// Take takes a message that is not refused.
func (i *Inbox) Take(_ context.Context, m channel.Message) error {
	if i.Refuse != nil {
		if err := i.Refuse(m); err != nil {
			return err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.came = append(i.came, m)
	if !slices.ContainsFunc(i.took, func(had channel.Message) bool {
		return had.Chat == m.Chat && had.ID == m.ID && had.What == m.What && had.Text == m.Text
	}) {
		i.took = append(i.took, m)
	}
	i.Happened()
	return nil
}

// Receive takes a receipt that is not lost.
func (i *Inbox) Receive(_ context.Context, r channel.Receipt) error {
	if i.Lose != nil {
		if err := i.Lose(r); err != nil {
			return err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.receipts = append(i.receipts, r)
	i.Happened()
	return nil
}

// Newest is what earlier lives took.
func (i *Inbox) Newest(context.Context) ([]channel.Newest, error) { return i.Before, nil }

// Mark keeps a mark.
func (i *Inbox) Mark(_ context.Context, mark string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.mark = mark
	return nil
}

// Marked is the last mark.
func (i *Inbox) Marked(context.Context) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.mark, nil
}

// Up counts.
func (i *Inbox) Up() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ups++
	i.Happened()
}

// Wait returns when the condition holds; it is asked after everything that comes in. The
// platform may not know yet that it was taken: for that there is [Server.Wait].
func (i *Inbox) Wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	i.wait(t, what, holds, nil)
}

// All returns the messages, each once.
func (i *Inbox) All() []channel.Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.took)
}

// Texts returns what the messages say, each once.
func (i *Inbox) Texts() []string { return TextsOf(i.All()) }

// TextsOf returns what messages say.
func TextsOf(messages []channel.Message) []string {
	var out []string
	for _, m := range messages {
		out = append(out, m.Text)
	}
	return out
}

// Count returns how many messages there are.
func (i *Inbox) Count() int { return len(i.All()) }

// Came returns the messages as often as they came.
func (i *Inbox) Came() []channel.Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.came)
}

// Again returns how many messages came that were there already.
func (i *Inbox) Again() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.came) - len(i.took)
}

// Receipts returns the receipts.
func (i *Inbox) Receipts() []channel.Receipt {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.receipts)
}

// Ups returns how often a connection stood.
func (i *Inbox) Ups() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ups
}
