package store

import (
	"context"
	"fmt"
	"time"
)

// A Cluster is the nodes that share the database.
type Cluster struct{ base }

// Beat says that the node is there, or at the zero time that it left; at changes with every beat and is compared by
// nobody's clock.
func (c Cluster) Beat(ctx context.Context, node string, at time.Time) error {
	err := c.db.Write(ctx, func(tx *Tx) error {
		return tx.do("INSERT INTO nodes (id, seen_at, address) VALUES (?, ?, '') ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at", node, micros(at))
	})
	if err != nil {
		return fmt.Errorf("beat: %w", err)
	}
	return nil
}

// Nodes returns the last beat of every node.
func (c Cluster) Nodes(ctx context.Context) (map[string]time.Time, error) {
	rows, err := c.db.Query(ctx, "SELECT id, seen_at FROM nodes")
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	out := make(map[string]time.Time)
	err = each(rows, func(scan func(...any) error) error {
		var id string
		var at int64
		if err := scan(&id, &at); err != nil {
			return err
		}
		out[id] = fromMicros(at)
		return nil
	})
	return out, err
}

// StrikeOff removes a node whose last beat is still last, and has what it worked wait for another. It returns how many
// runs that are, and whether it did: of all who try, one does.
func (c Cluster) StrikeOff(ctx context.Context, node string, last time.Time) (runs int64, ok bool, err error) {
	err = c.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "DELETE FROM nodes WHERE id = ? AND seen_at = ?", node, micros(last))
		if ok = n > 0; err != nil || !ok {
			return err
		}
		runs, err = tx.Exec(ctx, requeue)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("strike off %s: %w", node, err)
	}
	return runs, ok, nil
}
