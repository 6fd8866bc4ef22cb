package tracker

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// book keeps one tracker in memory.
type book struct {
	Records
	mint  *event.Mint
	state State
	next  time.Time
	told  []string // types of events
}

func (b *book) Mint() *event.Mint { return b.mint }

func (b *book) Keep(_ context.Context, _, check string, next time.Time) error {
	b.state.Check, b.next = check, next
	return nil
}

func (b *book) Change(_ context.Context, _ string, fn func(State) ([]event.Draft, error)) error {
	drafts, err := fn(b.state)
	for _, d := range drafts {
		b.told = append(b.told, d.Message.Type)
	}
	return err
}

// said is a source that says what it was told to.
type said struct {
	page   Page
	err    error
	checks []string
}

func (s *said) Habits() Habits { return Habits{Ordered: true} }

func (s *said) Changed(_ context.Context, _ time.Time, _, check string) (Page, error) {
	s.checks = append(s.checks, check)
	return s.page, s.err
}

func TestWatcher_ALookIsOneConditionalRequest(t *testing.T) {
	t.Parallel()
	old := Issue{Key: "1", Updated: time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)}
	src := &said{page: Page{Issues: []Issue{old}, Check: "a"}}
	b := &book{mint: event.RealMint(nil), state: State{Tracker: Tracker{Name: "web", Kind: GitHub, Every: 15}, Cursor: Cursor{Seen: []string{old.version()}}}}
	w := Watcher{New(Parts{
		Records: b, Past: func(context.Context, run.Filter) ([]run.Run, error) { return nil, nil }, Redact: func(_ context.Context, s string) string { return s }, Log: slog.New(slog.DiscardHandler),
		Openers: map[Kind]Opener{GitHub: func(*http.Client, Tracker, string) (Source, error) { return src, nil }},
	})}
	look := func() {
		t.Helper()
		if err := w.look(t.Context(), b.state); err != nil {
			t.Fatal(err)
		}
	}
	look()
	src.page = Page{Same: true}
	look()
	look()
	if !slices.Equal(src.checks, []string{"", "a", "a"}) || len(b.told) > 0 {
		t.Errorf("it is asked with %q, and told is %v", src.checks, b.told)
	}
	src.err = &Waits{After: 40 * time.Minute}
	look()
	if left := time.Until(b.next); left < 39*time.Minute || len(b.told) > 0 {
		t.Errorf("asked to wait, it looks in %s, and told is %v", left, b.told)
	}
	src.err = fault.New(fault.Unavailable, "It answered 500.")
	look()
	src.err, b.state.Failures = nil, 1
	look()
	if !slices.Equal(b.told, []string{FailedKind.Name, SyncedKind.Name}) {
		t.Errorf("that failed and is well again, told is %v", b.told)
	}
	b.state.Failures = 40
	if got := b.state.pause(); got != 16*time.Hour {
		t.Errorf("that fails for long is looked at every %s", got)
	}
}
