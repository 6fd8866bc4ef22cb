package stream_test

import (
	"testing"

	"chela/internal/stream"
)

func TestTicksReachWhoSubscribed(t *testing.T) {
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

func TestASlowReaderBlocksNobody(t *testing.T) {
	var h stream.Hub
	slow := h.Subscribe("")
	for range 10_000 {
		h.Publish(stream.Tick{Text: "x"})
	}
	if n := len(slow.C); n == 0 || n == 10_000 {
		t.Errorf("it holds %d ticks", n)
	}
}
