package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"chela/internal/event"
	"chela/internal/run"
)

// A standing is what a transaction about a run has read of it at once: its claim, which stays so until the transaction ends, and
// its conversation.
type standing struct {
	run     run.ID
	thread  string
	segment int
	epoch   int64
	state   string // of the claim; empty when there is none
	alone   bool   // nothing else is ready or worked in the conversation
	said    event.Seq
	settled bool // no question of the run waits for an answer, and none of its tasks is open but the one that it is
}

// unsettle is called when a task or a question begins.
func (tx *Tx) unsettle() {
	if tx.ahead != nil {
		tx.ahead.settled = false
	}
}

// settles reports whether nothing is left to be ended with a run but the run: that its own task ended is recorded with it.
func (tx *Tx) settles(id run.ID) bool {
	s := tx.ahead
	return s != nil && s.run == id && s.settled && tx.ended == run.RootTask(id)
}

// mostAhead bounds for how many messages it is looked with the rest.
const mostAhead = 8

// Ahead implements [run.RunTx].
func (r txRuns) Ahead(id run.ID, thread string, drafts []event.Draft, more int) (wanted bool, err error) {
	tx, s := r.tx, &standing{run: id, thread: thread}
	waits, lock, joined := "0", "", "group_concat(x.i, ' ')"
	if tx.db.Name() == "postgres" {
		waits = "CASE WHEN c.slot <> '' AND EXISTS (SELECT 1 FROM run_claims w WHERE w.slot = c.slot AND w.slot <> '' AND w.slot_number = 0 AND w.state <> 'ready') THEN 1 ELSE 0 END"
		lock, joined = " FOR UPDATE OF c", "string_agg(CAST(x.i AS TEXT), ' ')"
	}
	tx.asked, tx.recorded = make(map[string]bool), make(map[string]bool)
	var finds []Statement
	for i, d := range drafts {
		tx.asked[d.Message.ID] = true
		finds = looksFor(finds, i, d.Message, d.Envelope.Minted)
	}
	found := func(i int) { tx.recorded[drafts[i].Message.ID] = true }
	known, args := "''", []any{thread, thread}
	var looks []Look
	if len(finds) > mostAhead {
		looks = finding(finds, found)
	} else if len(finds) > 0 {
		all := union(finds)
		known, args = "coalesce((SELECT "+joined+" FROM ("+all.SQL+") x), '')", append(args, all.Args...)
	}
	look := Look{
		Statement{`SELECT c.segment, c.epoch, c.state, CASE WHEN EXISTS (SELECT 1 FROM run_claims o WHERE o.part = ? AND o.run_id <> c.run_id AND o.state <> 'parked') THEN 0 ELSE 1 END,
		coalesce((SELECT m.seq FROM messages m WHERE m.thread_id = ? AND m.role = 'person' ORDER BY m.seq DESC LIMIT 1), 0), ` + known + ", " + waits + `,
		CASE WHEN EXISTS (SELECT 1 FROM approvals a WHERE a.run_id = c.run_id AND a.status = 'pending') OR EXISTS (SELECT 1 FROM tasks t WHERE t.run_id = c.run_id AND t.id <> ? AND t.state IN ('requested', 'running')) THEN 0 ELSE 1 END
		FROM run_claims c WHERE c.run_id = ?` + lock, append(args, run.RootTask(id), string(id))},
		func(rows Rows) error {
			return each(rows, func(scan func(...any) error) error {
				var alone, waited, settled int64
				var has string
				err := scan(&s.segment, &s.epoch, &s.state, &alone, (*int64)(&s.said), &has, &waited, &settled)
				s.alone, wanted, s.settled = alone != 0, waited != 0, settled != 0
				for n := range strings.FieldsSeq(has) {
					i, bad := strconv.Atoi(n)
					if err = errors.Join(err, bad); bad == nil {
						found(i)
					}
				}
				return err
			})
		},
	}
	if err := tx.look(len(drafts)+more, append(looks, look)...); err != nil {
		return false, fmt.Errorf("read run %s: %w", id, err)
	}
	tx.ahead = s
	return wanted, nil
}

// alone reports whether it is known that no other run than one is ready in a conversation, or worked.
func (tx *Tx) alone(thread string, id run.ID) bool {
	for _, c := range tx.claims {
		if c.job != nil && c.run != id {
			return false
		}
	}
	if s := tx.ahead; s != nil && s.run == id && s.thread == thread && s.alone {
		return true
	}
	return tx.free == thread && thread != ""
}
