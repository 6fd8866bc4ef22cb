package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/run"
)

// A Tx is one transaction. What it writes waits until something in it looks, and goes
// to the database together; the log's own rows go last.
type Tx struct {
	conn Conn
	db   *DB
	ctx  context.Context //nolint:containedctx // a transaction lives inside one call

	waiting   []Statement
	holds     []string                // streams to lock before anything else is sent
	heads     map[string]Head         // of the streams it holds, as it leaves them
	fresh     []recorded              // what it appended
	committed []func()                // called when others can read what it wrote
	settled   map[run.ID]run.Finished // runs that ended or began to wait
	members   bool                    // it changed the organization
	topics    map[event.Topic]bool    // what it changed
}

// recorded is an event that the log is about to hold.
type recorded struct {
	event.Event
	envelope *event.Envelope
}

// maxWaiting bounds the statements that wait.
const maxWaiting = 500

// do runs a statement whose outcome nobody asks for.
func (tx *Tx) do(query string, args ...any) error {
	tx.waiting = append(tx.waiting, Statement{query, args})
	if len(tx.waiting) < maxWaiting {
		return nil
	}
	_, err := tx.conn.Exec(tx.ctx, tx.take()...)
	return err
}

func (tx *Tx) take() []Statement {
	out := tx.waiting
	for i := len(tx.holds) - 1; i >= 0; i-- {
		if lock, ok := tx.db.Backend.Lock(tx.holds[i]); ok {
			out = slices.Insert(out, 0, lock)
		}
	}
	tx.waiting, tx.holds = nil, nil
	return out
}

// Exec runs a statement and returns how many rows it touched.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	return tx.conn.Exec(ctx, append(tx.take(), Statement{query, args})...)
}

func (tx *Tx) query(query string, args ...any) (Rows, error) {
	return tx.conn.Query(tx.ctx, tx.take(), Statement{query, args})
}

// OnCommit implements [run.Tx].
func (tx *Tx) OnCommit(fn func()) { tx.committed = append(tx.committed, fn) }

// Joined implements [run.Tx].
func (tx *Tx) Joined() any { return tx.conn.Joined() }

// last returns what is left to write: what waits, the events, and where their streams
// stand.
func (tx *Tx) last() ([]Statement, error) {
	out := tx.take()
	if len(tx.fresh) == 0 {
		return out, nil
	}
	moved := make(map[string]bool)
	for chunk := range slices.Chunk(tx.fresh, maxRows) {
		args := make([]any, 0, len(chunk)*20)
		for _, e := range chunk {
			row, err := eventArgs(e)
			if err != nil {
				return nil, err
			}
			args = append(args, row...)
			moved[e.Stream] = true
		}
		out = append(out, Statement{insertEvents + rowsOf(eventRow, len(chunk)), args})
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(moved)), maxRows) {
		args := make([]any, 0, len(names)*3)
		for _, n := range names {
			args = append(args, n, tx.heads[n].Seq, tx.heads[n].Hash)
		}
		out = append(out, Statement{`INSERT INTO log_streams (stream, head, hash) VALUES ` + rowsOf("(?,?,?)", len(names)) +
			` ON CONFLICT (stream) DO UPDATE SET head = excluded.head, hash = excluded.hash`, args})
	}
	return out, nil
}

// maxRows bounds the rows of one statement.
const maxRows = 500

func rowsOf(row string, n int) string { return strings.TrimSuffix(strings.Repeat(row+",", n), ",") }
