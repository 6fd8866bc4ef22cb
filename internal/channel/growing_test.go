package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/markup"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
)

// A slate is a platform whose messages can be edited, and the store of its one conversation.
type slate struct {
	Log
	Outbox
	Conversations
	shape Shape

	mu      sync.Mutex // guards the rest
	begun   time.Time
	state   run.State
	settled chan run.Finished
	drafts  []Drafted
	made    map[string]time.Time // when what has a key was recorded
	facts   []string
	waits   bool // another text is on its way
	sent    []string
	keys    map[string]string // the ids of what was sent
	shown   []string          // every text that anybody saw, and when
	at      []time.Duration
	answers []error // to the next calls; then nil
	grew    int     // how many texts were shown before the whole was sent
	said    string
	chat    string        // of the channel that holds the conversation
	hang    chan struct{} // calls wait until it is closed; nil lets them pass
}

func newSlate() *slate {
	return &slate{
		shape: Shape{Form: markup.DiscordMarkdown, Limits: markup.DiscordText(), Edit: time.Second, Tells: true}, keys: make(map[string]string), made: make(map[string]time.Time),
		state: run.Running, settled: make(chan run.Finished, 1), chat: "team", begun: time.Now(),
	}
}

func (s *slate) Mint() *event.Mint { return nil }

// A face is the platform's side of a slate.
type face struct {
	Adapter
	slate *slate
}

func (f face) Shape() Shape { return f.slate.shape }

func (s *slate) heard(text string) error {
	if len(s.answers) > 0 {
		err := s.answers[0]
		if s.answers = s.answers[1:]; err != nil {
			return err
		}
	}
	s.shown, s.at = append(s.shown, text), append(s.at, time.Since(s.begun))
	return nil
}

