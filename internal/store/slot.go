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

// Slots say which runs have an agent, and which wait for one.
type Slots struct{ base }

var (
	_ agent.Slots = Slots{}
	_ agent.Tx    = (*Tx)(nil)
)

// A slot is part of the claim of the run that has it: it is free as soon as the claim ends,
// and goes with the run when another node takes that over. Of the runs that wait for one
// the claims say so, too.

// TakeSlot implements [agent.SlotTx].
func (s txSlots) TakeSlot(id run.ID, who org.AgentID, most int) error {
	// With what is written last, so that others wait for nothing but the commit.
	if lock, ok := s.tx.db.Backend.Lock("slots:" + string(who)); ok {
		s.tx.waiting = append(s.tx.waiting, lock)
	}
	return s.tx.do(`UPDATE run_claims SET slot = ?, holds_slot = CASE WHEN (SELECT count(*) FROM run_claims o
		WHERE o.slot = ? AND o.slot <> '' AND o.holds_slot = 1 AND o.state = 'claimed' AND o.run_id <> ?) < ? THEN 1 ELSE 0 END WHERE run_id = ?`,
		string(who), string(who), string(id), most, string(id))
}

// HasSlot implements [agent.Slots].
func (s Slots) HasSlot(ctx context.Context, id run.ID) (bool, error) {
	var n int64
	err := s.db.one(ctx, "SELECT holds_slot FROM run_claims WHERE run_id = ?", []any{string(id)}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil // it is over
	}
	return n != 0, err
}

// Called implements [agent.SlotTx].
func (s txSlots) Called(id run.ID) error {
	return s.tx.do("UPDATE run_claims SET slot = '' WHERE run_id = ? AND holds_slot = 0", string(id))
}

// WaitsForSlot implements [agent.Slots].
func (s Slots) WaitsForSlot(ctx context.Context, who org.AgentID) (run.ID, error) {
	rows, err := s.db.Query(ctx, `SELECT c.run_id FROM run_claims c WHERE c.slot = ? AND c.slot <> '' AND c.holds_slot = 0 AND c.state <> 'ready'
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
