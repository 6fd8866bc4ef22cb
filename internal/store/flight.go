package store

import "fmt"

// A flight is what a large transaction has sent to the database while it makes ready what comes next. The connection is
// nobody else's meanwhile.
type flight struct {
	done   chan error // what is sent says how it went; nil when nothing is
	failed error      // how something went: the transaction is over
}

// fewSent is how many events are sent ahead of those that follow.
const fewSent = 32

// sendFresh sends what waits, and what was appended and is not sent yet.
func (tx *Tx) sendFresh() error {
	out, err := insert(tx.take(), tx.fresh[tx.sent:], tx.digests[tx.sent:])
	if err != nil {
		return err
	}
	tx.sent = len(tx.fresh)
	return tx.send(out)
}

// send has statements run while the transaction goes on. How they went is said when the next are sent, or by [Tx.await].
func (tx *Tx) send(in []Statement) error {
	if err := tx.await(); err != nil || len(in) == 0 {
		return err
	}
	done := make(chan error, 1)
	tx.flight.done = done
	go func() {
		var err error
		defer func() {
			if p := recover(); p != nil { // as in [DB.Write]
				err = fmt.Errorf("panic in a transaction: %v", p)
			}
			done <- err
		}()
		_, err = tx.conn.Exec(tx.ctx, in...)
	}()
	return nil
}

// await returns when nothing is on its way any more. Whatever asks something of the connection calls it first.
func (tx *Tx) await() error {
	if tx.flight.done != nil {
		tx.flight.failed = <-tx.flight.done
		tx.flight.done = nil
	}
	return tx.flight.failed
}
