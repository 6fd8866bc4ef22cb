package gateway

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWindow holds against a list of all times: in no minute there are more than there may be, and after the wait that is named there is
// room, but not a second before.
func TestWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "most")
		now := time.Unix(1_800_000_000, 0)
		var w window
		var taken []time.Time
		inMinute := func(at time.Time) (n int) {
			for _, x := range taken {
				if at.Unix()-x.Unix() < 60 {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond)
			wait := w.take(most, now)
			if free := inMinute(now) < most; free != (wait == 0) {
				t.Fatalf("%d of %d in the minute, and the wait is %s", inMinute(now), most, wait)
			}
			if wait == 0 {
				taken = append(taken, now)
				continue
			}
			if inMinute(now.Add(wait)) >= most {
				t.Fatalf("after %s there is no room yet", wait)
			}
			if inMinute(now.Add(wait-time.Second)) < most {
				t.Fatalf("there is room a second before %s have passed", wait)
			}
		}
	})
}

// TestWindow_AfterLong: a key that was not used for days has room again.
func TestWindow_AfterLong(t *testing.T) {
	t.Parallel()
	var w window
	now := time.Unix(1_800_000_000, 0)
	for _, at := range []time.Time{now, now.Add(72 * time.Hour)} {
		if wait := w.take(1, at); wait != 0 {
			t.Errorf("at %s one waits %s", at, wait)
		}
	}
	if wait := w.take(0, now.Add(72*time.Hour)); wait != 0 {
		t.Errorf("without a bound one waits %s", wait)
	}
}
