package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Cluster is the nodes that share the database.
type Cluster struct{ base }

// Return says that the node, whose process this is, is there from now on, and ends the connections that it left when it died: where
// its machine died with it the server does not know, and what they hold would be waited for.
func (c Cluster) Return(ctx context.Context, node string, at time.Time) error {
	if err := c.disconnect(ctx, "SELECT address FROM nodes WHERE id = ?", node); err != nil {
		return err
	}
	return c.Beat(ctx, node, at)
}

// disconnect ends the connections of the processes that a query finds.
func (c Cluster) disconnect(ctx context.Context, query string, args ...any) error {
	rows, err := c.db.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("look for the process of a node: %w", err)
	}
	var found []string
	err = each(rows, func(scan func(...any) error) error {
		var process string
		err := scan(&process)
		found = append(found, process)
		return err
	})
	for _, process := range found {
		err = errors.Join(err, c.db.Backend.Disconnect(ctx, process))
	}
	return err
}

// Beat says that the node is there, or at the zero time that it left; at changes with every beat and is compared by
// nobody's clock. The node's address is its process.
func (c Cluster) Beat(ctx context.Context, node string, at time.Time) error {
	err := c.db.Write(ctx, func(tx *Tx) error {
		return tx.do("INSERT INTO nodes (id, seen_at, address) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, address = excluded.address", node, micros(at), c.db.Backend.Process())
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
// runs that are, and whether it did: of all who try, one does. Its connections are ended first: what it had begun when it fell
// silent holds locks, for which this would wait as well.
func (c Cluster) StrikeOff(ctx context.Context, node string, last time.Time) (runs int64, ok bool, err error) {
	if err := c.disconnect(ctx, "SELECT address FROM nodes WHERE id = ? AND seen_at = ?", node, micros(last)); err != nil {
		return 0, false, fmt.Errorf("strike off %s: %w", node, err)
	}
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