func (f face) Send(ctx context.Context, o Out) (string, error) {
	s := f.slate
	if s.hang != nil {
		select {
		case <-s.hang:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, there := s.keys[o.Key]; o.Doubt && there {
		return id, nil
	}
	err := s.heard(o.Text)
	if err != nil && !errors.Is(err, errTaken) {
		return "", err
	}
	id := fmt.Sprint(len(s.sent))
	s.sent, s.keys[o.Key] = append(s.sent, o.Text), id
	if err != nil {
		return "", err
	}
	return id, nil
}

// errTaken is the loss of an answer to what was taken.
var errTaken = errors.New("taken, and cut")

func (f face) Edit(_ context.Context, id string, o Out) error {
	s := f.slate
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.heard(o.Text); err != nil {
		return err
	}
	var n int
	if _, err := fmt.Sscan(id, &n); err != nil || n >= len(s.sent) {
		return &Refusal{Text: "no such message", Final: true}
	}
	s.sent[n] = o.Text
	return nil
}

func (s *slate) Settled(run.ID) (<-chan run.Finished, func()) { return s.settled, func() {} }

func (s *slate) Run(context.Context, run.ID) (run.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return run.Run{State: s.state, CreatedAt: s.begun}, nil
}

func (s *slate) ByKey(_ context.Context, _, key string) (event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Event{At: s.made[key]}, nil
}

func (s *slate) Session(context.Context, string) (session.Thread, error) {
	return session.Thread{Chat: &session.Chat{Channel: s.chat, Chat: "c1"}}, nil
}

func (s *slate) AnswerTo(context.Context, string, string) (string, error) { return "", nil }

func (s *slate) Draft(context.Context, string, string, Address) (Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := Draft{Number: len(s.drafts), Waits: s.waits}
	if n := len(s.drafts); n > 0 && !slices.Contains(s.facts, SentKind.Name) {
		d.ID = s.drafts[n-1].ID
	}
	return d, nil
}

func (s *slate) Append(_ context.Context, drafts ...event.Draft) ([]event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range drafts {
		s.facts = append(s.facts, d.Message.Type)
		s.made[d.Message.IdempotencyKey] = time.Now()
		if d.Message.Type == DraftedKind.Name {
			var p Drafted
			if err := json.Unmarshal(d.Message.Payload, &p); err != nil {
				return nil, err
			}
			s.drafts = append(s.drafts, p)
		}
	}
	return make([]event.Event, len(drafts)), nil
}

func (s *slate) EventByID(context.Context, string) (e event.Event, err error) {
	e.Message.Type, e.Message.PayloadType = session.SaidKind.Name, session.SaidKind.PayloadType
	e.Message.Payload, err = json.Marshal(session.Said{Message: s.said})
	return e, err
}

// box sends to the platform of a slate.
func (s *slate) box() *outbox {
	return &outbox{store: Store{Log: s, Outbox: s, Conversations: s, Runs: s}, channel: "team", adapter: face{slate: s}, log: slog.New(slog.DiscardHandler), open: NewKept[bool](1), busy: make(map[string]bool), free: make(map[string]time.Time)}
}

// shows works a slate while do writes into the hub, in a bubble of its own.
func (s *slate) shows(t *testing.T, do func(write func(at int, text string))) {
	t.Helper()
	box := s.box()
	l := &line{c: &Channels{Parts: Parts{Hub: new(stream.Hub)}}, wake: make(chan struct{}, 1)}
	ctx, stop := context.WithCancel(t.Context())
	ended := l.grow(ctx, box)
	synctest.Wait()
	do(func(at int, text string) {
		l.c.Hub.Publish(stream.Tick{Run: "run_1", Thread: "thr_1", Task: "task_1", Kind: "delta", Text: text, At: at})
		synctest.Wait()
	})
	synctest.Wait()
	s.mu.Lock()
	s.grew = len(s.shown)
	s.mu.Unlock()
	if s.said != "" {
		s.settled <- run.Finished{State: run.Done}
		time.Sleep(10 * time.Second)
		if err := box.deliver(ctx, Delivery{ID: "msg_1", Run: "run_1", Channel: "team", Address: Address{Chat: "c1"}}); err != nil {
			t.Error(err)
		}
	}
	stop()
	ended()
}

func words(n int) string { return strings.Repeat("word ", n/5) }

// TestGrowing_WhenAnAnswerIsShown has when and what is shown of one that is written in pieces.
func TestGrowing_WhenAnAnswerIsShown(t *testing.T) {
	t.Parallel()
	long, slow := words(100), &Refusal{Text: "slow down", After: 30 * time.Second}
	for name, c := range map[string]struct {
		before func(*slate)
		do     func(s *slate, write func(int, string))
		at     []time.Duration
		said   string
		want   []string // the messages in the end
	}{
		"enough to read": {
			do:   func(_ *slate, write func(int, string)) { write(0, long); time.Sleep(time.Minute) },
			at:   []time.Duration{0},
			want: []string{strings.TrimSpace(long)},
		},
		"little, and then nothing": {
			do:   func(_ *slate, write func(int, string)) { write(0, "Yes"); time.Sleep(time.Minute) },
			at:   []time.Duration{idle},
			want: []string{"Yes"},
		},
		"little that grows": {
			do: func(_ *slate, write func(int, string)) {
				for i := range 40 {
					write(5*i, "word ")
					time.Sleep(100 * time.Millisecond)
				}
				time.Sleep(time.Minute)
			},
			at: []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond, 3500 * time.Millisecond, 4500 * time.Millisecond},
		},
		"one that is begun anew": {
			do: func(_ *slate, write func(int, string)) {
				write(0, "First "+long)
				time.Sleep(5 * time.Second)
				write(0, "Then ")
				write(5, long)
				time.Sleep(time.Minute)
			},
			at:   []time.Duration{0, 5 * time.Second},
			want: []string{"Then " + strings.TrimSpace(long)},
		},
		"a hole": {
			do: func(_ *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(5 * time.Second)
				write(200, long)
				time.Sleep(time.Minute)
			},
			at: []time.Duration{0}, want: []string{strings.TrimSpace(long)},
		},
		"more than a part": {
			do: func(_ *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(5 * time.Second)
				for i := range 100 {
					write(100+i*100, long)
					time.Sleep(time.Second)
				}
			},
			said: strings.TrimSpace(strings.Repeat(long, 101)),
		},
		"the platform asks to wait": {
			before: func(s *slate) { s.answers = []error{nil, slow} },
			do: func(_ *slate, write func(int, string)) {
				for i := range 40 {
					write(25*i, long[:25])
					time.Sleep(time.Second)
				}
			},
		},
		"no for good": {
			before: func(s *slate) {
				s.answers = []error{nil, &Refusal{Text: "gone", Final: true}, &Refusal{Text: "gone", Final: true}}
			},
			do: func(_ *slate, write func(int, string)) {
				for i := range 10 {
					write(100*i, long)
					time.Sleep(2 * time.Second)
				}
			},
			said: "The whole answer.", want: []string{strings.TrimSpace(long), "The whole answer."},
		},
		"nobody knows whether a draft is there": {
			before: func(s *slate) { s.answers = []error{errors.New("cut"), errors.New("cut")} },
			do: func(_ *slate, write func(int, string)) {
				for i := range 30 {
					write(100*i, long)
					time.Sleep(2 * time.Second)
				}
			},
			said: "The whole answer.", want: []string{"The whole answer."},
		},
		"a draft is there of which nobody knows": {
			before: func(s *slate) { s.answers = []error{errTaken} },
			do: func(s *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(time.Second)
				s.settled <- run.Finished{State: run.Done}
			},
			said: "The whole answer.", want: []string{"The whole answer."},
		},
		"a draft that takes no edits any more": {
			before: func(s *slate) { s.shape.Editable = 5 * time.Second },
			do: func(_ *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(4 * time.Second)
				write(100, "It goes on.")
				time.Sleep(4 * time.Second)
				write(111, "And on.")
			},
			at:   []time.Duration{0, 4 * time.Second, 18 * time.Second},
			said: "The whole answer.", want: []string{long + "It goes on.", "The whole answer."},
		},
		"a draft may be there that takes no edits any more": {
			before: func(s *slate) { s.shape.Editable, s.answers = 5*time.Second, []error{errTaken} },
			do: func(s *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(time.Second)
				s.settled <- run.Finished{State: run.Done}
			},
			said: "The whole answer.", want: []string{strings.TrimSpace(long), "The whole answer."},
		},
		"another text is on its way": {
			before: func(s *slate) { s.waits = true },
			do: func(s *slate, write func(int, string)) {
				write(0, long)
				time.Sleep(9900 * time.Millisecond)
				s.mu.Lock()
				s.waits = false
				s.mu.Unlock()
				time.Sleep(time.Second)
			},
			at: []time.Duration{10 * time.Second},
		},
		"the run has ended": {
			before: func(s *slate) { s.state = run.Done },
			do:     func(_ *slate, write func(int, string)) { write(0, long); time.Sleep(time.Minute) },
		},
		"a conversation elsewhere": {
			before: func(s *slate) { s.chat = "another" },
			do:     func(_ *slate, write func(int, string)) { write(0, long); time.Sleep(time.Minute) },
		},
		"it settles": {
			do: func(s *slate, write func(int, string)) {
				write(0, "Yes")
				s.settled <- run.Finished{State: run.Done}
				time.Sleep(time.Minute)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSlate()
				s.said = c.said
				if c.before != nil {
					c.before(s)
				}
				s.shows(t, func(write func(int, string)) { c.do(s, write) })
				if c.at != nil && !slices.Equal(s.at, c.at) {
					t.Errorf("shown at %v, not %v", s.at, c.at)
				}
				if c.want != nil && !slices.Equal(s.sent, c.want) {
					t.Errorf("the messages are %q", s.sent)
				}
				s.checked(t, name, c.said)
			})
		})
	}
}

