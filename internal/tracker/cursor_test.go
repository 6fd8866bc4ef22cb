package tracker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// world is a tracker whose changes become visible some time after they were made.
type world struct {
	rng    *rand.Rand
	now    time.Time
	issues map[string][]change
	habits Habits
}

type change struct{ at, seen time.Time }

func (w *world) step() {
	w.now = w.now.Add(time.Duration(w.rng.IntN(4000)) * time.Millisecond)
	if w.rng.IntN(3) > 0 {
		key := fmt.Sprint(w.rng.IntN(12) + 1)
		at := w.now.Truncate(time.Second) // as many trackers tell it
		lag := time.Duration(w.rng.Int64N(int64(w.habits.Lag-time.Second) + 1))
		w.issues[key] = append(w.issues[key], change{at, w.now.Add(lag)})
	}
}

// shown are the issues as the tracker shows them now, when they changed at or after from.
func (w *world) shown(from time.Time) (out []Issue) {
	for key, all := range w.issues {
		var last time.Time
		for _, c := range all {
			if !c.seen.After(w.now) && !c.at.Before(last) {
				last = c.at
			}
		}
		if !last.IsZero() && !last.Before(from) {
			out = append(out, Issue{Key: key, Updated: last, Record: json.RawMessage(`{}`)})
		}
	}
	slices.SortFunc(out, func(a, b Issue) int { return a.Updated.Compare(b.Updated) })
	return out
}

// TestCursor_EveryChangeIsReadOnce holds that what a tracker shows in the end was handed on, and no version twice.
func TestCursor_EveryChangeIsReadOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		w := &world{rng: rand.New(rand.NewPCG(seed, 7)), now: time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC), issues: make(map[string][]change)} //nolint:gosec // a test
		w.habits = []Habits{{Ordered: true, Lag: time.Second}, {Ordered: true, Lag: 20 * time.Second}, {Lag: 30 * time.Second}}[seed%3]
		var c Cursor
		handed := make(map[string]int)
		sync := func() {
			issues := w.shown(c.From)
			for _, i := range unseen(c, issues) {
				handed[i.version()]++
			}
			next := advance(c, issues, w.now.Truncate(time.Second), w.habits)
			if next.From.Before(c.From) {
				t.Fatalf("seed %d: the cursor goes back from %v to %v", seed, c.From, next.From)
			}
			c = next
		}
		for range 120 {
			w.step()
			if w.rng.IntN(5) == 0 {
				sync()
			}
		}
		w.now = w.now.Add(time.Hour)
		final := w.shown(time.Time{})
		sync()
		for _, i := range final {
			if handed[i.version()] != 1 {
				t.Errorf("seed %d: %s as of %v was handed on %d times", seed, i.Key, i.Updated, handed[i.version()])
			}
		}
		for v, n := range handed {
			if n > 1 {
				t.Errorf("seed %d: the version %s was handed on %d times", seed, v, n)
			}
		}
		if n := len(unseen(c, w.shown(c.From))); n > 0 {
			t.Errorf("seed %d: with nothing new, %d are", seed, n)
		}
	}
}

func TestCursor_ManyAtOneMomentAreNotNamed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	var issues []Issue
	for n := range mostSeen + 1 {
		issues = append(issues, Issue{Key: fmt.Sprint(n), Updated: at})
	}
	c := advance(Cursor{}, issues, time.Time{}, Habits{Ordered: true, Lag: time.Second})
	if len(c.Seen) != 0 || !c.From.Equal(at.Add(time.Second)) {
		t.Errorf("it goes on from %v, with %d named", c.From, len(c.Seen))
	}
}

func TestStretch_APageFollowsInTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	s := StretchOf(at, "")
	if s != (Stretch{at, 1}) {
		t.Errorf("the first is %v", s)
	}
	next := StretchOf(at, s.After([]Issue{{Updated: at}, {Updated: at.Add(2 * time.Second)}}))
	if !next.Since.Equal(at.Add(2*time.Second)) || next.Nth != 1 {
		t.Errorf("behind a page of some time is %v", next)
	}
	next = StretchOf(at, next.After([]Issue{{Updated: next.Since}}))
	if !next.Since.Equal(at.Add(2*time.Second)) || next.Nth != 2 {
		t.Errorf("behind a page of one moment is %v", next)
	}
}

func TestTracker_WhatIsSetIsChecked(t *testing.T) {
	t.Parallel()
	good := Tracker{Name: "web", Kind: GitHub, Scope: "acme/web", Project: "prj_1"}
	if err := good.Check(); err != nil || good.Address != "https://api.github.com" || good.Every != Usual {
		t.Errorf("%+v: %v", good, err)
	}
	for _, bad := range []func(*Tracker){
		func(x *Tracker) { x.Name = "Web" },
		func(x *Tracker) { x.Kind = "trello" },
		func(x *Tracker) { x.Scope = "acme/../../user" },
		func(x *Tracker) { x.Scope = "acme/.." },
		func(x *Tracker) { x.Scope = "acme/web?x=1" },
		func(x *Tracker) {
			x.Kind, x.Scope, x.Address = Jira, `PAY" OR project = "HR`, "https://a.atlassian.net"
		},
		func(x *Tracker) { x.Kind, x.Scope, x.Address = Jira, "PAY", "" },
		func(x *Tracker) { x.Kind, x.Scope = GitLab, "acme//web" },
		func(x *Tracker) { x.Address = "https://user:pw@api.github.com" },
		func(x *Tracker) { x.Address = "https://api.github.com/?x=1" },
		func(x *Tracker) { x.Address = "file:///etc/passwd" },
		func(x *Tracker) { x.Address, x.Secret = "http://api.github.com", "TOKEN" },
		func(x *Tracker) { x.Every = 5000 },
		func(x *Tracker) { x.Every = -1 },
		func(x *Tracker) { x.Project = "" },
	} {
		x := good
		bad(&x)
		if err := x.Check(); err == nil {
			t.Errorf("%+v is taken", x)
		}
	}
}
