package talk_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/stream"
	"chela/internal/talk"
)

// A store has one run.
type store struct {
	mu    sync.Mutex // guards the rest
	state run.State
	fails error
	ended chan run.Finished
}

func (s *store) Run(context.Context, run.ID) (run.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return run.Run{State: s.state}, s.fails
}

func (s *store) Settled(run.ID) (<-chan run.Finished, func()) { return s.ended, func() {} }

func (s *store) become(state run.State, fails error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.fails = state, fails
}

// said plays a run of which two pieces are heard, and one of another run, and returns what a stream of
// it yields.
func said(t *testing.T, end func(s *store)) (texts []string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, hub := &store{state: run.Running, ended: make(chan run.Finished, 1)}, new(stream.Hub)
		tell := func(id, text string) {
			hub.Publish(stream.Tick{Thread: "thr_1", Run: id, Kind: "delta", Text: text})
			synctest.Wait()
		}
		go func() {
			synctest.Wait() // until the stream listens
			tell("run_1", "Half")
			tell("run_2", "Other")
			tell("run_1", " done.")
			end(s)
		}()
		for tick, failed := range talk.New(talk.Parts{Store: talk.Store{Runs: s}, Hub: hub}).Stream(t.Context(), inbox.Accepted{Thread: "thr_1", Run: "run_1"}) {
			if err = failed; failed == nil {
				texts = append(texts, tick.Text)
			}
		}
	})
	return texts, err
}

func TestStream_EndsWithItsRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is away")
	for name, c := range map[string]struct {
		end  func(s *store)
		want error
	}{
		"the run fails":              {end: func(s *store) { s.ended <- run.Finished{State: run.Failed, Reason: "No."} }},
		"nobody says that it ended":  {end: func(s *store) { s.become(run.Cancelled, nil) }}, // it is looked at by itself
		"the run waits for a person": {end: func(s *store) { s.become(run.Waiting, nil); s.ended <- run.Finished{State: run.Waiting} }},
		"the run cannot be read":     {end: func(s *store) { s.become("", broken); s.ended <- run.Finished{} }, want: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts, err := said(t, c.end)
			if !errors.Is(err, c.want) || len(texts) != 2 || texts[0]+texts[1] != "Half done." {
				t.Errorf("got %q and %v, want both pieces of the run and %v", texts, err, c.want)
			}
		})
	}
}

func TestStream_OfNothing(t *testing.T) {
	t.Parallel()
	for tick, err := range talk.New(talk.Parts{}).Stream(t.Context(), inbox.Accepted{Thread: "thr_1", Reply: "A command answered."}) {
		t.Errorf("got %v and %v, want nothing", tick, err)
	}
}
