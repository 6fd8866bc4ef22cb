package store

import (
	"context"
	"encoding/json"
	"fmt"

	"chela/internal/event"
	"chela/internal/guard"
)

// A Policy is what people allow for always.
type Policy struct{ base }

// projectPolicy writes what people allow for always.
func (tx *Tx) projectPolicy(e event.Event) error {
	tx.members = true
	if err := open(e, guard.AllowedKind, func(p guard.Allowance) error {
		return tx.do("INSERT INTO allowances (id, body, seq) VALUES (?, ?, ?)", p.ID, string(e.Message.Payload), int64(e.Seq))
	}); err != nil {
		return err
	}
	return open(e, guard.ForgottenKind, func(p guard.Forgotten) error { return tx.do("DELETE FROM allowances WHERE id = ?", p.ID) })
}

// Allowances returns what people allow for always, oldest first.
func (p Policy) Allowances(ctx context.Context) ([]guard.Allowance, error) {
	return p.db.allowed.get(p.db, func() ([]guard.Allowance, error) {
		rows, err := p.db.Query(ctx, "SELECT body FROM allowances ORDER BY seq")
		if err != nil {
			return nil, fmt.Errorf("read allowances: %w", err)
		}
		return all(rows, func(scan func(...any) error) (a guard.Allowance, err error) {
			var body string
			if err := scan(&body); err != nil {
				return a, err
			}
			if err := json.Unmarshal([]byte(body), &a); err != nil {
				return a, fmt.Errorf("decode allowance: %w", err)
			}
			return a, nil
		})
	})
}
