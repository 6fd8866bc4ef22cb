package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/webhook"
)

// A world keeps endpoints and a log in memory.
type world struct {
	mu       sync.Mutex // guards the rest
	list     []webhook.Endpoint
	at       map[string]webhook.Progress
	holder   map[string]string
	events   []event.Exported
	facts    []event.Draft
	grown    []chan struct{}
	mint     *event.Mint
	answers  []int // of the other side, one by one; then 200
	heard    []string
	badSigns int
}

func (w *world) Mint() *event.Mint { return w.mint }

func (w *world) Subscribe(event.Topic) (<-chan struct{}, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := make(chan struct{}, 1)
	w.grown = append(w.grown, ch)
	return ch, func() {}
}

func (w *world) Events(_ context.Context, after event.Seq, _ event.Filter) (out []event.Exported, upTo event.Seq, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Seq > after {
			out, upTo = append(out, e), e.Seq
		}
	}
	return out, upTo, nil
}

func (w *world) add(types ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, kind := range types {
		e := event.Exported{}
		e.Seq, e.Stream, e.At = event.Seq(len(w.events)+1), "org", w.mint.Now()
		e.Message = event.Message{ID: "msg_" + kind, Type: kind, Payload: json.RawMessage(`{}`)}
		w.events = append(w.events, e)
	}
	for _, ch := range w.grown {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (w *world) Endpoints(context.Context) ([]webhook.Endpoint, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list), nil
}

func (w *world) Hold(_ context.Context, id, node string, _ time.Time) (webhook.Progress, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holder[id] == "" {
		w.holder[id] = node
	}
	return w.at[id], w.holder[id] == node, nil
}

func (w *world) Advance(_ context.Context, id string, p webhook.Progress, drafts ...event.Draft) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at[id], w.facts = p, append(w.facts, drafts...)
	for _, d := range drafts {
		if d.Message.Type == webhook.EndpointSetKind.Name {
			var e webhook.Endpoint
			if err := json.Unmarshal(d.Message.Payload, &e); err != nil {
				return err
			}
			w.list = []webhook.Endpoint{e}
		}
	}
	return nil
}

// RoundTrip is the other side.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := webhook.NewSigner(secret)
	if err != nil {
		return nil, err
	}
	if !s.Signed(r.Header.Get(webhook.HeaderSignature), r.Header.Get(webhook.HeaderID), r.Header.Get(webhook.HeaderTimestamp), raw) {
		w.badSigns++
	}
	code := http.StatusOK
	if len(w.answers) > 0 {
		code, w.answers = w.answers[0], w.answers[1:]
	}
	if code == http.StatusOK {
		w.heard = append(w.heard, r.Header.Get(webhook.HeaderID))
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Body: http.NoBody, Header: http.Header{}}, nil
}

func (w *world) told() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.heard)
}

// running runs so many nodes' senders in a bubble of time.
func running(t *testing.T, nodes int, answers ...int) *world {
	t.Helper()
	return runningFor(t, event.Party{}, nodes, answers...)
}

// runningFor is running with an endpoint that by set.
func runningFor(t *testing.T, by event.Party, nodes int, answers ...int) *world {
	t.Helper()
	w := &world{at: make(map[string]webhook.Progress), holder: make(map[string]string), mint: event.RealMint(nil), answers: answers}
	w.list = []webhook.Endpoint{{ID: "whk_1", Name: "x", URL: "https://ci.example.com", Events: []string{"run.*"}, By: by}}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range nodes {
		s := webhook.NewSender(webhook.Parts{
			Store: w, Log: w, Out: &http.Client{Transport: w}, Client: &http.Client{Transport: w}, Node: string(rune('a' + n)), Says: slog.New(slog.DiscardHandler),
			Key: func(_ context.Context, id string) error {
				if id == "gone" {
					return fault.New(fault.Unauthenticated, "There is no key %s any more.", id)
				}
				return nil
			},
			Secrets: func(context.Context, webhook.Endpoint) ([]string, error) {
				return []string{webhook.NewSecret(), secret}, nil
			},
		})
		all.Go(func() { _ = s.Run(ctx) })
	}
	t.Cleanup(func() { stop(); all.Wait() })
	return w
}

// TestSender_TellsInOrder holds that what fits is told once and in order, also by two nodes and when the other side
// fails in between, and that both secrets sign.
func TestSender_TellsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := running(t, 2, 200, 500, 429, 200)
		w.add("run.a", "desk.x", "run.b", "webhook.failed", "run.c")
		time.Sleep(10 * time.Minute)
		w.add("run.d")
		time.Sleep(time.Minute)
		if got, want := w.told(), []string{"msg_run.a", "msg_run.b", "msg_run.c", "msg_run.d"}; !slices.Equal(got, want) {
			t.Errorf("told %v, want %v", got, want)
		}
		if w.badSigns > 0 {
			t.Errorf("%d deliveries were not signed with the secret before the newest", w.badSigns)
		}
	})
}

// TestSender_GivesUpAfterADay holds that what is not taken in a day is recorded as failed, and that what comes after it is told.
func TestSender_GivesUpAfterADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := running(t, 1, slices.Repeat([]int{500}, 11)...)
		w.add("run.a", "run.b")
		time.Sleep(20 * time.Hour)
		if got := w.told(); len(got) > 0 || len(w.facts) > 0 {
			t.Errorf("after 20 hours %v are told and %d failed, want none", got, len(w.facts))
		}
		w.mu.Lock()
		w.answers = slices.Repeat([]int{500}, 2)
		w.mu.Unlock()
		time.Sleep(20 * time.Hour)
		if got := w.told(); !slices.Equal(got, []string{"msg_run.b"}) {
			t.Errorf("after the day %v are told, want msg_run.b", got)
		}
		var f webhook.Failed
		if len(w.facts) != 1 || json.Unmarshal(w.facts[0].Message.Payload, &f) != nil || f.Seq != 1 || f.Attempts < 8 {
			t.Errorf("what failed is recorded as %+v in %d facts", f, len(w.facts))
		}
	})
}

// TestSender_EndsWithTheKey holds that what was set with a key is told nothing once the key opens nothing any more.
func TestSender_EndsWithTheKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := runningFor(t, event.Party{Key: "gone"}, 1, http.StatusOK)
		w.add("run.a")
		time.Sleep(time.Minute)
		if list, _ := w.Endpoints(t.Context()); len(w.told()) > 0 || !list[0].Off || !strings.Contains(list[0].Why, "key") {
			t.Errorf("told %v, the endpoint is %+v", w.told(), list[0])
		}
	})
}

// TestSender_IsSwitchedOffWhenGone holds that an address which says 410 is not called again.
func TestSender_IsSwitchedOffWhenGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := running(t, 1, http.StatusGone)
		w.add("run.a")
		time.Sleep(48 * time.Hour)
		if list, _ := w.Endpoints(t.Context()); len(w.told()) > 0 || !list[0].Off || list[0].Why == "" {
			t.Errorf("told %v, the endpoint is %+v", w.told(), list[0])
		}
	})
}
