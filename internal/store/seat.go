package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"chela/internal/agent"
	"chela/internal/org"
	"chela/internal/run"
)

var (
	_ agent.Seats  = (*DB)(nil)
	_ agent.SeatTx = (*Tx)(nil)
)

// A seat is part of the claim of the run that has it: it is free as soon as the claim ends,
// and goes with the run when another node takes that over. Of the runs that wait for one
// the claims say so, too.

// Sit implements [agent.SeatTx].
func (tx *Tx) Sit(id run.ID, who org.AgentID, most int) (ok bool, err error) {
	if err := tx.Hold("seats:" + string(who)); err != nil {
		return false, err
	}
	var taken int64
	if err := tx.row("SELECT count(*) FROM run_claims WHERE seat = ? AND seated = 1 AND state = 'claimed' AND run_id <> ?", []any{string(who), string(id)}, &taken); err != nil {
		return false, fmt.Errorf("count the runs of an agent: %w", err)
	}
	ok = taken < int64(most)
	return ok, tx.do("UPDATE run_claims SET seat = ?, seated = ? WHERE run_id = ?", string(who), flag(ok), string(id))
}

// Called implements [agent.SeatTx].
func (tx *Tx) Called(id run.ID) error {
	return tx.do("UPDATE run_claims SET seat = '' WHERE run_id = ? AND seated = 0", string(id))
}

// WaitsForSeat implements [agent.Seats].
func (db *DB) WaitsForSeat(ctx context.Context, who org.AgentID) (run.ID, error) {
	rows, err := db.Query(ctx, `SELECT c.run_id FROM run_claims c CROSS JOIN runs r
		WHERE r.id = c.run_id AND c.seat = ? AND c.seated = 0 AND c.state <> 'ready' ORDER BY r.seq LIMIT 1`, string(who))
	if err != nil {
		return "", fmt.Errorf("read who waits for an agent: %w", err)
	}
	id, err := first(rows, func(scan func(...any) error) (id run.ID, err error) { return id, scan(&id) })
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}