// checked checks what holds of the cases that say neither when nor what.
func (s *slate) checked(t *testing.T, name, said string) {
	t.Helper()
	for i := 1; i < s.grew; i++ {
		if s.at[i]-s.at[i-1] < s.shape.Edit {
			t.Errorf("shown at %v", s.at)
		}
	}
	switch name {
	case "more than a part":
		if !slices.Equal(s.sent, s.shape.parts(said)) {
			t.Errorf("the messages are %q", s.sent)
		}
		if s.grew > 30 {
			t.Errorf("%d texts are shown, also after the part was full", s.grew)
		}
	case "the platform asks to wait":
		if len(s.at) < 3 || s.at[0] != 3*time.Second || s.at[1] != 34*time.Second || s.at[2] != 35*time.Second || len(s.sent) != 1 {
			t.Errorf("shown at %v: %q", s.at, s.sent)
		}
	case "the run has ended", "a conversation elsewhere", "it settles":
		if len(s.shown) > 0 {
			t.Errorf("shown: %q", s.shown)
		}
	}
}

// TestGrowing_WhatIsShownIsAPart: of whatever an agent writes, in whatever pieces, and whatever the
// platform answers, people see the first parts of what was written, and in the end all of it once.
func TestGrowing_WhatIsShownIsAPart(t *testing.T) {
	t.Parallel()
	piece := rapid.OneOf(rapid.SampledFrom([]string{"**", "`", "```go\n", "\n```\n", "\n\n", "# ", "- a\n", "<b>", "[x](https://x.org)", "| a | b |\n|---|---|\n", "🦀", words(60), words(300)}), rapid.StringN(0, 20, 60))
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(piece, 1, 25).Draw(rt, "pieces")
		form := rapid.SampledFrom([]markup.Form{markup.DiscordMarkdown, markup.TelegramHTML, markup.SlackMrkdwn}).Draw(rt, "form")
		most := rapid.IntRange(markup.Minimum, 1200).Draw(rt, "limit")
		rests := rapid.SliceOfN(rapid.IntRange(0, 3000), len(pieces), len(pieces)).Draw(rt, "milliseconds")
		fails := rapid.SliceOfN(rapid.SampledFrom([]error{nil, nil, nil, &Refusal{Text: "wait", After: 2 * time.Second}}), 0, 6).Draw(rt, "answers")
		synctest.Test(t, func(t *testing.T) {
			s := newSlate()
			s.shape = Shape{Form: form, Limits: markup.Limits{Max: most}, Edit: time.Second}
			s.said, s.answers = strings.Join(pieces, ""), fails
			var may []string
			s.shows(t, func(write func(int, string)) {
				text := ""
				for i, p := range pieces {
					if p == "" {
						continue
					}
					write(len([]rune(text)), p)
					if text += p; len(s.shape.parts(text)) > 0 {
						may = append(may, s.shape.parts(text)[0])
					}
					time.Sleep(time.Duration(rests[i]) * time.Millisecond)
				}
				time.Sleep(20 * time.Second)
				s.mu.Lock()
				s.answers = nil
				s.mu.Unlock()
			})
			whole := s.shape.parts(s.said)
			if len(whole) == 0 { // what was shown before stays
				s.sent = nil
			}
			if !slices.Equal(s.sent, whole) {
				rt.Errorf("the messages are %q, not %q", s.sent, whole)
			}
			for _, text := range s.shown {
				if !slices.Contains(may, text) && !slices.Contains(whole, text) {
					rt.Errorf("shown is %q", text)
				}
			}
		})
	})
}
