package store

import (
	"context"
	"fmt"

	"chela/internal/approval"
	"chela/internal/channel"
)

// A Backlog is what waits in the whole organization.
type Backlog struct {
	Runs       map[[2]string]int // open ones, by lane and state
	Approvals  int
	Messages   int // in conversations
	Deliveries int
}

// Backlog counts what waits.
func (c Cluster) Backlog(ctx context.Context) (b Backlog, err error) {
	rows, err := c.db.Query(ctx, "SELECT lane, state, count(*) FROM runs WHERE ended_at = 0 GROUP BY lane, state")
	if err != nil {
		return b, fmt.Errorf("count what waits: %w", err)
	}
	b.Runs = make(map[[2]string]int)
	if err := each(rows, func(scan func(...any) error) error {
		var of [2]string
		var n int
		err := scan(&of[0], &of[1], &n)
		b.Runs[of] = n
		return err
	}); err != nil {
		return b, fmt.Errorf("count what waits: %w", err)
	}
	err = c.db.one(ctx, `SELECT (SELECT count(*) FROM approvals WHERE status = ?), (SELECT count(*) FROM session_held), (SELECT count(*) FROM channel_deliveries WHERE state IN (?, ?))`,
		[]any{string(approval.Pending), string(channel.Queued), string(channel.Sending)}, &b.Approvals, &b.Messages, &b.Deliveries)
	return b, err
}
