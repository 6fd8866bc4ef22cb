package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/event"
	"chela/internal/session"
)

// projectCompacted keeps what stands for a part of a conversation.
func (tx *Tx) projectCompacted(e event.Event) error {
	return open(e, session.CompactedKind, func(c session.Compacted) error {
		body, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("encode what stands for a conversation: %w", err)
		}
		return tx.do("INSERT INTO session_compactions (seq, thread_id, body) VALUES (?,?,?)", int64(e.Seq), e.Message.ThreadID, string(body))
	})
}

// Compacted returns what stood for the older part of a conversation at a position of the log; the zero value when nothing did.
func (c Conversations) Compacted(ctx context.Context, thread string, at event.Seq) (session.Compacted, error) {
	var out session.Compacted
	var body string
	err := c.db.one(ctx, "SELECT body FROM session_compactions WHERE thread_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1", []any{thread, int64(at)}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &out)
	}
	if err != nil {
		return out, fmt.Errorf("read what stands for conversation %s: %w", thread, err)
	}
	return out, nil
}
