package postgres

import (
	"strings"
	"testing"

	"chela/internal/store"
)

// TestJoin_WhatDependsOnAnotherComesAfterIt joins changes, and looks in which statement each is.
func TestJoin_WhatDependsOnAnotherComesAfterIt(t *testing.T) {
	t.Parallel()
	const (
		said    = "INSERT INTO messages (seq, body) VALUES (?, ?)"
		found   = "INSERT INTO recall_passages (n) SELECT ? FROM sessions WHERE thread_id = ?"
		counted = "UPDATE sessions SET messages = messages + 1 WHERE thread_id = ?"
		cost    = "INSERT INTO model_calls (seq, project) VALUES (?, (SELECT project FROM runs WHERE id = ?))"
		began   = "UPDATE runs SET state = 'running' WHERE id = ?"
		ended   = "UPDATE runs SET state = 'done' WHERE id = ?"
		beside  = "DELETE FROM run_claims WHERE run_id IN (SELECT r.id FROM tasks t, runs r WHERE r.id = ?)"
		lock    = "SELECT pg_advisory_xact_lock(1, ?)"
		asked   = "UPDATE run_claims SET node = ? RETURNING epoch"
	)
	for name, c := range map[string]struct {
		in   []string
		want [][]string
	}{
		"independent":            {[]string{said, began}, [][]string{{said, began}}},
		"alone":                  {[]string{said}, [][]string{{said}}},
		"reads before a write":   {[]string{found, counted}, [][]string{{found, counted}}},
		"reads after a write":    {[]string{counted, found}, [][]string{{counted}, {found}}},
		"writes twice":           {[]string{began, said, ended, counted}, [][]string{{began, said, counted}, {ended}}},
		"reads between writes":   {[]string{began, cost, ended}, [][]string{{began}, {cost, ended}}},
		"a table after a comma":  {[]string{ended, beside}, [][]string{{ended}, {beside}}},
		"a lock":                 {[]string{said, lock, began, counted}, [][]string{{said}, {lock}, {began, counted}}},
		"what somebody asks for": {[]string{said, asked, began}, [][]string{{said}, {asked}, {began}}},
	} {
		var in []store.Statement
		for i, s := range c.in {
			in = append(in, store.Statement{SQL: s, Args: []any{i}})
		}
		out := new(Backend).join(in)
		if len(out) != len(c.want) {
			t.Errorf("%s: %d statements, not %d: %+v", name, len(out), len(c.want), out)
			continue
		}
		for i, parts := range c.want {
			at := 0
			for _, p := range parts {
				n := strings.Index(out[i].SQL[at:], p)
				if n < 0 {
					t.Errorf("%s: %q is not in its place in %q", name, p, out[i].SQL)
					break
				}
				at += n + len(p)
			}
			if len(out[i].Args) != len(parts) {
				t.Errorf("%s: statement %d has %d values", name, i, len(out[i].Args))
			}
		}
	}
}

// TestJoin_ThereIsAnEndOfShapes: what imports and long chains write goes as it is.
func TestJoin_ThereIsAnEndOfShapes(t *testing.T) {
	t.Parallel()
	b := new(Backend)
	many := make([]store.Statement, mostJoined+1)
	for i := range many {
		many[i].SQL = "INSERT INTO messages (seq) VALUES (?)"
	}
	for _, in := range [][]store.Statement{many, many[:mostTurns+1]} {
		if out := b.join(in); len(out) != len(in) {
			t.Errorf("%d statements became %d", len(in), len(out))
		}
	}
	for i := range mostShapes + 5 {
		name := strings.Repeat("x", i+1)
		b.join([]store.Statement{{SQL: "INSERT INTO messages (" + name + ") VALUES (?)"}, {SQL: "INSERT INTO runs (id) VALUES (?)"}})
	}
	if len(b.joins.shapes) != mostShapes {
		t.Errorf("%d shapes are kept", len(b.joins.shapes))
	}
}
