package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// A single is a connection that one may use at a time; it takes part statements until one is to fail.
type single struct {
	busy    atomic.Bool
	overlap atomic.Bool
	took    []string
	failsAt int // of the statements, from 1; 0 is never
}

var errRefused = errors.New("refused")

func (c *single) Exec(_ context.Context, in ...Statement) (int64, error) {
	if !c.busy.CompareAndSwap(false, true) {
		c.overlap.Store(true)
	}
	defer c.busy.Store(false)
	for _, s := range in {
		c.took = append(c.took, s.SQL)
		if len(c.took) == c.failsAt {
			return 0, errRefused
		}
	}
	return 0, nil
}

func (c *single) Query(ctx context.Context, before []Statement, q Statement) (Rows, error) {
	_, err := c.Exec(ctx, append(before, q)...)
	return nil, err
}

func (c *single) Look(ctx context.Context, before []Statement, _ ...Look) error {
	_, err := c.Exec(ctx, append(before, Statement{SQL: "look"})...)
	return err
}

// TestFlight_OneAtATimeAndInOrder: whatever a transaction does while something is on its way, the connection is used by one at a
// time, takes all in the order in which it was said, and what failed is the end of the transaction.
func TestFlight_OneAtATimeAndInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &single{failsAt: rapid.IntRange(0, 60).Draw(t, "fails at")}
		tx := &Tx{conn: c, ctx: t.Context()}
		var said []string
		var failed error
		for i, op := range rapid.SliceOfN(rapid.SampledFrom([]string{"do", "do", "do", "send", "exec", "query", "look"}), 1, 60).Draw(t, "what is done") {
			name := string(rune('0' + i))
			var err error
			switch op {
			case "do":
				err = tx.do(name)
			case "send":
				name = ""
				err = tx.send(tx.take())
			case "exec":
				_, err = tx.Exec(t.Context(), name)
			case "query":
				_, err = tx.query(name)
			case "look":
				name = "look"
				err = tx.look(0)
			}
			if name != "" {
				said = append(said, name)
			}
			if failed = err; err != nil {
				break
			}
		}
		out := tx.take()
		if err := tx.await(); err == nil && failed == nil {
			if _, err = c.Exec(t.Context(), out...); err == nil && len(c.took) != len(said) {
				t.Fatalf("%d of %d were taken", len(c.took), len(said))
			}
		}
		for i, s := range c.took {
			if s != said[i] {
				t.Fatalf("%d is %q, want %q", i, s, said[i])
			}
		}
		if c.overlap.Load() {
			t.Fatal("the connection was used by two at once")
		}
		if c.failsAt > 0 && len(c.took) > c.failsAt {
			t.Fatalf("%d statements were sent after the one that failed", len(c.took)-c.failsAt)
		}
	})
}

// TestFlight_WhatFailedIsTheEnd: nothing is asked of the connection after something failed on its way.
func TestFlight_WhatFailedIsTheEnd(t *testing.T) {
	t.Parallel()
	c := &single{failsAt: 1}
	tx := &Tx{conn: c, ctx: t.Context()}
	if err := tx.send([]Statement{{SQL: "bad"}}); err != nil {
		t.Fatal(err)
	}
	_, executed := tx.Exec(t.Context(), "next")
	_, queried := tx.query("next")
	for what, err := range map[string]error{"Exec": executed, "query": queried, "look": tx.look(0), "send": tx.send([]Statement{{SQL: "next"}}), "await": tx.await()} {
		if !errors.Is(err, errRefused) {
			t.Errorf("%s: %v, want what failed", what, err)
		}
	}
	if len(c.took) != 1 {
		t.Errorf("%q were asked", c.took)
	}
}
