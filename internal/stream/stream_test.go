package stream_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"chela/internal/stream"
)

// taken returns the texts that wait for s.
func taken(s *stream.Sub) []string {
	out := []string{}
	for {
		select {
		case t := <-s.C:
			out = append(out, t.Text)
		default:
			return out
		}
	}
}

// inOrder reports whether texts count from 0.
func inOrder(texts []string) bool {
	for i, text := range texts {
		if text != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

func TestStream_TicksReachWhoSubscribed(t *testing.T) {
	t.Parallel()
	var h stream.Hub
	h.Publish(stream.Tick{Thread: "thr_1"}) // nobody hears it
	one, all := h.Subscribe("thr_1"), h.Subscribe("")
	h.Publish(stream.Tick{Thread: "thr_1", Text: "a"})
	h.Publish(stream.Tick{Thread: "thr_2", Text: "b"})
	if len(one.C) != 1 || len(all.C) != 2 || (<-one.C).Text != "a" {
		t.Errorf("%d and %d ticks", len(one.C), len(all.C))
	}
	one.Close()
	h.Publish(stream.Tick{Thread: "thr_1"})
	if len(one.C) != 0 || len(all.C) != 3 {
		t.Errorf("after the end: %d and %d ticks", len(one.C), len(all.C))
	}
}

func TestStream_ASlowReaderBlocksNobody(t *testing.T) {
	t.Parallel()
	var h stream.Hub
	slow := h.Subscribe("")
	for range 10_000 {
		h.Publish(stream.Tick{Text: "x"})
	}
	if n := len(slow.C); n == 0 || n == 10_000 {
		t.Errorf("it holds %d ticks", n)
	}
}

func TestStream_AQuickReaderMissesNothingBesideASlowOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub := new(stream.Hub)
		slow, quick := hub.Subscribe(""), hub.Subscribe("")
		const n = 1000
		done := make(chan []string)
		go func() {
			var got []string
			for len(got) < n {
				got = append(got, (<-quick.C).Text)
			}
			done <- got
		}()
		for i := range n {
			hub.Publish(stream.Tick{Text: strconv.Itoa(i)})
			synctest.Wait() // the quick reader has taken it
		}
		if got := <-done; len(got) != n || !inOrder(got) {
			t.Errorf("the quick reader gets %v", got)
		}
		if got := taken(slow); len(got) != cap(slow.C) || len(got) >= n || !inOrder(got) {
			t.Errorf("the slow reader has %d of %d ticks: %v", len(got), n, got)
		}
		hub.Publish(stream.Tick{Text: "after"})
		if got := taken(slow); len(got) != 1 || got[0] != "after" {
			t.Errorf("once it reads again it gets %v", got)
		}
	})
}

func TestStream_ManyComeAndGo(t *testing.T) {
	t.Parallel()
	hub := new(stream.Hub)
	stays := hub.Subscribe("thr_1")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				s := hub.Subscribe("thr_1")
				hub.Publish(stream.Tick{Thread: "thr_1"})
				if len(s.C) == 0 {
					t.Error("one misses what was published after it came")
				}
				s.Close()
				s.Close()
			}
		})
	}
	wait.Wait()
	if got := len(stays.C); got != cap(stays.C) {
		t.Errorf("it has %d ticks", got)
	}
}
