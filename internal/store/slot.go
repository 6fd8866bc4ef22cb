package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

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

// A slot is part of the claim of the run that has it, and has a number: it is free as soon as the claim ends, and goes with the run
// when another node takes that over. Of the runs that wait for one the claims say so, too: their number is 0.

// freeSlot is the number of a free slot with an agent, none when so many are taken. Where transactions work beside each other it
// passes over those that another is about to take, so that nobody waits; it begins to look anywhere, so that few look at the same.
func (tx *Tx) freeSlot(who string, most int) (string, []any) {
	most = min(max(most, 1), mostSlots)
	const none = "NOT EXISTS (SELECT 1 FROM run_claims o WHERE o.slot = ? AND o.slot_number = g.n AND o.slot_number > 0) AND (SELECT count(*) FROM run_claims h WHERE h.slot = ? AND h.slot_number > 0) < ?"
	if _, locks := tx.db.Backend.Lock(""); !locks {
		return "coalesce((WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < ?) SELECT g.n FROM g WHERE " + none + " LIMIT 1), 0)", []any{most, who, who, most}
	}
	// How many numbers there are is asked by a query of its own: else the server would plan it anew each time.
	return "coalesce((WITH free AS MATERIALIZED (SELECT g.n FROM generate_series(1, (SELECT CAST(? AS INT))) g(n) WHERE " + none + ` ORDER BY (g.n + CAST(? AS INT)) % CAST(? AS INT))
			SELECT f.n FROM free f WHERE pg_try_advisory_xact_lock(2, CAST(? AS INT) + f.n) LIMIT 1), 0)`,
		[]any{most, who, who, most, rand.IntN(most), most, slotKey(who)} //nolint:gosec // nobody gains by guessing it
}

// mostSlots bounds the numbers that are looked at.
const mostSlots = 1000

// slotKey is where the locks of an agent's slots begin. Two agents may share some: then a slot is passed over that need not be.
func slotKey(who string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(who))          // never fails
	return int32(h.Sum32() & 0x3fffffff) //nolint:gosec // 30 bits
}

// TakeSlot implements [agent.SlotTx].
func (s txSlots) TakeSlot(id run.ID, who org.AgentID, most int) error {
	s.tx.claim()
	free, args := s.tx.freeSlot(string(who), most)
	return s.tx.do("UPDATE run_claims SET slot = ?, slot_number = CASE WHEN slot = ? AND slot_number > 0 THEN slot_number ELSE "+free+" END WHERE run_id = ?",
		append(append([]any{string(who), string(who)}, args...), string(id))...)
}

// HasSlot implements [agent.Slots].
func (s Slots) HasSlot(ctx context.Context, id run.ID, who org.AgentID) (bool, error) {
	var n int64
	err := s.db.one(ctx, "SELECT slot_number FROM run_claims WHERE run_id = ? AND slot = ?", []any{string(id), string(who)}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil // it is over
	}
	return n != 0, err
}

// Called implements [agent.SlotTx].
func (s txSlots) Called(id run.ID) error {
	return s.tx.do("UPDATE run_claims SET slot = '' WHERE run_id = ? AND slot_number = 0", string(id))
}

// WaitsForSlot implements [agent.Slots].
func (s Slots) WaitsForSlot(ctx context.Context, who org.AgentID, most int) (run.ID, error) {
	rows, err := s.db.Query(ctx, `SELECT c.run_id FROM run_claims c WHERE c.slot = ? AND c.slot <> '' AND c.slot_number = 0 AND c.state <> 'ready' AND NOT (c.state = 'parked' AND c.not_before = 0)
		AND (SELECT count(*) FROM run_claims h WHERE h.slot = ? AND h.slot <> '' AND h.slot_number > 0) < ? ORDER BY (SELECT r.seq FROM runs r WHERE r.id = c.run_id) LIMIT 1`, string(who), string(who), most)
	if err != nil {
		return "", fmt.Errorf("read who waits for an agent: %w", err)
	}
	id, err := first(rows, func(scan func(...any) error) (id run.ID, err error) { return id, scan(&id) })
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}
