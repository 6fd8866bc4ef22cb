package gateway

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestWrongs_SlowOneAddress(t *testing.T) {
	t.Parallel()
	var w wrongs
	now, from, other := time.Now(), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range freeWrongs {
		if w.count(from, now) {
			t.Fatalf("the wrong token %d is slowed, want %d that are not", i+1, freeWrongs)
		}
	}
	if !w.count(from, now) || w.count(other, now) {
		t.Error("want the next one of that address slowed, and none of another")
	}
	if now = now.Add(wrongsEvery); w.count(from, now) || !w.count(from, now) {
		t.Error("want one more after a second, and no second one")
	}
}

// TestWrongs_MemoryIsBounded sends wrong tokens from more addresses than are kept, and has more
// answers wait than may.
func TestWrongs_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	var w wrongs
	now := time.Now()
	for i := range 20 * mostAddresses {
		w.count(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
		if len(w.by) > mostAddresses {
			t.Fatalf("%d addresses are kept, want at most %d", len(w.by), mostAddresses)
		}
	}
	w.count(netip.MustParseAddr("192.0.2.1"), now.Add(time.Minute))
	if len(w.by) != 1 {
		t.Errorf("%d addresses are kept a minute later, want 1", len(w.by))
	}
	one, _ := hostOf("[2001:db8::1]:1")
	same, _ := hostOf("[2001:db8::2:0:0:1]:2")
	if network(one) != network(same) || network(one) == (netip.Addr{}) {
		t.Errorf("%v and %v of one network are two addresses", network(one), network(same))
	}
}

func TestWrongs_AnswersWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w wrongs
		began := time.Now()
		for range mostWaiting {
			go w.hold(t.Context())
		}
		synctest.Wait()
		if w.waiting != mostWaiting {
			t.Fatalf("%d answers wait, want %d", w.waiting, mostWaiting)
		}
		if w.hold(t.Context()); time.Since(began) != 0 {
			t.Errorf("one more answer waits, too, for %v", time.Since(began))
		}
		time.Sleep(wrongWaits) // of the bubble's clock
		synctest.Wait()
		if w.waiting != 0 {
			t.Errorf("%d answers wait still, want none", w.waiting)
		}
	})
}
