package store

import (
	"context"
	"fmt"
	"time"
)

// A Cluster is the nodes that share the database.
type Cluster struct{ base }

// Beat says that the node is there; at changes with every beat and is compared by
// nobody's clock. known is false when the node was not listed: it is new, or another
// took its work over.
func (c Cluster) Beat(ctx context.Context, node string, at time.Time) (known bool, err error) {
	err = c.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "UPDATE nodes SET seen_at = ? WHERE id = ?", micros(at), node)
		if known = n > 0; err != nil || known {
			return err
		}
		return tx.do("INSERT INTO nodes (id, seen_at, address) VALUES (?, ?, '')", node, micros(at))
	})
	if err != nil {
		return false, fmt.Errorf("beat: %w", err)
	}
	return known, nil
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

// TakeOver strikes a node off whose last beat is still last, and calls take with the
// row locked, so that one node alone takes its work over. It returns false when the
// node has beaten since or somebody else took over.
func (c Cluster) TakeOver(ctx context.Context, node string, last time.Time, take func() error) (ok bool, err error) {
	err = c.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, "DELETE FROM nodes WHERE id = ? AND seen_at = ?", node, micros(last))
		if ok = n > 0; err != nil || !ok {
			return err
		}
		return take()
	})
	return ok && err == nil, err
}
