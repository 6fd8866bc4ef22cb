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

func TestAQuickReaderMissesNothingBesideASlowOne(t *testing.T) {
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

func TestManyComeAndGo(t *testing.T) {
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
