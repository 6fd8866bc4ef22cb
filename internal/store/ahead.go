package store

import (
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
}

// Ahead implements [run.RunTx].
func (r txRuns) Ahead(id run.ID, thread string, drafts []event.Draft, more int) (wanted bool, err error) {
	tx, s := r.tx, &standing{run: id, thread: thread}
	waits, lock := "0", ""
	if tx.db.Name() == "postgres" {
		waits = "CASE WHEN c.slot <> '' AND EXISTS (SELECT 1 FROM run_claims w WHERE w.slot = c.slot AND w.slot <> '' AND w.seat = 0 AND w.state <> 'ready') THEN 1 ELSE 0 END"
		lock = " FOR UPDATE OF c"
	}
	look := Look{Statement{`SELECT c.segment, c.epoch, c.state, CASE WHEN EXISTS (SELECT 1 FROM run_claims o WHERE o.part = ? AND o.run_id <> c.run_id AND o.state <> 'parked') THEN 0 ELSE 1 END,
		coalesce((SELECT m.seq FROM messages m WHERE m.thread_id = ? AND m.role = 'person' ORDER BY m.seq DESC LIMIT 1), 0), ` + waits + ` FROM run_claims c WHERE c.run_id = ?` + lock, []any{thread, thread, string(id)}},
		func(rows Rows) error {
			return each(rows, func(scan func(...any) error) error {
				var alone, waited int64
				err := scan(&s.segment, &s.epoch, &s.state, &alone, (*int64)(&s.said), &waited)
				s.alone, wanted = alone != 0, waited != 0
				return err
			})
		}}
	tx.asked, tx.recorded = make(map[string]bool), make(map[string]bool)
	var finds []Statement
	for i, d := range drafts {
		tx.asked[d.Message.ID] = true
		finds = looksFor(finds, i, d.Message, d.Envelope.Minted)
	}
	looks := finding(finds, func(i int) { tx.recorded[drafts[i].Message.ID] = true })
	if err := tx.look(len(drafts)+more, append(looks, look)...); err != nil {
		return false, err
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
