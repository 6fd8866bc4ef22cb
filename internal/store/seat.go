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
func (tx *Tx) Sit(id run.ID, who org.AgentID, most int) error {
	// With what is written last, so that others wait for nothing but the commit.
	if lock, ok := tx.db.Lock("seats:" + string(who)); ok {
		tx.waiting = append(tx.waiting, lock)
	}
	return tx.do(`UPDATE run_claims SET seat = ?, seated = CASE WHEN (SELECT count(*) FROM run_claims o
		WHERE o.seat = ? AND o.seat <> '' AND o.seated = 1 AND o.state = 'claimed' AND o.run_id <> ?) < ? THEN 1 ELSE 0 END WHERE run_id = ?`,
		string(who), string(who), string(id), most, string(id))
}

// Seated implements [agent.Seats].
func (db *DB) Seated(ctx context.Context, id run.ID) (bool, error) {
	var n int64
	err := db.one(ctx, "SELECT seated FROM run_claims WHERE run_id = ?", []any{string(id)}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil // it is over
	}
	return n != 0, err
}

// Called implements [agent.SeatTx].
func (tx *Tx) Called(id run.ID) error {
	return tx.do("UPDATE run_claims SET seat = '' WHERE run_id = ? AND seated = 0", string(id))
}

// WaitsForSeat implements [agent.Seats].
func (db *DB) WaitsForSeat(ctx context.Context, who org.AgentID) (run.ID, error) {
	rows, err := db.Query(ctx, `SELECT c.run_id FROM run_claims c WHERE c.seat = ? AND c.seat <> '' AND c.seated = 0 AND c.state <> 'ready'
		ORDER BY (SELECT r.seq FROM runs r WHERE r.id = c.run_id) LIMIT 1`, string(who))
	if err != nil {
		return "", fmt.Errorf("read who waits for an agent: %w", err)
	}
	id, err := first(rows, func(scan func(...any) error) (id run.ID, err error) { return id, scan(&id) })
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}
