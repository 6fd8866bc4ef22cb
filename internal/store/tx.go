package store

import (
	"context"
	"slices"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/schedule"
)

// A Tx is one transaction. What it writes waits until something in it looks, and goes
// to the database together; the log's own rows go last. Where it appends much, a portion is sent while the next is made ready.
type Tx struct {
	conn Conn
	db   *DB
	ctx  context.Context //nolint:containedctx // a transaction lives inside one call

	waiting   []Statement
	flight    flight                  // what is sent while it goes on
	sent      int                     // how many of what it appended were sent
	holds     []string                // streams to lock before anything else is sent
	spare     []event.Seq             // positions that were taken for what it will append to the streams that it holds
	asked     map[string]bool         // messages that were looked for before they are appended
	recorded  map[string]bool         // those of them that are in the log
	ahead     *standing               // what was read ahead of the run that it is about
	free      string                  // a conversation that no other run is ready in or works
	accepted  map[string]string       // task → agent: tasks that were accepted and whose rows do not say so yet
	ended     string                  // the task that it ended last
	claims    []*claim                // changes of claims that are written at the end
	heads     map[string]Head         // of the streams it holds, as it leaves them
	fresh     []event.Event           // what it appended
	digests   []string                // of their payloads
	committed []func()                // called when others can read what it wrote
	settled   map[run.ID]run.Finished // runs that ended or began to wait
	reserved  []budget.Limit          // under which it reserved
	members   bool                    // it changed the organization
	topics    map[event.Topic]bool    // what it changed
	rowOf     map[string]Statement    // record → what writes its narrow row, at the end
	shares    map[string][]string     // ticket that it made → who has it, by resource
	counts    map[counted]int64       // by how much there are more records than desk_counts says
	made      map[string]standingRow  // records that it made, by id: the log does not have their bodies yet
	stood     map[string]standingRow  // records that were read ahead, as it leaves them
	to        []event.Draft           // what it appends now, from the event on that is projected
}

// maxWaiting bounds the statements that wait.
const maxWaiting = 2000

// do runs a statement whose outcome nobody asks for.
func (tx *Tx) do(query string, args ...any) error {
	tx.waiting = append(tx.waiting, Statement{query, args})
	if len(tx.waiting) < maxWaiting {
		return nil
	}
	return tx.send(tx.take())
}

func (tx *Tx) take() []Statement {
	tx.accept()
	tx.claim()
	out := gather(tx.waiting)
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
	if err := tx.await(); err != nil {
		return 0, err
	}
	return tx.conn.Exec(ctx, append(tx.take(), Statement{query, args})...)
}

func (tx *Tx) query(query string, args ...any) (Rows, error) {
	if err := tx.await(); err != nil {
		return nil, err
	}
	return tx.conn.Query(tx.ctx, tx.take(), Statement{query, args})
}

// look reads. Where streams have to be locked that the transaction holds, that is done with it, and so many positions are taken
// for what it is about to append there.
func (tx *Tx) look(events int, looks ...Look) (err error) {
	if err := tx.await(); err != nil {
		return err
	}
	if len(tx.holds) > 0 {
		if _, locks := tx.db.Backend.Lock(""); locks {
			streams := tx.holds
			tx.holds = nil
			if before := tx.take(); len(before) > 0 {
				if _, err := tx.conn.Exec(tx.ctx, before...); err != nil {
					return err
				}
			}
			tx.spare, err = tx.hold(streams, events, looks)
			return err
		}
	}
	return tx.conn.Look(tx.ctx, tx.take(), looks...)
}

// OnCommit implements [run.Tx].
func (tx *Tx) OnCommit(fn func()) { tx.committed = append(tx.committed, fn) }

// last returns what is left to write: what waits, the events, and where their streams
// stand.
func (tx *Tx) last() ([]Statement, error) {
	rows, err := tx.rowsKept()
	if err != nil {
		return nil, err
	}
	out := slices.Concat(tx.take(), rows, tx.countsKept())
	if out, err = insert(out, tx.fresh[tx.sent:], tx.digests[tx.sent:]); err != nil {
		return nil, err
	}
	return headsKept(out, tx.fresh, tx.heads), tx.await()
}

// What a transaction reads and writes, by subject.
type (
	txRuns          struct{ tx *Tx }
	txClaims        struct{ tx *Tx }
	txConversations struct{ tx *Tx }
	txPlan          struct{ tx *Tx }
	txBudgets       struct{ tx *Tx }
	txSlots         struct{ tx *Tx }
)

// Runs implements [run.Tx].
func (tx *Tx) Runs() run.RunTx { return txRuns{tx} }

// Claims implements [run.Tx].
func (tx *Tx) Claims() run.ClaimTx { return txClaims{tx} }

// Conversations implements [inbox.Tx].
func (tx *Tx) Conversations() inbox.ConversationTx { return txConversations{tx} }

// Plan implements [schedule.Tx].
func (tx *Tx) Plan() schedule.PlanTx { return txPlan{tx} }

// Budgets implements [agent.Tx].
func (tx *Tx) Budgets() budget.Tx { return txBudgets{tx} }

// Slots implements [agent.Tx].
func (tx *Tx) Slots() agent.SlotTx { return txSlots{tx} }
