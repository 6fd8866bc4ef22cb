package discord

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemory_SessionCountsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.took("a", 5)
	if m.open() != (session{}) {
		t.Errorf("without a session: %+v", m.open())
	}
	m.begin(session{id: "b", url: "wss://x", seq: 1})
	m.took("a", 7)
	m.took("b", 3)
	m.took("b", 2)
	m.detour()
	if got := m.open(); got != (session{id: "b", seq: 3}) {
		t.Errorf("got %+v", got)
	}
}

// TestMemory_IsBounded: what strangers do makes it no larger, and what was dropped is only asked again.
func TestMemory_IsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.meet(user{ID: "1"})
	for i := range mostSeen + 10 {
		id := fmt.Sprint(i + 1)
		m.saw(id, id)
		m.learn(id, place{private: i%2 == 0})
		var r role
		r.ID, r.Tags.V.Bot = id, "1"
		m.learnRole(r)
	}
	for i := range mostEdits + 10 {
		m.edited(fmt.Sprint(i), "now")
	}
	last := fmt.Sprint(mostSeen + 10)
	if len(m.seen) > mostSeen || len(m.roles) > mostSeen || len(m.edits) > mostEdits || m.newest(last) != mostSeen+10 || !m.editedAgain(fmt.Sprint(mostEdits+9), "now") {
		t.Errorf("%d, %d, %d are kept", len(m.seen), len(m.roles), len(m.edits))
	}
	for i := range mostPlaces + 10 {
		m.learn(fmt.Sprint(i), place{parent: "5"})
	}
	if p, ok := m.place(fmt.Sprint(mostPlaces + 9)); len(m.places) > mostPlaces || !ok || p.parent != "5" {
		t.Errorf("%d places are kept", len(m.places))
	}
}

func TestMemory_PrivateChats(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.learn("1", place{private: true})
	m.learn("2", place{})
	m.learn("3", place{private: true}) // in which nothing was taken
	m.saw("1", "9")
	m.saw("2", "9")
	m.saw("1", "8")
	if got := m.privates(); !slices.Equal(got, []string{"1"}) || m.newest("1") != 9 {
		t.Errorf("got %q, %d", got, m.newest("1"))
	}
}

func TestMemory_Buckets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		header := func(left, after, name string) http.Header {
			h := make(http.Header)
			h.Set("X-RateLimit-Remaining", left)
			h.Set("X-RateLimit-Reset-After", after)
			h.Set("X-RateLimit-Bucket", name)
			return h
		}
		l.heed("POST messages", "1", header("1", "5", "b"))
		l.heed("PATCH messages", "1", header("4", "5", "b"))
		if w := l.wait("POST messages", "1"); w != 0 {
			t.Errorf("one is left, and it waits %s", w)
		}
		l.heed("POST messages", "1", header("0", "1.5", "b"))
		for route, want := range map[string]time.Duration{"POST messages": 1500 * time.Millisecond, "PATCH messages": 1500 * time.Millisecond, "POST typing": 0} {
			if w := l.wait(route, "1"); w != want {
				t.Errorf("%s waits %s", route, w)
			}
		}
		if w := l.wait("POST messages", "2"); w != 0 {
			t.Errorf("another chat waits %s", w)
		}
		l.heed("POST messages", "2", header("none", "x", ""))
		time.Sleep(2 * time.Second)
		if w := l.wait("POST messages", "1"); w != 0 {
			t.Errorf("afterwards it waits %s", w)
		}
		if l.heed("POST messages", "2", header("0", "9", "b")); len(l.shut) != 1 {
			t.Errorf("%d buckets are kept", len(l.shut))
		}
		l.stop("GET me", "", http.Header{"X-Ratelimit-Global": {"true"}}, time.Minute)
		if w := l.wait("POST typing", "7"); w != time.Minute {
			t.Errorf("of all: %s", w)
		}
	})
}
